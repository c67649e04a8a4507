"""Add to topics the paper that a query asks with, and which of its sentences ask [Mysore2021].

    topics = pd.DataFrame({"qid": ["1"], "query_docno": ["1198964"], "facet": ["method"]})
    FacetQuery("csfcube").transform(topics)["query_sentence_ids"][0]  # [2, 3]

Scorers read the queries of a frame by `read_queries`.
"""

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ir_datasets_ext.facets import FACETS, split

from .. import datasets
from ..choices import some
from ..datasets import DatasetLike
from ..paper import Paper, describe_missing_facet, is_list
from ..step import WEIGHTS, Step, make_column, rows_by_query

POSITIONS = "query_sentence_ids"
LARGEST_SUM = 1e300  # of weights: numbers near the largest float overflow
ADDED_COLUMNS = ("query_paper", POSITIONS, "facet", "query_docno", "query")
#: columns that may hold a topic's own paper or text; the first that is present is read
TEXT_COLUMNS = ("query_paper", "query_sentences", "query_text", "query")


class FacetQuery(Step):
    """Add the facet query to topics, or to any frame with `qid`.

    Section 2 of [Mysore2021] defines two ways to ask. Definition 1: by a facet, with labels on the
    sentences of query and candidate. Definition 2: by any sentences of a paper.

    Columns out: all that came in, and the following, which replace existing ones:

    - `query_paper` (`Paper`), and `query_sentence_ids` (list of int), the positions of those of its
      sentences that ask, from 0;
    - `facet` (str) and `query_docno` (str, the paper's id);
    - `query` (str): the sentences that ask, joined by a blank. Retrievers and scorers of texts read
      it, and it may be rewritten for them; no scorer of sentences reads it.

    Whose paper it is:

    - with a `dataset` and a column `query_docno`: that document;
    - with a `dataset` alone: `qid` is the id of one of its queries. If the dataset has none
      (``csfcube``), `qid` is ``<paper>_<facet>``, or with parameter `facet` a paper;
    - without a dataset: the topic's own. It is column `query_paper`; or column `query_sentences`
      (lists of texts, with optional `query_labels`), or `query_text` or `query`, which are split;
      each with an optional `query_title`.

    Which sentences ask: those at `query_sentence_ids`, if the topic has this column (Definition 2),
    else those of the facet (Definition 1). That is the parameter, else column `facet`, else the
    facet of the dataset's query. Without any facet, and in a text of the topic's own without
    labels, all sentences ask. Column `query_sentence_weights` (lists of numbers from 0) has one
    weight per sentence that asks; see `SentenceMaxSim`.

    Args:
        dataset: an id, a PyTerrier or an ir_datasets dataset, or None.
        facet: *background*, *method*, *result*, or a single sentence label; it takes precedence
            over the columns `facet` and `query_sentence_ids`, and over the dataset's query. ``""``
            takes all sentences.

    Raises:
        ValueError: an unknown query, paper or position, a paper without a sentence of the facet,
            duplicate topics, NaN or empty text; names the `qid` and what is available.
    """

    dataset: DatasetLike | None = None
    facet: str | None = None

    uses_weights = True

    def transform(self, topics: pd.DataFrame) -> pd.DataFrame:
        """Add the columns."""
        topics = self._check(topics)

        # behind a pool a query has many rows: its paper is read once, for the first of them
        first_rows = topics.drop_duplicates("qid").to_dict("records")
        added_of_qid = {}
        for row, (paper, facet) in zip(first_rows, self._read_papers(first_rows)):
            added_of_qid[row["qid"]] = self._make_columns(row, paper, facet)

        added_of_rows = [added_of_qid[qid] for qid in topics["qid"].tolist()]
        new_columns = {}
        for name in ADDED_COLUMNS:
            values = [added[name] for added in added_of_rows]
            new_columns[name] = make_column(values, topics)
        return topics.assign(**new_columns)

    def __fingerprint__(self) -> dict[str, object]:
        """Return the settings and the dataset's queries, as both change what is asked with."""
        settings = super().__fingerprint__()
        if self.dataset is not None:
            settings["queries"] = datasets.read_queries(self.dataset)
        return settings

    def _check(self, topics: pd.DataFrame) -> pd.DataFrame:
        """Return the topics, after checking the columns that decide what a topic asks with."""
        needed_columns = ["qid"]
        optional_columns = ["query_docno"]  # checked if the topics have them
        if self.facet is None:  # else the parameter takes precedence over these
            optional_columns += ["facet", POSITIONS]

        remedy = ""
        if self.dataset is None:
            # without any of them, the error says that `query` is missing
            text_column = next((name for name in TEXT_COLUMNS if name in topics), "query")
            needed_columns.append(text_column)
            optional_columns += ["query_title", "query_labels"]
            remedy = (
                "Pass FacetQuery a dataset, or topics with a text of their own: a column "
                f"{', '.join(TEXT_COLUMNS[:-1])} or {TEXT_COLUMNS[-1]}."
            )

        present_columns = [name for name in optional_columns if name in topics]
        return self.check(topics, [*needed_columns, *present_columns], remedy=remedy)

    def _read_papers(self, first_rows: Sequence[Mapping[Any, Any]]) -> list[tuple[Paper, str]]:
        """Return for each topic the paper that it asks with, and the facet that it names, or "".

        first_rows: one row for each topic.
        """
        if self.dataset is None:
            return [(_make_paper(row), row.get("facet", "")) for row in first_rows]

        ids_and_facets = [self._find_paper(row) for row in first_rows]
        paper_ids = [paper_id for paper_id, _ in ids_and_facets]
        paper_of_id = datasets.read_papers(self.dataset, paper_ids)
        return [(paper_of_id[paper_id], facet) for paper_id, facet in ids_and_facets]

    def _find_paper(self, row: Mapping[Any, Any]) -> tuple[str, str]:
        """Return the id of the paper that a topic asks with, and the facet that it names, or "".

        Raises:
            ValueError: the dataset has no such query, or its queries are no facets of papers.
        """
        if "query_docno" in row:
            return row["query_docno"], row.get("facet", "")

        qid = row["qid"]
        queries = datasets.read_queries(self.dataset)
        if not queries:
            return self._split_qid(qid)
        if qid not in queries:
            raise ValueError(
                f"{qid!r} is no query of {self.dataset} ({len(queries)} queries, such as "
                f"{some(queries)}). For any paper add a column 'query_docno'; for a text of your "
                "own use FacetQuery without a dataset."
            )
        if not hasattr(queries[qid], "paper_id"):
            raise ValueError(
                f"The queries of {self.dataset} are no facets of papers: for their text use "
                "FacetQuery without a dataset and a column 'query_text'."
            )
        return queries[qid].paper_id, queries[qid].facet

    def _split_qid(self, qid: str) -> tuple[str, str]:
        """Return the paper and the facet that a qid names, where the dataset has no queries."""
        try:
            return split(qid)
        except ValueError as error:
            if self.facet is not None:  # then the qid may be the paper alone
                return qid, self.facet
            raise ValueError(
                f"{self.dataset} has no queries, so a qid must be <paper>_<facet>, with one of "
                f"the facets {', '.join(FACETS)}; or pass one: FacetQuery(…, facet='method'). "
                f"Got {qid!r}."
            ) from error

    def _make_columns(
        self, row: Mapping[Any, Any], paper: Paper, topic_facet: str
    ) -> dict[str, Any]:
        """Return the values of ADDED_COLUMNS for a topic.

        Args:
            row: the topic's columns.
            paper: the one that it asks with.
            topic_facet: the facet that it names, or "".

        Raises:
            ValueError: see `_find_positions`.
        """
        facet = topic_facet if self.facet is None else self.facet  # the parameter takes precedence
        positions = self._find_positions(row, paper, facet)
        asking_sentences = [paper.sentences[position] for position in positions]
        return {
            "query_paper": paper,
            POSITIONS: positions,
            "facet": facet,
            "query_docno": paper.doc_id,
            "query": " ".join(asking_sentences),
        }

    def _find_positions(self, row: Mapping[Any, Any], paper: Paper, facet: str) -> list[int]:
        """Return the positions of the sentences that ask, in a topic's paper.

        Raises:
            ValueError: a position outside the paper, no sentence of the facet, weights that are not
                one for each sentence.
        """
        qid = row["qid"]
        weights = row.get(WEIGHTS)
        if self._asks_by_positions(row):
            topic_positions = row[POSITIONS]
            check_positions(qid, paper, topic_positions, weights)
            return list(topic_positions)

        # a text of the topic's own without labels has no facets: all of its sentences ask
        has_facets = self.dataset is not None or paper.is_labelled
        facet_positions = paper.find(facet if has_facets else "")
        if not facet_positions:
            raise ValueError(_describe_missing(qid, paper, facet))
        check_positions(qid, paper, facet_positions, weights)
        return facet_positions

    def _asks_by_positions(self, row: Mapping[Any, Any]) -> bool:
        """Return whether the column `query_sentence_ids` says which sentences of a topic ask."""
        if self.facet is not None:  # the parameter takes precedence
            return False
        if self.dataset is not None and "query_docno" not in row:
            return False  # a query of the dataset, which has a facet of its own
        positions = row.get(POSITIONS)
        is_nan = isinstance(positions, float)
        return positions is not None and not is_nan


