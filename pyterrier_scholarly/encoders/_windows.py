"""Divide passages into windows of tokens that fit a model, and sum its states over their texts.

    windows = divide_passages([("A title", "A sentence.")], tokenizer, limit=512)
    state_sums = sum_states(network, windows, padding=tokenizer.pad_token_id)

A passage is a tuple of texts. It is encoded as one text, the texts joined by blanks.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ._tokenization import TOKENIZER_LOCK
from .encoder_protocols import Passage
from .model_protocols import Network, Tokenizer

OVERLAP_PART = 4  # neighbouring windows share one token in so many
NO_TEXT = -1  # of special tokens, and of blanks between texts


class Window(NamedTuple):
    """Tokens of one passage that are encoded together, and the rows in which they count.

    A passage of k texts gets an array of 1 + k rows: row 0 for the whole passage, row 1 + n for its
    text n. A window lists only those rows for which it has tokens.

    passage_number: which passage it is, of all that are encoded.
    tokens: (t,), ids of the tokens.
    rows: (r,), row numbers of the passage's array.
    row_has_token: (r, t), whether each token counts in each of `rows`. A token whose state is taken
        from the neighbouring window counts in none.
    """

    passage_number: int
    tokens: np.ndarray
    rows: np.ndarray
    row_has_token: np.ndarray


def divide_passages(passages: Sequence[Passage], tokenizer: Tokenizer, limit: int) -> list[Window]:
    """Divide `passages` into windows of at most `limit` tokens each, with special tokens.

    A longer passage has several windows. Neighbouring ones overlap by a quarter; each shared token
    counts in one of both: where it is farther from the window's edge.
    """
    overlap = (limit - tokenizer.num_special_tokens_to_add()) // OVERLAP_PART
    encoded = _tokenize_in_windows(passages, tokenizer, limit, overlap)
    text_lengths = [_measure_texts(passage) for passage in passages]

    # of each window; ascending, and repeated for a passage with several windows
    passage_numbers = encoded["overflow_to_sample_mapping"]
    previous_numbers = [None, *passage_numbers[:-1]]
    next_numbers = [*passage_numbers[1:], None]

    windows = []
    for window_number, passage_number in enumerate(passage_numbers):
        token_ids = encoded["input_ids"][window_number]
        if not token_ids:  # an empty text, and a model without special tokens
            continue

        is_special = np.array(encoded["special_tokens_mask"][window_number], dtype=bool)
        is_first = previous_numbers[window_number] != passage_number
        is_last = next_numbers[window_number] != passage_number
        is_counted = _mark_counted_tokens(is_special, overlap, is_first, is_last)

        token_spans = encoded["offset_mapping"][window_number]
        text_of_token = _find_texts(text_lengths[passage_number], token_spans)
        text_of_token[is_special] = NO_TEXT

        tokens = np.array(token_ids)
        windows.append(_make_window(passage_number, tokens, is_counted, text_of_token))
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
    row_has_token = np.zeros((len(batch), most_rows, longest), dtype=np.float32)
    for number, window in enumerate(batch):
        length = len(window.tokens)
        row_count = len(window.rows)
        tokens[number, :length] = window.tokens
        attention_mask[number, :length] = 1
        row_has_token[number, :row_count, :length] = window.row_has_token

    device_tokens = torch.from_numpy(tokens).to(network.device)
    device_mask = torch.from_numpy(attention_mask).to(network.device)
    device_rows = torch.from_numpy(row_has_token).to(network.device)

    with torch.inference_mode():
        output = network(input_ids=device_tokens, attention_mask=device_mask)
        states = output.last_hidden_state.float()

        # some models compute NaN for padding, and 0 * NaN would spoil the sums
        is_padding = device_mask[:, :, None] == 0
        states = states.masked_fill(is_padding, 0)

        # (windows, rows, tokens) @ (windows, tokens, d): the states of each row's tokens, added up
        state_sums = device_rows @ states
        return state_sums.cpu().numpy()


def _tokenize_in_windows(
    passages: Sequence[Passage], tokenizer: Tokenizer, limit: int, overlap: int
) -> Mapping[str, Any]:
    """Return a tokenizer's lists with one item for each window; a passage has one or more.

    Args:
        limit: largest number of a window's tokens, with special tokens.
        overlap: number of tokens that neighbouring windows of a passage share.
    """
    joined_texts = [" ".join(filter(None, passage)) for passage in passages]
    with TOKENIZER_LOCK:
        return tokenizer(
            joined_texts,
            truncation=True,
            max_length=limit,
            stride=overlap,
            return_overflowing_tokens=True,  # the windows behind the first one
            return_offsets_mapping=True,
            return_special_tokens_mask=True,
        )


def _measure_texts(passage: Passage) -> np.ndarray:
    """Return the number of characters of each of a passage's texts, (texts,)."""
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
    # this window's last tokens count in the next window, and its first ones in the previous
    # window; both numbers add up to the overlap, so that each shared token counts once
    dropped_at_end = overlap // 2
    dropped_at_start = overlap - dropped_at_end

    text_tokens = np.flatnonzero(~is_special)
    start = 0
    end = len(text_tokens)
    if not is_first:
        start = dropped_at_start
    if not is_last:
        end = max(0, len(text_tokens) - dropped_at_end)

    is_counted = np.zeros(len(is_special), dtype=bool)
    is_counted[text_tokens[start:end]] = True
    is_counted[is_special] = is_first
    return is_counted


