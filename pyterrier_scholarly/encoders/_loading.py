"""Load encoders' models, each in its precision, and only a few at a time."""

import copy
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ..arguments import Count, check_arguments
from ..progress import progress
from ._batches import Model, Module
from ._models import bf16_gain, load_named, model_class_of

if TYPE_CHECKING:
    import torch

    from .model_encoder import ModelEncoder

Precision: TypeAlias = Literal["fp32", "bf16", "fp16", "int8", "auto"]
#: precision -> the type in which PyTorch loads weights
PRECISIONS = {"fp32": "float32", "bf16": "bfloat16", "fp16": "float16", "int8": "float32"}
BF16_FLAGS = ("avx512_bf16", "amx_bf16", "bf16", "arm_bf16")  # PyTorch's names for processors


class Room:
    """Encoders that may be loaded at the same time: the `most` that were used last.

    The others drop their models and arrays. ``encoder.room = room`` puts an encoder in.
    """

    @check_arguments
    def __init__(self, most: Count = 3) -> None:
        self.most = most
        self._inside: OrderedDict[int, ModelEncoder] = OrderedDict()

    def enter(self, encoder: "ModelEncoder") -> None:
        """Record that `encoder` is used."""
        self._inside[id(encoder)] = encoder
        self._inside.move_to_end(id(encoder))
        while len(self._inside) > self.most:
            self._inside.popitem(last=False)[1].release()


def load(encoder: "ModelEncoder", revision: str | None) -> Model:
    """Load an encoder's model, in evaluation mode.

    A model passed as an object stays unchanged: changes are made to a copy. `revision` is of a name
    on the hub.

    Raises:
        ImportError, OSError: see `load_named`.
        ValueError: an unknown precision, or one that the model or the backend does not support.
    """
    precision, model, by_name = precision_of(encoder), encoder.model, isinstance(encoder.model, str)
    own = encoder.loading  # raises for an object, where it asks for another backend
    if by_name:
        own = {"model_kwargs": {"dtype": PRECISIONS[precision]}, **own}
        with progress(f"loading {Path(model).name}", verbose=encoder.verbose):
            model = load_named(model, encoder.device, encoder.KIND, revision=revision, **own)
        if "backend" in own:
            return model
    elif not hasattr(model, "parameters"):
        return model  # an unknown kind of object
    elif all(getattr(encoder, one) == getattr(type(encoder), one) for one in encoder.CHANGING):
        return model.eval()
    else:
        model = copy.deepcopy(model)
        if encoder.device:
            model.to(encoder.device)
    encoder.prepared(model)
    _convert(model, precision, by_name)
    return model.eval()


def _convert(model: Model, precision: str, by_name: bool) -> None:
    """Make the model compute in `precision`; modules after the first one compute in fp32."""
    import torch

    from ._processors import pack, quantize

    if precision in ("bf16", "fp16"):
        model[0].to(getattr(torch, PRECISIONS[precision]))
        torch.nn.ModuleList(list(model)[1:]).float()
        model[0].register_forward_hook(_single)
    elif precision == "int8":
        quantize(transformer_of(model.float(), "precision='int8'").auto_model)
    elif by_name:
        pack(model.float())


def _single(module: object, inputs: object, features: dict[str, object]) -> dict[str, object]:
    """Convert a module's features, also those in lists, to single precision; a forward hook."""

    def single(value: Any) -> object:
        if isinstance(value, (list, tuple)):
            return type(value)(map(single, value))
        return value.float() if getattr(value, "is_floating_point", bool)() else value

    return {name: single(value) for name, value in features.items()}


def transformer_of(model: Model, setting: str) -> Module:
    """Return the model's first module; ValueError if `setting` needs it to be a transformer."""
    if not hasattr(model[0], "auto_model"):
        raise ValueError(
            f"{setting} needs a transformer, but the model begins with a "
            f"{type(model[0]).__name__}: choose fp32, pooling='model' and no adapter."
        )
    return model[0]


def precision_of(encoder: "ModelEncoder") -> str:
    """Return the precision that an encoder computes in; no model is loaded.

    "auto" is bf16 if the device computes in it, else fp32. An object in "fp32" keeps its own.

    Raises:
        ImportError, ValueError: see `load`.
    """
    precision: str = encoder.precision
    model = encoder.model
    if precision == "int8" and not encoder.INT8:
        raise ValueError(
            "precision='int8': choose one of fp32, bf16, fp16, auto for a "
            f"{type(encoder).__name__}."
        )
    if precision == "auto":
        precision = "bf16" if _computes_bf16(_device_of(encoder)) else "fp32"
    if isinstance(model, str) or precision != "fp32":
        return precision
    parameter = next(model.parameters(), None) if hasattr(model, "parameters") else None
    dtype = str(getattr(parameter, "dtype", "torch.its own")).removeprefix("torch.")
    return next((name for name, own in PRECISIONS.items() if own == dtype), dtype)


def auto_gain(encoder: "ModelEncoder") -> float:
    """Return about how many times as fast an encoder would be in "auto"; 1 if it means the same."""
    device = _device_of(encoder)
    return bf16_gain(device) if precision_of(encoder) == "fp32" and _computes_bf16(device) else 1.0


def _device_of(encoder: "ModelEncoder") -> "torch.device":
    default = getattr(encoder.model, "device", "cpu")
    if isinstance(encoder.model, str):
        model_class_of(encoder.model, encoder.KIND)  # raises with what to install
        from sentence_transformers.util import get_device_name

        default = get_device_name()
    import torch

    return torch.device(encoder.device or default)


def _computes_bf16(device: "torch.device") -> bool:
    import torch

    if device.type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    capabilities: Callable[[], dict[str, bool]] = getattr(torch.cpu, "get_capabilities", dict)
    return device.type == "cpu" and any(map(capabilities().get, BF16_FLAGS))