class Query(NamedTuple):
    """A query of a frame: its rows, and the sentences of a paper that ask."""

    qid: str
    rows: np.ndarray  #: positions (k,) of its k candidates in the frame
    paper: Paper
    positions: list[int]  #: of the m sentences that ask, in the paper
    facet: str  #: theirs, or ""
    weights: np.ndarray | None  #: (m,), from 0, of the sentences that ask; None if all are equal

    @property
    def sentences(self) -> list[str]:
        """The sentences that ask."""
        return [self.paper.sentences[position] for position in self.positions]


def read_queries(frame: pd.DataFrame) -> list[Query]:
    """Return the queries of a checked frame; without column `query_sentence_ids`, all ask.

    Raises:
        ValueError: a position outside the paper, or not one weight per sentence that asks.
    """
    # all rows of a query have the same values in the columns that are read: the first is enough
    rows_of_queries = rows_by_query(frame)
    first_rows = [rows[0] for rows in rows_of_queries]
    values_of_queries = frame.iloc[first_rows].to_dict("records")

    queries = []
    for rows, values in zip(rows_of_queries, values_of_queries):
        paper = values["query_paper"]
        positions = values.get(POSITIONS, range(len(paper.sentences)))
        weights = values.get(WEIGHTS)
        if POSITIONS in values:
            check_positions(values["qid"], paper, positions, weights)
        if weights is not None:
            weights = np.array(weights, dtype=float)
        facet = values.get("facet", "")
        queries.append(Query(values["qid"], rows, paper, list(positions), facet, weights))
    return queries


