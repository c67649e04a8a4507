"""Build the encoder, pair scorer or chat client of each named system.

specter = {"specter": "folder"}
models = Models("csfcube/all", replacements=specter, encoder=None, client=None, common={})
models.find(row_of_specter)   # WholeText('folder', …); equal encoders are one object
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from .. import chat, encoders
from ..datasets import DatasetLike
from ..encoders import EncoderLike, Room, plain
from ..protocols import System
from ..protocols.system import COLLECTION
from ..settings import BySettings


@dataclass(eq=False, repr=False)
class Absent(BySettings):
    """Stand for the model of a system that cannot be loaded; raise an error when it should work.

    So the pipeline can be built and shown, and the error comes when it is run.

    why: the reason.
    key: of the system.
    """

    why: str
    key: str

    def encode_queries(self, texts: object) -> None:
        """Raise ValueError: the system's model cannot be loaded, and what to pass instead."""
        raise ValueError(
            f"{self.why}. Pass a model of your own: systems(…, models={{{self.key!r}: …}}), a "
            "folder with a model, an encoder or a scorer."
        )

    encode_documents = encode_queries
    score = encode_queries


@dataclass
class Models:
    """The models of a table's systems, built once for each model and its settings.

    Args:
        dataset: what a model is trained on if its row says COLLECTION.
        replacements: dict from a system's key, a model's name or an adapter's name to what the
            user passes instead.
        encoder: for the systems that run with any encoder; None for their default.
        client: for the language models; None for OpenAIChat.
        common: arguments for all encoders, as far as their classes have them.
    """

    dataset: DatasetLike
    replacements: Mapping[str, object]
    encoder: EncoderLike | None
    client: object
    common: dict[str, Any]
    _built_encoders: dict[object, Any] = field(default_factory=dict)
    _room: Room = field(default_factory=Room)

    def find(self, row: System) -> Any:
        """Return the encoder, pair scorer or chat client of a row; None if it has none."""
        if not row.encoder:
            return None

        is_language_model = hasattr(chat, row.encoder)
        if is_language_model:
            return self._find_client(row)
        return self._find_encoder(row)

    def _find_client(self, row: System) -> object:
        """Return the chat client of a language model: the user's, else a new one."""
        replacement = self._find_replacement(row)
        if replacement is not None:
            return replacement
        if self.client is not None:
            return self.client

        client_class = getattr(chat, row.encoder)  # such as `OpenAIChat`
        return client_class(row.model_name)

    def _find_encoder(self, row: System) -> object:
        """Return the encoder or pair scorer of a row, by its model or what replaces it."""
        replacement = self._find_replacement(row)
        if replacement is None and row.takes_any_encoder:
            replacement = self.encoder

        model: object
        if replacement is None:
            obstacle = _describe_obstacle(row)
            if obstacle:
                return Absent(obstacle, row.key)
            model = row.model_name
        else:
            model = plain(replacement)

        # a name, a folder, or a loaded model; anything else is an encoder or a scorer already
        needs_encoder = isinstance(model, str) or hasattr(model, "tokenizer")
        return self._build_encoder(model, row) if needs_encoder else model

    def _find_replacement(self, row: System) -> object:
        """Return what the user passed for a row's key, or for its model; None for nothing."""
        if row.key in self.replacements:
            return self.replacements[row.key]
        return self.replacements.get(row.model_name)

    def _build_encoder(self, model: object, row: System) -> object:
        """Return an encoder of the row's class around a model, or the equal one built before."""
        encoder_class = getattr(encoders, row.encoder)
        source = self.dataset if model == COLLECTION else model
        settings = self._choose_settings(model, row, encoder_class)
        new_encoder = encoder_class(source, **settings)

        # systems with equal encoders share one, so that its model is loaded once
        return self._built_encoders.setdefault(new_encoder, new_encoder)

    def _choose_settings(self, model: object, row: System, encoder_class: type) -> dict[str, Any]:
        """Return an encoder's arguments: those of all encoders, then those of the row."""
        parameters = {parameter.name for parameter in fields(encoder_class)}
        settings = {name: value for name, value in self.common.items() if name in parameters}
        if not isinstance(model, str):  # an object may be trained meanwhile: cache nothing
            settings.pop("cache", None)
        if "room" in parameters:
            settings["room"] = self._room

        settings.update(row.settings)
        if "adapter" in settings:
            adapter = settings["adapter"]
            # the user's instead, if any
            settings["adapter"] = self.replacements.get(adapter, adapter)
        return settings


def _describe_obstacle(row: System) -> str:
    """Say why the model of a row cannot be loaded; "" if it can."""
    if row.loading_obstacle:
        return row.loading_obstacle
    if not row.model_name:
        return f"The weights of {row.model_in_paper} were never published"
    return ""
