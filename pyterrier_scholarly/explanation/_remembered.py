"""Encoders that remember what they gave, so that an explanation sees the scores' own vectors."""

from functools import partial

from ..encoders import vectors


class Recall:
    """Asks `encode` for what it was not asked before.

    A model's vectors differ by rounding with the batch that a text is in: to encode a pair again
    would explain a slightly different score.
    """

    def __init__(self, encode):
        self._encode = encode
        self._known = {}

    def __call__(self, items):
        """The answers for `items` (hashable), one each."""
        new = [item for item in dict.fromkeys(items) if item not in self._known]
        if new:
            self._known.update(zip(new, self._encode(new)))
        return [self._known[item] for item in items]


class RememberedTexts:
    """An `encoders.Encoder` over another; sparse vectors become dense, for they are few."""

    def __init__(self, encoder):
        self.symmetric = getattr(encoder, "symmetric", False)
        self.encode_queries = self.encode_documents = Recall(
            partial(vectors, encoder.encode_queries)
        )
        if not self.symmetric:
            self.encode_documents = Recall(partial(vectors, encoder.encode_documents))


class RememberedPassages:
    """An `encoders.PassageEncoder` over another."""

    def __init__(self, encoder):
        self._encoder = encoder
        self.encode_passages = Recall(encoder.encode_passages)

    @property
    def dimensions(self):
        """D of the vectors, where the encoder says it."""
        return self._encoder.dimensions
