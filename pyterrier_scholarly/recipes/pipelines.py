"""Pipelines of named systems, and the encoders in them, each built when it is asked for."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import pandas as pd
import pyterrier as pt

from ir_datasets_ext.choices import describe_unknown

from .. import chat, encoders
from ..datasets import DatasetLike
from ..encoders import EncoderLike, Room, plain
from ..protocols import Protocol, System
from ..protocols.protocol import COLLECTION
from ..settings import BySettings, dataset_id
from .forms import FORMS


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

    dataset: DatasetLike
    named: Mapping[str, object]
    encoder: EncoderLike | None
    client: object
    common: dict[str, Any]
    _built: dict[object, Any] = field(default_factory=dict)
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
        wrapped = isinstance(model, str) or hasattr(model, "tokenizer")
        return self._wrapped(model, row) if wrapped else model

    def _wrapped(self, model: object, row: System) -> object:
        """The row's class of encoder around a model; systems with equal encoders share one."""
        kind = getattr(encoders, row.encoder)
        known = {argument.name for argument in fields(kind)}
        if not isinstance(model, str):  # an object may be trained meanwhile: cache nothing
            known.discard("cache")
        settings = {name: value for name, value in self.common.items() if name in known}
        if "room" in known:
            settings["room"] = self._room
        settings |= row.settings
        if "adapter" in settings:
            settings["adapter"] = self.named.get(settings["adapter"], settings["adapter"])
        built = kind(self.dataset if model == COLLECTION else model, **settings)
        return self._built.setdefault(built, built)


@dataclass(eq=False, repr=False)
class Systems(Mapping[str, pt.Transformer]):
    """The result of `systems`: pipelines by key. `yours`: the keys of each model of your own."""

    dataset: DatasetLike
    protocol: Protocol
    rows: dict[str, System]
    models: Models
    candidates: pt.Transformer | None
    runs: Mapping[str, pt.Transformer]
    yours: dict[str, list[str]]
    verbose: bool

    @property
    def left_out(self) -> dict[str, str]:
        """From the names in the papers' tables that have no pipeline to the reason."""
        return dict(self.protocol.left_out)

    def __getitem__(self, key: str | list[str]) -> Any:
        """Return a pipeline, or a dict of pipelines for a list of keys; KeyError lists all keys."""
        if isinstance(key, list):
            return {one: self[one] for one in key}
        if key in self.runs:
            return self.runs[key]
        row = self._row(key)
        candidates = self[row.first] if row.first else self.candidates
        whole = self.protocol.collection_of(dataset_id(self.dataset) or "")
        dataset = f"{whole}/{row.text}" if row.text else self.dataset
        form = FORMS[row.form]
        shown = {"verbose": self.verbose} if form.shows else {}
        return form.pipeline(dataset, candidates, self.models.of(row), **row.scoring, **shown)

    def __iter__(self) -> Iterator[str]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __contains__(self, key: object) -> bool:
        return key in self.rows  # Mapping's own would build the pipeline

    def __repr__(self) -> str:
        return f"<systems of {dataset_id(self.dataset)!r}: {', '.join(self)}>"

    @property
    def table(self) -> pd.DataFrame:
        """A frame with a row for each system and each of its printed rows.

        Columns: the fields of `protocols.System`, and each setting. `name` and `table` join with
        `system` and `table` of `published`; a system in no printed table has one row.
        """
        rows = [
            {"key": row.key, "name": name, "table": table, **row.columns}
            for row in self.rows.values()
            for name, table in row.rows
        ]
        return pd.DataFrame(rows).astype(object).fillna("")

    def encoder(self, key: str) -> Any:
        """Return the encoder of a system, for example for a first stage; None if it has none.

        For a cross-encoder it is the scorer of pairs, for a language model the chat client.

        Raises:
            KeyError: no system has that key.
        """
        return self.models.of(self._row(key))

    def _row(self, key: str) -> System:
        if key not in self.rows:
            raise KeyError(describe_unknown("system", key, self))
        return self.rows[key]
