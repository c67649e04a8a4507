"""Models of sentence-transformers: identify them by name, load them, set their precision."""

import copy
import os
from contextlib import suppress
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ir_datasets_ext.store import fingerprint
from ir_datasets_ext.store.disk import file_hash, stamp

if TYPE_CHECKING:
    import torch

    from .model_encoder import ModelEncoder

#: precision -> the type in which PyTorch loads weights
PRECISIONS = {"fp32": "float32", "bf16": "bfloat16", "fp16": "float16", "int8": "float32"}
BF16_FLAGS = ("avx512_bf16", "amx_bf16", "bf16", "arm_bf16")  # PyTorch's names for processors
ADAPTER_CONFIG = "adapter_config.json"


def plain(model: Any) -> Any:
    """Return a path as a string; anything else unchanged."""
    return os.fspath(model) if isinstance(model, os.PathLike) else model


def is_name(model: object) -> bool:
    """Return whether `model` is a name on the Hugging Face hub: neither an object nor a folder."""
    return isinstance(model, str) and not os.path.isdir(model)


def model_value(model: Any, revision: str | None = None, file: str = "config.json") -> Any:
    """Return what stands for a model in a fingerprint.

    A name's commit (the revision if the commit is unknown), a folder's contents, or the object.
    """
    if is_name(model):
        return f"{model}@{commit(model, revision, file) or revision}"
    if not isinstance(model, str):
        return model
    files = (path for path, *_ in stamps(model))
    return fingerprint({os.path.relpath(path, model): file_hash(path, "sha256") for path in files})


def stamps(folder: object) -> tuple:
    """Return a hashable value that changes with the files of a folder; () for anything else."""
    paths = sorted(Path(folder).rglob("*")) if isinstance(folder, str) else ()
    return tuple((str(path), *stamp(path)) for path in paths if path.is_file())


def commit(name: str, revision: str | None = None, file: str = "config.json") -> str | None:
    """Return a name's commit on this machine, else the one on the hub, else None.

    So a name has the same commit before and after its download.
    """
    if find_spec("huggingface_hub") is None:  # the encoder's error names what to install
        return None
    return _local_commit(name, revision, file) or _hub_commit(name, revision)


def _full_names(name: str) -> tuple[str, ...]:
    """Return the names to try: sentence-transformers' own models need no owner."""
    return (name,) if "/" in name else (name, f"sentence-transformers/{name}")


def _local_commit(name: str, revision: str | None, file: str) -> str | None:
    """Return the commit of a branch, tag or (short) commit whose `file` is on this machine."""
    from huggingface_hub import try_to_load_from_cache

    # sentence-transformers' folder for downloads; it does not know adapters
    cache = None if file == ADAPTER_CONFIG else os.environ.get("SENTENCE_TRANSFORMERS_HOME")
    with suppress(ValueError):  # no name on the hub, but a missing folder
        for full in _full_names(name):
            path = try_to_load_from_cache(full, file, cache_dir=cache, revision=revision)
            if isinstance(path, str):
                return Path(path).parent.name
    return None


@lru_cache
def _hub_commit(name: str, revision: str | None) -> str | None:
    from huggingface_hub import model_info

    for full in _full_names(name):
        try:
            return model_info(full, revision=revision, timeout=10).sha
        except Exception:  # an unknown name, or no network, which has many classes
            continue
    return None


def load_named(
    name: str, device: str | None = None, kind: str = "SentenceTransformer", **settings: Any
) -> Any:
    """Load a model by name; `settings` go to its constructor.

    Args:
        kind: its class in sentence_transformers, such as ``"CrossEncoder"``.

    Raises:
        ImportError: sentence-transformers is missing or too old; names the extra to install.
        OSError: the model is missing; says what to download, also without network.
    """
    model_class = model_class_of(name, kind)
    try:
        return model_class(name, device=device, **settings)
    except OSError as error:
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


def model_class_of(name: str, kind: str) -> Any:
    """Return a model's class in sentence_transformers; errors: see `load_named`."""
    try:
        import sentence_transformers

        return getattr(sentence_transformers, kind)
    except (ImportError, AttributeError) as error:
        raise ImportError(
            f"Encoding with {name!r} needs the {kind} of sentence-transformers: "
            'run `pip install "pyterrier-scholarly[dense]"`.'
        ) from error


