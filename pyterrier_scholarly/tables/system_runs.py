"""Run systems over the part of a collection that is present, or reuse their saved runs."""

import json
import warnings
import zlib
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from pathlib import Path
from string import Formatter
from time import perf_counter
from typing import NamedTuple

import ir_datasets
import pandas as pd
import pyterrier as pt

from ir_datasets_ext.docstore import DocumentStore
from ir_datasets_ext.store import Entries, Unidentified, digest_folder, fingerprint
from ir_datasets_ext.typed_records import MissingContent

from .. import frames
from ..datasets import DatasetLike, irds
from ..encoders import ModelEncoder
from ..evaluation.run_checks import Sizes, count_documents
from ..progress import say
from ..protocols import System
from ..transformers import Pool
from ..transformers.step import Step

EVERYTHING = 2_000  # documents: without pools, up to so many are all candidates
COLUMNS = ["qid", "docno", "score", "rank"]


def plan(data: "PresentData", systems: int, encoders: Iterable[object]) -> str:
    """Say what is about to be done, and in which precision."""
    text = f"{data.name}: systems: {systems}"
    if data.sizes is not None:
        text += f", papers: {data.sizes.present:,}"

    models = [one for one in encoders if isinstance(one, ModelEncoder)]
    precisions = dict.fromkeys(one.precision_used for one in models)
    if precisions:
        text += f", encoders: {len(set(models))}, in {' and '.join(precisions)}"
    return f"{text}."


class JudgementSet(NamedTuple):
    """Judgements that systems are evaluated with; only under the same ones are they compared.

    name: "all" of the dataset's, or those of "present" documents.
    rows: frame `qid`, `docno`, `label`, and perhaps `iteration`.
    """

    name: str
    rows: pd.DataFrame


