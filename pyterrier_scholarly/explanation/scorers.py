"""What scorers say of their scores."""

from dataclasses import replace

from ..encoders import PassageEncoder
from ..transformers.step import Step
from ._remembered import RememberedPassages, RememberedTexts


def matches(scorer, row):
    """What each pair of sentences adds to the score that `scorer` gives a row.

    A scorer says it by a method `explained(row)`, one of your own too.

    Args:
        scorer: a transformer; those without such a method have no pairs.
        row: frame of the one row to be scored, with the columns `query_sentences` (m of them) and
            `sentences` (n).

    Returns:
        `similarity.contributions.Matches` of m and n sentences; or None, without pairs.
    """
    explained = getattr(scorer, "explained", None)
    return explained(row) if explained else None


def remembering(scorer):
    """The same scorer, with an encoder that remembers its vectors; others as they are."""
    if not isinstance(scorer, Step) or not hasattr(scorer, "explained"):
        return scorer
    encoder = scorer.encoder_used()
    kind = RememberedPassages if isinstance(encoder, PassageEncoder) else RememberedTexts
    return replace(scorer, encoder=kind(encoder))
