"""Find the precision that a model computes in, without loading it.

For example::

    resolve_precision("auto", "allenai/specter", device=None, kind="SentenceTransformer")  # "bf16"
"""

from typing import TYPE_CHECKING, Literal, TypeAlias

from .named_models import find_model_class

if TYPE_CHECKING:
    import torch

Precision: TypeAlias = Literal["fp32", "bf16", "fp16", "int8", "auto"]

#: precision -> PyTorch's name of the type in which weights are loaded. int8 begins as fp32.
WEIGHT_TYPES = {"fp32": "float32", "bf16": "bfloat16", "fp16": "float16", "int8": "float32"}
#: PyTorch's names for what processors can do, each of which means that they compute in bf16
BF16_CAPABILITIES = ("avx512_bf16", "amx_bf16", "bf16", "arm_bf16")
UNKNOWN_PRECISION = "its own"  # of an object that shows no weights


def resolve_precision(precision: Precision, model: object, device: str | None, kind: str) -> str:
    """Return the precision that a `ModelEncoder` with these settings computes in, never "auto".

    For a name: ("auto", "allenai/specter") is "bf16" on a device that computes in it, else "fp32".
    For a loaded model whose weights are float16: ("fp32", model) is "fp16", what it has.

    Args:
        precision: the setting; "auto" lets the device decide.
        model: a model's name, or a loaded model.
        device: PyTorch's name of the device, such as "cuda"; None for a loaded model's own, or
            for the best of this machine.
        kind: the class in sentence-transformers that loads a name, such as "CrossEncoder".

    Raises:
        ImportError: sentence-transformers, which chooses the device, is missing.
    """
    chosen_precision: str = precision
    if precision == "auto":
        used_device = _find_device(model, device, kind)
        chosen_precision = "bf16" if _computes_bf16(used_device) else "fp32"

    # fp32 means unchanged: the weights of a loaded model may have another type, and keep it
    is_loaded = not isinstance(model, str)
    if is_loaded and chosen_precision == "fp32":
        return _read_precision(model)
    return chosen_precision


def _read_precision(model: object) -> str:
    """Return the precision of a loaded model's first weights, such as "fp16".

    It is PyTorch's name for a type that we have no name for, such as "float64".
    """
    if not hasattr(model, "parameters"):
        return UNKNOWN_PRECISION
    first_weights = next(model.parameters(), None)
    if first_weights is None:
        return UNKNOWN_PRECISION

    type_name = str(first_weights.dtype).removeprefix("torch.")
    for precision in ("fp32", "bf16", "fp16"):
        if type_name == WEIGHT_TYPES[precision]:
            return precision
    return type_name


def _find_device(model: object, device: str | None, kind: str) -> "torch.device":
    """Return the device that a model will compute on; arguments: see `resolve_precision`."""
    if isinstance(model, str):
        find_model_class(model, kind)  # raises with what to install
        from sentence_transformers.util import get_device_name

        default_device = get_device_name()
    else:
        default_device = getattr(model, "device", "cpu")
    import torch

    return torch.device(device or default_device)


def _computes_bf16(device: "torch.device") -> bool:
    """Return whether a device computes in bf16 itself, which makes bf16 faster than fp32."""
    import torch

    if device.type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    if device.type != "cpu" or not hasattr(torch.cpu, "get_capabilities"):
        return False
    capabilities = torch.cpu.get_capabilities()
    return any(capabilities.get(name) for name in BF16_CAPABILITIES)
