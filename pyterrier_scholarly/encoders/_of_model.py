"""What encoders of a model share: a folder may be given as a path."""

import os

from ..settings import BySettings


class OfModel(BySettings):
    """Settings with a `model`: an object, a name on the hub, or a folder, as a string or a path."""

    def __post_init__(self):
        self.model = plain(self.model)


def plain(model):
    """A path as a string; anything else as it is."""
    return os.fspath(model) if isinstance(model, os.PathLike) else model
