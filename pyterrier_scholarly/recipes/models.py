"""From a row of the systems' table to its encoder, with the models that the user passes."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from .. import chat, encoders
from ..encoders import Room, plain
from ..protocols import System
from ..protocols.protocol import COLLECTION
from ..settings import BySettings


@dataclass(eq=False, repr=False)
class Absent(BySettings):
    """Stand for a model that cannot be loaded; raise the reason when it should encode or score."""

    why: str
    key: str

    def encode_queries(self, texts: object) -> None:
        """Raise ValueError."""
        raise ValueError(
            f"{self.why}. Pass a model of your own: systems(…, models={{{self.key!r}: …}}), a "
            "folder with a model, an encoder or a scorer."
        )

    encode_documents = score = encode_queries


@dataclass
class Models:
    """The encoders of a table's systems, built once for each model and its settings.

    Args:
        dataset: what a model is trained on if its row says COLLECTION.
        named: dict from a key, a model's name or an adapter's name to what replaces it.
        encoder: for the systems that run with any encoder; None for their default.
        client: for the language models; None for OpenAIChat.
        common: arguments of all encoders that have them.
    """

    dataset: object
    named: Mapping[str, Any]
    encoder: Any
    client: Any
    common: dict[str, Any]
    _built: dict[Any, Any] = field(default_factory=dict)
    _room: Room = field(default_factory=Room)

    def of(self, row: System) -> Any:
        """Return the encoder, pair scorer or chat client of a row; None if it has none."""
        if not row.encoder:
            return None
        chosen = self.named.get(row.key, self.named.get(row.run))
        if chosen is None and row.free:
            chosen = self.encoder
        if hasattr(chat, row.encoder):
            chosen = self.client if chosen is None else chosen
            return getattr(chat, row.encoder)(row.run) if chosen is None else chosen
        if chosen is None and (row.absent or not row.run):
            return Absent(row.absent or f"The weights of {row.named} were never published", row.key)
        model = row.run if chosen is None else plain(chosen)
        if isinstance(model, str) or hasattr(model, "tokenizer"):
            return self._wrapped(model, row)
        return model

    def _wrapped(self, model: Any, row: System) -> Any:
        """The row's class of encoder around a model; systems with equal encoders share one."""
        kind = getattr(encoders, row.encoder)
        known = {argument.name for argument in fields(kind)}
        common = {name: value for name, value in self.common.items() if name in known}
        if not isinstance(model, str):  # an object may be trained meanwhile: cache nothing
            common.pop("cache", None)
        settings = dict(row.settings)
        if isinstance(adapter := settings.get("adapter"), str):
            settings["adapter"] = self.named.get(adapter, adapter)
        built = kind(self.dataset if model == COLLECTION else model, **common, **settings)
        built = self._built.setdefault(built, built)
        built.room = self._room
        return built
