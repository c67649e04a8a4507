"""Load a model by name or folder, and find its precision and its number of positions.

For example::

    model = load_named("sentence-transformers/all-MiniLM-L6-v2", device="cpu")
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal, TypeAlias

from ..progress import bars_can_move

Precision: TypeAlias = Literal["fp32", "bf16", "fp16", "auto"]

#: precision -> PyTorch's name of the type of weights
WEIGHT_TYPES = {"fp32": "float32", "bf16": "bfloat16", "fp16": "float16"}
PRECISIONS = {type_name: precision for precision, type_name in WEIGHT_TYPES.items()}
#: PyTorch's names for what processors can do, each of which means that they compute in bf16
BF16_CAPABILITIES = ("avx512_bf16", "amx_bf16", "bf16", "arm_bf16")

USUAL_POSITIONS = 512  # where neither model nor tokenizer states a limit
UNLIMITED_TOKENS = 1_000_000  # a tokenizer without a limit states 10^30


def load_named(
    name: str, device: str | None = None, kind: str = "SentenceTransformer", **settings: Any
) -> Any:
    """Load a model by name; `settings` go to its constructor.

    Args:
        kind: its class in sentence_transformers, such as ``"CrossEncoder"``.

    Raises:
        ImportError: sentence-transformers is missing or too old; names the extra to install.
        OSError: the model is missing; says what to download, also without network.
        ValueError: the name is blank, or names something else than a model.
    """
    if not name.strip():
        raise ValueError(f"{name!r} names no model: pass a folder, or a name on the hub.")

    model_class = find_model_class(name, kind)
    try:
        with without_bars():
            return model_class(name, device=device, **settings)
    except ValueError as error:
        raise ValueError(
            f"The model {name!r} cannot be loaded: {error}\nPass the folder or the name of a "
            "model of sentence-transformers or transformers."
        ) from error
    except OSError as error:
        looks_like_path = name.startswith((".", "~", os.sep))
        if looks_like_path and not os.path.exists(name):
            raise FileNotFoundError(
                f"There is no folder {name!r}. Pass the folder of a model, or its name on the "
                "Hugging Face hub."
            ) from error
        raise OSError(
            f"The model {name!r} cannot be loaded: {error}\nPass a folder, or a name on the "
            f"Hugging Face hub. Without network (HF_HUB_OFFLINE=1), first run `hf download {name}` "
            "where there is network, or copy the model's folder here and pass its path. "
            "`LSA(dataset)`, in a shell `--encoder lsa`, needs no download."
        ) from error


def find_model_class(name: str, kind: str) -> Callable[..., Any]:
    """Return a model's class in sentence_transformers; ImportError, see `load_named`."""
    try:
        import sentence_transformers

        return getattr(sentence_transformers, kind)
    except (ImportError, AttributeError) as error:
        raise ImportError(
            f"Encoding with {name!r} needs the {kind} of sentence-transformers: "
            'run `pip install "pyterrier-scholarly[dense]"`.'
        ) from error


@contextmanager
def without_bars() -> Iterator[None]:
    """Hide transformers' bars of weights that are read and written, which would stand between ours.

    huggingface_hub's bars of downloads stay where they can move: they alone show how much is left.
    """
    from huggingface_hub.utils import (
        are_progress_bars_disabled,
        disable_progress_bars,
        enable_progress_bars,
    )
    from transformers.utils import logging

    showed_weights = logging.is_progress_bar_enabled()
    showed_downloads = not are_progress_bars_disabled()

    # transformers' switch turns huggingface_hub's too, so that one is set again after each turn
    logging.disable_progress_bar()
    if showed_downloads and bars_can_move():
        enable_progress_bars()
    try:
        yield
    finally:
        if showed_weights:
            logging.enable_progress_bar()
        if showed_downloads:
            enable_progress_bars()
        else:
            disable_progress_bars()


def find_precision(precision: Precision, model: Any, device: str | None, kind: str) -> str:
    """Return the precision that a model computes in, never "auto"; nothing is loaded.

    A model that is an object keeps its own in "fp32": of weights in float16 it is "fp16".

    Args:
        precision: the setting.
        model: a model's name, or a loaded model.
        device: PyTorch's name of the device, such as "cuda"; None for a loaded model's own, or for
            the best of this machine.
        kind: the class in sentence-transformers that loads a name.
    """
    if precision == "auto":
        used_device = _find_device(model, device, kind)
        precision = "bf16" if _computes_bf16(used_device) else "fp32"
    if precision != "fp32" or isinstance(model, str):
        return precision

    # fp32 means unchanged: the weights of an object may have another type, and keep it
    weights = next(model.parameters(), None) if hasattr(model, "parameters") else None
    if weights is None:  # of an object of which only its methods are known
        return "its own"
    type_name = str(weights.dtype).removeprefix("torch.")
    return PRECISIONS.get(type_name, type_name)  # such as float64, for which there is none


def _find_device(model: Any, device: str | None, kind: str) -> str:
    """Return PyTorch's name of the device that a model computes on; see `find_precision`."""
    if device is not None:
        return device
    if not isinstance(model, str):
        return str(getattr(model, "device", "cpu"))
    find_model_class(model, kind)  # raises with what to install
    from sentence_transformers.util import get_device_name

    return get_device_name()


def _computes_bf16(device: str) -> bool:
    """Return whether a device computes in bf16 itself, which makes bf16 faster than fp32."""
    import torch

    kind = torch.device(device).type
    if kind == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    if kind != "cpu" or not hasattr(torch.cpu, "get_capabilities"):
        return False
    capabilities = torch.cpu.get_capabilities()
    return any(capabilities.get(name) for name in BF16_CAPABILITIES)


def count_positions(network: Any, tokenizer: Any) -> int:
    """Return how many tokens a network of transformers can take, with special tokens.

    Not sentence-transformers' limit, which is far lower for many models, and lowers the
    tokenizer's.
    """
    for name, layer in network.named_modules():
        if name.endswith("position_embeddings") and hasattr(layer, "num_embeddings"):
            # RoBERTa's kind counts from the position after that of padding
            unused_positions = 0 if layer.padding_idx is None else layer.padding_idx + 1
            return layer.num_embeddings - unused_positions

    stated_limit = getattr(network.config, "max_position_embeddings", None)
    if not stated_limit:
        stated_limit = tokenizer.model_max_length
    return stated_limit if 0 < stated_limit < UNLIMITED_TOKENS else USUAL_POSITIONS
