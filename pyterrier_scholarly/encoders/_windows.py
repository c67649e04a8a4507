"""From texts to windows of tokens that fit a model.

A *passage* is a tuple of texts, its parts. It is encoded as one text, the parts joined by blanks,
and remembers which token is whose.
"""

from typing import NamedTuple

import numpy as np

from ._batches import TOKENIZING

WHOLE = -1  # a token that belongs to no part: special tokens, blanks between parts
OVERLAP = 4  # neighbouring windows share one token in so many


class Window(NamedTuple):
    """Tokens of one passage that are encoded together.

    `tokens` (t,), their ids; `parts` (t,), the number of the part that each belongs to, or WHOLE;
    `kept` (t,), false for tokens whose state is taken from the neighbouring window.
    """

    passage: int
    tokens: np.ndarray
    parts: np.ndarray
    kept: np.ndarray


def joined(parts):
    """The parts as one text, and where each begins and ends in it (each (k,), in characters)."""
    text, begins, ends = "", [], []
    for part in parts:
        text += " " if part and text else ""
        begins.append(len(text))
        text += part
        ends.append(len(text))
    return text, np.array(begins, dtype=np.intp), np.array(ends, dtype=np.intp)


def windows(passages, tokenizer, limit) -> list:
    """The windows of `passages`, at most `limit` tokens each, special tokens counted.

    What does not fit is never cut: neighbouring windows overlap by a quarter, and of the shared
    tokens each keeps those that it has farther from its edge.
    """
    if not passages:
        return []
    texts, begins, ends = zip(*map(joined, passages))
    overlap = (limit - tokenizer.num_special_tokens_to_add()) // OVERLAP
    with TOKENIZING:
        made = tokenizer(
            list(texts),
            truncation=True,
            max_length=limit,
            stride=overlap,
            return_overflowing_tokens=True,
            return_offsets_mapping=True,
            return_special_tokens_mask=True,
        )
    of = made["overflow_to_sample_mapping"]
    result = []
    for number, passage in enumerate(of):
        if not made["input_ids"][number]:
            continue  # an empty text, where the model has no special tokens
        special = np.array(made["special_tokens_mask"][number], dtype=bool)
        first = number == 0 or of[number - 1] != passage
        last = number + 1 == len(of) or of[number + 1] != passage
        result.append(
            Window(
                passage,
                np.array(made["input_ids"][number]),
                _parts(made["offset_mapping"][number], special, begins[passage], ends[passage]),
                _kept(special, overlap, first, last),
            )
        )
    return result


def _parts(offsets, special, begins, ends):
    """The part that each token belongs to: the one that its last character is in."""
    lasts = np.array([end for _, end in offsets], dtype=np.intp) - 1
    found = np.searchsorted(begins, lasts, side="right") - 1
    outside = special | (found < 0) | (lasts >= ends[found])
    return np.where(outside, WHOLE, found)


def _kept(special, overlap, first, last):
    """Which tokens of a window count; special tokens count in a passage's first window."""
    kept = ~special
    content = np.flatnonzero(kept)
    if not first:
        kept[content[: overlap - overlap // 2]] = False
    if not last:
        kept[content[len(content) - overlap // 2 :]] = False
    return kept | (special & first)
