"""Load a model by name or folder, identify it, and find its precision and number of positions.

For example::

    model = load_named("sentence-transformers/all-MiniLM-L6-v2", device="cpu")
    model_value("allenai/specter")  # "allenai/specter@3a3b9b…", the commit on this machine
    model_value("models/my-model")  # a hash of the folder's files
"""

import os
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeGuard, TypeVar

from ir_datasets_ext.files import read_version

from ..fingerprint import fingerprint
from ..folders import hash_once
from ..progress import bars_can_move

Model = TypeVar("Model")
Precision: TypeAlias = Literal["fp32", "bf16", "fp16", "auto"]

#: precision -> PyTorch's name of the type of weights
WEIGHT_TYPES = {"fp32": "float32", "bf16": "bfloat16", "fp16": "float16"}
PRECISIONS = {f"torch.{type_name}": precision for precision, type_name in WEIGHT_TYPES.items()}
#: PyTorch's names for what processors can do, each of which means that they compute in bf16
BF16_CAPABILITIES = ("avx512_bf16", "amx_bf16", "bf16", "arm_bf16")

USUAL_POSITIONS = 512  # where neither model nor tokenizer states a limit
UNLIMITED_TOKENS = 1_000_000  # a tokenizer without a limit states 10^30

ADAPTER_CONFIG = "adapter_config.json"
MODEL_CONFIG = "config.json"
#: every folder of a model has one of these
MODEL_FILES = ("modules.json", MODEL_CONFIG, ADAPTER_CONFIG)
SECONDS_FOR_HUB = 10  # to answer which commit a name has


def load_named(
    name: str, device: str | None = None, kind: str = "SentenceTransformer", **settings: Any
) -> Any:
    """Load a model by name; `settings` go to its constructor.

    Args:
        kind: its class in sentence_transformers, such as ``"CrossEncoder"``.

    Raises:
        ImportError: sentence-transformers is missing or too old; names the extra to install.
        OSError: the model is missing; says what to download, also without network.
        ValueError: the name names something else than a model.
    """
    try:
        import sentence_transformers

        model_class = getattr(sentence_transformers, kind)
    except (ImportError, AttributeError) as error:
        raise ImportError(
            f"Encoding with {name!r} needs the {kind} of sentence-transformers: "
            'run `pip install "pyterrier-scholarly[dense]"`.'
        ) from error

    if name.startswith((".", "~", os.sep)) and not os.path.exists(name):
        raise FileNotFoundError(
            f"There is no folder {name!r}. Pass the folder of a model, or its name on the Hugging "
            "Face hub."
        )
    try:
        with without_bars():
            return model_class(name, device=device, **settings)
    except (OSError, ValueError) as error:
        error_class = OSError if isinstance(error, OSError) else ValueError
        raise error_class(
            f"The model {name!r} cannot be loaded: {error}\nPass the folder of a model of "
            "sentence-transformers or transformers, or its name on the Hugging Face hub. Without "
            f"network (HF_HUB_OFFLINE=1), first run `hf download {name}` where there is network, "
            "or copy the model's folder here and pass its path. `LSA(dataset)`, in a shell "
            "`--encoder lsa`, needs no download."
        ) from error


@contextmanager
def without_bars() -> Iterator[None]:
    """Hide transformers' bars of weights that are read and written, which would stand between ours.

    huggingface_hub's bars of downloads stay where they can move: they alone show how much is left.
    """
    from huggingface_hub import utils as hub
    from transformers.utils import logging

    showed_weights = logging.is_progress_bar_enabled()
    hid_downloads = hub.are_progress_bars_disabled()

    # transformers' switch turns huggingface_hub's too, so that one is set again after each turn
    logging.disable_progress_bar()
    if bars_can_move() and not hid_downloads:
        hub.enable_progress_bars()
    try:
        yield
    finally:
        if showed_weights:
            logging.enable_progress_bar()
        if hid_downloads:
            hub.disable_progress_bars()
        else:
            hub.enable_progress_bars()


def computes_bf16(device: Any) -> bool:
    """Return whether a device computes in bf16 itself, which makes bf16 faster than fp32.

    device: as in PyTorch; None for the best of this machine.
    """
    if find_spec("sentence_transformers") is None:
        return False  # whoever loads the model says what to install
    import torch
    from sentence_transformers.util import get_device_name

    device_type = torch.device(device or get_device_name()).type
    if device_type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    capabilities = torch.cpu.get_capabilities() if device_type == "cpu" else {}
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
    limit = stated_limit or tokenizer.model_max_length
    return limit if 0 < limit < UNLIMITED_TOKENS else USUAL_POSITIONS


