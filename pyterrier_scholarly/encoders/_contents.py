"""What frames, matrices, tensors and models hold, in lists of arrays and simpler things."""

import re

ADDRESS = re.compile(r"(?: at )?\b0x[0-9a-fA-F]+")


def frame(value):
    """A data frame."""
    columns = [column.to_numpy() for _, column in value.items()]
    return ["frame", list(value.columns), value.index.to_numpy(), *columns]


def series(value):
    """A pandas Series or Index."""
    index = getattr(value, "index", None)
    return ["series", value.name, None if index is None else index.to_numpy(), value.to_numpy()]


def sparse(value):
    """A sparse array or matrix of scipy."""
    rows = value.tocsr()
    return ["sparse", rows.shape, rows.indptr, rows.indices, rows.data]


def tensor(value):
    """A tensor of PyTorch: any precision, as bytes."""
    import torch

    flat = value.detach().cpu().to_dense().contiguous().flatten()
    return ["tensor", str(value.dtype), list(value.shape), flat.view(torch.uint8).numpy()]


def module(value):
    """A module of PyTorch: its parts, configuration and weights, wherever they are in memory."""
    about = [ADDRESS.sub("", repr(one)) for one in (value, getattr(value, "config", ""))]
    return ["module", *about, dict(value.state_dict())]