def load(encoder: "ModelEncoder", revision: str | None) -> Any:
    """Load an encoder's model, in evaluation mode.

    A model passed as an object stays unchanged: changes are made to a copy.

    Args:
        encoder: a `ModelEncoder`.
        revision: of a name on the hub.

    Raises:
        ImportError, OSError: see `load_named`.
        ValueError: an unknown precision, or one that the model or the backend does not support.
    """
    precision, model, by_name = precision_of(encoder), encoder.model, isinstance(encoder.model, str)
    own = encoder.loading  # raises for an object, where it asks for another backend
    if by_name:
        dtype = {"model_kwargs": {"dtype": PRECISIONS[precision]}}
        more = {**dtype, "revision": revision, **own}
        model = load_named(model, encoder.device, encoder.KIND, **more)
        if "backend" in more:
            return model
    elif not hasattr(model, "parameters"):
        return model  # an unknown kind of object
    elif all(getattr(encoder, one) == getattr(type(encoder), one) for one in encoder.CHANGING):
        return model.eval()
    else:
        model = copy.deepcopy(model)
        if encoder.device:
            model.to(encoder.device)
    encoder.prepared(model)
    _convert(model, precision, by_name)
    return model.eval()


def _convert(model: Any, precision: str, by_name: bool) -> None:
    """Make the model compute in `precision`; modules after the first one compute in fp32."""
    import torch

    from ._processors import pack, quantize

    if precision in ("bf16", "fp16"):
        model[0].to(getattr(torch, PRECISIONS[precision]))
        for module in list(model)[1:]:
            module.float()
        model[0].register_forward_hook(_single)
    elif precision == "int8":
        model.float()
        quantize(transformer_of(model, "precision='int8'").auto_model)
    elif by_name:
        pack(model.float())


def _single(module: object, inputs: object, features: dict[str, Any]) -> dict[str, Any]:
    """Convert a module's features, also those in lists, to single precision; a forward hook."""

    def single(value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return type(value)(map(single, value))
        return value.float() if getattr(value, "is_floating_point", bool)() else value

    return {name: single(value) for name, value in features.items()}


def transformer_of(model: Any, setting: str) -> Any:
    """Return the model's first module; ValueError if `setting` needs it to be a transformer."""
    if not hasattr(model[0], "auto_model"):
        raise ValueError(
            f"{setting} needs a transformer, but the model begins with a "
            f"{type(model[0]).__name__}: choose fp32, pooling='model' and no adapter."
        )
    return model[0]


def precision_of(encoder: "ModelEncoder") -> str:
    """Return the precision that an encoder computes in; no model is loaded.

    "auto" is bf16 if the device computes in it, else fp32. An object in "fp32" keeps its own.

    Raises:
        ImportError: see `load_named`.
        ValueError: an unknown precision, or one that this kind of encoder does not support.
    """
    precision, model = encoder.precision, encoder.model
    known = [*(one for one in PRECISIONS if one != "int8" or encoder.INT8), "auto"]
    if precision not in known:
        raise ValueError(
            f"Unknown precision {precision!r}: choose one of {', '.join(known)} for a "
            f"{type(encoder).__name__}."
        )
    if precision == "auto":
        precision = "bf16" if _computes_bf16(_device_of(encoder)) else "fp32"
    if isinstance(model, str) or precision != "fp32":
        return precision
    parameter = next(model.parameters(), None) if hasattr(model, "parameters") else None
    dtype = str(getattr(parameter, "dtype", "torch.its own")).removeprefix("torch.")
    return next((name for name, own in PRECISIONS.items() if own == dtype), dtype)


def auto_gain(encoder: "ModelEncoder") -> float:
    """Return about how many times as fast an encoder would be in "auto"; 1 if it means the same."""
    device = _device_of(encoder)
    if precision_of(encoder) != "fp32" or not _computes_bf16(device):
        return 1.0
    from ._probe import bf16_gain

    return bf16_gain(device)


def _device_of(encoder: "ModelEncoder") -> "torch.device":
    if isinstance(encoder.model, str):
        model_class_of(encoder.model, encoder.KIND)  # raises with what to install
    import torch

    if encoder.device:
        return torch.device(encoder.device)
    if not isinstance(encoder.model, str):
        return torch.device(getattr(encoder.model, "device", "cpu"))
    from sentence_transformers.util import get_device_name

    return torch.device(get_device_name())


def _computes_bf16(device: "torch.device") -> bool:
    import torch

    if device.type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    capabilities: Any = getattr(torch.cpu, "get_capabilities", dict)
    return device.type == "cpu" and any(map(capabilities().get, BF16_FLAGS))
