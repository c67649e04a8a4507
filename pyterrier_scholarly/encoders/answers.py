"""Ask an encoder, and check what it answers.

Conventions: a passage is a tuple of k texts; its vectors are a (1 + k, d) array, the whole in row
0, then its parts.
"""

from functools import partial
from itertools import islice

import numpy as np

from ..similarity.vectors import inverse_lengths
from ..text.contexts import context_named

MEMORY = 2**28  # bytes of scaled vectors that an encoder keeps, of one context
SHOWN = 80  # characters of a text that an error shows


def vectors(encode, texts, sparse=False) -> np.ndarray:
    """What `encode` makes of `texts`, as float32 (n, d); (0, 0) for no texts, without a call.

    Args:
        sparse: whether a scipy sparse array may be returned where `encode` gives one.

    Raises:
        ValueError: the answer is no (n, d) array, or holds NaN or infinity.
    """
    texts = list(texts)
    if not texts:
        return np.zeros((0, 0), dtype=np.float32)
    answer = encode(texts)
    if hasattr(answer, "toarray"):
        from scipy.sparse import csr_array

        answer = csr_array(answer) if sparse else answer.toarray()
    else:
        answer = np.asarray(answer)
    answer = answer.astype(np.float32, copy=False)
    if answer.ndim != 2 or answer.shape[0] != len(texts):
        raise ValueError(
            f"The encoder gave an array of shape {answer.shape} for {len(texts)} texts; "
            f"expected ({len(texts)}, dimensions): one row per text."
        )
    check_finite(answer, texts)
    return answer


def check_finite(rows, keys, who="The encoder", what="texts"):
    """Raise ValueError, naming the first of `keys`, where `rows` (n, d) hold NaN or infinity."""
    with np.errstate(all="ignore"):
        if np.isfinite(rows.sum()):  # the quick way for what is as it should be
            return
        broken = ~np.isfinite(np.ravel(rows.sum(axis=1, dtype=np.float64)))
    if broken.any():  # and the sum was not just too large
        key = next(islice(keys, int(broken.argmax()), None))
        texts = (key,) if isinstance(key, str) else key
        shown = " and ".join(f"{text!r:.{SHOWN}}" for text in texts[:2])
        raise ValueError(
            f"{who!s:.{SHOWN}} gave NaN or infinity for {broken.sum()} of {len(broken)} {what}, "
            f"first for {shown}: is the model broken, or its precision too low?"
        )


def sentence_vectors(encoder, papers, context="title", scaled=True) -> list:
    """The vectors of papers' sentences, each in its context.

    Args:
        encoder: a `PassageEncoder`.
        papers: list of `text.contexts.Paper`.
        context: one of `text.contexts.CONTEXTS`.
        scaled: to length 1; otherwise rows are as long as the encoder makes them.

    Returns:
        One (n, d) float32 array per paper of n sentences, rows of length 1 (or 0, where an encoder
        makes nothing of a sentence). (0, d) for a paper without sentences; d is 0 if all are, and
        the encoder does not say its `dimensions`.

    Raises:
        ValueError: the encoder gives other shapes than a `PassageEncoder`'s, or NaN or infinity.
    """
    if not scaled or not hasattr(encoder, "store"):
        return _of_sentences(encoder, papers, context, scaled)

    def make(missing, found):  # each by itself, so that what is forgotten is freed
        found.update(zip(missing, map(np.copy, _of_sentences(encoder, missing, context, True))))

    # steps that compare the same sentences read them off the same arrays, which are read-only
    store = encoder.store(f"sentences in {context}")
    found = store.filled(papers, min(MEMORY, encoder.memory), make)
    return [found[paper] for paper in papers]


def _of_sentences(encoder, papers, context, scaled):
    """As `sentence_vectors`, made now."""
    encode = getattr(encoder, "encode_sentences", partial(in_context, encoder.encode_passages))
    rows = encode([paper for paper in papers if paper.sentences], context)
    d = rows[0].shape[1] if rows else getattr(encoder, "dimensions", 0) if papers else 0
    made = np.concatenate([np.zeros((0, d), dtype=np.float32), *rows])
    check_finite(made, (text for paper in papers for text in paper.sentences))
    if scaled:
        made *= inverse_lengths(made)[:, None]
    ends = np.cumsum([len(paper.sentences) for paper in papers])
    return np.split(made, ends[:-1]) if papers else []


def in_context(encode, papers, context) -> list:
    """Encode the sentences of papers in the passages that they stand in.

    Args:
        encode: from passages to their arrays, as `PassageEncoder.encode_passages`.
        papers, context: as for `sentence_vectors`.

    Returns:
        One (n, d) float32 array per paper of n sentences, not scaled.
    """
    passages_of = context_named(context)
    read = [passages_of(paper) for paper in papers]
    # by identity, for to compare a passage takes as long as it is
    distinct = {id(passage): passage for passages, _ in read for passage in passages}
    vectors_of = _of_passages(encode, distinct.values())
    rows_of = {key: vectors_of[passage] for key, passage in distinct.items()}
    # row 0, the whole, is that of place WHOLE
    return [
        np.array([rows_of[id(passage)][1 + place] for passage, place in zip(*one)]) for one in read
    ]


def passage_vectors(encoder, passages):
    """The vectors of whole passages, (n, d) float32, of length 1 (or 0); errors as above."""
    found = _of_passages(encoder.encode_passages, passages)
    made = np.stack([found[passage][0] for passage in passages])
    check_finite(made, map(" ".join, passages))
    return made * inverse_lengths(made)[:, None]


def _of_passages(encode, passages):
    """The vectors of each distinct passage."""
    distinct = list(dict.fromkeys(passages))
    found = encode(distinct) if distinct else []
    d = found[0].shape[-1] if len(found) else 0
    if [one.shape for one in found] != [(1 + len(passage), d) for passage in distinct]:
        raise ValueError(
            f"{getattr(encode, '__self__', encode)!r:.80} gave {len(found)} arrays for "
            f"{len(distinct)} passages, of shapes "
            f"{[one.shape for one in found[:3]]} … for {[len(one) for one in distinct[:3]]} … "
            "texts: it must give one of (1 + k, d) for k texts, the whole in row 0, then its parts."
        )
    return dict(zip(distinct, found))
