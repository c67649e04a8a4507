"""Make a loaded model compute in its precision, as fast as the processor can.

    set_precision(model, "int8", may_pack=False)

This file holds all that makes a model faster, and `set_precision` is its one function. Without it,
a model computes the same in fp32, by PyTorch's public way.

- fp32: PyTorch's usual library does not use the whole vector unit of each processor. oneDNN does,
  which PyTorch contains, for weights that are packed once. Only private operators reach it. So
  they are tried beside the public way (`_multiply`, `_multiply_packed`), and used if both agree.
- bf16, fp16: the transformer computes in half precision, all after it in fp32.
- int8: ONNX Runtime computes in integers. Weights are rounded once, by channel. Values between
  products are rounded for each batch, over the whole batch (Jacob et al. 2018, Quantization and
  training of neural networks, section 2.1). So the other texts in a batch change an embedding in
  the third digit.
"""

import tempfile
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import torch

from ._model_parts import get_transformer_module
from ._precision import WEIGHT_TYPES
from .encoder_protocols import LoadedModel, Network

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from transformers.modeling_outputs import BaseModelOutputWithPooling

LARGEST_PACKED_WEIGHTS = 2**30  # bytes; larger models are not packed, which doubles their memory
PACKING_TOLERANCE = 1e-5  # between the products of the private and the public way

INT8_PACKAGES = ("onnx", "onnxruntime")
LEAST_INT8_COSINE = 0.9  # on a trial, between a network's embeddings in fp32 and in int8
ONNX_OPERATOR_SET = 17

Multiply: TypeAlias = Callable[[torch.Tensor], torch.Tensor]


def set_precision(model: LoadedModel, precision: str, may_pack: bool) -> None:
    """Make a model in evaluation compute in `precision`; in fp32 only make it faster.

    Args:
        model: a model of sentence-transformers; it is changed.
        precision: see `ModelEncoder`; in another one than those, the model stays unchanged.
        may_pack: whether nobody will change the model's weights: then they may be packed.

    Raises:
        ImportError: int8 needs a package that is missing; names the extra to install.
        ValueError: int8 for a model that is not on the processor, has no transformer, cannot be
            exported, or differs too much in int8.
    """
    if precision in ("bf16", "fp16"):
        _halve(model, precision)
    elif precision == "int8":
        module = get_transformer_module(model.float(), "precision='int8'")
        _quantize(module.auto_model)
    elif precision == "fp32" and may_pack:
        _pack(model.float())


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
    if type(layer) is not torch.nn.Linear:  # a subclass may do more than multiply
        return False
    return layer.weight.device.type == "cpu" and layer.weight.dtype == torch.float32


def _can_pack() -> bool:
    """Return whether the private operators are there, and agree with PyTorch's public way."""
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
    """Return the public way: the function that a linear layer computes."""
    return lambda inputs: torch.nn.functional.linear(inputs, weight, bias)


def _multiply_packed(weight: torch.Tensor, bias: torch.Tensor | None) -> Multiply:
    """Return the private way: the same function, by weights that oneDNN packs now."""
    operators = torch.ops.mkldnn
    packed_weight = operators._reorder_linear_weight(weight, None)

    def multiply(inputs: torch.Tensor) -> torch.Tensor:
        # "none": without an activation behind the product, which has two more arguments
        return operators._linear_pointwise(inputs, packed_weight, bias, "none", [], "none")

    return multiply


# Integers of eight bits by ONNX Runtime.


class Sample(NamedTuple):
    """Random tokens, and which of them are no padding; both (texts, tokens)."""

    tokens: torch.Tensor
    mask: torch.Tensor


def _quantize(network: Network) -> None:
    """Make a network on the processor compute in int8; its own weights are kept.

    Takes some seconds, with a trial on random tokens. Errors: see `set_precision`.
    """
    if not all(find_spec(package) for package in INT8_PACKAGES):
        raise ImportError(
            f"precision='int8' needs {' and '.join(INT8_PACKAGES)}: "
            'run `pip install "pyterrier-scholarly[int8]"`.'
        )
    if network.device.type != "cpu":
        raise ValueError(f"int8 is for processors: choose bf16 on {network.device}.")

    trial = _draw_sample(network, texts=4, tokens=24)
    exact_sums = _sum_states(network, trial)
    network.forward = _compute_by_session(_open_int8_session(network), network)
    rounded_sums = _sum_states(network, trial)

    smallest_cosine = torch.cosine_similarity(exact_sums, rounded_sums).min()
    if not smallest_cosine > LEAST_INT8_COSINE:  # also if it is NaN
        raise ValueError(
            f"{type(network).__name__} is not suited to int8: on a trial the smallest cosine "
            f"to its own embeddings is {smallest_cosine:.2f}, expected {LEAST_INT8_COSINE}. "
            "Choose fp32 or bf16."
        )


