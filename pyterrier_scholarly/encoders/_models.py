"""Models of sentence-transformers: identify them by name, and load them."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeGuard

from ir_datasets_ext.redaction import redact_error
from ir_datasets_ext.store import fingerprint
from ir_datasets_ext.store.hashes import file_hash
from ir_datasets_ext.store.plain_files import size_and_mtime

from ..progress import bars_can_move
from ._batches import Model, T, budget, each

if TYPE_CHECKING:
    import torch

ADAPTER_CONFIG = "adapter_config.json"
#: what every folder of a model has, one of these
MODEL_FILES = ("modules.json", "config.json", ADAPTER_CONFIG)
TOKENS, ROUNDS = 128, 5  # of a text, of timing
SIZES: dict[str, Any] = {  # all-MiniLM-L6-v2's, but with two layers
    "hidden_size": 384,
    "num_attention_heads": 12,
    "intermediate_size": 1536,
    "num_hidden_layers": 2,
    "vocab_size": 2,
}


def plain(model: T) -> T | str:
    """Return a path as a string; anything else unchanged."""
    return os.fspath(model) if isinstance(model, os.PathLike) else model


def is_name(model: object) -> TypeGuard[str]:
    """Return whether `model` is a name on the Hugging Face hub: neither an object nor a folder."""
    return isinstance(model, str) and not os.path.isdir(model)


def model_value(model: T, revision: str | None = None, file: str = "config.json") -> T | str:
    """Return what stands for a model in a fingerprint.

    A name's commit (the revision if the commit is unknown), a folder's contents, or the object.
    """
    if is_name(model):
        return f"{model}@{commit(model, revision, file) or revision}"
    if not isinstance(model, str):
        return model
    return fingerprint(
        {os.path.relpath(path, model): file_hash(path, "sha256") for path, *_ in stamps(model)}
    )


def stamps(folder: object) -> tuple:
    """Return a hashable value that changes with the files of a folder; () for anything else.

    Raises:
        ValueError: a folder without a model: its files may be those of a whole disk.
    """
    if isinstance(folder, str) and os.path.isdir(folder):
        if not any(Path(folder, name).is_file() for name in MODEL_FILES):
            raise ValueError(
                f"{folder} is no folder of a model: expected one of {', '.join(MODEL_FILES)} in it."
            )
    paths = sorted(Path(folder).rglob("*")) if isinstance(folder, str) else ()
    return tuple((str(path), *size_and_mtime(path)) for path in paths if path.is_file())


def commit(name: str, revision: str | None = None, file: str = "config.json") -> str | None:
    """Return a name's commit on this machine, else the one on the hub, else None.

    So a name has the same commit before and after its download. `revision`: a branch, tag or
    (short) commit. `file`: one that it has on this machine.
    """
    if find_spec("huggingface_hub") is None:  # the encoder's error names what to install
        return None
    from huggingface_hub import try_to_load_from_cache

    # sentence-transformers' folder for downloads; it does not know adapters
    cache = None if file == ADAPTER_CONFIG else os.environ.get("SENTENCE_TRANSFORMERS_HOME")
    with suppress(ValueError):  # no name on the hub, but a missing folder
        for full in _full_names(name):
            path = try_to_load_from_cache(full, file, cache_dir=cache, revision=revision)
            if isinstance(path, str):
                return Path(path).parent.name
    return _hub_commit(name, revision)


def _full_names(name: str) -> tuple[str, ...]:
    """Return the names to try: sentence-transformers' own models need no owner."""
    return (name,) if "/" in name else (name, f"sentence-transformers/{name}")


@lru_cache
def _hub_commit(name: str, revision: str | None) -> str | None:
    from huggingface_hub import model_info

    for full in _full_names(name):
        with suppress(Exception):  # an unknown name, or no network, which has many classes
            return model_info(full, revision=revision, timeout=10).sha
    return None


def load_named(
    name: str, device: str | None = None, kind: str = "SentenceTransformer", **settings: object
) -> Model:
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
    model_class = model_class_of(name, kind)
    try:
        with without_bars():
            return model_class(name, device=device, **settings)
    except ValueError as error:
        raise ValueError(
            f"The model {name!r} cannot be loaded: {error}\nPass the folder or the name of a "
            "model of sentence-transformers or transformers."
        ) from error
    except OSError as error:
        redact_error(error)  # the hub's address may have a login
        if name.startswith((".", "~", os.sep)) and not os.path.exists(name):
            raise FileNotFoundError(
                f"There is no folder {name!r}. Pass the folder of a model, or its name on the "
                "Hugging Face hub."
            ) from error
        raise OSError(
            f"The model {name!r} cannot be loaded: {error}\nPass a folder, or a name on the "
            f"Hugging Face hub. Without network (HF_HUB_OFFLINE=1), first run `hf download {name}` "
            "where there is network, or copy the model's folder here and pass its path."
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

    shows_weights = logging.is_progress_bar_enabled()
    shows_downloads = not are_progress_bars_disabled()
    logging.disable_progress_bar()  # also of downloads
    if shows_downloads and bars_can_move():
        enable_progress_bars()
    try:
        yield
    finally:
        if shows_weights:
            logging.enable_progress_bar()  # also of downloads
        if shows_downloads:
            enable_progress_bars()
        else:
            disable_progress_bars()


def model_class_of(name: str, kind: str) -> type[Model]:
    """Return a model's class in sentence_transformers; errors: see `load_named`."""
    try:
        import sentence_transformers

        return getattr(sentence_transformers, kind)
    except (ImportError, AttributeError) as error:
        raise ImportError(
            f"Encoding with {name!r} needs the {kind} of sentence-transformers: "
            'run `pip install "pyterrier-scholarly[dense]"`.'
        ) from error


@lru_cache
def bf16_gain(device: "torch.device") -> float:
    """Return how many times as fast layers of all-MiniLM-L6-v2's size are in bf16 as in fp32.

    The quotient of the shortest times, with random weights; takes about a second on two cores.
    """
    import torch
    from transformers import BertConfig, BertModel

    from ._processors import pack

    dtypes = torch.float32, torch.bfloat16
    models = {dtype: BertModel(BertConfig(**SIZES)).eval() for dtype in dtypes}
    for dtype, model in models.items():
        pack(model.to(device, dtype))
    ids = torch.zeros((budget(None, device) // TOKENS, TOKENS), dtype=torch.long, device=device)
    batches = [ids] * 2 * torch.get_num_threads()  # as many as `each` needs to use all cores
    times: dict[object, list[float]] = {dtype: [] for dtype in models}
    for _ in range(ROUNDS):  # in turns
        for dtype, model in models.items():
            start = perf_counter()
            for output in each(torch.inference_mode()(model), batches, device):
                output.last_hidden_state[0, 0, 0].item()  # waits for a GPU
            times[dtype].append(perf_counter() - start)
    return min(times[torch.float32]) / min(times[torch.bfloat16])
