"""Divide passages into windows of tokens that fit a model, and take means over its states.

    for passage, means in encode_in_windows([("A title", "A sentence.")], network, tokenizer, 512):
        means.shape   # (3, d): the whole, then both texts

A passage is a tuple of texts. It is encoded as one text, the texts joined by blanks. If it is
longer than the model can take, it is read in windows that overlap by a quarter; each token that two
windows share counts in one of them: where it is farther from the window's edge.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..paper import Passage
from .batches import choose_budget, compute_batches, form_batches
from .model_encoder import TOKENIZER_LOCK

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


def encode_in_windows(
    passages: Sequence[Passage],
    network: Any,
    tokenizer: Any,
    window_tokens: int,
    batch_tokens: int | None = None,
) -> Iterator[tuple[Passage, np.ndarray]]:
    """Yield each passage with its array, in any order: when its last window is encoded.

    Args:
        passages: tuples of k texts, distinct.
        network: of transformers, computes the states of tokens.
        tokenizer: of the network, one that gives the positions of tokens.
        window_tokens: tokens of a window at most, with special tokens.
        batch_tokens: tokens of a batch; None for what is fast on the network's device.

    Yields:
        Passages with (1 + k, d) float32 arrays: the whole in row 0, then the texts; zero for a text
        without tokens.
    """
    windows = divide_passages(passages, tokenizer, window_tokens)
    lengths = [len(window.tokens) for window in windows]
    batches = form_batches(lengths, choose_budget(batch_tokens, network.device))
    missing_windows = Counter(window.passage_number for window in windows)

    width = network.config.hidden_size
    state_sums = [np.zeros((1 + len(texts), width), dtype=np.float32) for texts in passages]
    token_counts = [np.zeros((1 + len(texts), 1), dtype=np.float32) for texts in passages]
    for number, passage in enumerate(passages):
        if number not in missing_windows:  # an empty text, and a model without special tokens
            yield passage, state_sums[number]

    def compute(numbers: list[int]) -> list[np.ndarray]:
        return sum_states(network, [windows[number] for number in numbers], tokenizer)

    for numbers, sums_of_batch in zip(batches, compute_batches(compute, batches, network.device)):
        for window_number, window_sums in zip(numbers, sums_of_batch):
            window = windows[window_number]
            number = window.passage_number
            state_sums[number][window.rows] += window_sums
            token_counts[number][window.rows] += window.row_has_token.sum(axis=1, keepdims=True)

            missing_windows[number] -= 1
            if missing_windows[number] == 0:
                yield passages[number], state_sums[number] / np.maximum(token_counts[number], 1)


def divide_passages(passages: Sequence[Passage], tokenizer: Any, limit: int) -> list[Window]:
    """Divide `passages` into windows of at most `limit` tokens each, with special tokens."""
    overlap = (limit - tokenizer.num_special_tokens_to_add()) // OVERLAP_PART
    joined_texts = [" ".join(filter(None, passage)) for passage in passages]
    with TOKENIZER_LOCK:
        encoded = tokenizer(
            joined_texts,
            truncation=True,
            max_length=limit,
            stride=overlap,
            return_overflowing_tokens=True,  # the windows behind the first one
            return_offsets_mapping=True,
            return_special_tokens_mask=True,
        )
    # of each window; ascending, and repeated for a passage with several windows
    passage_numbers = encoded["overflow_to_sample_mapping"]
    is_first = np.diff(passage_numbers, prepend=-1) > 0  # of the windows of its passage
    is_last = np.diff(passage_numbers, append=len(passages)) > 0
    text_of_character = [locate_characters(passage) for passage in passages]

    windows = []
    for number, passage_number in enumerate(passage_numbers):
        tokens = np.array(encoded["input_ids"][number])
        if not len(tokens):  # an empty text, and a model without special tokens
            continue
        is_special = np.array(encoded["special_tokens_mask"][number], dtype=bool)
        is_counted = mark_counted_tokens(is_special, overlap, is_first[number], is_last[number])
        ends = np.array(encoded["offset_mapping"][number])[:, 1]
        text_of_token = locate_tokens(ends, is_special, text_of_character[passage_number])
        windows.append(form_window(passage_number, tokens, text_of_token, is_counted))
    return windows


def locate_tokens(
    ends: np.ndarray, is_special: np.ndarray, text_of_character: np.ndarray
) -> np.ndarray:
    """Return the number of the text that each token of a window belongs to (t,), or NO_TEXT.

    A token belongs to the text that has its last character.

    Args:
        ends: (t,), where tokens end in the joined passage, behind their last character.
        is_special: (t,), whether a token is special, and belongs to no text.
        text_of_character: of `locate_characters`.
    """
    # a token without characters ends at 0; the index -1 is then the last blank, of no text
    text_of_token = text_of_character[ends - 1]
    text_of_token[is_special] = NO_TEXT
    return text_of_token


def form_window(
    passage_number: int, tokens: np.ndarray, text_of_token: np.ndarray, is_counted: np.ndarray
) -> Window:
    """Return a window with a row for the whole passage, and one for each text with a token."""
    counted_text = np.where(is_counted, text_of_token, NO_TEXT)
    texts = np.unique(counted_text[counted_text != NO_TEXT])
    rows = np.append(0, 1 + texts)  # row 0 is the whole passage, and row 1 + n its text n
    row_has_token = np.vstack([is_counted, counted_text == texts[:, None]])
    return Window(passage_number, tokens, rows, row_has_token)


def locate_characters(passage: Passage) -> np.ndarray:
    """Return the number of the text that each character of a joined passage belongs to.

    It is NO_TEXT for the blank behind a text, also behind the last one. An empty text has none.
    """
    numbers = []
    for number, text in enumerate(passage):
        if text:
            numbers += [np.full(len(text), number), [NO_TEXT]]
    return np.concatenate([*numbers, [NO_TEXT]]).astype(np.intp)


def mark_counted_tokens(
    is_special: np.ndarray, overlap: int, is_first: bool, is_last: bool
) -> np.ndarray:
    """Return whether each token of a window counts (t,).

    Special tokens, such as [CLS], count in the passage's first window only.

    Args:
        is_special: (t,), whether a token is special.
        overlap: number of tokens that two neighbouring windows share.
        is_first, is_last: whether the window is the first, or the last, of its passage.
    """
    # this window's last tokens count in the next window, and its first ones in the previous
    # window; both numbers add up to the overlap, so that each shared token counts once
    dropped_at_end = overlap // 2
    dropped_at_start = overlap - dropped_at_end

    text_tokens = np.flatnonzero(~is_special)
    start = 0 if is_first else dropped_at_start
    end = len(text_tokens) if is_last else max(0, len(text_tokens) - dropped_at_end)

    is_counted = np.zeros(len(is_special), dtype=bool)
    is_counted[text_tokens[start:end]] = True
    is_counted[is_special] = is_first
    return is_counted


def sum_states(network: Any, batch: Sequence[Window], tokenizer: Any) -> list[np.ndarray]:
    """Sum the last layer's states over the tokens that count in each row of some windows.

    Returns:
        A float32 array (r, d) for each window of r rows.
    """
    import torch

    longest = max(len(window.tokens) for window in batch)
    tokens = np.full((len(batch), longest), tokenizer.pad_token_id or 0)
    attention_mask = np.zeros_like(tokens)
    for number, window in enumerate(batch):
        tokens[number, : len(window.tokens)] = window.tokens
        attention_mask[number, : len(window.tokens)] = 1

    with torch.inference_mode():
        device_tokens = torch.from_numpy(tokens).to(network.device)
        device_mask = torch.from_numpy(attention_mask).to(network.device)
        output = network(input_ids=device_tokens, attention_mask=device_mask)
        states_of_windows = output.last_hidden_state.float().cpu().numpy()

    sums = []
    for window, states in zip(batch, states_of_windows):
        # (r, t) @ (t, d): the states of each row's tokens, added up, without those of padding
        sums.append(window.row_has_token.astype(np.float32) @ states[: len(window.tokens)])
    return sums
