"""From a library to pairs of papers that people or language models can judge.

topics = make_topics(state, ["117"], "method")
runs = {"facet": papers.pipeline("method")(topics)}
pairs = draw_pairs(state, topics, runs, k=10)
"""

from collections.abc import Mapping, Sequence

import pandas as pd

from ..collect import make_pools
from .library_state import LibraryState
from .paper_ids import describe_missing_paper

PAIR_COLUMNS = (
    *("qid", "query", "paper_id", "facet"),
    *("docno", "title", "text", "sources"),
)


def make_topics(state: LibraryState, ids: Sequence[str], facet: str | None) -> pd.DataFrame:
    """Return topics of papers: `qid`, `query` (the title), `query_docno` and `facet` ("" for none).

    Raises:
        ValueError: the library has no such paper.
    """
    topics = []
    for paper_id in ids:
        if paper_id not in state.row_of_id:
            raise ValueError(describe_missing_paper(paper_id, state.doc_ids))
        topics.append(
            {
                "qid": f"{paper_id}_{facet}" if facet else paper_id,
                "query": state.documents.get(paper_id).title,
                "query_docno": paper_id,
                "facet": facet or "",
            }
        )
    return pd.DataFrame(topics)


def draw_pairs(
    state: LibraryState, topics: pd.DataFrame, runs: Mapping[str, pd.DataFrame], k: int
) -> pd.DataFrame:
    """Return a row for each pair of a topic's paper and a pooled one; see `Papers.pool`.

    Args:
        state: of the library, for titles and abstracts.
        topics: of `make_topics`.
        runs: from a system's name to its results for the topics.
        k: papers that each system adds to a pool, see `make_pools`.
    """
    pools = make_pools(dict(runs), k)
    document_of_id = state.documents.get_many(pools["docno"].unique().tolist())
    candidates = pools.assign(
        title=[document_of_id[docno].title for docno in pools["docno"]],
        text=[document_of_id[docno].text for docno in pools["docno"]],
    )
    queries = topics.rename(columns={"query_docno": "paper_id"})
    pairs = queries.merge(candidates, on="qid")
    return pairs[[*PAIR_COLUMNS]]
