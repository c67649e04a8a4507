"""Make a network compute in integers of eight bits, by ONNX Runtime.

    quantize(model[0].auto_model)

Weights are rounded once, by channel. Values between products are rounded for each batch, over the
whole batch (Jacob et al. 2018, Quantization and training of neural networks, section 2.1). So the
other texts in a batch change an embedding in the third digit.
"""

import tempfile
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import torch

from .model_protocols import Network

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from transformers.modeling_outputs import BaseModelOutputWithPooling

INT8_PACKAGES = ("onnx", "onnxruntime")
LEAST_INT8_COSINE = 0.9  # on a trial, between a network's embeddings in fp32 and in int8
ONNX_OPERATOR_SET = 17


def quantize(network: Network) -> None:
    """Make a network on the processor compute in int8; its own weights are kept.

    Takes some seconds, with a trial on random tokens.

    Raises:
        ImportError: a package is missing; names the extra to install.
        ValueError: the network is not on the processor, cannot be exported, or differs too much in
            int8.
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


class Sample(NamedTuple):
    """Random tokens, and which of them are no padding; both (texts, tokens)."""

    tokens: torch.Tensor
    mask: torch.Tensor


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
        # Weights of seven bits: on processors without VNNI, sums of products with eight overflow.
        quantize_dynamic(
            prepared,
            rounded,
            per_channel=True,
            reduce_range=True,
            weight_type=QuantType.QInt8,
        )
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
