"""The base class of all transformers here; those of other packages may use it, too."""

import os
from collections.abc import Callable, Iterable
from typing import TypeVar

import pyterrier as pt

from ..encoders import model_value, plain
from ..settings import BySettings

MODELS = ("encoder", "scorer", "model")  # settings that may be a model's name
T = TypeVar("T")


class Step(BySettings, pt.Transformer):
    """A transformer that is its settings: a dataclass declared with ``eq=False, repr=False``."""

    def __fingerprint__(self) -> dict[str, object]:
        """Return the settings; a model's name counts by its commit, its folder by its files."""
        settings = super().__fingerprint__()
        named = [name for name in MODELS if isinstance(settings.get(name), (str, os.PathLike))]
        return settings | {name: model_value(plain(settings[name])) for name in named}

    def loaded(self, make: Callable[..., T], setting: str = "encoder", **settings: object) -> T:
        """Return what `make` (`as_encoder` and the like) gives for a setting; a name's is kept."""
        source = plain(getattr(self, setting))
        if not isinstance(source, str):
            return make(source, **settings)
        return self.held(setting, lambda: make(source, **settings), source, settings)

    def chosen(self, setting: str, options: Iterable[str]) -> str:
        """Return the value of a setting; raise ValueError if it is none of `options`."""
        value = getattr(self, setting)
        if value not in options:
            raise ValueError(f"{setting}={value!r}: choose one of {', '.join(options)}.")
        return value

    def schematic(self, *, input_columns: list[str] | None = None) -> dict[str, str | None]:
        """Draw this step in PyTerrier's diagrams by the name of its class."""
        # without an explicit help_url, PyTerrier would ask its website for one
        return {"label": type(self).__name__, "help_url": None}

    def subtransformers(self) -> dict[str, pt.Transformer]:
        """Return nothing: an encoder among the settings is no step of the pipeline."""
        return {}
