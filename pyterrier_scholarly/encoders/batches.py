"""Batches by tokens, each computed on a core of its own.

    for result in compute_in_batches(encode_items, token_counts, None, device):
        ...

sentence-transformers sorts by length, too. But its batches have equal numbers of texts, so that one
of abstracts does not fit into a processor's cache; and all cores compute one batch, so that each
product waits for the slowest of them, some sixty times a batch.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    import torch

Result = TypeVar("Result")

PROCESSOR_BUDGET = 1_024  # tokens of a batch on a processor, where each core has its own batch
GPU_BUDGET = 16_384  # tokens of a batch on other devices
PADDING_PART = 32  # of a batch's budget, one token in so many may be padding


def compute_in_batches(
    compute: Callable[[list[int]], Result],
    token_counts: Sequence[int],
    batch_tokens: int | None,
    device: "torch.device | None",
) -> Iterator[Result]:
    """Yield `compute(numbers)` for the numbers of each batch's items, the longest items first.

    On a processor, each core computes a batch of its own. A few batches, and batches on other
    devices, run one after the other, each on all cores.

    Args:
        compute: safe in several threads; uses PyTorch.
        token_counts: of each item, 1 or more.
        batch_tokens: tokens of a batch; None for what is fast on the device.
        device: that it computes on; None for other libraries than PyTorch.
    """
    is_processor = device is None or device.type == "cpu"
    default_budget = PROCESSOR_BUDGET if is_processor else GPU_BUDGET
    batches = form_batches(token_counts, batch_tokens or default_budget)

    cores = 1
    if device is not None and is_processor:
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


def form_batches(token_counts: Sequence[int], budget: int) -> list[list[int]]:
    """Return batches of items' numbers: of similar length, padded to at most `budget` tokens.

    An item longer than the budget is a batch by itself. A batch ends earlier if its padding would
    cost more time than another batch.
    """
    # the longest first, so that a computation that needs too much memory fails at once
    longest_first = np.argsort(-np.array(token_counts), kind="stable")

    batches: list[list[int]] = []
    padded_length = 0  # of each item of the last batch: the length of its first one
    places_left = 0  # in the last batch, for items padded to that length
    padding_left = 0  # tokens of padding that the last batch may still get
    for number in longest_first.tolist():
        length = token_counts[number]
        item_padding = padded_length - length

        if places_left > 0 and item_padding <= padding_left:
            batches[-1].append(number)
            places_left -= 1
            padding_left -= item_padding
        else:
            batches.append([number])
            padded_length = length
            places_left = budget // length - 1  # below 0 for an item longer than the budget
            padding_left = budget // PADDING_PART
    return batches
