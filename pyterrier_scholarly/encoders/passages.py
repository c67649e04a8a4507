"""Encoders of passages: texts that are read in one go.

Conventions: a passage is a tuple of k texts; its vectors are a (1 + k, d) array, the whole in row
0, then its parts.
"""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from ..settings import BySettings
from ..text.contexts import context_named
from .protocol import vectors


@runtime_checkable
class PassageEncoder(Protocol):
    """Anything with this method, such as `Contextual`."""

    def encode_passages(self, passages: list[tuple]) -> list[np.ndarray]:
        """A (1 + k, d) float32 array for each passage of k texts; they are not written to."""


@dataclass(eq=False, repr=False)
class Isolated(BySettings):
    """Any `Encoder` as an encoder of passages that hears no context: every text by itself.

    Each distinct text of a call is encoded once; all on the documents' side, for a query by example
    is a paper too.
    """

    encoder: object

    def encode_passages(self, passages):
        """As `PassageEncoder`; the whole is the vector of the parts joined by blanks."""
        texts = [(" ".join(filter(None, passage)), *passage) for passage in passages]
        number = {text: n for n, text in enumerate(dict.fromkeys(t for own in texts for t in own))}
        rows = vectors(self.encoder.encode_documents, number)
        return [rows[[number[text] for text in own]] for own in texts]


def sentence_vectors(encoder, papers, context="title", scaled=True) -> list:
    """The vectors of papers' sentences, each in its context.

    Args:
        encoder: a `PassageEncoder`.
        papers: list of `text.contexts.Paper` or of tuples (title, sentences, labels).
        context: one of `text.contexts.CONTEXTS`.
        scaled: to length 1; otherwise rows are as long as the encoder makes them.

    Returns:
        One (n, d) float32 array per paper of n sentences, rows of length 1 (or 0, where an encoder
        makes nothing of a sentence). (0, d) for a paper without sentences; d is 0 if all are, and
        the encoder does not say its `dimensions`.
    """
    passages_of = context_named(context)
    read = [passages_of(paper) for paper in papers]
    distinct = list(dict.fromkeys(passage for own in read for passage, _ in own))
    vectors_of = dict(zip(distinct, encoder.encode_passages(distinct) if distinct else []))
    d = vectors_of[distinct[0]].shape[1] if distinct else getattr(encoder, "dimensions", 0)
    # row 0, the whole, is that of place WHOLE
    rows = [vectors_of[passage][1 + place] for own in read for passage, place in own]
    made = np.concatenate([np.zeros(0, dtype=np.float32), *rows]).reshape(len(rows), d)
    ends = np.cumsum([len(own) for own in read])
    return np.split(unit(made) if scaled else made, ends[:-1]) if read else []


def passage_vectors(encoder, passages):
    """The vectors of whole passages, (n, d) float32, of length 1 (or 0)."""
    distinct = dict.fromkeys(passages)
    found = dict(zip(distinct, (one[0] for one in encoder.encode_passages(list(distinct)))))
    return unit(np.stack([found[passage] for passage in passages]))


def unit(rows):
    """Scale `rows` (n, d), in place, to length 1; zero rows stay. Returns them."""
    lengths = np.sqrt(np.einsum("nd,nd->n", rows, rows))
    lengths[lengths == 0] = 1
    rows /= lengths[:, None]
    return rows
