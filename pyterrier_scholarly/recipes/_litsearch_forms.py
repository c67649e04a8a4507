"""How LitSearch's systems are put together, by their `form`; see `_forms`.

There are no pools. Without candidates, retrievers search the collection for topics; what is not
one, and the dense ones, too, re-rank results.
"""

from ..citations import CitationGraph
from ..datasets import collection, irds
from ..transformers import (
    FacetQuery,
    ListwiseRerank,
    OkapiBM25Retriever,
    OneHop,
    Sentences,
    TextRetriever,
)
from . import in_context


def bm25(dataset, candidates, encoder, **scoring):
    """From questions to papers of the whole collection."""
    return OkapiBM25Retriever(dataset, **scoring)


def dense(dataset, candidates, encoder, **scoring):
    """One vector of the question, one of each paper; from questions, or of results."""
    return _behind(candidates, TextRetriever(encoder, dataset, verbose=True, **scoring))


def listwise(dataset, candidates, client, **scoring):
    """The first candidates at once, in the order that a language model writes down."""
    return _behind(candidates, _texts(dataset) >> ListwiseRerank(client, **scoring))


def one_hop(dataset, candidates, client, order, **scoring):
    """The same, of the first candidates and what they cite."""
    expanded = OneHop(CitationGraph(collection(dataset)), order=order) >> _texts(dataset)
    return _behind(candidates, expanded >> ListwiseRerank(client, **scoring))


def _sentences(build):
    """The sentences of the question, against those of papers, each in its context."""

    def form(dataset, candidates, encoder):
        papers = FacetQuery() >> Sentences(dataset)
        return _behind(candidates, papers >> build(dataset, encoder))

    return form


def _behind(candidates, step):
    return step if candidates is None else candidates >> step


def _texts(dataset):
    """What the prompts show of a candidate."""
    import pyterrier as pt

    name = irds(collection(dataset)).dataset_id()
    return pt.get_dataset(f"irds:{name}").text_loader(["title", "text"])


FORMS = {
    "bm25": bm25,
    "dense": dense,
    "listwise": listwise,
    "one_hop": one_hop,
    "in_context": _sentences(in_context.mean_of_max),
    "one_encoding": _sentences(in_context.one_encoding),
    "three_parts": _sentences(in_context.three_parts),
}
