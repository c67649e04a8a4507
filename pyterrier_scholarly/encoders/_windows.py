"""Divide passages into windows of tokens that fit a model, and sum its states over their parts.

A *passage* is a tuple of texts, its parts. It is encoded as one text, the parts joined by blanks.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from ._batches import TOKENIZING, Tokenizer, Transformer
from .encoder_protocols import Passage

OVERLAP = 4  # neighbouring windows share one token in so many


class Window(NamedTuple):
    """Tokens of one passage that are encoded together.

    `tokens` (t,), their ids; `rows` (r,), their owners: 0 for the whole passage, 1 + n for its part
    n; `owners` (r, t), which tokens count in which row. A token whose state is taken from the
    neighbouring window counts in none.
    """

    passage: int
    tokens: np.ndarray
    rows: np.ndarray
    owners: np.ndarray


def windows(passages: Sequence[Passage], tokenizer: Tokenizer, limit: int) -> list[Window]:
    """Divide `passages` into windows of at most `limit` tokens each, with special tokens.

    Longer passages are not truncated: neighbouring windows overlap by a quarter, and each keeps
    those of the shared tokens that are farther from its edge.
    """
    overlap = (limit - tokenizer.num_special_tokens_to_add()) // OVERLAP
    with TOKENIZING:
        encoded = tokenizer(
            [" ".join(filter(None, passage)) for passage in passages],
            truncation=True,
            max_length=limit,
            stride=overlap,
            return_overflowing_tokens=True,
            return_offsets_mapping=True,
            return_special_tokens_mask=True,
        )
    of, result = encoded["overflow_to_sample_mapping"], []
    lengths = [np.array(list(map(len, passage)), dtype=np.intp) for passage in passages]
    for number, (passage, ids) in enumerate(zip(of, encoded["input_ids"])):
        if not ids:
            continue  # an empty text, and a model without special tokens
        special = np.array(encoded["special_tokens_mask"][number], dtype=bool)
        first = number == 0 or of[number - 1] != passage
        last = number + 1 == len(of) or of[number + 1] != passage
        kept = _kept(special, overlap, first, last)
        parts = np.where(special, -1, _parts(lengths[passage], encoded["offset_mapping"][number]))
        distinct = np.unique(parts[kept & (parts >= 0)])
        owners = np.vstack([kept, kept & (parts == distinct[:, None])])
        result.append(Window(passage, np.array(ids), np.append(0, 1 + distinct), owners))
    return result


def _parts(lengths: np.ndarray, offsets: Iterable[tuple[int, int]]) -> np.ndarray:
    """Return the part, from the parts' lengths, that holds each token's last character, or -1."""
    ends = np.maximum(np.cumsum(lengths + (lengths > 0)) - 1, 0)  # a blank before each but empty
    lasts = np.array([end for _, end in offsets], dtype=np.intp) - 1
    parts = np.minimum(np.searchsorted(ends, lasts, side="right"), len(ends) - 1)
    return np.where((ends - lengths)[parts] <= lasts, parts, -1)


def _kept(special: np.ndarray, overlap: int, first: bool, last: bool) -> np.ndarray:
    """Mark the tokens of a window that count; special tokens count in a passage's first window."""
    kept = ~special
    content = np.flatnonzero(kept)
    if not first:
        kept[content[: overlap - overlap // 2]] = False
    if not last:
        kept[content[len(content) - overlap // 2 :]] = False
    return kept | (special & first)


def sums(transformer: Transformer, taken: Sequence[Window], padding: int) -> np.ndarray:
    """Sum the last layer's states over the tokens that count in each row of some windows.

    Returns:
        (windows, largest number of rows, d) float32.
    """
    import torch

    longest, most = (max(map(len, parts)) for parts in zip(*((w.tokens, w.rows) for w in taken)))
    tokens = np.full((len(taken), longest), padding)
    mask, owners = np.zeros_like(tokens), np.zeros((len(taken), most, longest), dtype=np.float32)
    for number, window in enumerate(taken):
        length = len(window.tokens)
        tokens[number, :length], mask[number, :length] = window.tokens, 1
        owners[number, : len(window.rows), :length] = window.owners
    on_device = [torch.from_numpy(array).to(transformer.device) for array in (tokens, mask, owners)]
    with torch.inference_mode():
        states = transformer(input_ids=on_device[0], attention_mask=on_device[1])
        # some models compute NaN for padding
        states = states.last_hidden_state.float().masked_fill(on_device[1][:, :, None] == 0, 0)
        return (on_device[2] @ states).cpu().numpy()
