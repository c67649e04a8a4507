"""The traits of queries that may tell on which of them a system is better."""

from collections.abc import Mapping, Sequence

import pandas as pd

from ..datasets import DatasetLike, irds
from .shared_words import find_words, text_of_paper

GROUP = "group"
#: trait -> what it is
TRAITS = {
    GROUP: "the query's facet or group",
    "relevant": "number of relevant papers",
    "pool": "number of judged papers",
    "words": "words of the query, without stop words",
    "shared": "share of the query's words that a relevant paper has, on average",
    "agreement": "agreement of single annotators with the final grades (Spearman's ρ)",
}


def describe_queries(
    dataset: DatasetLike,
    topics: pd.DataFrame,
    judgements: pd.DataFrame,
    groups: Mapping[str, Sequence[str]],
) -> pd.DataFrame:
    """Compute the traits of each query: a frame by `qid` with the columns of TRAITS.

    Args:
        dataset: an id or dataset object.
        topics: frame `qid`, `query`.
        judgements: frame `qid`, `docno`, `is_relevant`.
        groups: dict from a name to query ids.
    """
    qids = topics["qid"]
    relevant = judgements[judgements["is_relevant"]]
    group_of_query = {qid: group for group, members in groups.items() for qid in members}
    words_of_query = {qid: find_words(text) for qid, text in zip(qids, topics["query"])}

    traits = pd.DataFrame(index=pd.Index(qids, name="qid"))
    traits[GROUP] = [group_of_query.get(qid, "") for qid in qids]
    traits["relevant"] = relevant.groupby("qid").size().reindex(qids, fill_value=0)
    traits["pool"] = judgements.groupby("qid").size().reindex(qids, fill_value=0)
    traits["words"] = [len(words_of_query[qid]) for qid in qids]
    traits["shared"] = _average_shared_words(dataset, relevant, words_of_query).reindex(qids)
    traits["agreement"] = _read_agreement(dataset).reindex(qids)
    return traits


def _average_shared_words(
    dataset: DatasetLike, relevant: pd.DataFrame, words_of_query: Mapping[str, frozenset[str]]
) -> pd.Series:
    """Return, by query, the mean share of its words that a relevant paper has."""
    source = irds(dataset)
    if not source.has_docs():
        return pd.Series(dtype=float)
    records = source.docs_store().get_many(relevant["docno"].unique().tolist())

    rows = []
    for qid, docno in zip(relevant["qid"], relevant["docno"]):
        query_words = words_of_query[qid]
        if docno in records and query_words:
            paper_words = find_words(text_of_paper(records[docno]))
            share = len(query_words & paper_words) / len(query_words)
            rows.append((qid, share))
    shares = pd.DataFrame(rows, columns=["qid", "share"])
    return shares.groupby("qid")["share"].mean()


def _read_agreement(dataset: DatasetLike) -> pd.Series:
    """Return, by query, how far annotators agree with the final grades; empty without ratings."""
    # here, because most comparisons are of collections without single ratings
    from ..collect.annotator_agreement import agreement
    from ..collect.ratings import REFERENCE
    from ..collect.released_ratings import single_ratings

    try:
        ratings = single_ratings(dataset)
    except ValueError:
        return pd.Series(dtype=float)
    perquery = agreement(ratings, reference=REFERENCE).perquery
    of_annotators = perquery[perquery["compared"] == "reference"]
    return of_annotators.set_index("qid")["spearman"]
