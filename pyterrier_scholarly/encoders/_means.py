"""From the states of windows' tokens to means over passages and their parts."""

import numpy as np

from ._windows import WHOLE


def states(transformer, taken, padding):
    """Last-layer states (windows, tokens of the longest, d), as a float32 tensor on its device."""
    import torch

    longest = max(len(window.tokens) for window in taken)
    tokens = np.full((len(taken), longest), padding)
    mask = np.zeros_like(tokens)
    for row, window in enumerate(taken):
        tokens[row, : len(window.tokens)] = window.tokens
        mask[row, : len(window.tokens)] = 1
    with torch.inference_mode():
        answer = transformer(
            input_ids=torch.from_numpy(tokens).to(transformer.device),
            attention_mask=torch.from_numpy(mask).to(transformer.device),
        )
    return answer.last_hidden_state.float()


class Means:
    """Means of token states over passages and their parts, gathered batch by batch.

    Rows are those of all passages end to end, (1 + k) of each: the whole, then its k parts.
    """

    def __init__(self, passages, windows, dimensions):
        self.passages = passages
        sizes = [1 + len(parts) for parts in passages]
        self.starts = np.cumsum(sizes) - sizes
        self._sums = np.zeros((sum(sizes), dimensions), dtype=np.float32)
        self._counts = np.zeros(sum(sizes), dtype=np.float32)
        of = [window.passage for window in windows]
        self._left = np.bincount(np.array(of, dtype=np.intp), minlength=len(passages))

    def sums(self, taken, states):
        """What windows bring: rows (r,), sums (r, d), counts (r,); `states` as of `states`."""
        import torch

        wholes, parts = [], []  # (place in the flattened states, row)
        for number, window in enumerate(taken):
            places = number * states.shape[1] + np.arange(len(window.tokens))
            whole = self.starts[window.passage]
            own = window.kept & (window.parts != WHOLE)
            wholes.append((places[window.kept], np.full(window.kept.sum(), whole)))
            parts.append((places[own], whole + 1 + window.parts[own]))
        places, rows = map(np.concatenate, zip(*wholes, *parts))
        distinct, local, counts = np.unique(rows, return_inverse=True, return_counts=True)
        flat = states.reshape(-1, states.shape[2])
        sums = torch.zeros(len(distinct), flat.shape[1], device=flat.device)
        picked = flat[torch.from_numpy(places).to(flat.device)]
        sums.index_add_(0, torch.from_numpy(local).to(flat.device), picked)
        return distinct, sums.cpu().numpy(), counts

    def add(self, taken, rows, sums, counts):
        """Gather what `sums` gave for windows; yield the passages that are done, see `done`."""
        self._sums[rows] += sums
        self._counts[rows] += counts
        for window in taken:
            self._left[window.passage] -= 1
            if not self._left[window.passage]:
                yield self.done(window.passage)

    def empty(self):
        """Yield the passages without windows: those of models without special tokens."""
        yield from map(self.done, np.flatnonzero(self._left == 0))

    def done(self, number):
        """A passage and its (1 + k, d) array; zero where there were no tokens."""
        begin = self.starts[number]
        rows = slice(begin, begin + 1 + len(self.passages[number]))
        means = self._sums[rows] / np.maximum(self._counts[rows], 1)[:, None]
        return self.passages[number], means