def _draw_sample(network: Network, texts: int, tokens: int) -> Sample:
    """Draw random tokens, the same each time; the first text is half as long as the others."""
    generator = torch.Generator().manual_seed(0)
    drawn_tokens = torch.randint(network.config.vocab_size, (texts, tokens), generator=generator)
    mask = torch.ones_like(drawn_tokens)
    mask[0, tokens // 2 :] = 0
    return Sample(drawn_tokens, mask)


def _sum_states(network: Network, sample: Sample) -> torch.Tensor:
    """Return the sum of the states of each text's tokens (texts, d)."""
    with torch.inference_mode():
        output = network(input_ids=sample.tokens, attention_mask=sample.mask)
    states = output.last_hidden_state.float()
    return (states * sample.mask[:, :, None]).sum(1)


def _open_int8_session(network: Network) -> "InferenceSession":
    """Export a network to ONNX, round its weights, and load it into ONNX Runtime.

    The session computes on one core, because each core has its own batch (`compute_batches`).
    """
    import onnxruntime
    from onnxruntime.quantization import QuantType, quant_pre_process, quantize_dynamic

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    with tempfile.TemporaryDirectory() as folder:
        exported = Path(folder, "exported.onnx")
        prepared = Path(folder, "prepared.onnx")
        rounded = Path(folder, "rounded.onnx")
        _export_to_onnx(network, exported)
        quant_pre_process(exported, prepared, skip_optimization=True, skip_symbolic_shape=True)
        quantize_dynamic(prepared, rounded, per_channel=True, weight_type=QuantType.QInt8)
        return onnxruntime.InferenceSession(rounded, options, ["CPUExecutionProvider"])


class _StatesOnly(torch.nn.Module):
    """A network that returns its last layer's states (texts, tokens, d) alone, for the export."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = network

    def forward(self, tokens: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Return the states."""
        return self.network(input_ids=tokens, attention_mask=mask).last_hidden_state


def _export_to_onnx(network: Network, path: Path) -> None:
    """Write a network as ONNX; ValueError if it cannot be exported."""
    input_names = ["input_ids", "attention_mask"]
    output_names = ["states"]
    # the export traces a few tokens, but the numbers of texts and tokens may differ later
    free_axes = {name: {0: "texts", 1: "tokens"} for name in input_names + output_names}
    traced = _draw_sample(network, texts=2, tokens=8)
    try:
        network.set_attn_implementation("eager")  # every exporter knows these products
        with warnings.catch_warnings(), torch.inference_mode():
            warnings.simplefilter("ignore")  # about the exporter's end, and traced shapes
            torch.onnx.export(
                _StatesOnly(network).eval(),
                (traced.tokens, traced.mask),
                str(path),
                input_names=input_names,
                output_names=output_names,
                dynamic_axes=free_axes,
                opset_version=ONNX_OPERATOR_SET,
                dynamo=False,
            )
    except Exception as error:  # the exporter raises many classes
        raise ValueError(
            f"{type(network).__name__} cannot be exported for int8: {error}\nChoose fp32 or bf16."
        ) from error


def _compute_by_session(
    session: "InferenceSession", network: Network
) -> "Callable[..., BaseModelOutputWithPooling]":
    """Return a function that computes a network's output by ONNX Runtime, its pooler by PyTorch."""
    from transformers.modeling_outputs import BaseModelOutputWithPooling

    pooler = getattr(network, "pooler", None)

    def forward(
        input_ids: torch.Tensor, attention_mask: torch.Tensor, **_: object
    ) -> BaseModelOutputWithPooling:
        inputs = {"input_ids": input_ids.numpy(), "attention_mask": attention_mask.numpy()}
        (state_array,) = session.run(None, inputs)
        states = torch.from_numpy(state_array)
        pooled = None if pooler is None else pooler(states)
        return BaseModelOutputWithPooling(states, pooled)

    return forward
