"""Papers compared by one passage each: the title and sentences of the facet, or all."""

from functools import partial

import numpy as np

from ..encoders import passage_vectors, sentence_vectors
from ..similarity.maxsim import LOWEST
from ..similarity.sparse import products
from ..similarity.wholes import of_wholes
from ._in_context import of_facet_or_all, papers_of, passage_pairs

CONTEXTS = ("facet", "abstract")


def scored(results, step):
    """The frame with cosines of the passages that `step.context` says, as `score`.

    Raises:
        ValueError: an unknown context; a query sentence that its paper does not have.
    """
    if step.context not in CONTEXTS:
        raise ValueError(
            f"There is no one passage for context {step.context!r}: choose one of "
            f"{', '.join(CONTEXTS)}, or None."
        )
    results, *papers = papers_of(results, step)
    passages, pairs = passage_pairs(*papers, partial(_passage, step.context))
    scores = np.zeros(len(results))
    if passages:
        # of one without text a model gives the mean of its special tokens, which is near all
        written = np.array([any(map(str.strip, passage)) for passage in passages])
        read = [passage for passage, has_text in zip(passages, written) if has_text]
        made = passage_vectors(step.encoder_used(), read)
        vectors = np.zeros((len(passages), made.shape[1]), dtype=made.dtype)
        vectors[written] = made
        scores = np.where(written[pairs[:, 1]], products(vectors, vectors, pairs), LOWEST)
    return results.assign(score=scores)


def explained(row, step):
    """What the score of a row is made of: `similarity.contributions.Matches`."""
    _, (paper,), (query,) = papers_of(row, step)
    encoder = step.encoder_used()
    ours = _places(step.context, query.paper, query.facet, query.places)
    theirs = _places(step.context, paper, query.facet)
    pair = encoder.encode_passages([query.paper.passage(ours), paper.passage(theirs)])
    (offered,) = sentence_vectors(encoder, [paper], step.context)
    return of_wholes(*pair, [ours.index(place) for place in query.places], theirs, offered)


def _passage(context, paper, *rest):
    return paper.passage(_places(context, paper, *rest))


def _places(context, paper, facet, chosen=None):
    """Where a paper's passage has its sentences: `chosen`, if given, or those of the facet."""
    if context == "abstract":
        return list(range(len(paper.sentences)))
    return of_facet_or_all(paper, facet) if chosen is None else chosen
