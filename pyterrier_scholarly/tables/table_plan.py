"""Plan a table: its columns, its rows and the baseline, before anything is loaded or run.

plan = plan_table("litsearch", ["bm25"], table=3, measures=None, by=None, baseline=None,
                  options={}, verbose=True)
print(plan.describe())   # "litsearch: systems: 1, papers: 64,183."
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..datasets import DatasetLike
from ..encoders import ModelEncoder
from ..evaluation.baselines import check_baselines
from ..evaluation.measure_names import Measures, Named
from ..evaluation.query_groups import By
from ..recipes import pipelines
from ..recipes import systems as named_systems
from .present_data import PresentData, remark_missing_texts
from .row_sources import RowSource, SystemsLike, check_names, read_sources
from .system_keys import check_keys, check_known, choose_own_keys
from .system_runs import rank_from_topics
from .table_shapes import Shape, find_shape


class PlannedRows(NamedTuple):
    """The rows of a table before they are run.

    sources: of all rows, in their order; each a pipeline from topics, or results.
    keys: dict from a row's name to its key, for named systems.
    named: the named systems; None if no row is one.
    remarks: on texts that documents lack and systems read.
    """

    sources: list[RowSource]
    keys: dict[str, str]
    named: pipelines.Systems | None = None
    remarks: tuple[str, ...] = ()


class TablePlan(NamedTuple):
    """What a table will show, and what runs for it.

    shape: its columns and printed rows.
    data: what is present of the dataset whose queries are run.
    rows: of this run.
    baselines: names of the rows that the others are tested against, one or more.
    """

    shape: Shape
    data: PresentData
    rows: PlannedRows
    baselines: list[str]

    def describe(self) -> str:
        """Say what is about to be run, and in which precision."""
        text = f"{self.data.name}: systems: {len(self.rows.sources)}"
        if self.data.sizes is not None:
            text += f", papers: {self.data.sizes.present:,}"

        encoders = self._find_model_encoders()
        if encoders:
            precisions = dict.fromkeys(encoder.precision_used for encoder in encoders)
            text += f", encoders: {len(set(encoders))}, in {' and '.join(precisions)}"
        return f"{text}."

    def _find_model_encoders(self) -> list[ModelEncoder]:
        """Return the encoders of the rows that have one and compute in a chosen precision."""
        named = self.rows.named
        if named is None:
            return []
        encoders = [named.encoder(key) for key in self.rows.keys.values()]
        return [encoder for encoder in encoders if isinstance(encoder, ModelEncoder)]


def plan_table(
    dataset: DatasetLike,
    systems: SystemsLike,
    table: str | int | None,
    measures: Named | Measures | None,
    by: By | None,
    baseline: str | Sequence[str] | None,
    options: Mapping[str, Any],
    verbose: bool,
) -> TablePlan:
    """Choose a table's columns and build the pipelines of its rows; arguments as of `reproduce`.

    Raises:
        ValueError, KeyError, OSError: see `reproduce`.
    """
    shape = find_shape(dataset, table, measures, by)
    data = PresentData(shape.run)
    rows = _plan_rows(systems, shape, data, options, verbose)

    names = [source.name for source in rows.sources]
    return TablePlan(shape, data, rows, baselines=_choose_baselines(baseline, names))


def _plan_rows(
    systems: SystemsLike,
    shape: Shape,
    data: PresentData,
    options: Mapping[str, Any],
    verbose: bool,
) -> PlannedRows:
    """Return the rows of a table with their pipelines, without running or loading anything.

    First come the rows that the user chose, then those of the user's own models.

    Raises:
        ValueError, KeyError: a row that this table cannot have.
    """
    models = options.get("models") or {}
    check_names(models)
    sources = read_sources(systems, data.name)
    has_named_systems = len(_list_keys(sources)) > 0
    if not has_named_systems and not models:  # all rows are results or the user's pipelines
        return PlannedRows(sources, keys={})

    named = _build_named_systems(data, options, verbose)
    sources = _add_models(sources, named, shape)
    keys = _list_keys(sources)
    check_keys(keys.values(), named.table, shape)

    planned_systems = [named.rows[key] for key in keys.values()]
    remarks = remark_missing_texts(planned_systems, data)
    sources_with_pipelines = [_add_pipeline(source, named, data) for source in sources]
    return PlannedRows(sources_with_pipelines, keys, named, remarks)


def _add_models(
    sources: list[RowSource], named: pipelines.Systems, shape: Shape
) -> list[RowSource]:
    """Return the sources that the user chose, and behind them those of the user's own models.

    Raises:
        KeyError: a chosen key that no system has.
        ValueError: another row has the name of a model's row.
    """
    keys = list(_list_keys(sources).values())
    check_known(keys, named)

    names = [source.name for source in sources]
    keys_of_models = choose_own_keys(named, shape, keys, names)
    sources_of_models = [RowSource(name=key, key=key) for key in keys_of_models]
    return [*sources, *sources_of_models]


def _list_keys(sources: Iterable[RowSource]) -> dict[str, str]:
    """Return a dict from a row's name to its key, of those rows that are named systems."""
    return {source.name: source.key for source in sources if source.key is not None}


def _build_named_systems(
    data: PresentData, options: Mapping[str, Any], verbose: bool
) -> pipelines.Systems:
    """Return the dataset's systems; embeddings are kept unless the user says otherwise."""
    if options.get("cache") is None:
        options = {**options, "cache": True}
    return named_systems(data.name, verbose=verbose, **options)


def _add_pipeline(source: RowSource, named: pipelines.Systems, data: PresentData) -> RowSource:
    """Return a key's source with its pipeline; other sources as they are."""
    if source.key is None:
        return source
    pipeline = rank_from_topics(named[source.key], data.name)
    return source._replace(pipeline=pipeline)


def _choose_baselines(chosen: str | Sequence[str] | None, names: list[str]) -> list[str]:
    """Return the names of the baselines, by default the first row's."""
    if not names:
        raise ValueError(
            "systems is empty. Pass one or more (list(systems(dataset)) has the keys), or models "
            "under names of your own: models={'ours': folder}."
        )
    if chosen is None:
        return names[:1]

    baselines = [chosen] if isinstance(chosen, str) else list(dict.fromkeys(chosen))
    check_baselines(baselines, names)
    return baselines
