"""The result of `systems`: pipelines of named systems, each built when it is asked for.

named = systems("csfcube")           # a `Systems`
named["fabs_tfidf"]                  # a pipeline from topics to a ranking
named[["fabs_tfidf", "fabs_bm25"]]   # a dict of pipelines, for pt.Experiment
named.table                          # a frame that describes all systems
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd
import pyterrier as pt

from ir_datasets_ext.choices import describe_unknown

from ..datasets import DatasetLike
from ..protocols import Protocol, System
from ..settings import dataset_id
from .forms import FORMS
from .system_models import Models


@dataclass(eq=False, repr=False)
class Systems(Mapping[str, pt.Transformer]):
    """The result of `systems`: pipelines by key."""

    #: whose queries are answered
    dataset: DatasetLike
    #: of the dataset's collection
    protocol: Protocol
    #: the systems by key
    rows: dict[str, System]
    #: makes their encoders, scorers of pairs and chat clients
    models: Models
    #: adds the candidates that systems rank; None if systems search, or take results
    candidates: pt.Transformer | None
    #: dict from a key to the transformer that replaces the whole system
    runs: Mapping[str, pt.Transformer]
    #: dict from the name of a model of your own to the keys of its systems
    yours: dict[str, list[str]]
    #: whether progress is shown
    verbose: bool

    @property
    def left_out(self) -> dict[str, str]:
        """From the names in the papers' tables that have no pipeline to the reason."""
        return dict(self.protocol.left_out)

    @property
    def table(self) -> pd.DataFrame:
        """A frame with a row for each system and each of its printed rows.

        Columns: the fields of `protocols.System`, which says which of them have a shorter name
        here, and each setting. `name` and `table` join with `system` and `table` of `published`; a
        system in no printed table has one row.
        """
        rows = []
        for system in self.rows.values():
            for name, table in system.printed_rows:
                rows.append({"key": system.key, "name": name, "table": table, **system.columns})
        return pd.DataFrame(rows).astype(object).fillna("")

    def encoder(self, key: str) -> Any:
        """Return the encoder of a system, for example for a first stage; None if it has none.

        For a cross-encoder it is the scorer of pairs, for a language model the chat client.

        Raises:
            KeyError: no system has that key.
        """
        return self.models.find(self._find_row(key))

    def __getitem__(self, key: str | list[str]) -> Any:
        """Return a pipeline, or a dict of pipelines for a list of keys; KeyError lists all keys."""
        if isinstance(key, list):
            return {single_key: self[single_key] for single_key in key}
        if key in self.runs:
            return self.runs[key]
        return self._build_pipeline(self._find_row(key))

    def __iter__(self) -> Iterator[str]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __contains__(self, key: object) -> bool:
        return key in self.rows  # Mapping's own would build the pipeline

    def __repr__(self) -> str:
        return f"<systems of {dataset_id(self.dataset)!r}: {', '.join(self)}>"

    def _find_row(self, key: str) -> System:
        """Return the row of a key; KeyError lists all keys."""
        if key not in self.rows:
            raise KeyError(describe_unknown("system", key, self))
        return self.rows[key]

    def _build_pipeline(self, row: System) -> pt.Transformer:
        """Return the pipeline of a system."""
        dataset = self.dataset
        if row.text:  # it reads other texts of the collection, such as full texts
            collection = self.protocol.collection_of(dataset_id(self.dataset) or "")
            dataset = f"{collection}/{row.text}"

        candidates = self.candidates
        if row.reranked_key:  # it re-ranks the results of another system
            candidates = self[row.reranked_key]

        form = FORMS[row.form]
        scorer_arguments = dict(row.scoring)
        if form.shows:  # the scorer shows progress
            scorer_arguments["verbose"] = self.verbose
        encoder = self.models.find(row)
        return form.build_pipeline(dataset, candidates, encoder, scorer_arguments)
