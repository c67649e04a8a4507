"""The base class of all transformers, and the frames that they pass on.

    class Longest(Step):
        least: int = 0

        def transform(self, results: pd.DataFrame) -> pd.DataFrame:
            results = self.check(results, ["qid", "docno", "paper"])
            lengths = [max(self.least, len(paper.sentences)) for paper in results["paper"]]
            return ranked(results.assign(score=lengths))

Columns that pass between steps:

- query: `qid`; `query_paper` (a `Paper`), of which the sentences at `query_sentence_ids` (list of
  int) ask; `facet` (str, perhaps ""), theirs; `query_docno` (str), the paper's id; perhaps
  `query_sentence_weights` (list of numbers), one for each sentence that asks; `query` (str), their
  text, which retrievers and scorers of texts read. All rows of a query share these values.
- document: `docno`; `paper` (a `Paper`); perhaps `sentence_ids` (list of int), the positions of
  those of its sentences that count, without which all do; `text` (str), for scorers of texts.
- result: `score` and `rank` (from 0).

Nothing that a scorer of sentences reads is derived from another column, so none can disagree.
"""

import os
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar, dataclass_transform

import numpy as np
import pandas as pd
import pyterrier as pt

from . import datasets, frames
from .arguments import Count as Count
from .arguments import Natural as Natural
from .arguments import NotNegative as NotNegative
from .arguments import Positive as Positive
from .arguments import Share as Share
from .choices import some as some
from .encoders import model_value
from .paper import Paper
from .settings import BySettings, dataset_id

Loaded = TypeVar("Loaded")

MODEL_SETTINGS = ("encoder", "scorer", "model")  # may be a model's name
WEIGHTS = "query_sentence_weights"
PAPER_COLUMNS = ("paper", "query_paper")
#: column -> what adds it, for errors
ADDED_BY = {
    "query": "FacetQuery(…), or topics with a text,",
    "docno": "a retriever or Pool(…)",
    "score": "a scorer",
    "text": "a text loader",
    "paper": "PaperLoader(…)",
    "query_paper": "FacetQuery(…)",
    "query_sentence_ids": "FacetQuery(…)",
    "facet": "FacetQuery(…)",
    "features": "a union of scorers, (one ** two),",
}


