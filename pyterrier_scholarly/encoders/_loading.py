"""Load the model of an encoder: read it by name or copy an object, prepare it, set its precision.

The encoder writes a `LoadRequest`, so that this file knows nothing of encoders::

    model = load_model(LoadRequest(model="allenai/specter", precision="bf16", prepare=prepare))
"""

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..progress import progress
from ._precision import WEIGHT_TYPES
from .model_protocols import LoadedModel
from .named_models import load_named


@dataclass
class LoadRequest:
    """What an encoder asks for.

    model: a name, a folder, or the model as an object.
    precision: as `resolve_precision` returns it.
    prepare: called once with the loaded or copied model, before it gets its precision. It changes
        the model.
    changes_object: whether a model that is an object must be copied, because `prepare`, `precision`
        or `device` would change it.
    kind: the class of a named model in sentence_transformers.
    device: of PyTorch; None for an object's own, or the best for a name.
    revision: of a name on the hub.
    arguments: more arguments of a named model's class.
    verbose: show progress.
    """

    model: Any
    precision: str
    prepare: Callable[[LoadedModel], None]
    changes_object: bool = False
    kind: str = "SentenceTransformer"
    device: str | None = None
    revision: str | None = None
    arguments: Mapping[str, object] = field(default_factory=dict)
    verbose: bool = False


def load_model(request: LoadRequest) -> Any:
    """Return the requested model, in evaluation mode.

    A model passed as an object stays unchanged: changes are made to a copy.

    Raises:
        ImportError, OSError: see `load_named`.
        ValueError: a precision that the model does not support; see `set_precision`.
    """
    if isinstance(request.model, str):
        return _load_named_model(request)

    is_of_pytorch = hasattr(request.model, "parameters")
    if not is_of_pytorch:  # an object of an unknown kind, of which only its methods are known
        return request.model
    if not request.changes_object:
        return request.model.eval()
    return _load_copy(request)


def _load_named_model(request: LoadRequest) -> LoadedModel:
    """Read a model by its name."""
    arguments: dict[str, Any] = {"model_kwargs": {"dtype": WEIGHT_TYPES[request.precision]}}
    arguments |= request.arguments
    with progress(f"loading {Path(request.model).name}", verbose=request.verbose):
        model = load_named(
            request.model, request.device, request.kind, revision=request.revision, **arguments
        )

    # of another library, such as ONNX Runtime, all is decided when the model is exported
    is_of_pytorch = getattr(model, "backend", "torch") == "torch"
    if is_of_pytorch:
        _prepare(model, request, may_pack=True)
    return model


def _load_copy(request: LoadRequest) -> LoadedModel:
    """Copy a model that is an object, and change the copy."""
    model = copy.deepcopy(request.model)
    if request.device is not None:
        model.to(request.device)

    # weights are not packed, so that an object computes exactly as its owner's library does
    _prepare(model, request, may_pack=False)
    return model


def _prepare(model: LoadedModel, request: LoadRequest, may_pack: bool) -> None:
    """Change a model that only its encoder has, and switch it to evaluation."""
    from ._processors import set_precision  # it imports PyTorch

    request.prepare(model)
    set_precision(model, request.precision, may_pack)
    model.eval()
