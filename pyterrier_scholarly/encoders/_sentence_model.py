"""Loading a whole sentence-transformers model: backend, precision, how many tokens texts have."""

import copy
from functools import lru_cache
from importlib.util import find_spec

from ._int8 import quantize
from ._packed import pack
from ._parallel import TOKENIZING
from ._transformer import named, resolved

SIDES = {"query": "encode_query", "document": "encode_document"}
#: side -> what its prompt may be called, the first that a model has counts
PROMPTS = {"query": ("query",), "document": ("document", "passage", "corpus")}
#: backend -> what it needs, and the extra of sentence-transformers that brings it
BACKENDS = {
    "torch": (),
    "onnx": ("onnxruntime", "optimum"),
    "openvino": ("openvino", "optimum"),
}


@lru_cache(maxsize=3)
def loaded(source, precision, device, backend, revision=None, state=None):
    """The model, ready to encode, and the name of the precision it computes in.

    Args:
        source: a SentenceTransformer, which is copied if it changes, or a name; of anything else
            with a method `encode` nothing is known.
        precision, device: as in `_transformer.loaded`; half precision ends before the pooling.
        backend: one of BACKENDS, for a name.
        revision: of a name on the hub.
        state: `_identity.state` of the source, so that a copy is made anew when that was trained.
    """
    _check(source, precision, backend)
    if backend != "torch":
        return named(source, device, backend=backend, revision=revision), precision
    if not isinstance(source, str) and not hasattr(source, "parameters"):
        return source, "its own"
    return _in_torch(source, precision, device, revision)


def _in_torch(source, precision, device, revision):
    own = isinstance(source, str)
    model = named(source, device, revision=revision) if own else source
    import torch  # where it is missing, `named` says what to install

    on = torch.device(device) if device else model.device
    precision = resolved(precision, on)
    if not own and (precision != "fp32" or on != model.device):
        model = copy.deepcopy(model)  # the user's own stays as it is
    model = model.to(on).eval()
    if precision == "bf16":
        model[0].to(torch.bfloat16).register_forward_hook(_single)
    elif own or precision == "int8":
        model = model.float()
    if precision != "int8":
        if own:
            pack(model)
        return model, _named_precision(model[0])
    if not hasattr(model[0], "auto_model"):
        raise ValueError(
            f"precision='int8' needs a transformer, and {source!r} begins with a "
            f"{type(model[0]).__name__}: choose fp32."
        )
    quantize(model[0].auto_model)
    return model, precision


def symmetric(model, query_prompt=None, document_prompt=None) -> bool:
    """Whether the model treats queries and documents alike; None stands for its own prompt."""
    modules = getattr(model, "_modules", {}).values()
    query = _prompt(model, "query") if query_prompt is None else query_prompt
    document = _prompt(model, "document") if document_prompt is None else document_prompt
    # A Router sends queries and documents through modules of their own; others cut the two
    # at lengths of their own.
    return query == document and not any(
        type(module).__name__ == "Router"
        or len({getattr(module, f"{side}_length", None) for side in SIDES}) > 1
        for module in modules
    )


def token_counts(model, side, texts, prompt=None):
    """How many tokens of each text are encoded, or None if the model does not tell.

    The prompt counts: the one given, or else the model's own for that side.
    """
    tokenizer = getattr(model, "tokenizer", None)
    if not callable(tokenizer):
        return None
    prompt = _prompt(model, side) if prompt is None else prompt
    most = getattr(model, "max_seq_length", None)
    prompted = [prompt + text for text in texts]
    with TOKENIZING:
        made = tokenizer(prompted, truncation=bool(most), max_length=most or None)
    return [max(1, len(tokens)) for tokens in made["input_ids"]]


def _prompt(model, side):
    """What sentence-transformers puts before the texts of a side."""
    prompts = getattr(model, "prompts", {})
    names = (*PROMPTS.get(side, ()), getattr(model, "default_prompt_name", None))
    return next((prompts[name] or "" for name in names if name in prompts), "")


def _check(source, precision, backend):
    if backend not in BACKENDS:
        raise ValueError(f"Unknown backend {backend!r}: choose one of {', '.join(BACKENDS)}.")
    if backend == "torch":
        return
    if not isinstance(source, str):
        raise ValueError(
            f"backend={backend!r} is for loading: give the model's name, or load it yourself with "
            "that backend and give it without."
        )
    if precision != "fp32":
        raise ValueError(
            f"precision={precision!r} is for PyTorch: with backend={backend!r} the precision is "
            "that of the exported model."
        )
    if not all(map(find_spec, BACKENDS[backend])):
        raise ImportError(
            f"backend={backend!r} needs {' and '.join(BACKENDS[backend])}: "
            f'run `pip install "sentence-transformers[{backend}]"`. Where pip finds no versions '
            "that go together, precision='int8' computes in ONNX Runtime without optimum."
        )


def _single(module, inputs, features):
    """A hook: what follows a module in half precision (pooling, scaling) computes in single."""
    return {
        name: value.float() if getattr(value, "is_floating_point", bool)() else value
        for name, value in features.items()
    }


def _named_precision(module):
    dtype = next((str(parameter.dtype) for parameter in module.parameters()), "its own")
    names = {"torch.float32": "fp32", "torch.bfloat16": "bf16", "torch.float16": "fp16"}
    return names.get(dtype, dtype)