def _find_texts(text_lengths: np.ndarray, token_spans: Iterable[tuple[int, int]]) -> np.ndarray:
    """Return the number of the text to which each token of a joined passage belongs, (t,).

    A token belongs to the text that has its last character, and to NO_TEXT if this is the blank
    between two texts. For example, "A title" and "Text." are joined as "A title Text.":

        text 0: characters 0 to 6, so its start is 0, and its end 7 (the blank)
        text 1: characters 8 to 12, so its start is 8, and its end 13

    A token whose last character is 6 belongs to text 0; for 7 it is NO_TEXT, for 8 text 1.

    Args:
        text_lengths: (texts,), number of characters of each text.
        token_spans: where each token begins and ends in the joined text.
    """
    # an empty text is joined without a blank
    lengths_with_blank = text_lengths + (text_lengths > 0)
    next_starts = np.cumsum(lengths_with_blank)  # where the text behind each text starts
    text_ends = np.maximum(next_starts - 1, 0)  # 0 for empty texts at the beginning
    text_starts = text_ends - text_lengths
    last_characters = np.array([end for _, end in token_spans], dtype=np.intp) - 1

    # searchsorted counts the texts that end at or before the character; this number is also that
    # of the first text that ends behind it
    texts = np.searchsorted(text_ends, last_characters, side="right")
    texts = np.minimum(texts, len(text_ends) - 1)  # the last text for a character behind all
    is_in_text = text_starts[texts] <= last_characters  # else it is the blank before that text
    return np.where(is_in_text, texts, NO_TEXT)


def _make_window(
    passage_number: int, tokens: np.ndarray, is_counted: np.ndarray, text_of_token: np.ndarray
) -> Window:
    """Return a window whose tokens count in the whole passage, and each in its own text.

    Args:
        passage_number: which passage the tokens are of.
        tokens: (t,), ids of the tokens.
        is_counted: (t,), whether a token counts in this window, see `_mark_counted_tokens`.
        text_of_token: (t,), the number of each token's text, or NO_TEXT.
    """
    is_in_text = is_counted & (text_of_token != NO_TEXT)
    texts = np.unique(text_of_token[is_in_text])  # numbers of the texts with a token here

    # row 0 is the whole passage, and row 1 + n its text n
    rows = np.append(0, 1 + texts)
    text_has_token = is_counted & (text_of_token == texts[:, None])  # (texts, t)
    row_has_token = np.vstack([is_counted, text_has_token])  # (1 + texts, t)
    return Window(passage_number, tokens, rows, row_has_token)
