"""The base class of all transformers here; those of other packages may use it, too.

@dataclass(eq=False, repr=False)
class Longest(Step):
    column: str = "text"

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        results = frames.check(results, self, ["qid", "docno", self.column])
        return frames.ranked(results.assign(score=results[self.column].str.len()))
"""

import os
from collections.abc import Callable
from typing import TypeVar

import pyterrier as pt

from ..encoders import model_value, plain
from ..settings import BySettings

MODEL_SETTINGS = ("encoder", "scorer", "model")  # may be a model's name
Loaded = TypeVar("Loaded")


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
        for name in MODEL_SETTINGS:
            if isinstance(settings.get(name), (str, os.PathLike)):
                settings[name] = model_value(plain(settings[name]))
        return settings

    def loaded(
        self, make: Callable[..., Loaded], setting: str = "encoder", **settings: object
    ) -> Loaded:
        """Return the encoder or model that a setting names or holds.

        A name is loaded at the first call, and this step holds the loaded model for its next calls.

        Args:
            make: function from the setting's value to the object (`as_encoder` and its siblings).
            setting: name of the setting.
            settings: further arguments of `make`.
        """
        source = plain(getattr(self, setting))
        if not isinstance(source, str):
            return make(source, **settings)
        return self.held(setting, lambda: make(source, **settings), source, settings)

    def schematic(self, *, input_columns: list[str] | None = None) -> dict[str, str | None]:
        """Draw this step by the name of its class; PyTerrier calls it for its diagrams."""
        # without an explicit help_url, PyTerrier would ask its website for one
        return {"label": type(self).__name__, "help_url": None}

    def subtransformers(self) -> dict[str, pt.Transformer]:
        """Return nothing; PyTerrier asks for steps, and an encoder among the settings is none."""
        return {}
