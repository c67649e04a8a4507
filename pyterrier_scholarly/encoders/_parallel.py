"""Batches on all cores of a processor at once."""

import copy
from concurrent.futures import ThreadPoolExecutor
from threading import RLock

#: Held whenever a tokenizer runs, for a tokenizer keeps how it pads and cuts: asked by two threads
#: at once, it refuses, or cuts the one's texts as the other wants it. One for all, as tokenizers
#: take a small part of the time, and encoders may share one.
TOKENIZING = RLock()


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

    A model of sentence-transformers comes back as a shallow copy that holds TOKENIZING when its
    tokenizer runs; the device is None where another library than PyTorch computes. Any other model
    comes back as it is, with None: nothing is known of it.
    """
    if not hasattr(model, "preprocess") or not hasattr(model, "backend"):
        return model, None
    view = copy.copy(model)

    def preprocess(*given, **named):
        with TOKENIZING:
            return model.preprocess(*given, **named)

    view.preprocess = preprocess
    return view, model.device if model.backend == "torch" else None
