"""What encoders of a model share: what the model is, and where its vectors are kept."""

import os
from dataclasses import replace

from ir_datasets_ext.store import fingerprint

from ..settings import BySettings
from ._adapter import CONFIG
from ._commits import commit
from ._identity import is_name, model_value
from ._store import Shelf
from ._transformer import named
from ._whole_model import dtype_of
from .cache import as_cache


class OfModel(BySettings):
    """Settings with a `model`: an object, a name on the hub, or a folder, as a string or a path."""

    def __post_init__(self):
        self.model = plain(self.model)

    def __fingerprint__(self):
        """The settings: models by their contents, without the device, which changes rounding."""
        told = super().__fingerprint__()
        told.pop("device", None)
        told["model"] = model_value(self.model, told.pop("revision", None))
        if told.get("adapter"):
            told["adapter"] = model_value(self.adapter, file=CONFIG)
        if told.get("precision") == "auto":
            told["precision"] = getattr(self, "precision_used", None) or dtype_of(self)
        return told

    def _shelf(self, *of):
        """The part of the cache for vectors of this kind by this encoder."""
        cache = as_cache(self.cache)
        return Shelf() if cache is None else Shelf(cache, {"of": of, "by": self._known(*of)})

    def _known(self, *of):
        """The fingerprint of what makes them; a name without a commit may move, so it is loaded."""
        own = self
        if is_name(self.model) and not self._commit():
            model = self._model()
            own = self if self._commit() else replace(self, model=model)
        return fingerprint(own)

    def _commit(self):
        return commit(self.model, getattr(self, "revision", None))

    def _model(self):
        return named(self.model, self.device, revision=self.revision)


def plain(model):
    """A path as a string; anything else as it is."""
    return os.fspath(model) if isinstance(model, os.PathLike) else model
