"""Ask a model's tokenizer how long texts are, one thread at a time."""

import copy
from collections.abc import Mapping, Sequence
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple

from .encoder_protocols import Side

if TYPE_CHECKING:
    import torch

#: Held whenever a tokenizer runs, because a tokenizer stores how it pads and truncates. Called from
#: two threads at once, it raises, or truncates one caller's texts with the other's settings. One
#: lock for all: encoders may share a tokenizer, and tokenizers take a small part of the time.
TOKENIZER_LOCK = RLock()

#: side -> names of its prompt in a model; the first that the model has counts
PROMPT_NAMES: dict[Side, tuple[str, ...]] = {
    "query": ("query",),
    "document": ("document", "passage", "corpus"),
}


class LockedModel(NamedTuple):
    """A model whose methods may be called from several threads, and where it computes.

    device: None if another library than PyTorch computes, or if nothing is known of the model.
    """

    model: Any
    device: "torch.device | None"


def count_tokens(model: object, texts: Sequence[str], prompt: str) -> list[int] | None:
    """Return each text's number of tokens as the model encodes it, truncated and with `prompt`.

    At least 1. None if the model has no tokenizer.
    """
    tokenizer = getattr(model, "tokenizer", None)
    if not callable(tokenizer):
        return None

    prompted_texts = [prompt + text for text in texts]
    limit = getattr(model, "max_seq_length", None) or None
    with TOKENIZER_LOCK:
        encoded = tokenizer(prompted_texts, truncation=limit is not None, max_length=limit)
    return [max(1, len(token_ids)) for token_ids in encoded["input_ids"]]


def find_prompt(model: object, side: Side | None = None) -> str:
    """Return what a model itself puts before the texts of a side; "" for nothing.

    Without a side it is the model's default prompt.
    """
    prompts: Mapping[str, str | None] = getattr(model, "prompts", {})
    names = [] if side is None else list(PROMPT_NAMES[side])
    default_name = getattr(model, "default_prompt_name", None)
    if default_name is not None:
        names.append(default_name)

    for name in names:
        if name in prompts:
            return prompts[name] or ""
    return ""


def lock_tokenizer(model: Any) -> LockedModel:
    """Return a model that holds TOKENIZER_LOCK while its tokenizer runs.

    It is a shallow copy of a model of sentence-transformers, which stays unchanged. Any other model
    is returned as it is, without a device, so that it is called from one thread only.
    """
    is_of_sentence_transformers = hasattr(model, "preprocess") and hasattr(model, "backend")
    if not is_of_sentence_transformers:
        return LockedModel(model, device=None)

    def preprocess(*inputs: object, **settings: object) -> object:
        with TOKENIZER_LOCK:
            return model.preprocess(*inputs, **settings)

    locked_model = copy.copy(model)
    locked_model.preprocess = preprocess
    device = model.device if model.backend == "torch" else None
    return LockedModel(locked_model, device)
