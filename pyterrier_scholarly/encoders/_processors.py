"""Make a loaded model compute in its precision, as fast as the processor can.

    set_precision(model, "int8", may_pack=False)

`set_precision` is the one function that others call. Without it, a model computes the same in fp32,
but slower.

- fp32: PyTorch's usual library does not use the whole vector unit of each processor. oneDNN does,
  which PyTorch contains, for weights that are packed once. Only private operators of PyTorch reach
  it. So they are tried beside the public function, and used if both return the same products
  (`_can_pack`).
- bf16, fp16: the transformer computes in half precision, all after it in fp32.
- int8: ONNX Runtime computes in integers, see `_int8`.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import torch

from ._int8 import quantize
from ._model_parts import get_transformer_module
from ._precision import WEIGHT_TYPES
from .model_protocols import LoadedModel

LARGEST_PACKED_WEIGHTS = 2**30  # bytes; larger models are not packed, which doubles their memory
PACKING_TOLERANCE = 1e-5  # between products by packed weights and by the public function

Multiply: TypeAlias = Callable[[torch.Tensor], torch.Tensor]


def set_precision(model: LoadedModel, precision: str, may_pack: bool) -> None:
    """Change a model so that it computes in `precision`; in fp32 it only becomes faster.

    Args:
        model: a model of sentence-transformers, in evaluation mode.
        precision: "fp32", "bf16", "fp16" or "int8"; for another one, the model stays unchanged.
        may_pack: whether nobody will change the model's weights afterwards: then those of fp32 are
            packed, which makes it faster.

    Raises:
        ImportError: int8 needs a package that is missing; names the extra to install.
        ValueError: int8 for a model that is not on the processor, has no transformer, cannot be
            exported, or differs too much in int8.
    """
    if precision in ("bf16", "fp16"):
        _halve(model, precision)
    elif precision == "int8":
        fp32_model = model.float()
        transformer_module = get_transformer_module(fp32_model, "precision='int8'")
        quantize(transformer_module.auto_model)
    elif precision == "fp32" and may_pack:
        fp32_model = model.float()
        _pack(fp32_model)


# Half precision.


def _halve(model: LoadedModel, precision: str) -> None:
    """Make the first module compute in half precision, and the modules after it in fp32."""
    first_module, *later_modules = model
    first_module.to(getattr(torch, WEIGHT_TYPES[precision]))
    torch.nn.ModuleList(later_modules).float()
    first_module.register_forward_hook(_return_single_precision)


def _return_single_precision(
    module: object, inputs: object, features: dict[str, object]
) -> dict[str, object]:
    """Convert the features that a module returns; PyTorch calls this hook after the module."""
    return {name: _to_single_precision(value) for name, value in features.items()}


def _to_single_precision(value: Any) -> object:
    """Convert a tensor of floats, also one in a list; return anything else unchanged."""
    if isinstance(value, (list, tuple)):
        return type(value)(_to_single_precision(item) for item in value)
    if isinstance(value, torch.Tensor) and value.is_floating_point():
        return value.float()
    return value


# Single precision by packed weights.


def _pack(model: LoadedModel) -> None:
    """Make the linear layers on the processor multiply by packed weights.

    Later changes to their own weights have no effect. In other types, on other devices, and where
    the private operators are missing or compute something else, a layer stays unchanged.
    """
    layers = [layer for layer in model.modules() if _is_packable(layer)]
    weight_bytes = sum(layer.weight.nbytes for layer in layers)
    if weight_bytes > LARGEST_PACKED_WEIGHTS or not _can_pack():
        return

    for layer in layers:
        bias = None if layer.bias is None else layer.bias.detach()
        layer.forward = _multiply_packed(layer.weight.detach(), bias)


def _is_packable(layer: Any) -> bool:
    """Return whether a layer only multiplies, on the processor and in single precision."""
    if type(layer) is not torch.nn.Linear:  # a subclass may do more than multiply
        return False
    return layer.weight.device.type == "cpu" and layer.weight.dtype == torch.float32


def _can_pack() -> bool:
    """Return whether the private operators exist, and agree with PyTorch's public function."""
    if not torch.backends.mkldnn.is_available():
        return False

    # small whole numbers, of which no product is rounded
    weight = torch.arange(-12.0, 12.0).reshape(3, 8)
    bias = torch.arange(3.0)
    inputs = torch.arange(40.0).reshape(5, 8)
    with torch.inference_mode():
        expected = _multiply(weight, bias)(inputs)
        try:
            products = _multiply_packed(weight, bias)(inputs)
        except Exception:  # another PyTorch may have no such operators, or with other arguments
            return False
    return products.shape == expected.shape and torch.allclose(
        products, expected, atol=PACKING_TOLERANCE
    )


def _multiply(weight: torch.Tensor, bias: torch.Tensor | None) -> Multiply:
    """Return the function that a linear layer computes, by PyTorch's public operator."""
    return lambda inputs: torch.nn.functional.linear(inputs, weight, bias)


def _multiply_packed(weight: torch.Tensor, bias: torch.Tensor | None) -> Multiply:
    """Return the function that a linear layer computes, faster: by weights packed for oneDNN.

    It calls private operators of PyTorch, whose arguments go by position.
    """
    operators = torch.ops.mkldnn
    any_batch_size = None  # packing may expect one
    packed_weight = operators._reorder_linear_weight(weight, any_batch_size)

    # the operator can also apply an activation to the product; a linear layer has none
    activation = "none"
    activation_numbers: list[float] = []
    activation_algorithm = "none"

    def multiply(inputs: torch.Tensor) -> torch.Tensor:
        return operators._linear_pointwise(
            inputs, packed_weight, bias, activation, activation_numbers, activation_algorithm
        )

    return multiply
