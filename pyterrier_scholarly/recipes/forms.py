"""How the pipeline of a named system is built: one flat table of forms.

Each form is a function of a dataset, a transformer from topics to candidates, an encoder and the
arguments in the system's `scoring`; it returns a pipeline. Without candidates (None) the pipeline
re-ranks the results that it receives; the forms `bm25` and `dense` then search the collection.
"""

from collections.abc import Callable
from typing import Any

import pyterrier as pt

from ir_datasets_ext.doris_mae.records import TOO_LONG

from ..datasets import collection, irds
from ..transformers import (
    CrossEncoderScore,
    FacetQuery,
    ListwiseRerank,
    OkapiBM25Retriever,
    OkapiBM25Score,
    OneHop,
    PlainText,
    SentenceMaxSim,
    Sentences,
    SentenceTransport,
    TextRetriever,
    TextSimilarity,
    TfIdfScore,
)
from . import in_context

#: abstracts that DORIS-MAE's embedding systems did not rank (its word-based systems did)
LONG = tuple(sorted(TOO_LONG))

Step = pt.Transformer
Source = Step | None  # of candidates
Form = Callable[..., Step]


def _behind(candidates: Source, step: Step) -> Step:
    return step if candidates is None else candidates >> step


def _facets(dataset: object, candidates: Source) -> Step:
    """The facet's sentences among those of the query's paper, and whole candidates."""
    return _behind(candidates, FacetQuery(dataset) >> Sentences(dataset))


def _texts(dataset: object, candidates: Source) -> Step:
    """The sentences of the query's text, and of abstracts without titles."""
    return _behind(candidates, FacetQuery() >> Sentences(dataset, titles=False))


def _questions(dataset: object, candidates: Source) -> Step:
    """The sentences of the query's text, and of whole candidates."""
    return _behind(candidates, FacetQuery() >> Sentences(dataset))


def _scored(papers: Form, build: Form) -> Form:
    """A form: add sentences by `papers`, then score by the pipeline that `build` returns."""

    def form(dataset: object, candidates: Source, encoder: Any) -> Step:
        return papers(dataset, candidates) >> build(dataset, encoder)

    return form


def fabs_tfidf(dataset: object, candidates: Source, encoder: Any) -> Step:
    """Compare the facet's sentences with the abstract, by TF-IDF."""
    return _behind(candidates, FacetQuery(dataset) >> TfIdfScore(dataset))


def fabs_bm25(dataset: object, candidates: Source, encoder: Any) -> Step:
    """Compare the facet's sentences with the abstract, by BM25."""
    return _behind(candidates, FacetQuery(dataset) >> OkapiBM25Score(dataset))


def facet_text(dataset: object, candidates: Source, encoder: Any, **scoring: Any) -> Step:
    """Compare one embedding of the query (its facet or its paper) with one of each candidate."""
    score = TextSimilarity(encoder, dataset=dataset, **scoring)
    return _behind(candidates, FacetQuery(dataset) >> score)


def facet_sentences(dataset: object, candidates: Source, encoder: Any, **scoring: Any) -> Step:
    """Compare the facet's sentences with those of whole candidates, by one embedding each."""
    return _facets(dataset, candidates) >> SentenceMaxSim(encoder, **scoring)


def facet_transport(dataset: object, candidates: Source, encoder: Any, **scoring: Any) -> Step:
    """Measure the distance between the facet's sentences and all, each read in its abstract."""
    return _facets(dataset, candidates) >> SentenceTransport(encoder, "abstract", **scoring)


def pool_tfidf(dataset: object, candidates: Source, encoder: Any) -> Step:
    """Score by TF-IDF, fitted on each query's cleaned candidates; the query is unchanged."""
    return _behind(candidates, PlainText(dataset, queries=False) >> TfIdfScore(fitted_on="pool"))


def pool_bm25(dataset: object, candidates: Source, encoder: Any, **scoring: Any) -> Step:
    """Score by BM25, fitted on each query's cleaned candidates, for the query or its sentences."""
    score = OkapiBM25Score(fitted_on="pool", words="tokens", **scoring)
    return _asking(candidates, scoring, PlainText(dataset, queries=False) >> score)


