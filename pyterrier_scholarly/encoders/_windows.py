"""Divide passages into windows of tokens that fit a model, and sum its states over their texts.

    windows = divide_passages([("A title", "A sentence.")], tokenizer, limit=512)
    state_sums = sum_states(network, windows, padding=tokenizer.pad_token_id)

A passage is a tuple of texts. It is encoded as one text, the texts joined by blanks.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from ._tokenization import TOKENIZER_LOCK
from .encoder_protocols import Passage
from .model_protocols import Network, Tokenizer

OVERLAP_PART = 4  # neighbouring windows share one token in so many
NO_TEXT = -1  # the owner of special tokens, and of blanks between texts


class Window(NamedTuple):
    """Tokens of one passage that are encoded together.

    passage: its number.
    tokens: (t,), their ids.
    rows: (r,), for which rows of the passage's array tokens count: 0 for the whole passage, 1 + n
        for its text n.
    owners: (r, t), which tokens count in which row. A token whose state is taken from the
        neighbouring window counts in none.
    """

    passage: int
    tokens: np.ndarray
    rows: np.ndarray
    owners: np.ndarray


def divide_passages(passages: Sequence[Passage], tokenizer: Tokenizer, limit: int) -> list[Window]:
    """Divide `passages` into windows of at most `limit` tokens each, with special tokens.

    A longer passage has several windows. Neighbouring ones overlap by a quarter; each shared token
    counts in one of both: where it is farther from the window's edge.
    """
    overlap = (limit - tokenizer.num_special_tokens_to_add()) // OVERLAP_PART
    joined_texts = [" ".join(filter(None, passage)) for passage in passages]
    with TOKENIZER_LOCK:
        encoded = tokenizer(
            joined_texts,
            truncation=True,
            max_length=limit,
            stride=overlap,
            return_overflowing_tokens=True,
            return_offsets_mapping=True,
            return_special_tokens_mask=True,
        )

    passage_numbers = encoded["overflow_to_sample_mapping"]  # of each window, ascending
    last_number = len(passage_numbers) - 1
    text_lengths = [_measure_texts(passage) for passage in passages]

    windows = []
    for number, (passage, token_ids) in enumerate(zip(passage_numbers, encoded["input_ids"])):
        if not token_ids:  # an empty text, and a model without special tokens
            continue

        is_special = np.array(encoded["special_tokens_mask"][number], dtype=bool)
        is_first = number == 0 or passage_numbers[number - 1] != passage
        is_last = number == last_number or passage_numbers[number + 1] != passage
        is_counted = _mark_counted_tokens(is_special, overlap, is_first, is_last)

        text_of_token = _find_texts(text_lengths[passage], encoded["offset_mapping"][number])
        text_of_token[is_special] = NO_TEXT
        windows.append(_assign_tokens(passage, np.array(token_ids), is_counted, text_of_token))
    return windows


def sum_states(network: Network, batch: Sequence[Window], padding: int) -> np.ndarray:
    """Sum the last layer's states over the tokens that count in each row of some windows.

    Returns:
        (windows, largest number of rows, d) float32.
    """
    import torch

    longest = max(len(window.tokens) for window in batch)
    most_rows = max(len(window.rows) for window in batch)

    tokens = np.full((len(batch), longest), padding)
    attention_mask = np.zeros_like(tokens)
    owners = np.zeros((len(batch), most_rows, longest), dtype=np.float32)
    for number, window in enumerate(batch):
        length = len(window.tokens)
        row_count = len(window.rows)
        tokens[number, :length] = window.tokens
        attention_mask[number, :length] = 1
        owners[number, :row_count, :length] = window.owners

    device_tokens = torch.from_numpy(tokens).to(network.device)
    device_mask = torch.from_numpy(attention_mask).to(network.device)
    device_owners = torch.from_numpy(owners).to(network.device)

    with torch.inference_mode():
        output = network(input_ids=device_tokens, attention_mask=device_mask)
        states = output.last_hidden_state.float()

        # some models compute NaN for padding, and 0 * NaN would spoil the sums
        is_padding = device_mask[:, :, None] == 0
        states = states.masked_fill(is_padding, 0)

        # (windows, rows, tokens) @ (windows, tokens, d): the states of each row's tokens, added up
        state_sums = device_owners @ states
        return state_sums.cpu().numpy()


def _measure_texts(passage: Passage) -> np.ndarray:
    """Return the number of characters of each text."""
    return np.array([len(text) for text in passage], dtype=np.intp)


def _mark_counted_tokens(
    is_special: np.ndarray, overlap: int, is_first: bool, is_last: bool
) -> np.ndarray:
    """Return whether each token of a window counts (t,).

    Neighbouring windows of a passage share `overlap` tokens, and each of these counts in one of
    them: where it is farther from the edge, because it has more context there. Special tokens
    count in the passage's first window only.

    Args:
        is_special: (t,), whether a token is special, such as [CLS].
        overlap: number of tokens that two neighbouring windows share.
        is_first, is_last: whether the window is the first, or the last, of its passage.
    """
    # the later half of the shared tokens counts in the next window, the earlier half in the
    # previous one; of an odd number, both rules together give each token to one window
    counted_in_next = overlap // 2
    counted_in_previous = overlap - counted_in_next

    text_tokens = np.flatnonzero(~is_special)
    start = 0
    end = len(text_tokens)
    if not is_first:
        start = counted_in_previous
    if not is_last:
        end = max(0, len(text_tokens) - counted_in_next)

    is_counted = np.zeros(len(is_special), dtype=bool)
    is_counted[text_tokens[start:end]] = True
    is_counted[is_special] = is_first
    return is_counted


def _find_texts(text_lengths: np.ndarray, offsets: Iterable[tuple[int, int]]) -> np.ndarray:
    """Return the number of the text that holds each token's last character, or NO_TEXT (t,).

    Args:
        text_lengths: characters of each text of the passage.
        offsets: where each token begins and ends in the joined text.
    """
    # where each text ends, and the blank behind it begins; an empty text has no blank
    lengths_with_blank = text_lengths + (text_lengths > 0)
    ends = np.maximum(np.cumsum(lengths_with_blank) - 1, 0)
    starts = ends - text_lengths
    last_characters = np.array([end for _, end in offsets], dtype=np.intp) - 1

    # the first text that ends behind the character; the last one for a character behind all
    texts = np.searchsorted(ends, last_characters, side="right")
    texts = np.minimum(texts, len(ends) - 1)
    # a character before that text is the blank between two texts
    return np.where(starts[texts] <= last_characters, texts, NO_TEXT)


def _assign_tokens(
    passage: int, tokens: np.ndarray, is_counted: np.ndarray, text_of_token: np.ndarray
) -> Window:
    """Return a window whose tokens count in the whole passage, and each in its own text.

    Args:
        passage: its number.
        tokens: (t,), their ids.
        is_counted: (t,), see `_mark_counted_tokens`.
        text_of_token: (t,), the number of each token's text, or NO_TEXT.
    """
    is_in_text = is_counted & (text_of_token != NO_TEXT)
    texts = np.unique(text_of_token[is_in_text])  # those that have a token here
    is_of_text = is_counted & (text_of_token == texts[:, None])  # (texts, t)

    # the whole passage, then each of the texts
    rows = np.append(0, 1 + texts)
    owners = np.vstack([is_counted, is_of_text])
    return Window(passage, tokens, rows, owners)
