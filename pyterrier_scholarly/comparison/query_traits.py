"""What distinguishes the queries on which a system is better: their traits, each with a test.

Many traits are looked at, and one may look striking by chance. So the frame says how many were
looked at, and p-values are corrected for that number by Holm's method.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from ir_datasets_ext.typed_records import Record

from .. import datasets
from ..datasets import DatasetLike, irds
from ..stats import correct_pvalues
from ..text import words

GROUP = "group"
LEAST_QUERIES = 4  # for a test of a trait
#: trait -> what it is
TRAITS = {
    GROUP: "the query's facet or group",
    "relevant": "number of relevant papers",
    "pool": "number of judged papers",
    "words": "words of the query, without stop words",
    "shared": "share of the query's words that a relevant paper has, on average",
    "agreement": "agreement of single annotators with the final grades (Spearman's ρ)",
}
COLUMNS = ["name", "trait", "meaning", "queries", "statistic", "value", "p", "p_holm", "looked_at"]


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


def find_words(text: str) -> frozenset[str]:
    """Return the different words of a text, without stop words and plural s."""
    counted_words = {words.normalise_run(run) for run in words.runs(text)}
    return frozenset(counted_words - {""})


def text_of_paper(record: Record) -> str:
    """Return a paper's title and abstract."""
    return f"{getattr(record, 'title', '')} {datasets.text(record)}"


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
            shared = query_words & find_words(text_of_paper(records[docno]))
            rows.append((qid, len(shared) / len(query_words)))
    frame = pd.DataFrame(rows, columns=["qid", "share"])
    return frame.groupby("qid")["share"].mean()


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


def relate_traits(traits: pd.DataFrame, differences: pd.DataFrame) -> pd.DataFrame:
    """Test whether a system's difference depends on a trait of the query.

    Args:
        traits: see `describe_queries`.
        differences: frame by `qid`, a column for each system: its value minus the baseline's.

    Returns:
        Frame with COLUMNS: `statistic` names the `value` ("ρ" is Spearman's correlation of the
        trait and the difference, positive if the system gains with more of it; "H" is that of
        Kruskal and Wallis, for groups). `looked_at` is the number of tests. Traits that all queries
        share, or that are unknown, are not tested.
    """
    rows = []
    for name in differences.columns:
        for trait, meaning in TRAITS.items():
            pairs = pd.DataFrame({"trait": traits[trait], "difference": differences[name]}).dropna()
            if not _can_be_tested(pairs):
                continue
            test = _test_groups(pairs) if trait == GROUP else _test_correlation(pairs)
            row = {"name": name, "trait": trait, "meaning": meaning, "queries": len(pairs), **test}
            rows.append(row)

    tested = pd.DataFrame(rows, columns=[column for column in COLUMNS if column != "p_holm"])
    tested["p_holm"] = correct_pvalues(tested["p"].astype(float))  # objects, if nothing was tested
    tested["looked_at"] = len(tested)
    return tested[COLUMNS].sort_values("p", kind="stable", ignore_index=True)


def _can_be_tested(pairs: pd.DataFrame) -> bool:
    """Return whether there are enough queries, with different traits and different differences."""
    is_varied = pairs["trait"].nunique() > 1 and pairs["difference"].nunique() > 1
    return is_varied and len(pairs) >= LEAST_QUERIES


def _test_groups(pairs: pd.DataFrame) -> dict[str, object]:
    """Test whether the difference has the same distribution in all groups of queries."""
    from scipy.stats import kruskal

    samples = [rows["difference"].to_numpy() for _, rows in pairs.groupby("trait")]
    result = kruskal(*samples)
    return {"statistic": "H", "value": float(result.statistic), "p": float(result.pvalue)}


def _test_correlation(pairs: pd.DataFrame) -> dict[str, object]:
    """Test whether the difference grows or falls with a number that queries have."""
    from scipy.stats import spearmanr

    result = spearmanr(pairs["trait"].astype(float), pairs["difference"])
    return {
        "statistic": "ρ",
        "value": float(np.asarray(result.statistic)),
        "p": float(np.asarray(result.pvalue)),
    }
