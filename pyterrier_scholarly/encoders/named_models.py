"""Load a model of sentence-transformers by its name, with errors that say what to do.

For example::

    model = load_named("sentence-transformers/all-MiniLM-L6-v2", device="cpu")
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ir_datasets_ext.redaction import redact_error

from ..progress import bars_can_move


def load_named(
    name: str, device: str | None = None, kind: str = "SentenceTransformer", **settings: object
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
        redact_error(error)  # the hub's address may have a login
        raise _explain_missing_model(name, error) from error


def find_model_class(name: str, kind: str) -> Callable[..., Any]:
    """Return a model's class in sentence_transformers; errors: see `load_named`."""
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


def _explain_missing_model(name: str, error: OSError) -> OSError:
    """Return the error to raise for a model that is neither here nor on the hub."""
    looks_like_path = name.startswith((".", "~", os.sep))
    if looks_like_path and not os.path.exists(name):
        return FileNotFoundError(
            f"There is no folder {name!r}. Pass the folder of a model, or its name on the "
            "Hugging Face hub."
        )
    return OSError(
        f"The model {name!r} cannot be loaded: {error}\nPass a folder, or a name on the "
        f"Hugging Face hub. Without network (HF_HUB_OFFLINE=1), first run `hf download {name}` "
        "where there is network, or copy the model's folder here and pass its path. "
        "`LSA(dataset)`, in a shell `--encoder lsa`, needs no download."
    )