def text(dataset: object, candidates: Source, encoder: Any, **scoring: Any) -> Step:
    """Compare one embedding of the query with one of each abstract, both cleaned."""
    score = TextSimilarity(encoder, **scoring)
    return _behind(candidates, PlainText(dataset, without=LONG) >> score)


def sentences(dataset: object, candidates: Source, encoder: Any, **scoring: Any) -> Step:
    """Compare the sentences of query and abstract, by one embedding each."""
    papers = _questions(dataset, candidates) >> PlainText(without=LONG)
    return papers >> SentenceMaxSim(encoder, **scoring)


def transport(dataset: object, candidates: Source, encoder: Any, **scoring: Any) -> Step:
    """Measure the distance between the sentences of query and abstract, each read in its text."""
    papers = _texts(dataset, candidates) >> PlainText(without=LONG)
    return papers >> SentenceTransport(encoder, "abstract", **scoring)


def pairs(dataset: object, candidates: Source, encoder: Any, **scoring: Any) -> Step:
    """Score pairs of the query, or each of its sentences, and the abstract, by a cross-encoder."""
    score = CrossEncoderScore(encoder, **scoring)
    return _asking(candidates, scoring, PlainText(dataset) >> score)


def bm25(dataset: object, candidates: Source, encoder: Any, **scoring: Any) -> Step:
    """Search the whole collection by BM25."""
    return OkapiBM25Retriever(dataset, **scoring)


def dense(dataset: object, candidates: Source, encoder: Any, **scoring: Any) -> Step:
    """Compare one embedding of the question with one of each paper; search or re-rank."""
    return _behind(candidates, TextRetriever(encoder, dataset, verbose=True, **scoring))


def question_sentences(dataset: object, candidates: Source, encoder: Any, **scoring: Any) -> Step:
    """Compare the question's sentences with those of whole candidates, by one embedding each."""
    return _questions(dataset, candidates) >> SentenceMaxSim(encoder, **scoring)


def listwise(dataset: object, candidates: Source, client: Any, **scoring: Any) -> Step:
    """Re-rank the first candidates together, in the order that a language model writes."""
    return _behind(candidates, _shown(dataset) >> ListwiseRerank(client, **scoring))


def one_hop(dataset: object, candidates: Source, client: Any, order: str, **scoring: Any) -> Step:
    """Re-rank the first candidates and the papers that they cite, as `listwise` does."""
    from ..collect.collection import CitationGraph

    expansion = OneHop(CitationGraph(collection(dataset)), order=order)
    return _behind(candidates, expansion >> _shown(dataset) >> ListwiseRerank(client, **scoring))


def _asking(candidates: Source, scoring: dict[str, Any], score: Step) -> Step:
    """Put a scorer behind the candidates, with the query's sentences if it reads these."""
    return _behind(candidates, FacetQuery() >> score if scoring.get("sentences") else score)


def _shown(dataset: object) -> Step:
    """Add the texts of candidates that the prompts show."""
    papers: Any = pt.get_dataset(f"irds:{irds(collection(dataset)).dataset_id()}")
    return papers.text_loader(["title", "text"])


#: name of a form -> function; a system's row names its `form` alone
FORMS: dict[str, Form] = {
    "fabs_tfidf": fabs_tfidf,
    "fabs_bm25": fabs_bm25,
    "facet_text": facet_text,
    "facet_sentences": facet_sentences,
    "facet_transport": facet_transport,
    "facet_in_context": _scored(_facets, in_context.mean_of_max),
    "facet_one_encoding": _scored(_facets, in_context.one_encoding),
    "facet_six_parts": _scored(_facets, in_context.six_parts),
    "pool_tfidf": pool_tfidf,
    "pool_bm25": pool_bm25,
    "text": text,
    "sentences": sentences,
    "transport": transport,
    "pairs": pairs,
    "text_in_context": _scored(_texts, in_context.mean_of_max),
    "text_one_encoding": _scored(_texts, in_context.one_encoding),
    "text_three_parts": _scored(_texts, in_context.three_parts),
    "bm25": bm25,
    "dense": dense,
    "listwise": listwise,
    "one_hop": one_hop,
    "question_sentences": question_sentences,
    "question_in_context": _scored(_questions, in_context.mean_of_max),
    "question_one_encoding": _scored(_questions, in_context.one_encoding),
    "question_three_parts": _scored(_questions, in_context.three_parts),
}
