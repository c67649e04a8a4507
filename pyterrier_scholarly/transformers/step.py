"""What all transformers here share, and may those of others."""

import os

import pyterrier as pt

from ..encoders import model_value
from ..settings import BySettings

MODELS = ("encoder", "scorer")  # settings that may be a model's name


class Step(BySettings, pt.Transformer):
    """A transformer that is its settings, a dataclass declared with ``eq=False, repr=False``."""

    def __fingerprint__(self):
        """The settings; a model's name stands for its commit, its folder for the contents."""
        told = super().__fingerprint__()
        named = [name for name in MODELS if isinstance(told.get(name), (str, os.PathLike))]
        return told | {name: model_value(os.fspath(told[name])) for name in named}

    def schematic(self, *, input_columns=None):
        """How PyTerrier draws this step: its class's name.

        `help_url` is set, to nothing, because PyTerrier asks its website where it is not.
        """
        return {"label": type(self).__name__, "help_url": None}

    def subtransformers(self):
        """None: an encoder among the settings is no step of the pipeline, even if it could be."""
        return {}
