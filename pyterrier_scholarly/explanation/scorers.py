"""How each similarity of sentences is taken apart."""

from dataclasses import replace
from functools import singledispatch

from ..encoders import as_passage_encoder, sentence_vectors, vectors
from ..similarity import contributions
from ..similarity.wholes import of_wholes
from ..transformers import (
    ContextCentroid,
    ContextMaxSim,
    ContextTransport,
    PassageCosine,
    SentenceMaxSim,
    SentenceTransport,
)
from ..transformers._in_context import ContextScore, of_facet_or_all, papers_of
from ..transformers._sentence_scores import encoder_of
from ._remembered import RememberedPassages, RememberedTexts


@singledispatch
def matches(scorer, row):
    """What each pair of sentences adds to the score that `scorer` gives a row.

    A scorer of your own is explained if you register how: ``@matches.register(MyScorer)``.

    Args:
        scorer: a transformer; other kinds than those registered have no pairs.
        row: frame of the one row to be scored, with the columns `query_sentences` (m of them) and
            `sentences` (n).

    Returns:
        `similarity.contributions.Matches` of m and n sentences; or None, without pairs.
    """
    return None


@matches.register
def _(scorer: SentenceMaxSim, row):
    pair = _isolated(scorer, row)
    return contributions.of_max_sim(*pair, scorer.aggregate, scorer.similarity)


@matches.register
def _(scorer: SentenceTransport, row):
    return _moved(scorer, *_isolated(scorer, row))


@matches.register
def _(scorer: ContextTransport, row):
    query, document, *_ = _in_context(scorer, row)
    return _moved(scorer, query, document)


@matches.register
def _(scorer: ContextMaxSim, row):
    query, document, *_ = _in_context(scorer, row)
    return contributions.of_max_sim(query, document, scorer.aggregate)


@matches.register
def _(scorer: ContextCentroid, row):
    query, document, paper, facet = _in_context(scorer, row)
    return contributions.of_centroids(query, document, of_facet_or_all(paper, facet))


@matches.register
def _(scorer: PassageCosine, row):
    _, (paper,), (query,) = papers_of(row, scorer)
    encoder = scorer.loaded(as_passage_encoder)
    ours = scorer.places(query.paper, query.facet, query.places)
    theirs = scorer.places(paper, query.facet)
    pair = encoder.encode_passages([query.paper.passage(ours), paper.passage(theirs)])
    (offered,) = sentence_vectors(encoder, [paper], scorer.context)
    return of_wholes(*pair, [ours.index(place) for place in query.places], theirs, offered)


def remembering(scorer):
    """The same scorer, with an encoder that remembers its vectors; others as they are."""
    if isinstance(scorer, (SentenceMaxSim, SentenceTransport)):
        return replace(scorer, encoder=RememberedTexts(encoder_of(scorer)))
    if isinstance(scorer, (ContextScore, PassageCosine)):
        return replace(scorer, encoder=RememberedPassages(scorer.loaded(as_passage_encoder)))
    return scorer


def _isolated(scorer, row):
    """Vectors of both sides' sentences, (m, d) and (n, d)."""
    encoder = encoder_of(scorer)
    asked, offered = row["query_sentences"].iloc[0], row["sentences"].iloc[0]
    return vectors(encoder.encode_queries, asked), vectors(encoder.encode_documents, offered)


def _moved(scorer, query, document):
    """Matches of a scorer by distance."""
    if scorer.method == "single":
        return contributions.of_single_match(query, document)
    if scorer.method == "mean":
        return contributions.of_max_sim(query, document, "mean", "l2")
    settings = scorer.method, scorer.temperature, scorer.blur
    return contributions.of_transport(query, document, *settings)


def _in_context(scorer, row):
    """Vectors of both sides' sentences, the candidate, and the facet."""
    _, (paper,), (query,) = papers_of(row, scorer)
    encoder = scorer.loaded(as_passage_encoder)
    own, document = scorer.vectors(encoder, [query.paper, paper])
    return own[query.places], document, paper, query.facet
