"""Run systems over the part of a collection that is present, or reuse their saved runs."""

import json
import warnings
import zlib
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from string import Formatter
from time import perf_counter

import ir_datasets
import pandas as pd
import pyterrier as pt

from ir_datasets_ext.store import Entries, Unidentified, digest_of, fingerprint

from .. import frames
from ..datasets import irds
from ..encoders import ModelEncoder
from ..progress import say
from ..protocols import System
from ..transformers import Pool
from ..transformers.step import Step

EVERYTHING = 2_000  # documents: without pools, up to so many are all candidates
COLUMNS = ["qid", "docno", "score", "rank"]


def plan(data: "PresentData", systems: int, encoders: Iterable[object]) -> str:
    """Say what is about to be done, and in which precision."""
    text = f"{data.name}: systems: {systems}, papers: {data.documents[0]:,}"
    models = [one for one in encoders if isinstance(one, ModelEncoder)]
    precisions = dict.fromkeys(one.precision_used for one in models)
    if precisions:
        text += f", encoders: {len(set(models))}, in {' and '.join(precisions)}"
    return f"{text}."


@dataclass(frozen=True)
class PresentData:
    """A dataset's topics and judgements, and how much of the release is present.

    A release may be present in part (some of LitSearch's papers, some of DORIS-MAE's pools). A
    system cannot retrieve a missing document. So it is evaluated on queries with a judged document
    that is present, and judgements of missing documents do not count.
    """

    name: str

    @property
    def _dataset(self) -> ir_datasets.Dataset:
        return irds(self.name)

    @cached_property
    def judgements(self) -> pd.DataFrame:
        """All judgements.

        Raises:
            ValueError: there are none.
        """
        judgements = pt.get_dataset(f"irds:{self.name}").get_qrels()
        if judgements.empty:
            raise ValueError(
                f"Nothing to evaluate: no query of {self.name} has judgements in the files that "
                "are present. Choose another dataset, or add the missing files."
            )
        return judgements

    @cached_property
    def reachable(self) -> pd.DataFrame:
        """The judgements of documents that are present."""
        present = self._dataset.docs_store().get_many(self.judgements["docno"].unique().tolist())
        return self.judgements[self.judgements["docno"].isin(present)].reset_index(drop=True)

    def topics(self, judgements: pd.DataFrame) -> pd.DataFrame:
        """Return the topics with a judgement: a frame with `qid` and `query`."""
        topics = pt.get_dataset(f"irds:{self.name}").get_topics("query")
        return topics[topics["qid"].isin(judgements["qid"])].reset_index(drop=True)

    @cached_property
    def documents(self) -> tuple[int, int]:
        """How many documents are present, and how many the release has."""
        present = self._dataset.docs_count()
        return present, self._dataset.metadata().get("docs", {}).get("count", present)

    def count_without_text(self, template: str) -> int:
        """Count the documents that are present and have no text in any field of a template."""
        names = {name for _, name, _, _ in Formatter().parse(template) if name}
        empty = 0
        for document in self._dataset.docs_iter():
            values = [getattr(document, name, "") for name in names]
            if not any(values):
                empty += 1
        return empty

    @cached_property
    def fingerprint(self) -> str:
        """A hash of queries, candidates and documents."""
        documents = digest_of(self._dataset.docs_store().path)
        pools = self._dataset.scoreddocs_iter() if self._dataset.has_scoreddocs() else ()
        return fingerprint([self.name, documents, list(self._dataset.queries_iter()), list(pools)])

    def from_topics(self, system: pt.Transformer) -> pt.Transformer:
        """Put `EveryDocument` before a system that takes candidates, so that it takes topics."""
        with suppress(pt.inspect.InspectError):
            try:
                pt.inspect.transformer_outputs(system, ["qid", "query"])
            except pt.validate.InputValidationError:
                return EveryDocument(self.name) >> system
        return system


