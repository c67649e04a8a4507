"""What frames, matrices, tensors and models hold, in lists of arrays and simpler things."""

import json
import re

ADDRESS = re.compile(r"(?: at )?\b0x[0-9a-fA-F]+")
ELIDED = re.compile(r"\.\.\.|…")  # as arrays and tables are printed
#: settings of a sentence-transformers model that change its vectors, and can be set at any time
SETTINGS = ("prompts", "default_prompt_name", "truncate_dim", "max_seq_length")
ADAPTERS = ("active_adapters", "disable_adapters")  # what PEFT's layers say of themselves


def frame(value):
    """A data frame."""
    columns = [column.to_numpy() for _, column in value.items()]
    return ["\0frame", list(value.columns), value.index.to_numpy(), *columns]


def series(value):
    """A pandas Series or Index."""
    index, name = getattr(value, "index", None), getattr(value, "name", None)
    return ["\0series", name, None if index is None else index.to_numpy(), value.to_numpy()]


def sparse(value):
    """A sparse array or matrix of scipy."""
    rows = value.tocsr()
    return ["\0sparse", rows.shape, rows.indptr, rows.indices, rows.data]


def tensor(value):
    """A tensor of PyTorch: any precision, as bytes."""
    import torch

    flat = value.detach().cpu().to_dense().contiguous().flatten()
    return ["\0tensor", str(value.dtype), list(value.shape), flat.view(torch.uint8).numpy()]


def model(value):
    """A module of PyTorch, or a model of sentence-transformers, wherever it is in memory."""
    return ["\0model", *said(value), words(value), dict(value.state_dict())]


def said(model) -> list:
    """What a model says of itself, beside weights and words: modules, configuration, settings."""
    parts = list(model.modules())
    # what transformers reads as it computes; its own repr takes milliseconds
    found = {id(one): one for one in (vars(part).get("config") for part in parts)}
    configs = [vars(one) for one in found.values() if hasattr(one, "__dict__")]
    adapters = [getattr(part, name, None) for part in parts for name in ADAPTERS]
    of = [
        model,
        *configs,
        *(one for one in adapters if one is not None and not callable(one)),
        *(getattr(model, name, None) for name in SETTINGS),
    ]
    return [ADDRESS.sub("", repr(one)) for one in of]


def words(model) -> str:
    """What a model's tokenizer does, but for how it pads and truncates: that changes per call."""
    tokenizer = getattr(model, "tokenizer", None)
    words = getattr(tokenizer, "backend_tokenizer", tokenizer)
    if not hasattr(words, "to_str"):
        return ADDRESS.sub("", repr(words))
    return repr({**json.loads(words.to_str()), "padding": None, "truncation": None})
