"""Cut batches by their tokens, and compute them on all cores of a processor at once."""

import copy
from concurrent.futures import ThreadPoolExecutor
from threading import RLock

import numpy as np

#: Held whenever a tokenizer runs, for a tokenizer keeps how it pads and truncates. Called from two
#: threads at once, it raises, or truncates one caller's texts with the other's settings. One for
#: all, as tokenizers take a small part of the time, and encoders may share one.
TOKENIZING = RLock()
ON_CPU, ELSEWHERE = 1_024, 16_384  # tokens of a batch

SIDES = {"query": "encode_query", "document": "encode_document"}
#: side -> what its prompt may be called, the first that a model has counts
PROMPTS = {"query": ("query",), "document": ("document", "passage", "corpus")}


def batches(lengths, budget):
    """Numbers of items, batch by batch: of like length, padded to `budget` tokens at most.

    An item longer than the budget is a batch of its own.
    """
    batch, longest = [], 0
    for number in np.argsort(lengths, kind="stable")[::-1]:  # longest first: memory peaks at once
        longest = longest or lengths[number]
        if batch and (len(batch) + 1) * longest > budget:
            yield batch
            batch, longest = [], lengths[number]
        batch.append(int(number))
    if batch:
        yield batch


def budget(tokens, device) -> int:
    """Tokens of a batch: `tokens`, or if None what is fast on the device."""
    return tokens or (ON_CPU if device is None or device.type == "cpu" else ELSEWHERE)


def token_counts(model, texts, side=None, prompt=None):
    """How many tokens of each text are encoded, or None if the model does not tell.

    The prompt counts: the one given, or else the model's own for that side.
    """
    tokenizer = getattr(model, "tokenizer", None)
    if not callable(tokenizer):
        return None
    prompt = prompt_of(model, side) if prompt is None else prompt
    most = getattr(model, "max_seq_length", None)
    prompted = [prompt + text for text in texts]
    with TOKENIZING:
        made = tokenizer(prompted, truncation=bool(most), max_length=most or None)
    return [max(1, len(tokens)) for tokens in made["input_ids"]]


def prompt_of(model, side):
    """What sentence-transformers puts before the texts of a side."""
    prompts = getattr(model, "prompts", {})
    names = (*PROMPTS.get(side, ()), getattr(model, "default_prompt_name", None))
    return next((prompts[name] or "" for name in names if name in prompts), "")


def symmetric(model, query_prompt=None, document_prompt=None) -> bool:
    """Whether the model treats queries and documents alike; None stands for its own prompt."""
    modules = getattr(model, "_modules", {}).values()
    query = prompt_of(model, "query") if query_prompt is None else query_prompt
    document = prompt_of(model, "document") if document_prompt is None else document_prompt
    # A Router sends queries and documents through modules of their own; others cut the two
    # at lengths of their own.
    return query == document and not any(
        type(module).__name__ == "Router"
        or len({getattr(module, f"{side}_length", None) for side in SIDES}) > 1
        for module in modules
    )


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
    batches = list(batches)
    if device is None or device.type != "cpu":
        yield from map(function, batches)
        return
    import torch

    cores = torch.get_num_threads()
    if cores == 1 or len(batches) < 2 * cores:
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