def remark_missing_texts(rows: Iterable[System], data: PresentData) -> tuple[str, ...]:
    """Return a remark if documents lack the texts that systems read, as full texts may be missing.

    Args:
        rows: of the systems. Only those that read other texts than the usual are looked at.
        data: the documents that they rank.

    Raises:
        ValueError: no document that is present has such a text: each would get one score.
    """
    templates = {row.scoring["document"] for row in rows if row.text and "document" in row.scoring}
    present, _ = data.documents
    sentences = []
    for template in sorted(templates, key=str):
        empty = data.count_without_text(str(template))
        if empty == present:
            raise ValueError(
                f"None of the {present:,} documents of {data.name} that are present has a text for "
                f"{template}, so a system that reads it cannot tell them apart. Add the release's "
                "files with these texts, or choose a table on titles and abstracts."
            )
        if empty:
            sentences.append(
                f"{empty:,} of the {present:,} documents that are present have no text for "
                f"{template}, and are ranked as empty texts."
            )
    return tuple(sentences)


@dataclass(eq=False, repr=False)
class EveryDocument(Step):
    """Make all documents of a small dataset the candidates of each topic.

    Raises:
        ValueError: the dataset has too many documents.
    """

    dataset: object

    def transform(self, topics: pd.DataFrame) -> pd.DataFrame:
        """Give each topic every document."""
        topics = frames.check(topics, self, ["qid"], without=["docno"])
        count = irds(self.dataset).docs_count()
        if count > EVERYTHING:
            raise ValueError(
                f"{self.dataset} has no candidate pools, and {count:,} documents are too many to "
                "score them all. Pass `candidates=`: a retriever whose results are re-ranked."
            )
        docnos = pd.DataFrame({"docno": [doc.doc_id for doc in irds(self.dataset).docs_iter()]})
        return Pool(topics[["qid"]].merge(docnos, how="cross"))(topics)


def run_of(
    name: str,
    system: pt.Transformer,
    topics: pd.DataFrame,
    data: object = None,
    folder: str | Path | None = None,
    verbose: bool = False,
) -> pd.DataFrame:
    """Rank the topics, or read the saved run of the same system over the same data.

    A saved run is an entry under a hash of the system and its data, so a changed system is run.

    Args:
        name: of the system, for messages.
        system: from topics to results.
        topics: frame with `qid` and `query`.
        data: a value that differs between different data; used only with a folder.
        folder: of the runs; None saves none.
        verbose: print a line when a system begins, and when it ends.

    Returns:
        Frame with `qid`, `docno`, `score`, `rank`.

    Raises:
        ValueError: the system retrieves nothing.
        OSError: a system has to be run, and the folder is not writable.
    """
    if folder is None:
        return _ranked(name, system, topics, verbose)
    try:
        key = key_of(system, [data, topics]).encode()
    except Unidentified as error:
        warnings.warn(
            f"The run of {name} is not saved, because a part of the system cannot be identified: "
            f"{error} Or rank once with the system, and pass the results instead.",
            stacklevel=4,
        )
        return _ranked(name, system, topics, verbose)
    runs = Entries(
        folder,
        lost="The runs of other systems in it are recomputed.",
        remedy="Runs are saved there. Pass a `save_dir` that you can write to.",
    )
    if saved := runs.get_many([key]):
        if verbose:
            say(f"{name}: read from {folder}")
        return pd.DataFrame(json.loads(zlib.decompress(saved[key])))
    runs.ensure_writable()  # before the work, not after
    run = _ranked(name, system, topics, verbose)
    text = json.dumps({name: run[name].tolist() for name in COLUMNS}, separators=(",", ":"))
    try:
        runs.put_many({key: zlib.compress(text.encode(), 1)})
    except OSError as error:
        warnings.warn(f"The run of {name} could not be saved: {error}", stacklevel=4)
    return run


def key_of(system: object, data: object) -> str:
    """Return the key of a system's run over `data`; it depends on this package's version too.

    Raises:
        Unidentified: see `fingerprint`.
    """
    try:
        release = version("pyterrier-scholarly")
    except PackageNotFoundError:  # run from a folder of sources
        release = ""
    return fingerprint([system, data, release])


def _ranked(name: str, system: pt.Transformer, topics: pd.DataFrame, verbose: bool) -> pd.DataFrame:
    start = perf_counter()
    if verbose:
        say(f"{name}: ranking for {len(topics)} queries …")
    run: pd.DataFrame = system(topics)
    if not len(run):
        raise ValueError(
            f"{name} retrieves nothing for any of {len(topics)} queries. Check its index and pool."
        )
    if verbose:
        say(f"{name}: done in {perf_counter() - start:.1f} s")
    return run[COLUMNS].reset_index(drop=True)