def choose_length(model: Any, length: int | None, least: int = 1) -> int:
    """Return the tokens that a model reads at once: `length`, default as many as it has positions.

    ValueError if it has fewer positions, or if the length is below `least`.
    """
    most = count_positions(model.transformers_model, model.tokenizer)
    chosen_length = length or most
    if not least <= chosen_length <= most:
        raise ValueError(
            f"max_length={chosen_length} does not suit this model. Pass {least} to {most} tokens, "
            "as many as it has positions."
        )
    return chosen_length


def is_hub_name(model: object) -> TypeGuard[str]:
    """Return whether `model` is a name on the Hugging Face hub: neither an object nor a folder."""
    return isinstance(model, str) and not os.path.isdir(model)


def model_value(model: Model, revision: str | None = None, is_adapter: bool = False) -> Model | str:
    """Return what stands for a model in a fingerprint; it changes when the model does.

    For a name on the hub it is the name with its commit, or with the revision if the commit is
    unknown. For a folder it is a hash of its files, for an object the object itself.

    Args:
        model: the name, folder or object, of a model or an adapter.
        revision, is_adapter: see `find_commit`.

    Raises:
        ValueError: a folder without a model: its files may be those of a whole disk.
    """
    if is_hub_name(model):
        return f"{model}@{find_commit(model, revision, is_adapter) or revision}"
    if not isinstance(model, str):
        return model
    files = _list_model_files(model)
    return fingerprint({os.path.relpath(path, model): hash_once(path) for path in files})


def stamp_files(model: object) -> tuple[Hashable, ...]:
    """Return a value that changes with the files of a model's folder; () for anything else.

    The files are not read, so it is quick. Errors: see `model_value`.
    """
    if not isinstance(model, str) or is_hub_name(model):
        return ()
    return tuple(map(read_version, _list_model_files(model)))


def _list_model_files(model: str) -> list[Path]:
    """Return the files of a model's folder, sorted; ValueError, see `model_value`."""
    folder = Path(model)
    if not any((folder / name).is_file() for name in MODEL_FILES):
        raise ValueError(
            f"{model} is no folder of a model: expected one of {', '.join(MODEL_FILES)} in it."
        )
    return [path for path in sorted(folder.rglob("*")) if path.is_file()]


def find_commit(name: Any, revision: str | None = None, is_adapter: bool = False) -> str | None:
    """Return a name's commit on this machine, else the one on the hub, else None.

    So a name has the same commit before and after its download.

    Args:
        name: of a model or an adapter; a folder and an object have no commit.
        revision: a branch, a tag, or a commit, which may be shortened.
        is_adapter: whether it is the name of an adapter.
    """
    # if the hub's client is missing, the encoder's error names what to install
    if not is_hub_name(name) or find_spec("huggingface_hub") is None:
        return None

    full_names = [name]
    if "/" not in name:  # sentence-transformers' own models need no owner
        full_names.append(f"sentence-transformers/{name}")

    # sentence-transformers may have a folder of its own for models; adapters are downloaded by the
    # hub's client, which does not know it
    folder = None if is_adapter else os.environ.get("SENTENCE_TRANSFORMERS_HOME")

    for full_name in full_names:
        local_commit = _find_local_commit(full_name, revision, folder)
        if local_commit is not None:
            return local_commit
    for full_name in full_names:
        hub_commit = _ask_hub_for_commit(full_name, revision)
        if hub_commit is not None:
            return hub_commit
    return None


def _find_local_commit(name: str, revision: str | None, folder: str | None) -> str | None:
    """Return the commit of a download; None if it is missing, or if the name is a path.

    folder: of downloads; None for the folder of the hub's client.
    """
    from huggingface_hub import snapshot_download

    try:
        snapshot = snapshot_download(
            name,
            revision=revision,
            cache_dir=folder,
            allow_patterns=[],  # any of its files may be missing: only the commit is asked for
            local_files_only=True,
        )
    except (OSError, ValueError):
        return None

    return Path(snapshot).name  # the hub's client names the folder after the commit


@lru_cache
def _ask_hub_for_commit(name: str, revision: str | None) -> str | None:
    """Return a name's commit on the hub; None for an unknown name, or without network."""
    from huggingface_hub import model_info

    try:
        return model_info(name, revision=revision, timeout=SECONDS_FOR_HUB).sha
    except Exception:  # an unknown name, or no network, which has many classes
        return None
