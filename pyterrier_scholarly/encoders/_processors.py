"""Make models faster on processors: pack weights once, or compute in integers of eight bits.

PyTorch's usual library for single precision does not use the whole vector unit of each processor.
oneDNN does, which PyTorch contains.

ONNX Runtime computes in integers. Weights are rounded once, by channel. Values between products are
rounded for each batch, over the whole batch (Jacob et al. 2018, Quantization and training of neural
networks, section 2.1). So the other texts in a batch change an embedding in the third digit.
"""

import tempfile
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch

from ._batches import Module, Transformer

LARGEST = 2**30  # bytes of weights; larger models are not packed, which would double their memory
OPERATORS = ("_reorder_linear_weight", "_linear_pointwise")
NEEDED = ("onnx", "onnxruntime")
NEAR = 0.9  # least cosine, on a trial, between a model's embeddings in fp32 and in int8
OPSET = 17
SHOWN, TRIAL = (2, 8), (4, 24)  # texts and tokens for tracing, and for the trial


def pack(module: torch.nn.Module) -> None:
    """Make the linear layers of a module on the processor multiply by packed weights.

    Later changes to its own weights have no effect. In other types, on other devices, and without
    oneDNN in PyTorch, a module stays unchanged.
    """
    operators, available = torch.ops.mkldnn, torch.backends.mkldnn.is_available()
    if not (available and all(hasattr(operators, name) for name in OPERATORS)):
        return
    layers: list[Module] = [
        layer
        for layer in module.modules()
        if type(layer) is torch.nn.Linear  # subclasses may do more than multiply
        and (layer.weight.device.type, layer.weight.dtype) == ("cpu", torch.float32)
    ]
    if sum(layer.weight.nbytes for layer in layers) > LARGEST:
        return
    for layer in layers:
        layer.forward = _by_packed(layer, operators)


def _by_packed(layer: Module, operators: Any) -> Callable:
    packed = operators._reorder_linear_weight(layer.weight.detach(), None)
    bias = None if layer.bias is None else layer.bias.detach()

    def forward(inputs: torch.Tensor) -> torch.Tensor:
        return operators._linear_pointwise(inputs, packed, bias, "none", [], "none")

    return forward


def quantize(transformer: Transformer) -> None:
    """Make a transformer on the processor compute in int8; its own weights are kept.

    Takes some seconds, with a trial on random tokens.

    Raises:
        ImportError: a package is missing; names the extra to install.
        ValueError: it is not on the processor, cannot be exported, or differs too much in int8.
    """
    if not all(map(find_spec, NEEDED)):
        raise ImportError(
            f"precision='int8' needs {' and '.join(NEEDED)}: "
            'run `pip install "pyterrier-scholarly[int8]"`.'
        )
    if transformer.device.type != "cpu":
        raise ValueError(f"int8 is for processors: choose bf16 on {transformer.device}.")
    trial = _random(TRIAL, transformer.config.vocab_size)
    expected = _pooled(transformer, *trial)
    transformer.forward = _by_session(_session(transformer), getattr(transformer, "pooler", None))
    near = torch.cosine_similarity(expected, _pooled(transformer, *trial)).min()
    if not near > NEAR:
        raise ValueError(
            f"{type(transformer).__name__} is not suited to int8: on a trial the smallest cosine "
            f"to its own embeddings is {near:.2f}, expected {NEAR}. Choose fp32 or bf16."
        )


def _random(shape: tuple[int, int], words: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Draw tokens and a mask of that shape; the first text is half as long."""
    tokens = torch.randint(words, shape, generator=torch.Generator().manual_seed(0))
    mask = torch.ones_like(tokens)
    mask[0, shape[1] // 2 :] = 0
    return tokens, mask


def _pooled(transformer: Transformer, tokens: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    with torch.inference_mode():
        states = transformer(input_ids=tokens, attention_mask=mask).last_hidden_state
    return (states.float() * mask[:, :, None]).sum(1)


def _session(transformer: Transformer) -> Any:
    """Make a session of ONNX Runtime in int8, on one core: see `_batches.each`."""
    import onnxruntime
    from onnxruntime.quantization import QuantType, quant_pre_process, quantize_dynamic

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    with tempfile.TemporaryDirectory() as folder:
        exact, known, rounded = (Path(folder, f"{n}.onnx") for n in ("exact", "known", "rounded"))
        _export(transformer, exact)
        quant_pre_process(exact, known, skip_optimization=True, skip_symbolic_shape=True)
        quantize_dynamic(known, rounded, per_channel=True, weight_type=QuantType.QInt8)
        return onnxruntime.InferenceSession(rounded, options, ["CPUExecutionProvider"])


class _Plain(torch.nn.Module):
    """A transformer that returns its last layer's states (texts, tokens, d) alone."""

    def __init__(self, transformer: Transformer) -> None:
        super().__init__()
        self.transformer = transformer

    def forward(self, tokens: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Return the states."""
        return self.transformer(input_ids=tokens, attention_mask=mask).last_hidden_state


def _export(transformer: Transformer, path: Path) -> None:
    names = ("input_ids", "attention_mask", "states")
    try:
        transformer.set_attn_implementation("eager")  # every exporter knows these products
        with warnings.catch_warnings(), torch.inference_mode():
            warnings.simplefilter("ignore")  # about the exporter's end, and traced shapes
            torch.onnx.export(
                _Plain(transformer).eval(),
                _random(SHOWN, transformer.config.vocab_size),
                str(path),
                input_names=names[:2],
                output_names=names[2:],
                dynamic_axes={name: {0: "texts", 1: "tokens"} for name in names},
                opset_version=OPSET,
                dynamo=False,
            )
    except Exception as error:  # the exporter raises many classes
        raise ValueError(
            f"{type(transformer).__name__} cannot be exported for int8: {error}\n"
            "Choose fp32 or bf16."
        ) from error


def _by_session(session: Any, pooler: Module) -> Callable:
    from transformers.modeling_outputs import BaseModelOutputWithPooling as Output

    def forward(input_ids: torch.Tensor, attention_mask: torch.Tensor, **_: object) -> Output:
        inputs = {"input_ids": input_ids.numpy(), "attention_mask": attention_mask.numpy()}
        states = torch.from_numpy(session.run(None, inputs)[0])
        return Output(states, None if pooler is None else pooler(states))

    return forward
