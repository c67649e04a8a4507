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

from .. import datasets
from ..encoders import model_value, plain
from ..settings import BySettings, dataset_id

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
        """Return the settings by name, from which a change of this step is recognised.

        A model can change while its name, or its folder's path, stays the same. So a name is
        replaced by the name with its commit, and a path by a hash of the folder's files. To a
        dataset's id, what identifies its documents is added.
        """
        settings = super().__fingerprint__()
        dataset = settings.get("dataset")
        if hasattr(dataset, "irds_ref") or dataset_id(dataset) is not None:
            settings["dataset"] = [dataset_id(dataset), datasets.identify_documents(dataset)]
        for setting_name in MODEL_SETTINGS:
            model = settings.get(setting_name)
            if isinstance(model, (str, os.PathLike)):
                settings[setting_name] = model_value(plain(model))
        return settings

    def loaded(
        self, make: Callable[..., Loaded], setting_name: str = "encoder", **arguments: object
    ) -> Loaded:
        """Return the encoder or model that a setting names or holds.

        ``self.loaded(as_encoder, batch_size=8)`` is ``as_encoder(self.encoder, batch_size=8)``. If
        the setting is a name, the model is loaded at the first call, and this step holds it for the
        next calls.

        Args:
            make: function from the setting's value to the object (`as_encoder` and its siblings).
            setting_name: of the setting.
            arguments: further arguments of `make`.
        """
        model = plain(getattr(self, setting_name))
        if not isinstance(model, str):  # an object, which is loaded already
            return make(model, **arguments)

        def load() -> Loaded:
            return make(model, **arguments)

        # loaded again if the name or the arguments differ from the last call's
        return self.held(setting_name, load, model, arguments)

    def schematic(self, *, input_columns: list[str] | None = None) -> dict[str, str | None]:
        """Draw this step by the name of its class; PyTerrier calls it for its diagrams."""
        # without an explicit help_url, PyTerrier would ask its website for one
        return {"label": type(self).__name__, "help_url": None}

    def subtransformers(self) -> dict[str, pt.Transformer]:
        """Return nothing; PyTerrier asks for steps, and an encoder among the settings is none."""
        return {}
