"""Batches by tokens, each computed on a core of its own.

    batches = form_batches(token_counts, choose_budget(None, device))
    for result in compute_batches(encode_batch, batches, device):
        ...

sentence-transformers sorts by length, too. But its batches have equal numbers of texts, so that one
of abstracts does not fit into a processor's cache; and all cores compute one batch, so that each
product waits for the slowest of them, some sixty times a batch.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    import torch

Batch = TypeVar("Batch")
Result = TypeVar("Result")

PROCESSOR_BUDGET = 1_024  # tokens of a batch on a processor, where each core has its own batch
GPU_BUDGET = 16_384  # tokens of a batch on other devices
PADDING_PART = 32  # of a batch's budget, one token in so many may be padding


def choose_budget(batch_tokens: int | None, device: "torch.device | None") -> int:
    """Return the tokens of a batch: `batch_tokens`, or if None what is fast on the device."""
    if batch_tokens is not None:
        return batch_tokens
    is_processor = device is None or device.type == "cpu"
    return PROCESSOR_BUDGET if is_processor else GPU_BUDGET


def form_batches(token_counts: Sequence[int], budget: int) -> list[list[int]]:
    """Return batches of items' numbers: of similar length, padded to at most `budget` tokens.

    An item longer than the budget is a batch by itself. A batch ends earlier if its padding would
    cost more time than another batch.
    """
    # the longest first, so that a computation that needs too much memory fails at once
    longest_first = np.argsort(token_counts, kind="stable")[::-1]

    batches: list[list[int]] = []
    padded_length = 0  # of each item of the last batch: the length of its first one
    padding = 0  # of the last batch
    for number in longest_first.tolist():
        length = token_counts[number]
        padding_with_item = padding + padded_length - length
        fits = batches and (len(batches[-1]) + 1) * padded_length <= budget
        if fits and padding_with_item <= budget // PADDING_PART:
            batches[-1].append(number)
            padding = padding_with_item
        else:
            batches.append([number])
            padded_length = length
            padding = 0
    return batches


def compute_batches(
    compute: Callable[[Batch], Result], batches: Iterable[Batch], device: "torch.device | None"
) -> Iterator[Result]:
    """Yield `compute(batch)` for all batches, in order; on a processor, one batch a core.

    A few batches, and batches on other devices, run one after the other, each on all cores.

    Args:
        compute: safe in several threads; uses PyTorch.
        batches: its arguments, one by one.
        device: that it computes on; None for other libraries than PyTorch.
    """
    batches = list(batches)
    if device is None or device.type != "cpu":
        yield from map(compute, batches)
        return
    import torch

    cores = torch.get_num_threads()
    if cores == 1 or len(batches) < 2 * cores:
        yield from map(compute, batches)
        return

    # each thread computes on one core
    pool = ThreadPoolExecutor(cores, "encoding", initializer=torch.set_num_threads, initargs=(1,))
    try:
        yield from pool.map(compute, batches)
    finally:
        pool.shutdown(cancel_futures=True)
        # the number was set for the process, too: it is the default of threads that start later
        torch.set_num_threads(cores)
