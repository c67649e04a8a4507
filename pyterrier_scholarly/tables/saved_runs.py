"""Rank a dataset's topics with a system, or reuse its saved run.

    pipeline = rank_from_topics(systems["bm25"], "doris-mae/dev")
    ranked = rank_or_read("bm25", pipeline, topics, data, folder="runs")
    ranked.run   # frame with `qid`, `docno`, `score`, `rank`

A saved run is an entry under a fingerprint of the system and its data, so a changed system is run
again. A repr would not do: two functions may have the same one. It is saved for people alone.
"""

import json
import warnings
import zlib
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import NamedTuple, TypeAlias

import pandas as pd
import pyterrier as pt

from ..datasets import DatasetLike, irds
from ..entries import Entries
from ..fingerprint import Unidentified, fingerprint
from ..progress import say
from ..step import Step, ranked
from ..transformers import Pool
from .present_data import PresentData

MOST_CANDIDATES = 2_000  # documents: without pools, up to so many are all candidates
RUN_COLUMNS = ["qid", "docno", "score", "rank"]
FASTEST_COMPRESSION = 1  # level of zlib

#: a pipeline from topics, or its results
RankingSource: TypeAlias = pt.Transformer | pd.DataFrame


def rank_from_topics(system: pt.Transformer, dataset: str) -> pt.Transformer:
    """Return a system as it takes topics: behind `EveryDocument` if it takes candidates.

    A system that PyTerrier cannot inspect is called with topics.
    """
    try:
        pt.inspect.transformer_outputs(system, ["qid", "query"])
    except pt.validate.InputValidationError:  # it needs more columns: those of candidates
        return EveryDocument(dataset) >> system
    except pt.inspect.InspectError:
        pass
    return system


class Ranked(NamedTuple):
    """A system with its ranking of the topics.

    run: frame `qid`, `docno`, `score`.
    pipeline: from topics to results; None for results that were passed.
    """

    name: str
    run: pd.DataFrame
    pipeline: pt.Transformer | None

    @property
    def answered(self) -> set[str]:
        """The ids of the queries with results."""
        return set(self.run["qid"])


def rank_or_read(
    name: str,
    system: RankingSource,
    topics: pd.DataFrame,
    data: PresentData,
    folder: str | Path | None = None,
    verbose: bool = False,
) -> Ranked:
    """Rank the topics, or read the saved run of the same system over the same data.

    Args:
        name: of the system, for messages.
        system: from topics to results; or results, which are returned.
        topics: frame with `qid` and `query`.
        data: that the system ranks; its fingerprint is read only with a folder.
        folder: of the runs; None saves none.
        verbose: print a line when a system begins, and when it ends.

    Raises:
        ValueError: the system retrieves nothing, or no scores.
        OSError: a system has to be run, and the folder is not writable.

    Warns:
        UserWarning: the run is not saved, because a part of the system has no identity or the disk
            is full; a saved run is damaged, and is made again.
    """
    if isinstance(system, pd.DataFrame):
        return Ranked(name, system, pipeline=None)

    key = None
    if folder is not None:
        try:
            key = make_run_key(system, [data.fingerprint, topics])
        except Unidentified as error:
            warnings.warn(
                f"The run of {name} is not saved, because a part of the system cannot be "
                f"identified: {error} Or rank once with the system, and pass the results instead.",
                stacklevel=4,
            )
    if folder is None or key is None:
        return Ranked(name, _rank(name, system, topics, verbose), system)

    saved_runs = Entries(
        folder,
        lost="The runs of other systems in it are recomputed.",
        remedy="Runs are saved there. Pass a `save_dir` that you can write to.",
    )
    saved_run = saved_runs.get_many([key]).get(key)
    if saved_run is not None:
        if verbose:
            say(f"{name}: read from {folder}")
        content = json.loads(zlib.decompress(saved_run))
        return Ranked(name, pd.DataFrame(content["run"]), system)

    saved_runs.ensure_writable()  # before the work, not after
    run = _rank(name, system, topics, verbose)
    content = {"name": name, "system": repr(system), "run": run.to_dict("list")}
    saved_run = zlib.compress(json.dumps(content).encode(), FASTEST_COMPRESSION)
    try:
        saved_runs.put_many({key: saved_run})
    except OSError as error:
        warnings.warn(f"The run of {name} could not be saved: {error}", stacklevel=4)
    return Ranked(name, run, system)


def make_run_key(system: object, data: object) -> bytes:
    """Return the key of a system's run over `data`; it depends on this package's version too.

    Raises:
        Unidentified: see `fingerprint`.
    """
    try:
        release = version("pyterrier-scholarly")
    except PackageNotFoundError:  # run from a folder of sources
        release = ""
    return fingerprint([system, data, release]).encode()


class EveryDocument(Step):
    """Make all documents of a small dataset the candidates of each topic.

    Raises:
        ValueError: the dataset has too many documents.
    """

    dataset: DatasetLike

    def transform(self, topics: pd.DataFrame) -> pd.DataFrame:
        """Return a row for each topic and each document of the dataset."""
        topics = self.check(topics, ["qid"], without=["docno"])
        dataset = irds(self.dataset)

        # other people's datasets may not know their number of documents, so read one too many
        first_documents = islice(dataset.docs_iter(), MOST_CANDIDATES + 1)
        doc_ids = [document.doc_id for document in first_documents]
        if len(doc_ids) > MOST_CANDIDATES:
            count = dataset.docs_count() or len(doc_ids)
            raise ValueError(
                f"{self.dataset} has no candidate pools, and {count:,} documents are too many to "
                "score them all. Pass `candidates=`: a retriever whose results are re-ranked."
            )
        candidates = topics[["qid"]].merge(pd.DataFrame({"docno": doc_ids}), how="cross")
        add_candidates = Pool(candidates)
        return add_candidates(topics)


def _rank(name: str, system: pt.Transformer, topics: pd.DataFrame, verbose: bool) -> pd.DataFrame:
    """Run a system on the topics; return RUN_COLUMNS."""
    start = perf_counter()
    if verbose:
        say(f"{name}: ranking for {len(topics)} queries …")

    run: pd.DataFrame = system(topics)
    if len(run) == 0:
        raise ValueError(
            f"{name} retrieves nothing for any of {len(topics)} queries. Check its index and pool."
        )
    missing_columns = [column for column in ("qid", "docno", "score") if column not in run]
    if missing_columns:
        raise ValueError(
            f"{name} returns no column {', '.join(missing_columns)}: expected qid, docno and score,"
            f" found {', '.join(map(str, run.columns))}. End it with a step that scores documents."
        )
    if "rank" not in run:
        run = ranked(run)

    if verbose:
        say(f"{name}: done in {perf_counter() - start:.1f} s")
    return run[RUN_COLUMNS].reset_index(drop=True)
