"""The base class of all transformers here; those of other packages may use it, too."""

import os
from collections.abc import Callable
from typing import TypeVar

import pyterrier as pt

from ..encoders import model_value, plain
from ..settings import BySettings

MODELS = ("encoder", "scorer", "model")  # settings that may be a model's name
T = TypeVar("T")


class Step(BySettings, pt.Transformer):
    """A transformer that is its settings: a dataclass declared with ``eq=False, repr=False``.

    Steps with equal fields are equal and have equal hashes, and a step's `repr` shows its fields.
    `Step` defines all three; the two flags keep `dataclass` from defining them again. A field with
    ``compare=False`` (such as `verbose`) takes no part.

    Fields are checked by their types when the step is made, and again by `frames.check`, because
    grid search sets fields later.
    """

    def __fingerprint__(self) -> dict[str, object]:
        """Return the settings; a model's name counts by its commit, its folder by its files."""
        settings = super().__fingerprint__()
        named = [name for name in MODELS if isinstance(settings.get(name), (str, os.PathLike))]
        return settings | {name: model_value(plain(settings[name])) for name in named}

    def loaded(self, make: Callable[..., T], setting: str = "encoder", **settings: object) -> T:
        """Return the object behind a setting that may be a model's name.

        `make` turns the setting's value into it (`as_encoder` and its siblings). A name's object,
        with its model, is held by this step for its next calls; another object is returned as it
        is.
        """
        source = plain(getattr(self, setting))
        if not isinstance(source, str):
            return make(source, **settings)
        return self.held(setting, lambda: make(source, **settings), source, settings)

    def schematic(self, *, input_columns: list[str] | None = None) -> dict[str, str | None]:
        """Draw this step in PyTerrier's diagrams by the name of its class."""
        # without an explicit help_url, PyTerrier would ask its website for one
        return {"label": type(self).__name__, "help_url": None}

    def subtransformers(self) -> dict[str, pt.Transformer]:
        """Return nothing: an encoder among the settings is no step of the pipeline."""
        return {}