@dataclass_transform(eq_default=False, field_specifiers=(field,))
class Step(BySettings, pt.Transformer):
    """A transformer that is its settings: its annotated attributes, as in a dataclass.

    Steps with equal settings are equal and have equal hashes, so `pt.Experiment(plan="tree")` runs
    a shared step once. The repr shows what differs from the defaults, and can be pasted back. A
    dataset is compared by its id, a frame by identity; a field with ``compare=False`` (such as
    `verbose`) not at all.

    `check` is the first line of every `transform`. Settings are checked when they are set.
    """

    #: whether weights of the query's sentences change the result; other steps refuse them
    uses_weights: ClassVar[bool] = False

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        dataclass(eq=False, repr=False)(cls)

    def check(
        self,
        frame: pd.DataFrame,
        needs: Sequence[str],
        without: Sequence[str] = (),
        remedy: str = "",
        may_be_blank: Sequence[str] = (),
    ) -> pd.DataFrame:
        """Return a frame that the rest of a `transform` can trust, after checking it.

        Args:
            frame: the argument of `transform`.
            needs: columns that it must have.
            without: columns that it must not have.
            remedy: what to do about a missing column; default: which step adds it.
            may_be_blank: needed columns of texts that may be blank; of others, `query` may not.

        Returns:
            The frame, with categories and PyArrow's columns as objects, without names of its index
            (pandas cannot join by a column that is also an index), and with ids of objects if it
            has no rows.

        Raises:
            TypeError: `frame` is no frame.
            pt.validate.InputValidationError: missing columns, or columns of `without`.
            ValueError: ids that are no texts, a query or a pair of query and document twice, a
                cell without a `Paper`, text or number, rows of one query that differ in what they
                must share, weights that would be ignored; names them.
        """
        columns = list(getattr(frame, "columns", ()))
        adders = [ADDED_BY[name] for name in needs if name in ADDED_BY and name not in columns]
        if adders and not remedy:
            remedy = f"Put {' and '.join(dict.fromkeys(adders))} before {type(self).__name__}."
        # weights go with the sentences that ask
        has_weights = "query_paper" in needs and WEIGHTS in columns
        weights = [WEIGHTS] if has_weights and self.uses_weights else []
        frame = frames.check(
            frame,
            self,
            [*needs, *weights],
            without=without,
            remedy=remedy,
            may_be_blank=may_be_blank,
        )

        if has_weights and len(frame) and not self.uses_weights:
            raise ValueError(
                f"{self!s:.120} does not use column {WEIGHTS!r}: drop it before this step "
                f"(`frame.drop(columns={WEIGHTS!r})`), or add it behind. SentenceMaxSim uses "
                "it with aggregate='mean' and 'sum'."
            )
        return frame

    def loaded(
        self, make: Callable[..., Loaded], setting_name: str = "encoder", **arguments: object
    ) -> Loaded:
        """Return the encoder or model that a setting names or holds.

        ``self.loaded(as_encoder, batch_size=8)`` is ``as_encoder(self.encoder, batch_size=8)``. If
        the setting is a name, the model is loaded at the first call, and this step holds it for the
        next calls.
        """
        model = getattr(self, setting_name)
        if not isinstance(model, (str, os.PathLike)):  # an object, which is loaded already
            return make(model, **arguments)
        # loaded again if the name or the arguments differ from the last call's
        return self.held(setting_name, lambda: make(model, **arguments), model, arguments)

    def __fingerprint__(self) -> dict[str, object]:
        """Return the settings by name, from which a change of this step is recognised.

        A model can change while its name, or its folder's path, stays the same. So a name is
        replaced by the name with its commit, and a path by a hash of the folder's files. To a
        dataset's id, what identifies its documents is added.
        """
        settings = super().__fingerprint__()
        dataset = settings.get("dataset")
        if hasattr(dataset, "irds_ref") or dataset_id(dataset) is not None:
            settings["dataset"] = [dataset_id(dataset), datasets.identify_documents(dataset)]
        for setting_name in MODEL_SETTINGS:
            model = settings.get(setting_name)
            if isinstance(model, (str, os.PathLike)):
                settings[setting_name] = model_value(os.fspath(model))
        return settings

    def schematic(self, *, input_columns: list[str] | None = None) -> dict[str, str | None]:
        """Draw this step by the name of its class; PyTerrier calls it for its diagrams."""
        # without an explicit help_url, PyTerrier would ask its website for one
        return {"label": type(self).__name__, "help_url": None}

    def subtransformers(self) -> dict[str, pt.Transformer]:
        """Return nothing; PyTerrier asks for steps, and an encoder among the settings is none."""
        return {}


def rows_by_query(frame: pd.DataFrame) -> list[np.ndarray]:
    """Return the positions of each query's rows, in the order of the frame."""
    if frame.empty:
        return []
    query_of_row, _ = pd.factorize(frame["qid"])
    # a stable sort puts the rows of a query one behind the other, in their order
    rows = np.argsort(query_of_row, kind="stable")
    ends = np.cumsum(np.bincount(query_of_row))
    return np.split(rows, ends[:-1])


