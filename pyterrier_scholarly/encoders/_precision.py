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
    """Return the precision of the computation, for the settings of a `ModelEncoder`.

    "auto" is bf16 if the device computes in it, else fp32. An object in "fp32" keeps its own.

    Raises:
        ImportError: sentence-transformers, which chooses the device, is missing.
    """
    resolved: str = precision
    if precision == "auto":
        used_device = _find_device(model, device, kind)
        resolved = "bf16" if _computes_bf16(used_device) else "fp32"

    is_object = not isinstance(model, str)
    if is_object and resolved == "fp32":
        return _read_precision(model)
    return resolved


def _read_precision(model: object) -> str:
    """Return the precision of an object's first weights; PyTorch's name of one unknown to us."""
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
    """Return the device that a model will compute on."""
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