def check_positions(
    qid: str, paper: Paper, positions: Sequence[int], weights: Sequence[float] | None = None
) -> None:
    """Raise ValueError unless a query asks with sentences of its paper, each with one weight."""
    if not paper.has_positions(positions) or not len(positions):
        raise ValueError(
            f"Query {qid} asks with the sentences at {positions!s:.60}, but its paper "
            f"{paper.doc_id!r} has {len(paper.sentences)}: {POSITIONS} must hold a list of at "
            "least one position, from 0."
        )
    if weights is None:
        return

    has_one_each = is_list(weights) and len(weights) == len(positions)
    # this refuses NaN, too, which is neither above nor below any number
    are_numbers = has_one_each and all(
        isinstance(weight, Real) and weight >= 0 for weight in weights
    )
    if not are_numbers or not 0 < sum(weights) < LARGEST_SUM:
        raise ValueError(
            f"Query {qid} asks with {len(positions)} sentences and has the weights "
            f"{weights!s:.60}. {WEIGHTS} must hold one finite number from 0 for each of them, and "
            "not only zeros."
        )


def _make_paper(row: Mapping[Any, Any]) -> Paper:
    """Return the paper in a topic's row, or make one of the sentences or the text there.

    Raises:
        ValueError: what is there makes no paper; names the qid.
    """
    if "query_paper" in row:
        return row["query_paper"]

    try:
        # column `query` is the text of a topic without a column `query_text`
        own_row = {"query_text": row.get("query"), **row}
        return Paper.from_row(row.get("query_docno", ""), own_row, "query_")
    except ValueError as error:
        raise ValueError(f"Query {row['qid']}: {error}") from error


def _describe_missing(qid: str, paper: Paper, facet: str) -> str:
    """Say that no sentence is of the facet, which facets there are, and what to do."""
    problem = describe_missing_facet(facet, paper.labels)
    message = f"Query {qid} ({paper.doc_id or 'a text of its own'}) {problem}."
    if not paper.sentences or paper.is_labelled:
        remedy = "Leave this query out, or ask with another of its facets."
    elif paper.sentences == (paper.title,):
        remedy = "Its title is all that is known of it: leave this query out, or pass facet=''."
    else:
        # the first FacetQuery takes all sentences, the last one those of the facet
        remedy = (
            "To label them in a pipeline: FacetQuery(…, facet='') >> FacetLabeller() >> "
            f"FacetQuery(facet={facet!r}). The systems of `systems` and `reproduce` need documents "
            "with the fields 'sentences' and 'labels' (lists of str, one label per sentence), "
            "which write_collection writes."
        )
    return f"{message} {remedy} Facets are {', '.join(FACETS)}, or any single sentence label."
