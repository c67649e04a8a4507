"""What all transformers here share, and may those of others."""

import pyterrier as pt

from ..settings import BySettings


class Step(BySettings, pt.Transformer):
    """A transformer that is its settings, a dataclass declared with ``eq=False, repr=False``."""

    def schematic(self, *, input_columns=None):
        """How PyTerrier draws this step: its class's name.

        `help_url` is set, to nothing, because PyTerrier asks its website where it is not.
        """
        return {"label": type(self).__name__, "help_url": None}

    def subtransformers(self):
        """None: an encoder among the settings is no step of the pipeline, even if it could be."""
        return {}