class TextCount(NamedTuple):
    """How many documents there are, and how many of them have no text in some fields."""

    documents: int
    without_text: int


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
    def judgements(self) -> JudgementSet:
        """All judgements.

        Raises:
            ValueError: there are none.
        """
        try:
            rows = pt.get_dataset(f"irds:{self.name}").get_qrels()
        except MissingContent:
            rows = pd.DataFrame()
        if rows.empty:
            raise ValueError(
                f"Nothing to evaluate: no query of {self.name} has judgements in the files that "
                "are present. Choose another dataset, or add the missing files."
            )
        return JudgementSet("all", rows)

    @cached_property
    def reachable(self) -> JudgementSet:
        """The judgements of documents that are present."""
        if self.sizes is None or not self.sizes.is_part:
            return self.judgements

        rows = self.judgements.rows
        judged_documents = rows["docno"].unique().tolist()
        present_documents = self._dataset.docs_store().get_many(judged_documents)
        is_present = rows["docno"].isin(present_documents)
        if is_present.all():
            return self.judgements
        return JudgementSet("present", rows[is_present].reset_index(drop=True))

    def topics(self, judgements: JudgementSet) -> pd.DataFrame:
        """Return the topics with a judgement: a frame with `qid` and `query`."""
        judged_ids = set(judgements.rows["qid"])
        judged_queries = [
            query for query in self._dataset.queries_iter() if query.query_id in judged_ids
        ]
        return pd.DataFrame(
            {
                "qid": frames.column([query.query_id for query in judged_queries]),
                "query": frames.column([query.default_text() for query in judged_queries]),
            }
        )

    @cached_property
    def sizes(self) -> Sizes | None:
        """How many documents are present, and how many the release has; None if unknown."""
        return count_documents(self._dataset) if self._dataset.has_docs() else None

    def count_texts(self, template: str) -> "TextCount":
        """Count the documents that are present, and those without a text for a template."""
        fields = {field for _, field, _, _ in Formatter().parse(template) if field}
        documents, without_text = 0, 0
        for document in self._dataset.docs_iter():
            documents += 1
            if not any(getattr(document, field, "") for field in fields):
                without_text += 1
        return TextCount(documents, without_text)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of queries, candidates and documents."""
        store = self._dataset.docs_store()
        if isinstance(store, DocumentStore):
            documents = digest_folder(store.path)
        else:  # other people's datasets are verified when they are downloaded, and do not change
            documents = f"{ir_datasets.docs_parent_id(self.name)}, {store.count()}"
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
    sentences = []
    for template in sorted(templates, key=str):
        documents, without_text = data.count_texts(str(template))
        if without_text == documents:
            raise ValueError(
                f"None of the {documents:,} documents of {data.name} that are present has a text "
                f"for {template}, so a system that reads it cannot tell them apart. Add the "
                "release's files with these texts, or choose a table on titles and abstracts."
            )
        if without_text:
            sentences.append(
                f"{without_text:,} of the {documents:,} documents that are present have no text "
                f"for {template}, and are ranked as empty texts."
            )
    return tuple(sentences)


@dataclass(eq=False, repr=False)
class EveryDocument(Step):
    """Make all documents of a small dataset the candidates of each topic.

    Raises:
        ValueError: the dataset has too many documents.
    """

    dataset: DatasetLike

    def transform(self, topics: pd.DataFrame) -> pd.DataFrame:
        """Give each topic every document."""
        topics = frames.check(topics, self, ["qid"], without=["docno"])
        dataset = irds(self.dataset)

        # counted here, because other people's datasets may not know their number of documents
        doc_ids = [doc.doc_id for doc in islice(dataset.docs_iter(), EVERYTHING + 1)]
        if len(doc_ids) > EVERYTHING:
            count = dataset.docs_count() or len(doc_ids)
            raise ValueError(
                f"{self.dataset} has no candidate pools, and {count:,} documents are too many to "
                "score them all. Pass `candidates=`: a retriever whose results are re-ranked."
            )

        docnos = pd.DataFrame({"docno": doc_ids})
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
        return _rank(name, system, topics, verbose)
    try:
        key = key_of(system, [data, topics]).encode()
    except Unidentified as error:
        warnings.warn(
            f"The run of {name} is not saved, because a part of the system cannot be identified: "
            f"{error} Or rank once with the system, and pass the results instead.",
            stacklevel=4,
        )
        return _rank(name, system, topics, verbose)

    saved_runs = Entries(
        folder,
        lost="The runs of other systems in it are recomputed.",
        remedy="Runs are saved there. Pass a `save_dir` that you can write to.",
    )
    found = saved_runs.get_many([key])
    if found:
        if verbose:
            say(f"{name}: read from {folder}")
        return pd.DataFrame(json.loads(zlib.decompress(found[key])))

    saved_runs.ensure_writable()  # before the work, not after
    run = _rank(name, system, topics, verbose)

    columns = {column: run[column].tolist() for column in COLUMNS}
    content = json.dumps(columns, separators=(",", ":")).encode()
    try:
        saved_runs.put_many({key: zlib.compress(content, 1)})
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


def _rank(name: str, system: pt.Transformer, topics: pd.DataFrame, verbose: bool) -> pd.DataFrame:
    """Run a system on the topics; return `qid`, `docno`, `score`, `rank`."""
    start = perf_counter()
    if verbose:
        say(f"{name}: ranking for {len(topics)} queries …")

    run: pd.DataFrame = system(topics)
    if not len(run):
        raise ValueError(
            f"{name} retrieves nothing for any of {len(topics)} queries. Check its index and pool."
        )
    missing = [column for column in COLUMNS[:-1] if column not in run.columns]
    if missing:
        raise ValueError(
            f"{name} returns no column {', '.join(missing)}: expected qid, docno and score, found "
            f"{', '.join(map(str, run.columns))}. End it with a step that scores documents."
        )
    if "rank" not in run.columns:
        run = frames.ranked(run)

    if verbose:
        say(f"{name}: done in {perf_counter() - start:.1f} s")
    return run[COLUMNS].reset_index(drop=True)
