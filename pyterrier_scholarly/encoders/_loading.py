"""Loading sentence-transformers' models that are neither of sentences nor of whole texts."""

import copy

from ._sentence_model import token_counts
from ._transformer import named
from ._whole_model import dtype_of

UNCOUNTED = 128  # tokens that a text is taken to have where they cannot be counted


def loaded(settings, kind):
    """The model in evaluation mode; one given as an object stays as it is, a changed one is a copy.

    Args:
        settings: with `model`, `precision`, `device` and `max_length`; of an object, ``"fp32"``
            stands for its own precision.
        kind: the class in sentence_transformers.

    Raises:
        ImportError, OSError: see `_transformer.named`.
        ValueError: an unknown precision.
    """
    if isinstance(settings.model, str):
        model_kwargs = {"dtype": dtype_of(settings)}
        model = named(settings.model, settings.device, kind, model_kwargs=model_kwargs)
    else:
        model = settings.model
        own = settings.precision == "fp32" and not settings.device and not settings.max_length
        if not own:
            import torch

            model = copy.deepcopy(model)
            dtype = None if settings.precision == "fp32" else getattr(torch, dtype_of(settings))
            model.to(device=settings.device or model.device, dtype=dtype)
    if settings.max_length:
        model.max_seq_length = settings.max_length
    return model.eval()


def lengths(model, side, texts, prompt=None) -> list:
    """How many tokens each of `texts` has as the model reads it; see `token_counts`."""
    return token_counts(model, side, texts, prompt) or [UNCOUNTED] * len(texts)
