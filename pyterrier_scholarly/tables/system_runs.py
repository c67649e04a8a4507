"""Run a system over a dataset's topics, or reuse its saved run.

    pipeline = rank_from_topics(systems["bm25"], "doris-mae/dev")
    run = run_system("bm25", pipeline, topics, data.fingerprint, folder="runs")

A saved run is an entry under a hash of the system and its data, so a changed system is run again.
"""

import json
import warnings
import zlib
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from pathlib import Path
from time import perf_counter

import pandas as pd
import pyterrier as pt

from ir_datasets_ext.store import Entries, Unidentified, fingerprint

from .. import frames
from ..datasets import DatasetLike, irds
from ..progress import say
from ..transformers import Pool
from ..transformers.step import Step
from .present_data import PresentData
from .row_sources import RowSource

MOST_CANDIDATES = 2_000  # documents: without pools, up to so many are all candidates
SAVED_COLUMNS = ["qid", "docno", "score", "rank"]
NEEDED_COLUMNS = ["qid", "docno", "score"]
FASTEST_COMPRESSION = 1  # level of zlib


def rank_from_topics(system: pt.Transformer, dataset: str) -> pt.Transformer:
    """Return a system as it takes topics: behind `EveryDocument` if it takes candidates."""
    if _takes_candidates(system):
        return EveryDocument(dataset) >> system
    return system


def run_source(
    source: RowSource,
    topics: pd.DataFrame,
    data: PresentData,
    save_dir: str | Path | None,
    verbose: bool,
) -> pd.DataFrame:
    """Return the results that were passed, or those of a source's pipeline for all topics.

    Arguments as of `run_system`; a run is saved by the data's fingerprint.
    """
    if source.results is not None:
        return source.results

    assert source.pipeline is not None, "a source has results or a pipeline"
    fingerprint = None if save_dir is None else data.fingerprint
    return run_system(source.name, source.pipeline, topics, fingerprint, save_dir, verbose)


def run_system(
    name: str,
    system: pt.Transformer,
    topics: pd.DataFrame,
    data: object = None,
    folder: str | Path | None = None,
    verbose: bool = False,
) -> pd.DataFrame:
    """Rank the topics, or read the saved run of the same system over the same data.

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
        key = make_run_key(system, [data, topics]).encode()
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
    saved_run = saved_runs.get_many([key]).get(key)
    if saved_run is not None:
        if verbose:
            say(f"{name}: read from {folder}")
        return _unpack_run(saved_run)

    saved_runs.ensure_writable()  # before the work, not after
    run = _rank(name, system, topics, verbose)

    try:
        saved_runs.put_many({key: _pack_run(run)})
    except OSError as error:
        warnings.warn(f"The run of {name} could not be saved: {error}", stacklevel=4)
    return run


def make_run_key(system: object, data: object) -> str:
    """Return the key of a system's run over `data`; it depends on this package's version too.

    Raises:
        Unidentified: see `fingerprint`.
    """
    try:
        release = version("pyterrier-scholarly")
    except PackageNotFoundError:  # run from a folder of sources
        release = ""
    return fingerprint([system, data, release])


@dataclass(eq=False, repr=False)
class EveryDocument(Step):
    """Make all documents of a small dataset the candidates of each topic.

    Raises:
        ValueError: the dataset has too many documents.
    """

    dataset: DatasetLike

    def transform(self, topics: pd.DataFrame) -> pd.DataFrame:
        """Return a row for each topic and each document of the dataset."""
        topics = frames.check(topics, self, ["qid"], without=["docno"])
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

        documents = pd.DataFrame({"docno": doc_ids})
        candidates = topics[["qid"]].merge(documents, how="cross")
        add_candidates = Pool(candidates)
        return add_candidates(topics)


def _takes_candidates(system: pt.Transformer) -> bool:
    """Return whether a system takes candidates, which it re-ranks, and not bare topics.

    False for one that PyTerrier cannot inspect: it is then called with topics.
    """
    columns_of_topics = ["qid", "query"]
    try:
        pt.inspect.transformer_outputs(system, columns_of_topics)
    except pt.validate.InputValidationError:  # it needs more columns: those of candidates
        return True
    except pt.inspect.InspectError:
        return False
    return False


def _rank(name: str, system: pt.Transformer, topics: pd.DataFrame, verbose: bool) -> pd.DataFrame:
    """Run a system on the topics; return `qid`, `docno`, `score`, `rank`."""
    start = perf_counter()
    if verbose:
        say(f"{name}: ranking for {len(topics)} queries …")

    run: pd.DataFrame = system(topics)
    if len(run) == 0:
        raise ValueError(
            f"{name} retrieves nothing for any of {len(topics)} queries. Check its index and pool."
        )
    missing_columns = [column for column in NEEDED_COLUMNS if column not in run.columns]
    if missing_columns:
        raise ValueError(
            f"{name} returns no column {', '.join(missing_columns)}: expected qid, docno and score,"
            f" found {', '.join(map(str, run.columns))}. End it with a step that scores documents."
        )
    if "rank" not in run.columns:
        run = frames.ranked(run)

    if verbose:
        seconds = perf_counter() - start
        say(f"{name}: done in {seconds:.1f} s")
    return run[SAVED_COLUMNS].reset_index(drop=True)


def _pack_run(run: pd.DataFrame) -> bytes:
    """Return a run as it is saved: JSON of its columns, compressed."""
    columns = {column: run[column].tolist() for column in SAVED_COLUMNS}
    content = json.dumps(columns, separators=(",", ":")).encode()
    return zlib.compress(content, FASTEST_COMPRESSION)


def _unpack_run(saved_run: bytes) -> pd.DataFrame:
    """Return the frame of a saved run."""
    return pd.DataFrame(json.loads(zlib.decompress(saved_run)))
