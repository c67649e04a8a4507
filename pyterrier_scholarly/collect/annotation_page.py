"""The page of a query's annotations, as HTML that fetches nothing, without a script.

`Annotations` calls `render_page`. The records below are what the template reads,
``_page/annotations.html``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any

import pandas as pd

from ..pages import render_page
from ..paper import Paper, labels_of
from .drawn_pools import CITED
from .rulings import Ruling

TEMPLATES = Path(__file__).parent / "_page"
#: value of a ruling -> its words on the page; annotators who agree, and are kept, need none
RULING_WORDS = {
    Ruling.ONE_KEPT.value: "one grade kept",
    Ruling.OVERRULED.value: "no annotator's grade kept",
    Ruling.CHANGED.value: "agreed, but over-ruled",
}


@dataclass(frozen=True)
class TextRun:
    """The text of adjacent sentences with one label; `is_asked` if the query's facet has it."""

    label: str
    text: str
    is_asked: bool


@dataclass(frozen=True)
class Rating:
    """An annotator's grade, as text."""

    annotator: str
    grade: str


@dataclass(frozen=True)
class Entry:
    """A document on the page.

    grade: the final one as text; "" if missing.
    ruling: in words; "" if there is nothing to say.
    differs: whether annotators, or the final grade, differ.
    origin: how the document got into the pool; "" if unknown.
    runs: all of its text.
    """

    docno: str
    title: str
    grade: str
    ratings: list[Rating]
    ruling: str
    differs: bool
    origin: str
    runs: list[TextRun]

    @property
    def asked_runs(self) -> list[TextRun]:
        """The text of the query's facet."""
        return [run for run in self.runs if run.is_asked]


@dataclass(frozen=True)
class Group:
    """All documents with one final grade, and what the grade means ("" if unknown)."""

    grade: str
    meaning: str
    entries: list[Entry]


def render_annotations(
    *,
    qid: str,
    facet: str,
    query_paper: Paper,
    annotators: Sequence[str],
    definitions: Mapping[int, str],
    frame: pd.DataFrame,
    papers: Sequence[Paper],
) -> str:
    """Render a query's annotations as an HTML page, and return its text.

    `Annotations` passes its attributes of these names, which it describes. `query_paper` is its
    attribute `paper`, the query's own paper.
    """
    rows: list[dict[Any, Any]] = frame.to_dict("records")
    entries = [_create_entry(row, paper, annotators, facet) for row, paper in zip(rows, papers)]

    return render_page(
        TEMPLATES,
        "annotations.html",
        qid=qid,
        facet=facet,
        query_title=query_paper.title,
        query_runs=_join_runs(query_paper, facet),
        annotators=annotators,
        document_count=len(entries),
        differing_count=sum(entry.differs for entry in entries),
        groups=_group_by_grade(entries, definitions),
    )


def _create_entry(
    row: Mapping[Any, Any], paper: Paper, annotators: Sequence[str], facet: str
) -> Entry:
    """Create a document's entry. row: of the frame, by column."""
    has_ruling_words = row["ruling"] in RULING_WORDS
    return Entry(
        docno=row["docno"],
        title=row["title"],
        grade=_format_grade(row["label"], missing=""),
        ratings=[Rating(name, _format_grade(row[name], missing="missing")) for name in annotators],
        ruling=RULING_WORDS.get(row["ruling"], ""),
        differs=has_ruling_words or row["difference"] > 0,
        origin=_describe_origin(row["sources"]),
        runs=_join_runs(paper, facet),
    )


def _format_grade(grade: float, missing: str) -> str:
    return missing if pd.isna(grade) else f"{grade:g}"


def _describe_origin(sources: tuple[str, ...]) -> str:
    """Say how a document got into the pool. CSFCube has one list of methods for all cited ones."""
    if CITED in sources:
        return "cited by the query's paper"
    return f"found by {', '.join(sources)}" if sources else ""


def _join_runs(paper: Paper, facet: str) -> list[TextRun]:
    """Join adjacent sentences with one label."""
    asked_labels = labels_of(facet) if facet else ()
    labelled_sentences = zip(paper.labels, paper.sentences)
    runs = []
    for label, group in groupby(labelled_sentences, key=itemgetter(0)):
        text = " ".join(sentence for _, sentence in group)
        runs.append(TextRun(label, text, is_asked=label in asked_labels))
    return runs


def _group_by_grade(entries: Sequence[Entry], definitions: Mapping[int, str]) -> list[Group]:
    """Group entries, which are ordered by their final grades."""
    meaning_of_grade = {str(grade): meaning for grade, meaning in definitions.items()}
    groups = []
    for grade, entries_of_grade in groupby(entries, key=attrgetter("grade")):
        meaning = meaning_of_grade.get(grade, "")
        groups.append(Group(grade, meaning, list(entries_of_grade)))
    return groups
