"""Batches on all cores of a processor at once."""

import copy
from concurrent.futures import ThreadPoolExecutor
from threading import Lock


def each(function, batches, device):
    """Yield `function(batch)` for all batches, in order.

    On a processor, every core computes batches of its own: with all of them on one batch, each
    product would wait for the slowest core, some sixty times per batch. With few batches, and on
    other devices, they come one after the other, each on all cores.

    Args:
        function: safe in several threads; uses PyTorch.
        batches: what it is given, one by one.
        device: the torch.device that it computes on; None for one that is not PyTorch's.
    """
    import torch

    batches, cores = list(batches), torch.get_num_threads()
    if device is None or device.type != "cpu" or cores == 1 or len(batches) < 2 * cores:
        yield from map(function, batches)
        return
    pool = ThreadPoolExecutor(cores, "encoding", torch.set_num_threads, (1,))
    try:
        yield from pool.map(function, batches)
    finally:
        pool.shutdown(cancel_futures=True)
        torch.set_num_threads(cores)  # what threads that others start later begin with


def shared(model):
    """A model whose `encode` is safe in several threads, and its torch.device.

    Tokenizers are not safe: they keep how they pad and cut, and refuse to change it while in use.
    So a SentenceTransformer comes back as a shallow copy in which they serve one thread at a time.
    Any other model comes back as it is, with None: nothing is known of it.
    """
    if not hasattr(model, "preprocess") or getattr(model, "backend", None) != "torch":
        return model, None
    lock, view = Lock(), copy.copy(model)

    def preprocess(*given, **named):
        with lock:
            return model.preprocess(*given, **named)

    view.preprocess = preprocess
    return view, model.device
