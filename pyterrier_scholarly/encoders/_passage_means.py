"""Encode passages by windows: the mean of a network's states over each text's tokens.

    for passage, means in encode_in_windows([("A title", "A sentence.")], network, tokenizer, 512):
        means.shape   # (3, d): the whole, then both texts

Windows are encoded in batches of similar length, so those of one passage come back at different
times. A passage's sums are kept until its last window is there.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ._batches import choose_budget, compute_batches, form_batches
from ._windows import Window, divide_passages, sum_states
from .encoder_protocols import Passage
from .model_protocols import Network, Tokenizer


def encode_in_windows(
    passages: Sequence[Passage],
    network: Network,
    tokenizer: Tokenizer,
    window_tokens: int,
    batch_tokens: int | None = None,
) -> Iterator[tuple[Passage, np.ndarray]]:
    """Yield each passage with its array, in any order: when its last window is encoded.

    Args:
        passages: tuples of k texts, distinct.
        network: computes the states of tokens.
        tokenizer: of the network, one that gives the positions of tokens.
        window_tokens: tokens of a window at most, with special tokens.
        batch_tokens: tokens of a batch; None for what is fast on the network's device.

    Yields:
        Passages with (1 + k, d) float32 arrays: the whole in row 0, then the texts; zero for a text
        without tokens.
    """
    width = network.config.hidden_size
    windows = divide_passages(passages, tokenizer, window_tokens)
    window_counts = Counter(window.passage_number for window in windows)

    for number, passage in enumerate(passages):
        if number not in window_counts:  # an empty text, and a model without special tokens
            yield passage, np.zeros((1 + len(passage), width), dtype=np.float32)

    sums_by_number: dict[int, _PassageSums] = {}  # of passages with windows that are still missing
    for encoded in _encode_windows(windows, network, tokenizer, batch_tokens):
        number = encoded.window.passage_number
        if number not in sums_by_number:
            row_count = 1 + len(passages[number])
            sums_by_number[number] = _PassageSums(row_count, width, window_counts[number])

        sums = sums_by_number[number]
        sums.add(encoded)
        if sums.missing_windows == 0:
            del sums_by_number[number]
            yield passages[number], sums.compute_means()


class _EncodedWindow(NamedTuple):
    """A window, and for each of its rows the sum of its tokens' states.

    state_sums: (most rows of a window in the batch, d); those behind `window.rows` are padding.
    """

    window: Window
    state_sums: np.ndarray


def _encode_windows(
    windows: Sequence[Window], network: Network, tokenizer: Tokenizer, batch_tokens: int | None
) -> Iterator[_EncodedWindow]:
    """Encode windows in batches, and yield them in any order."""
    padding = tokenizer.pad_token_id or 0

    def encode_batch(numbers: list[int]) -> list[_EncodedWindow]:
        batch = [windows[number] for number in numbers]
        state_sums = sum_states(network, batch, padding)
        return [_EncodedWindow(window, sums) for window, sums in zip(batch, state_sums)]

    token_counts = [len(window.tokens) for window in windows]
    batches = form_batches(token_counts, choose_budget(batch_tokens, network.device))
    for encoded_batch in compute_batches(encode_batch, batches, network.device):
        yield from encoded_batch


class _PassageSums:
    """The sums of states over the tokens of a passage's texts, of those windows that are encoded.

    missing_windows: number of its windows that are not.
    """

    def __init__(self, row_count: int, width: int, window_count: int) -> None:
        self._sums = np.zeros((row_count, width), dtype=np.float32)
        self._token_counts = np.zeros((row_count, 1))
        self.missing_windows = window_count

    def add(self, encoded: _EncodedWindow) -> None:
        """Add a window's sums of states, and its numbers of tokens, to the rows that it has."""
        window = encoded.window
        row_count = len(window.rows)
        state_sums = encoded.state_sums[:row_count]  # without the rows that pad the batch
        token_counts = window.row_has_token.sum(axis=1, keepdims=True)  # (rows, 1)

        self._sums[window.rows] += state_sums
        self._token_counts[window.rows] += token_counts
        self.missing_windows -= 1

    def compute_means(self) -> np.ndarray:
        """Return the means (1 + k, d) float32; zero for a text without tokens."""
        means = self._sums / np.maximum(self._token_counts, 1)
        return means.astype(np.float32)
