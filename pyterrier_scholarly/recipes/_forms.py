"""How the pipeline of a named system is put together, by its `form`.

Each takes the dataset, what gives candidates (a transformer), an encoder (or None) and the scorer's
settings, and returns a pipeline.
"""

from ir_datasets_ext.doris_mae.records import TOO_LONG

from ..transformers import (
    CrossEncoderScore,
    FacetQuery,
    OkapiBM25Score,
    PlainText,
    SentenceMaxSim,
    Sentences,
    SentenceTransport,
    TextSimilarity,
    TfIdfScore,
)
from . import _litsearch_forms, in_context

#: abstracts that DORIS-MAE's embedding systems were not given (its word-based ones were)
LONG = tuple(sorted(TOO_LONG))


def fabs_tfidf(dataset, candidates, encoder):
    """The facet's sentences against the abstract, by TF-IDF."""
    return candidates >> FacetQuery(dataset) >> TfIdfScore(dataset)


def fabs_bm25(dataset, candidates, encoder):
    """The facet's sentences against the abstract, by BM25."""
    return candidates >> FacetQuery(dataset) >> OkapiBM25Score(dataset)


def facet_text(dataset, candidates, encoder, **scoring):
    """One vector of the query (its facet, or its paper), one of each candidate."""
    return candidates >> FacetQuery(dataset) >> TextSimilarity(encoder, dataset=dataset, **scoring)


def facet_sentences(dataset, candidates, encoder, **scoring):
    """A vector per sentence, of the facet and of whole candidates."""
    papers = candidates >> FacetQuery(dataset) >> Sentences(dataset)
    return papers >> SentenceMaxSim(encoder, **scoring)


def facet_transport(dataset, candidates, encoder, **scoring):
    """A vector per sentence in its abstract, and the distance between the facet's and all."""
    papers = candidates >> FacetQuery(dataset) >> Sentences(dataset)
    return papers >> SentenceTransport(encoder, "abstract", **scoring)


def _faceted(build):
    """The facet's sentences among those of the query's paper, against whole papers."""

    def form(dataset, candidates, encoder):
        return candidates >> FacetQuery(dataset) >> Sentences(dataset) >> build(dataset, encoder)

    return form


def _untitled(build):
    """The sentences of the query's text, against those of abstracts without titles."""

    def form(dataset, candidates, encoder):
        papers = candidates >> FacetQuery() >> Sentences(dataset, titles=False)
        return papers >> build(dataset, encoder)

    return form


def pool_tfidf(dataset, candidates, encoder):
    """TF-IDF fitted on each query's candidates, cleaned; the query as it is."""
    return candidates >> PlainText(dataset, queries=False) >> TfIdfScore(fitted_on="pool")


def pool_bm25(dataset, candidates, encoder, **scoring):
    """BM25 fitted on each query's candidates, cleaned; asked with the query or its sentences."""
    papers = _asked(candidates, scoring) >> PlainText(dataset, queries=False)
    return papers >> OkapiBM25Score(fitted_on="pool", words="tokens", **scoring)


def text(dataset, candidates, encoder, **scoring):
    """One vector of the query, one of each abstract, without what the authors' code takes out."""
    return candidates >> PlainText(dataset, without=LONG) >> TextSimilarity(encoder, **scoring)


def sentences(dataset, candidates, encoder, **scoring):
    """A vector per sentence of query and abstract."""
    papers = candidates >> FacetQuery() >> Sentences(dataset) >> PlainText(without=LONG)
    return papers >> SentenceMaxSim(encoder, **scoring)


def transport(dataset, candidates, encoder, **scoring):
    """A vector per sentence in its text, and the distance between the query's and all."""
    papers = candidates >> FacetQuery() >> Sentences(dataset, titles=False)
    plain = papers >> PlainText(without=LONG)
    return plain >> SentenceTransport(encoder, "abstract", **scoring)


def pairs(dataset, candidates, encoder, **scoring):
    """A cross-encoder over pairs of the query, or each of its sentences, and the abstract."""
    papers = _asked(candidates, scoring) >> PlainText(dataset)
    return papers >> CrossEncoderScore(encoder, **scoring)


def _asked(candidates, scoring):
    """Candidates, with the query's sentences if these are what is asked with."""
    return candidates >> FacetQuery() if scoring.get("sentences") else candidates


#: collection -> form -> builder
FORMS = {
    "csfcube": {
        "fabs_tfidf": fabs_tfidf,
        "fabs_bm25": fabs_bm25,
        "facet_text": facet_text,
        "sentences": facet_sentences,
        "transport": facet_transport,
        "in_context": _faceted(in_context.mean_of_max),
        "one_encoding": _faceted(in_context.one_encoding),
        "six_parts": _faceted(in_context.six_parts),
    },
    "doris-mae": {
        "pool_tfidf": pool_tfidf,
        "pool_bm25": pool_bm25,
        "text": text,
        "sentences": sentences,
        "transport": transport,
        "pairs": pairs,
        "in_context": _untitled(in_context.mean_of_max),
        "one_encoding": _untitled(in_context.one_encoding),
        "three_parts": _untitled(in_context.three_parts),
    },
    "litsearch": _litsearch_forms.FORMS,
}
