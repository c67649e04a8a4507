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

MEMORY = 2**28  # bytes of scaled vectors that an encoder keeps, of one context


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

    @property
    def cache(self):
        """That of the encoder, if it has one."""
        return getattr(self.encoder, "cache", None)

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

    Raises:
        ValueError: the encoder gives other shapes than a `PassageEncoder`'s, or NaN or infinity.
    """
    store_of = getattr(encoder, "store", None) if scaled else None
    if store_of is None:
        return _of_sentences(encoder, papers, context, scaled)
    # steps that compare the same sentences read them off the same arrays, which are read-only
    store, distinct = store_of(f"sentences in {context}"), dict.fromkeys(papers)
    limit = min(MEMORY, encoder.memory)
    store.put_many({}, limit)  # which may be less than at the last call
    found = store.get_many(distinct)
    missing = [paper for paper in distinct if paper not in found]
    made = _of_sentences(encoder, missing, context, scaled) if missing else []
    # each by itself, so that what is forgotten is freed
    made = {paper: rows.copy() for paper, rows in zip(missing, made)}
    store.put_many(made, limit)
    found |= made
    return [found[paper] for paper in papers]


def _of_sentences(encoder, papers, context, scaled):
    """As `sentence_vectors`, made now."""
    passages_of = context_named(context)
    read = [passages_of(paper) for paper in papers]
    passages = [passage for own, _ in read for passage in own]
    vectors_of = _of_passages(encoder, passages)
    first = next(iter(vectors_of.values()), None)
    d = getattr(encoder, "dimensions", 0) if first is None else first.shape[1]
    # row 0, the whole, is that of place WHOLE
    places = (place for _, own in read for place in own)
    rows = [vectors_of[passage][1 + place] for passage, place in zip(passages, places)]
    made = np.concatenate([np.zeros(0, dtype=np.float32), *rows]).reshape(len(rows), d)
    _finite(made, (text for paper in papers for text in paper[1]))
    ends = np.cumsum([len(own) for own, _ in read])
    return np.split(unit(made) if scaled else made, ends[:-1]) if read else []


def passage_vectors(encoder, passages):
    """The vectors of whole passages, (n, d) float32, of length 1 (or 0); errors as above."""
    found = _of_passages(encoder, passages)
    made = np.stack([found[passage][0] for passage in passages])
    _finite(made, map(" ".join, passages))
    return unit(made)


def _of_passages(encoder, passages):
    """The vectors of each distinct passage."""
    distinct = list(dict.fromkeys(passages))
    found = encoder.encode_passages(distinct) if distinct else []
    d = found[0].shape[-1] if len(found) else 0
    if [one.shape for one in found] != [(1 + len(passage), d) for passage in distinct]:
        raise ValueError(
            f"{encoder!r:.80} gave {len(found)} arrays for {len(distinct)} passages, of shapes "
            f"{[one.shape for one in found[:3]]} … for {[len(one) for one in distinct[:3]]} … "
            "texts: it must give one of (1 + k, d) for k texts, the whole in row 0, then its parts."
        )
    return dict(zip(distinct, found))


def _finite(rows, texts):
    with np.errstate(all="ignore"):
        if np.isfinite(rows.sum()):  # the quick way for what is as it should be
            return
    broken = ~np.isfinite(rows).all(axis=1)
    if broken.any():
        text = next(text for text, bad in zip(texts, broken) if bad)
        raise ValueError(
            f"The encoder gave NaN or infinity for {broken.sum()} of {len(rows)} texts, first for "
            f"{text!r:.80}: is the model broken, or its precision too low?"
        )


def unit(rows):
    """Scale `rows` (n, d), in place, to length 1; zero rows stay. Returns them."""
    lengths = np.sqrt(np.einsum("nd,nd->n", rows, rows))
    lengths[lengths == 0] = 1
    rows /= lengths[:, None]
    return rows
