"""Faster on processors: weights laid out once, or transformers in integers of eight bits.

PyTorch's usual library for single precision does not use the whole vector unit of every processor.
oneDNN does, which PyTorch brings too, and which `torch.compile` takes for texts of any length.

ONNX Runtime computes in integers. Weights are rounded once, channel by channel; the values between
products anew for each batch, over all of it (Jacob et al. 2018, Quantization and training of neural
networks, section 2.1). So what a text shares a batch with changes its vector in the third digit.
"""

import tempfile
import warnings
from importlib.util import find_spec
from pathlib import Path

LARGEST = 2**30  # bytes of weights; of larger models a second layout would not be worth its memory
OPERATORS = ("_reorder_linear_weight", "_linear_pointwise")
NEEDED = ("onnx", "onnxruntime")
NEAR = 0.9  # a model whose vectors of a trial turn farther than to this cosine is not for int8
OPSET = 17
SHOWN, TRIAL = (2, 8), (4, 24)  # texts and tokens that are traced, and that are tried


def pack(module):
    """Let the linear layers of a module on the processor multiply by packed weights from now on.

    For a module that is only read: its own weights stay beside, but changing or moving them changes
    nothing any more. In other types, on other devices, and where PyTorch came without oneDNN, a
    module stays as it is.
    """
    import torch

    operators, there = torch.ops.mkldnn, torch.backends.mkldnn.is_available()
    if not (there and all(hasattr(operators, name) for name in OPERATORS)):
        return
    layers = [
        layer
        for layer in module.modules()
        if type(layer) is torch.nn.Linear  # whose heirs may do more than multiply
        and (layer.weight.device.type, layer.weight.dtype) == ("cpu", torch.float32)
    ]
    if sum(layer.weight.nbytes for layer in layers) > LARGEST:
        return
    for layer in layers:
        layer.forward = _by_packed(layer, operators)


def _by_packed(layer, operators):
    packed = operators._reorder_linear_weight(layer.weight.detach(), None)
    bias = None if layer.bias is None else layer.bias.detach()

    def forward(given):
        return operators._linear_pointwise(given, packed, bias, "none", [], "none")

    return forward


def quantize(transformer):
    """Let a transformer on the processor compute in int8 from now on; its weights stay beside.

    Takes some seconds. It is tried on random tokens then.

    Raises:
        ImportError: a package is missing; names the extra that brings it.
        ValueError: the transformer is not on the processor, cannot be exported, or gives other
            vectors in int8.
    """
    import torch

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
            f"{type(transformer).__name__} does not bear int8: on a trial the smallest cosine to "
            f"its own vectors is {near:.2f}. Choose fp32 or bf16."
        )


def _random(shape, words):
    """Tokens and mask of that shape, the first text half as long."""
    import torch

    tokens = torch.randint(words, shape, generator=torch.Generator().manual_seed(0))
    mask = torch.ones_like(tokens)
    mask[0, shape[1] // 2 :] = 0
    return tokens, mask


def _pooled(transformer, tokens, mask):
    import torch

    with torch.inference_mode():
        states = transformer(input_ids=tokens, attention_mask=mask).last_hidden_state
    return (states.float() * mask[:, :, None]).sum(1)


def _session(transformer):
    """A session of ONNX Runtime for the transformer in int8, on one core: see `_batches.each`."""
    import onnxruntime
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from onnxruntime.quantization.shape_inference import quant_pre_process

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    with tempfile.TemporaryDirectory() as folder:
        names = ("exact.onnx", "known.onnx", "rounded.onnx")
        exact, known, rounded = (Path(folder, name) for name in names)
        _export(transformer, exact)
        quant_pre_process(exact, known, skip_optimization=True, skip_symbolic_shape=True)
        quantize_dynamic(known, rounded, per_channel=True, weight_type=QuantType.QInt8)
        return onnxruntime.InferenceSession(rounded, options, ["CPUExecutionProvider"])


def _export(transformer, path):
    import torch

    class Plain(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.transformer = transformer

        def forward(self, input_ids, attention_mask):
            given = {"input_ids": input_ids, "attention_mask": attention_mask}
            return self.transformer(**given).last_hidden_state

    names = ("input_ids", "attention_mask", "states")
    try:
        transformer.set_attn_implementation("eager")  # products that every exporter knows
        with warnings.catch_warnings(), torch.inference_mode():
            warnings.simplefilter("ignore")  # that the exporter will be replaced; of traced shapes
            torch.onnx.export(
                Plain().eval(),
                _random(SHOWN, transformer.config.vocab_size),
                str(path),
                input_names=names[:2],
                output_names=names[2:],
                dynamic_axes={name: {0: "texts", 1: "tokens"} for name in names},
                opset_version=OPSET,
                dynamo=False,
            )
    except Exception as error:  # whatever an architecture leads the exporter to
        raise ValueError(
            f"{type(transformer).__name__} cannot be exported for int8: {error}\n"
            "Choose fp32 or bf16."
        ) from error


def _by_session(session, pooler):
    import torch
    from transformers.modeling_outputs import BaseModelOutputWithPooling as Output

    def forward(input_ids, attention_mask, **_):
        given = {"input_ids": input_ids.numpy(), "attention_mask": attention_mask.numpy()}
        (states,) = session.run(None, given)
        states = torch.from_numpy(states)
        return Output(states, None if pooler is None else pooler(states))

    return forward
