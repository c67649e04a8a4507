"""Loading the transformer inside an encoder: model, tokenizer, positions, precision."""

import copy
from functools import lru_cache

from ._int8 import quantize
from ._packed import pack

PRECISIONS = ("fp32", "bf16", "int8", "auto")
POSITIONS = 512  # where neither model nor tokenizer names a limit
ENDLESS = 1_000_000  # tokenizers without a limit name one of 10^30
BF16_FLAGS = ("avx512_bf16", "amx_bf16", "bf16", "arm_bf16")  # as PyTorch reports processors


@lru_cache(maxsize=3)
def loaded(source, precision, device, revision=None, state=None):
    """The transformer in evaluation mode, in the precision that is `resolved`, and its tokenizer.

    Args:
        source: a SentenceTransformer, or a name that one can be made of.
        precision: one of PRECISIONS; a model that was given as an object is copied if it changes.
        device: where PyTorch is to compute; None leaves it to sentence-transformers.
        revision: of a name on the hub.
        state: `_identity.state` of the source, so that a copy is made anew when that was trained.
    """
    import torch

    model = named(source, device, revision=revision) if isinstance(source, str) else source
    transformer, tokenizer = model[0].auto_model, model.tokenizer
    if not getattr(tokenizer, "is_fast", False):
        raise ValueError(
            f"The model's {type(tokenizer).__name__} does not say where tokens are in the text: "
            "sentences in context need a fast tokenizer (tokenizer.json)."
        )
    device = device_of(model, device)
    precision = resolved(precision, device)
    dtype = torch.bfloat16 if precision == "bf16" else torch.float32
    same = (device, dtype) == (transformer.device, transformer.dtype) and precision != "int8"
    if not isinstance(source, str) and not same:
        transformer = copy.deepcopy(transformer)  # the user's own stays as it is
    transformer = transformer.to(device=device, dtype=dtype).eval()
    if precision == "int8":
        quantize(transformer)
    elif isinstance(source, str):
        pack(transformer)
    return transformer, tokenizer


def named(name, device=None, kind="SentenceTransformer", **settings):
    """The SentenceTransformer of that name; `settings` as its constructor takes them.

    Args:
        kind: another class of sentence-transformers, such as ``"CrossEncoder"``.

    Raises:
        ImportError: sentence-transformers is missing or too old; names the extra that brings it.
        OSError: there is no such model; says what to download, and how it goes without network.
    """
    made = _imported(name, kind)
    try:
        return made(name, device=device, **settings)
    except OSError as error:
        raise OSError(
            f"The model {name!r} cannot be loaded: {error}\nGive a folder, or a name on the "
            f"Hugging Face hub. Without network (HF_HUB_OFFLINE=1), run `hf download {name}` "
            "beforehand where there is one, or copy its folder here and give the path."
        ) from error


def _imported(name, kind="SentenceTransformer"):
    """The class in sentence_transformers that a name is to be loaded with; errors as of `named`."""
    try:
        import sentence_transformers

        return getattr(sentence_transformers, kind)
    except (ImportError, AttributeError) as error:
        raise ImportError(
            f"Encoding with {name!r} needs the {kind} of sentence-transformers: "
            'run `pip install "pyterrier-scholarly[dense]"`.'
        ) from error


def device_of(source, device=None):
    """Where `source` computes, both as of `loaded`; no model is loaded.

    Raises:
        ImportError: see `named`.
    """
    import torch

    if device is None and not isinstance(source, str):
        return next(source[0].auto_model.parameters()).device
    if device is None:
        _imported(source)
        from sentence_transformers.util import get_device_name

        device = get_device_name()
    return torch.device(device)


def resolved(precision, device):
    """What `precision` means on `device`: "auto" is bf16 where it is native, else fp32."""
    import torch

    if precision not in PRECISIONS:
        raise ValueError(f"Unknown precision {precision!r}: choose one of {', '.join(PRECISIONS)}.")
    if precision != "auto":
        return precision
    if device.type == "cuda":
        return "bf16" if torch.cuda.is_bf16_supported(including_emulation=False) else "fp32"
    flags = getattr(torch.cpu, "get_capabilities", dict)() if device.type == "cpu" else {}
    return "bf16" if any(flags.get(flag) for flag in BF16_FLAGS) else "fp32"


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
