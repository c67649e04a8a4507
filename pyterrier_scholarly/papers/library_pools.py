"""From a library to pairs of papers that people or language models can judge.

topics = make_topics(state, ["117"], "method")
runs = {"facet": papers.pipeline("method")(topics)}
pairs = draw_pairs(state, topics, runs, k=10)
"""

from collections.abc import Mapping, Sequence
from hashlib import blake2b

import pandas as pd

from ir_datasets_ext.facets import FACETS

from ..choices import some
from ..collect import make_pools
from ..paper import describe_missing_facet, find_facet
from .library_state import LibraryState
from .paper_ids import describe_missing_paper
from .paper_query import check_facet
from .paper_store import PaperDoc

PAIR_COLUMNS = (
    *("qid", "query", "query_text", "paper_id", "facet"),
    *("docno", "title", "text", "sources"),
)


def make_topics(state: LibraryState, ids: Sequence[str], facet: str | None) -> pd.DataFrame:
    """Return topics of papers: `qid`, `query` (the title), `query_docno` and `facet` ("" for none).

    Raises:
        ValueError: an unknown facet; the library has no such paper; a paper has no sentence of the
            facet.
    """
    check_facet(facet)
    documents = []
    for paper_id in dict.fromkeys(ids):
        if paper_id not in state.row_of_id:
            raise ValueError(describe_missing_paper(paper_id, state.doc_ids))
        documents.append(state.documents.get(paper_id))
    if facet:
        check_sentences(documents, facet)

    topics = [
        {
            "qid": f"{document.doc_id}_{facet}" if facet else document.doc_id,
            "query": document.title or document.text,
            "query_docno": document.doc_id,
            "facet": facet or "",
        }
        for document in documents
    ]
    return pd.DataFrame(topics)


def check_sentences(documents: Sequence[PaperDoc], facet: str) -> None:
    """Raise ValueError if papers have no sentence of a facet: no system could ask with them."""
    faults = [
        f"paper {document.doc_id} {describe_missing_facet(facet, document.labels)}"
        for document in documents
        if not find_facet(tuple(document.labels), facet)
    ]
    if not faults:
        return
    raise ValueError(
        f"Pools for facet {facet!r} need papers with such a sentence: {some(faults)}. Leave these "
        f"papers out of ids, or pass another facet ({', '.join(FACETS)}), or None for all "
        "sentences."
    )


def draw_pairs(
    state: LibraryState, topics: pd.DataFrame, runs: Mapping[str, pd.DataFrame], k: int
) -> pd.DataFrame:
    """Return a row for each pair of a topic's paper and a pooled one; see `Papers.pool`.

    Rows of a topic are shuffled, so that their order tells no rank.

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
    asking_papers = [state.documents.get(paper_id) for paper_id in queries["paper_id"]]
    queries = queries.assign(
        query_text=[document.text or document.title for document in asking_papers]
    )

    pairs = queries.merge(candidates, on="qid")
    return _shuffle_pools(pairs[[*PAIR_COLUMNS]])


def _shuffle_pools(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the pairs of each topic in an order that tells no rank, the same in each call."""
    shuffling_keys = [
        blake2b(f"{qid}\n{docno}".encode()).hexdigest()
        for qid, docno in zip(pairs["qid"], pairs["docno"])
    ]
    shuffled = pairs.assign(shuffling_key=shuffling_keys).sort_values("shuffling_key")
    # topics keep their order
    pools = [shuffled[shuffled["qid"] == qid] for qid in pairs["qid"].unique()]
    return pd.concat(pools, ignore_index=True).drop(columns="shuffling_key")
