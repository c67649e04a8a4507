"""Runs in TREC's format: a line for each result, as text or gzipped.

::

    run = read_trec_run("gritlm-7b.trec.gz")  # qid, docno, rank, score, name
"""

import gzip
import zlib
from collections.abc import Iterable
from math import isfinite
from typing import NamedTuple

import pandas as pd

from ..arguments import FilePath, check_arguments


class RunLine(NamedTuple):
    """A line of a TREC run."""

    qid: str
    docno: str
    rank: int
    score: float
    name: str


@check_arguments
def read_trec_run(path: FilePath) -> pd.DataFrame:
    """Read a TREC run, as text or gzipped (``.gz``): ``qid Q0 docno rank score name`` a line.

    Ids are kept as written, also "NA", "007" and quotes.

    Returns:
        Frame with columns `qid`, `docno` (str), `rank` (int), `score` (float) and `name` (str).

    Raises:
        ValueError: a line of another form, a damaged file, or a duplicate document of a query;
            names file and line.
    """
    open_file = gzip.open if str(path).endswith(".gz") else open
    try:
        with open_file(path, "rt", encoding="utf-8-sig") as file:
            lines = _parse_lines(file, path)
    except (UnicodeDecodeError, EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{path} is no TREC run, or damaged: {error}.") from error
    return pd.DataFrame(lines, columns=RunLine._fields)


def _parse_lines(file: Iterable[str], path: FilePath) -> list[RunLine]:
    """Parse the lines that are not blank; ValueError for a duplicate document of a query."""
    lines = []
    known_pairs: set[tuple[str, str]] = set()
    for number, text in enumerate(file, 1):
        if not text.strip():
            continue

        where = f"{path}, line {number}"
        line = _parse_line(where, text)
        pair = (line.qid, line.docno)
        if pair in known_pairs:
            raise ValueError(f"{where}: duplicate document {line.docno!r} of query {line.qid!r}.")
        known_pairs.add(pair)
        lines.append(line)
    return lines


def _parse_line(where: str, text: str) -> RunLine:
    """Parse a line; `where` is its file and number, for the error."""
    try:
        qid, _, docno, rank, score, name = text.split()
        line = RunLine(qid, docno, int(rank), float(score), name)
        if not isfinite(line.score):
            raise ValueError("a score must be a finite number")
    except ValueError as error:
        raise ValueError(
            f"{where}: {text.strip()!r:.80} is no line of a TREC run, `qid Q0 docno rank score "
            f"name` ({error})."
        ) from error
    return line