def ranked(results: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with `rank`, by query and descending `score`; ties keep their order.

    It does what `pt.model.add_ranks` and a sort would, in a third of the time.

    Raises:
        ValueError: a score is NaN; names query and document.
    """
    scores = results["score"].to_numpy(dtype=float)
    is_nan = np.isnan(scores)
    if is_nan.any():
        pairs = results[["qid", "docno"]][is_nan].agg(" ".join, axis=1)
        raise ValueError(
            f"Scores must be numbers; they are NaN for qid and docno {some(pairs)}. Check the "
            "model or function that computed them."
        )

    best_first = [rows[np.argsort(-scores[rows], kind="stable")] for rows in rows_by_query(results)]
    no_rows = np.zeros(0, dtype=np.int64)  # numpy concatenates no empty list
    ordered_rows = np.concatenate([no_rows, *best_first])
    ranks = np.concatenate([no_rows, *[np.arange(len(rows)) for rows in best_first]])

    ordered = results.drop(columns="rank", errors="ignore").iloc[ordered_rows]
    return ordered.reset_index(drop=True).assign(score=scores[ordered_rows], rank=ranks)


def retrieved(
    topics: pd.DataFrame,
    results: Sequence[pd.DataFrame],
    num_results: int | None = None,
    without_self: bool = False,
) -> pd.DataFrame:
    """Join topics with what was retrieved for them, and rank.

    Args:
        topics: their own `score` and `rank` are dropped.
        results: frames `qid`, `docno`, `score`.
        num_results: documents per query, at most; None for all.
        without_self: drop the paper that a query comes from (column `query_docno`, if present).
    """
    topics = topics.drop(columns=["score", "rank"], errors="ignore")
    if results:
        scored = pd.concat(results)
    else:
        scored = pd.DataFrame(columns=["qid", "docno", "score"], dtype=object)

    joined = topics.merge(scored, on="qid")
    if without_self and "query_docno" in joined.columns:
        joined = joined[joined["docno"] != joined["query_docno"]]

    ranking = ranked(joined)
    if num_results is None:
        return ranking
    return ranking[ranking["rank"] < num_results].reset_index(drop=True)


def topic_columns(frame: pd.DataFrame) -> list[str]:
    """Return the columns whose name says that all rows of a query share one value."""
    # PyTerrier's rule (names that begin with q), our own name, and the fields of our query records
    of_queries = {*pt.model.query_columns(frame), "facet"}
    return [name for name in frame.columns if name in of_queries or name.startswith("paper_")]


def best_first(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a new frame with each query's rows by descending score; queries keep their order.

    Ties are sorted by descending `docno`, as trec_eval reads a run. So the result depends neither
    on the order of `frame` nor on the machine.
    """
    query_of_row, _ = pd.factorize(frame["qid"])
    scores = frame["score"].to_numpy(dtype=float)
    place_of_docno, _ = pd.factorize(frame["docno"].to_numpy(dtype=object), sort=True)
    ordered_rows = np.lexsort([-place_of_docno, -scores, query_of_row])  # by query first
    return frame.iloc[ordered_rows].reset_index(drop=True)


def warn_of_unmatched(ranking: pd.DataFrame, name: str) -> None:
    """Warn of queries whose results all have score 0; to be called by a retriever's `transform`."""
    best_scores = ranking.groupby("qid", sort=False)["score"].max()
    unmatched_qids = best_scores.index[best_scores == 0]
    if len(unmatched_qids):
        warnings.warn(
            f"{name}: {len(unmatched_qids)} of {len(best_scores)} queries match no document "
            f"({some(unmatched_qids)}). All their results have score 0, so their order and their "
            "figures say nothing: check these queries, or drop results of score 0.",
            stacklevel=3,
        )


def make_column(values: Iterable[object], frame: pd.DataFrame) -> pd.Series:
    """Make a column of objects (papers, lists) for the rows of a frame."""
    return pd.Series(list(values), frame.index, dtype=object)


def map_papers(
    frame: pd.DataFrame, column: str, function: Callable[[list[Paper]], Iterable[Any]]
) -> pd.Series:
    """Return a column of what `function` makes of each row's paper; rows share papers and results.

    function: from distinct papers to a result for each.
    """
    paper_of_row, papers = number_papers(frame[column].tolist())
    results = list(function(papers))
    return make_column([results[number] for number in paper_of_row.tolist()], frame)


def number_papers(papers_of_rows: Sequence[Paper]) -> tuple[np.ndarray, list[Paper]]:
    """Return the number of each row's paper (rows,), from 0, and the distinct papers."""
    # by address: rows share papers, and to hash one takes as long as it is
    addresses = np.fromiter(map(id, papers_of_rows), np.intp, len(papers_of_rows))
    paper_of_row, _ = pd.factorize(addresses)
    return paper_of_row, [papers_of_rows[row] for row in frames.find_first_rows(paper_of_row)]


def list_chosen(frame: pd.DataFrame) -> list[Sequence[int] | None]:
    """Return for each row the positions of its sentences that count; None where all do."""
    if "sentence_ids" in frame.columns:
        return frame["sentence_ids"].tolist()
    return [None] * len(frame)
