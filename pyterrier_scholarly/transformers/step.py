"""What all transformers here share, and may those of others."""

import os

import pyterrier as pt

from ..encoders import model_value, plain
from ..settings import BySettings

MODELS = ("encoder", "scorer", "model")  # settings that may be a model's name


class Step(BySettings, pt.Transformer):
    """A transformer that is its settings, a dataclass declared with ``eq=False, repr=False``."""

    def __fingerprint__(self):
        """The settings; a model's name stands for its commit, its folder for the contents."""
        told = super().__fingerprint__()
        named = [name for name in MODELS if isinstance(told.get(name), (str, os.PathLike))]
        return told | {name: model_value(plain(told[name])) for name in named}

    def loaded(self, make, setting="encoder", **settings):
        """What `make` (`as_encoder` and the like) gives for a setting; of a name it is held."""
        source = plain(getattr(self, setting))
        if not isinstance(source, str):
            return make(source, **settings)
        return self.held(setting, lambda: make(source, **settings), source, settings)

    def schematic(self, *, input_columns=None):
        """How PyTerrier draws this step: its class's name.

        `help_url` is set, to nothing, because PyTerrier asks its website where it is not.
        """
        return {"label": type(self).__name__, "help_url": None}

    def subtransformers(self):
        """None: an encoder among the settings is no step of the pipeline, even if it could be."""
        return {}
