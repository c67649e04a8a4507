"""Sentences read in context, with a little lexical evidence: faceted ranking without training.

The pipelines are compositions of steps with PyTerrier's own operators, for any encoder. They take
what `FacetQuery` and `Sentences` give (papers may be the user's own; `Sentences` says what falls
away without labels) and rank each query's pool. Combining scores of several contexts:

- dense = mean of several cosines, less 0.1 for a candidate without a sentence of the facet;
- LEX = z(tf-idf of whole papers) + z(title and facet in 100 dimensions of LSA);
- score = 0.8 z(dense) + 0.2 z(LEX), where z standardises within the query's pool.

How honest figures on CSFCube are: these families of variants were found while both of its folds
were seen (dev of one fold is test of the other), so the weights here are fixed, not blind. With
all-MiniLM-L6-v2, combinations that were chosen on dev alone reached 65 to 66.5 NDCG%20 on test,
equal weights 66.9.
"""

from functools import reduce
from operator import add

from ..encoders import as_passage_encoder
from ..transformers import (
    FacetMiss,
    PaperTfIdf,
    SentenceCentroid,
    SentenceMaxSim,
    TextSimilarity,
    ZScore,
)

LEXICAL = 0.2  # weight of the lexical evidence
DIMENSIONS = 100  # of the latent semantic analysis


def lexical_evidence(dataset, cache=None):
    """LEX: words of the whole papers, and topics of title and facet, each standardised.

    Args:
        dataset: fitted on title and abstract of its documents, or on a list of texts.
        cache: see `PaperTfIdf`; the pipelines here take their encoder's.
    """
    topics = PaperTfIdf(dataset, dimensions=DIMENSIONS, facet_only=True, cache=cache)
    return (PaperTfIdf(dataset) >> ZScore()) + (topics >> ZScore())


def mean_of_max(dataset, encoder):
    """The plainest: mean over the query's sentences of the best match, each in its whole text.

    Args:
        dataset: not needed; there so that all pipelines are built alike.
        encoder: see `SentenceMaxSim`.

    Returns:
        A scorer from the columns of `FacetQuery` and `Sentences` to a ranking.
    """
    return _max_sim(as_passage_encoder(encoder), "abstract")


def one_encoding(dataset, encoder):
    """The recommended default for faceted queries: every sentence is read after its title, once.

    Mean of max-sim and centroid, less the misses, with a fifth of lexical evidence: *tit pair -
    miss + .2 LEX*.

    Args:
        dataset: see `lexical_evidence`.
        encoder: see `SentenceMaxSim`, e.g. ``"sentence-transformers/all-MiniLM-L6-v2"``.

    Returns:
        A pipeline from the columns of `FacetQuery` and `Sentences` to a ranking.
    """
    encoder = as_passage_encoder(encoder)  # one, which the steps share
    pair = _max_sim(encoder, "title") + SentenceCentroid(encoder, "title")
    return _with_lexical(dataset, encoder, 1 / 2 * pair)


def six_parts(dataset, encoder):
    """The best of the package: sentences in three contexts, for two and a half times the encoding.

    Mean of six cosines (max-sim in the context of the abstract, the facet and the title, centroids
    in those of abstract and title, and the facet's passage as one text), less the misses, with a
    fifth of lexical evidence: *six - miss + .2 LEX*.

    Args:
        dataset: see `lexical_evidence`.
        encoder: see `SentenceMaxSim`.

    Returns:
        A pipeline from the columns of `FacetQuery` and `Sentences` to a ranking.
    """
    encoder = as_passage_encoder(encoder)
    return _with_lexical(dataset, encoder, 1 / 6 * reduce(add, six_cosines(encoder)))


def six_cosines(encoder) -> list:
    """The scorers of `six_parts`: three max-sims, two centroids, the facet's passage."""
    return [
        *(_max_sim(encoder, context) for context in ("abstract", "facet", "title")),
        *(SentenceCentroid(encoder, context) for context in ("abstract", "title")),
        TextSimilarity(encoder, context="facet"),
    ]


def three_parts(dataset, encoder):
    """For queries that ask with a whole text: .4 z(ctx) + .4 z(isolated) + .2 z(tf-idf).

    Mean over the query's sentences of the best match, once with every sentence read in its whole
    text (query or abstract, with the title where there is one), once with each alone.

    Args:
        dataset: as for `PaperTfIdf`.
        encoder: see `SentenceMaxSim`.

    Returns:
        A pipeline from the columns of `FacetQuery` and `Sentences` to a ranking.
    """
    encoder = as_passage_encoder(encoder)
    contexts = [_max_sim(encoder, context) >> ZScore() for context in ("abstract", "sentence")]
    dense = (1 - LEXICAL) / 2 * contexts[0] + (1 - LEXICAL) / 2 * contexts[1]
    return dense + LEXICAL * (PaperTfIdf(dataset) >> ZScore())


def _max_sim(encoder, context):
    return SentenceMaxSim(encoder, context, aggregate="mean")


def _with_lexical(dataset, encoder, cosines):
    dense = cosines >> FacetMiss() >> ZScore()
    lexical = lexical_evidence(dataset, getattr(encoder, "cache", None)) >> ZScore()
    return (1 - LEXICAL) * dense + LEXICAL * lexical
