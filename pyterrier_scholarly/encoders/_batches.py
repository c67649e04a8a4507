"""Count tokens, form batches by them, and compute these on all cores of a processor at once."""

import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import RLock
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

if TYPE_CHECKING:
    import torch
    from scipy.sparse import csr_array

T = TypeVar("T")
Batch = TypeVar("Batch")

Model: TypeAlias = Any  #: of sentence_transformers, or alike; as a setting also a name or a folder
Tokenizer: TypeAlias = Any  #: of transformers
Transformer: TypeAlias = Any  #: a model of transformers
Module: TypeAlias = Any  #: of PyTorch, with attributes that its types do not know
Key: TypeAlias = Any  #: what is encoded: a text, a pair of texts or a passage
Embeddings: TypeAlias = "np.ndarray | csr_array"  #: an array (n, d), dense or sparse

#: Held whenever a tokenizer runs, because a tokenizer stores how it pads and truncates. Called from
#: two threads at once, it raises, or truncates one caller's texts with the other's settings. One
#: lock for all: encoders may share a tokenizer, and tokenizers take a small part of the time.
TOKENIZING = RLock()
ON_CPU, ELSEWHERE = 1_024, 16_384  # tokens of a batch
POSITIONS = 512  # default where neither model nor tokenizer states a limit
ENDLESS = 1_000_000  # tokenizers without a limit state 10^30

SIDES = {"query": "encode_query", "document": "encode_document"}
#: side -> names of its prompt; the first that a model has counts
PROMPTS = {"query": ("query",), "document": ("document", "passage", "corpus")}


def batches(lengths: Sequence[int] | np.ndarray, budget: int) -> Iterator[list[int]]:
    """Yield batches of items' numbers: of similar length, padded to at most `budget` tokens.

    An item longer than the budget is a batch by itself.
    """
    batch: list[int] = []
    for number in np.argsort(lengths, kind="stable")[::-1]:  # longest first: memory peaks at once
        if batch and (len(batch) + 1) * lengths[batch[0]] > budget:
            yield batch
            batch = []
        batch.append(int(number))
    if batch:
        yield batch


def budget(tokens: int | None, device: "torch.device | None") -> int:
    """Return the tokens of a batch: `tokens`, or if None what is fast on the device."""
    return tokens or (ON_CPU if device is None or device.type == "cpu" else ELSEWHERE)


def token_counts(
    model: Model, texts: Iterable[str], side: str | None = None, prompt: str | None = None
) -> list[int] | None:
    """Return each text's number of encoded tokens, or None if the model has no tokenizer.

    The count includes `prompt`; default: the model's own prompt for that side.
    """
    tokenizer = getattr(model, "tokenizer", None)
    if not callable(tokenizer):
        return None
    prompt = prompt_of(model, side, prompt)
    limit = getattr(model, "max_seq_length", None)
    with TOKENIZING:
        encoded = tokenizer(
            [prompt + text for text in texts], truncation=bool(limit), max_length=limit or None
        )
    return [max(1, len(tokens)) for tokens in encoded["input_ids"]]


def positions(transformer: Transformer, tokenizer: Tokenizer) -> int:
    """Return how many tokens the transformer can take, with special tokens.

    sentence-transformers truncates at far fewer for many models, and lowers the tokenizer's limit.
    """
    for name, module in transformer.named_modules():
        if name.endswith("position_embeddings") and hasattr(module, "num_embeddings"):
            # RoBERTa's kind counts positions from the one after padding's
            before = 0 if module.padding_idx is None else module.padding_idx + 1
            return module.num_embeddings - before
    stated = (
        getattr(transformer.config, "max_position_embeddings", None) or tokenizer.model_max_length
    )
    return stated if 0 < stated < ENDLESS else POSITIONS


def prompt_of(model: Model, side: str | None, prompt: str | None) -> str:
    """Return what is put before the texts of a side: `prompt`, or if None the model's own."""
    prompts = getattr(model, "prompts", {})
    names = (*PROMPTS.get(side or "", ()), getattr(model, "default_prompt_name", None))
    own = (prompts[name] or "" for name in names if name in prompts)
    return next(own, "") if prompt is None else prompt


def each(
    function: Callable[[Batch], T], batches: Iterable[Batch], device: "torch.device | None"
) -> Iterator[T]:
    """Yield `function(batch)` for all batches, in order.

    On a processor, every core computes its own batches: with all cores on one batch, each product
    would wait for the slowest core, some sixty times a batch. A few batches, and batches on other
    devices, run one after the other, each on all cores.

    Args:
        function: safe in several threads; uses PyTorch.
        batches: its arguments, one by one.
        device: the torch.device that it computes on; None for other libraries than PyTorch.
    """
    batches, cores = list(batches), 1
    if device is not None and device.type == "cpu":
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
        torch.set_num_threads(cores)  # the default of threads that others start later


def shared(model: Model) -> "tuple[Model, torch.device | None]":
    """Return a model whose `encode` is safe in several threads, and its torch.device.

    A model of sentence-transformers is returned as a shallow copy that holds TOKENIZING while its
    tokenizer runs; the device is None if another library than PyTorch computes. Any other model is
    returned unchanged, with None.
    """
    if not hasattr(model, "preprocess") or not hasattr(model, "backend"):
        return model, None
    view = copy.copy(model)

    def preprocess(*args: object, **settings: object) -> object:
        with TOKENIZING:
            return model.preprocess(*args, **settings)

    view.preprocess = preprocess
    return view, model.device if model.backend == "torch" else None
