"""Form batches by their number of tokens, and compute them on all cores of a processor at once.

For example::

    batches = form_batches(token_counts, choose_budget(None, device))
    for result in compute_batches(encode_batch, batches, device):
        ...
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    import torch

Batch = TypeVar("Batch")
Result = TypeVar("Result")

CPU_BUDGET = 1_024  # tokens of a batch on a processor, where each core has its own batch
GPU_BUDGET = 16_384  # tokens of a batch on other devices


def form_batches(token_counts: Sequence[int] | np.ndarray, budget: int) -> Iterator[list[int]]:
    """Yield batches of items' numbers: of similar length, padded to at most `budget` tokens.

    An item longer than the budget is a batch by itself.
    """
    # the longest first, so that a computation that needs too much memory fails at once
    longest_first = np.argsort(token_counts, kind="stable")[::-1]

    batch: list[int] = []
    padded_length = 0  # of each item of the batch: the length of its first one
    for number in longest_first.tolist():
        padded_tokens = (len(batch) + 1) * padded_length  # with this item
        if batch and padded_tokens > budget:
            yield batch
            batch = []
        if not batch:
            padded_length = token_counts[number]
        batch.append(number)
    if batch:
        yield batch


def choose_budget(batch_tokens: int | None, device: "torch.device | None") -> int:
    """Return the tokens of a batch: `batch_tokens`, or if None what is fast on the device."""
    if batch_tokens is not None:
        return batch_tokens
    if device is None or device.type == "cpu":
        return CPU_BUDGET
    return GPU_BUDGET


def compute_batches(
    function: Callable[[Batch], Result], batches: Iterable[Batch], device: "torch.device | None"
) -> Iterator[Result]:
    """Yield `function(batch)` for all batches, in order.

    On a processor, every core computes its own batches: with all cores on one batch, each product
    would wait for the slowest core, some sixty times a batch. A few batches, and batches on other
    devices, run one after the other, each on all cores.

    Args:
        function: safe in several threads; uses PyTorch.
        batches: its arguments, one by one.
        device: that it computes on; None for other libraries than PyTorch.
    """
    batches = list(batches)
    cores = _count_cores(device)
    are_few = len(batches) < 2 * cores
    if cores == 1 or are_few:
        yield from map(function, batches)
        return

    import torch

    # each thread computes on one core
    pool = ThreadPoolExecutor(cores, "encoding", initializer=torch.set_num_threads, initargs=(1,))
    try:
        yield from pool.map(function, batches)
    finally:
        pool.shutdown(cancel_futures=True)
        # the number was set for the process, too: it is the default of threads that start later
        torch.set_num_threads(cores)


def _count_cores(device: "torch.device | None") -> int:
    """Return how many cores compute batches at once; 1 for other devices than a processor."""
    if device is None or device.type != "cpu":
        return 1
    import torch

    return torch.get_num_threads()
