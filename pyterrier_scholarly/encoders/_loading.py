"""Load any model of sentence-transformers: by name or folder, in a precision, on a device."""

import copy
from collections import OrderedDict

from ._names import imported, load_named
from ._processors import pack, quantize

#: precision -> the type that PyTorch loads weights in
PRECISIONS = {"fp32": "float32", "bf16": "bfloat16", "fp16": "float16", "int8": "float32"}
POSITIONS = 512  # where neither model nor tokenizer names a limit
ENDLESS = 1_000_000  # tokenizers without a limit name one of 10^30
BF16_FLAGS = ("avx512_bf16", "amx_bf16", "bf16", "arm_bf16")  # as PyTorch reports processors


class Room:
    """Encoders that may be loaded at the same time: the `most` that were used last.

    The others drop what they hold. ``encoder.room = room`` puts an encoder in.
    """

    def __init__(self, most=3):
        self.most, self._inside = most, OrderedDict()

    def enter(self, encoder):
        """Tell that `encoder` is used."""
        self._inside[id(encoder)] = encoder
        self._inside.move_to_end(id(encoder))
        while len(self._inside) > self.most:
            self._inside.popitem(last=False)[1].release()


def load(encoder, revision):
    """The model that an encoder asks for, in evaluation mode.

    A model given as an object stays as it is: whatever changes is a copy.

    Args:
        encoder: a `ModelEncoder`.
        revision: of a name on the hub.

    Raises:
        ImportError, OSError: see `load_named`.
        ValueError: an unknown precision, or one that the model or the backend does not have.
    """
    precision, model, own = precision_of(encoder), encoder.model, isinstance(encoder.model, str)
    more = encoder.loading
    if own:
        settings = {"model_kwargs": {"dtype": PRECISIONS[precision]}, "revision": revision} | more
        model = load_named(model, encoder.device, encoder.KIND, **settings)
        if "backend" in more:
            return model
    elif not hasattr(model, "parameters"):
        return model  # nothing is known of it
    elif all(getattr(encoder, one) == getattr(type(encoder), one) for one in encoder.CHANGING):
        return model.eval()
    else:
        model = copy.deepcopy(model)
        if encoder.device:
            model.to(encoder.device)
    encoder.prepared(model)
    _convert(model, precision, own)
    return model.eval()


def _convert(model, precision, own):
    """Let the model compute in `precision`; what follows its first module is in fp32."""
    import torch

    if precision in ("bf16", "fp16"):
        model[0].to(getattr(torch, PRECISIONS[precision]))
        for module in list(model)[1:]:
            module.float()
        model[0].register_forward_hook(_single)
    elif precision == "int8":
        model.float()
        quantize(transformer_of(model, "precision='int8'").auto_model)
    elif own:
        pack(model.float())


def _single(module, inputs, features):
    """A hook: features in single precision, also those in lists."""

    def single(value):
        if isinstance(value, (list, tuple)):
            return type(value)(map(single, value))
        return value.float() if getattr(value, "is_floating_point", bool)() else value

    return {name: single(value) for name, value in features.items()}


def transformer_of(model, what):
    """The model's first module, which must be a transformer; ValueError says that `what` needs it.

    Then use pooling="model" and precision="fp32".
    """
    if not hasattr(model[0], "auto_model"):
        raise ValueError(
            f"{what} needs a transformer, but the model begins with a {type(model[0]).__name__}: "
            "choose fp32, pooling='model' and no adapter."
        )
    return model[0]


def precision_of(encoder) -> str:
    """The precision that an encoder computes in; no model is loaded.

    "auto" is bf16 where the device computes in it, else fp32. An object in "fp32" keeps its own.

    Raises:
        ImportError: see `load_named`.
        ValueError: an unknown precision, or one that this kind of encoder does not have.
    """
    precision, model = encoder.precision, encoder.model
    known = [*(one for one in PRECISIONS if one != "int8" or encoder.INT8), "auto"]
    if precision not in known:
        raise ValueError(
            f"Unknown precision {precision!r}: choose one of {', '.join(known)} for a "
            f"{type(encoder).__name__}."
        )
    if precision == "auto":
        precision = "bf16" if _computes_bf16(_device_of(encoder)) else "fp32"
    if isinstance(model, str) or precision != "fp32":
        return precision
    parameter = next(model.parameters(), None) if hasattr(model, "parameters") else None
    dtype = str(getattr(parameter, "dtype", "torch.its own")).removeprefix("torch.")
    return next((name for name, own in PRECISIONS.items() if own == dtype), dtype)


def _device_of(encoder):
    """Where it computes, as a torch.device."""
    if isinstance(encoder.model, str):
        imported(encoder.model, encoder.KIND)  # which says what to install
    import torch

    if encoder.device:
        return torch.device(encoder.device)
    if not isinstance(encoder.model, str):
        return torch.device(getattr(encoder.model, "device", "cpu"))
    from sentence_transformers.util import get_device_name

    return torch.device(get_device_name())


def _computes_bf16(device):
    import torch

    if device.type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    flags = getattr(torch.cpu, "get_capabilities", dict)() if device.type == "cpu" else {}
    return any(flags.get(flag) for flag in BF16_FLAGS)


def positions(transformer, tokenizer) -> int:
    """How many tokens the transformer can take, special tokens counted.

    sentence-transformers cuts many models far below that, and sets the tokenizer's limit to it.
    """
    for name, module in transformer.named_modules():
        if name.endswith("position_embeddings") and hasattr(module, "num_embeddings"):
            # RoBERTa and its kin number positions from behind that of padding
            before = 0 if module.padding_idx is None else module.padding_idx + 1
            return module.num_embeddings - before
    stated = getattr(transformer.config, "max_position_embeddings", None)
    stated = stated or tokenizer.model_max_length
    return stated if 0 < stated < ENDLESS else POSITIONS
