"""The shape of a table before its own figures: columns, the queries behind them, printed rows.

find_shape("litsearch", 3)                          # of a paper
find_shape("made/mine", measures=["nDCG@10"])       # of any dataset with judgements
find_shape("made/mine", by="facet")                 # with columns for each group of its queries
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import ir_datasets
import ir_measures
import pandas as pd

from ..choices import describe_unknown
from ..datasets import DatasetLike, irds
from ..evaluation import published
from ..evaluation.groups import (
    ALL,
    By,
    Groups,
    group_facets,
    make_groups,
    name_subset,
    queries_by,
    split_into_folds,
)
from ..evaluation.measure_names import Measures, Named, default_measures, list_measures, measure_of
from ..frames import some
from ..protocols import Protocol, protocol_of
from .present_data import PresentData

COLUMN = ["subset", "measure"]  # what names a column of a table


@dataclass(frozen=True)
class Shape:
    """A table before its own figures.

    Attributes:
        number: as in the paper; "" where the figures come from several papers, or from none.
        protocol: the collection's; one that is made for a dataset without tables.
        run: id of the dataset whose queries systems rank, once for all columns.
        columns: see `PaperTable`.
        groups: the queries of each column's subset that are present.
        printed: rows of `published` in these columns, with `other_pools`; None if there are none.
        text_dataset: id, below the collection, of the dataset with the table's texts; "" for the
            usual.
    """

    number: str
    protocol: Protocol
    run: str
    columns: pd.DataFrame
    groups: Groups
    printed: pd.DataFrame | None = None
    text_dataset: str = ""

    @property
    def measures(self) -> list[ir_measures.Measure]:
        """The measures of all columns, each once."""
        return [measure_of(measure) for measure in self.columns["measure"].unique()]


def list_tables(dataset: DatasetLike) -> list[str]:
    """List the numbers of the papers' tables over a dataset's queries; ``""`` for one without.

    Raises:
        ValueError: the dataset is unknown.
    """
    return [shape.number for shape in _find_paper_shapes(irds(dataset).dataset_id())]


def find_shape(
    dataset: DatasetLike,
    number: str | int | None = None,
    measures: Named | Measures | None = None,
    by: By | None = None,
) -> Shape:
    """Return a table over the queries of a dataset.

    Args:
        dataset: an id or a dataset object, with judgements.
        number: of the paper's table; None for the first. A dataset without printed tables has one
            over all its queries.
        measures: of the columns, objects or strings; None for those of the paper's table, or, for a
            dataset without tables, for `default_measures`.
        by: groups of queries, as for `queries_by`, each with columns of its own, and "all"; None
            for the subsets of the paper's table.

    Raises:
        ValueError: an unknown dataset, measure, field or table (says which dataset has it); a
            table's number with `by`.
    """
    name = irds(dataset).dataset_id()
    chosen_measures = None
    if measures is not None:  # each once, as our repr
        parsed_measures = [measure_of(measure) for measure in list_measures(measures)]
        chosen_measures = list(dict.fromkeys(map(str, parsed_measures)))
    if by is not None and number is not None:
        raise ValueError(
            f"table={number!r}, by={by!r}: a paper's table has the paper's groups. Pass one of "
            "the two."
        )
    if by is not None:
        return _make_grouped_shape(name, by, chosen_measures)

    for shape in _find_paper_shapes(name, chosen_measures, number):
        return shape
    if number is not None:
        raise ValueError(_explain_missing_table(name, str(number)))
    return _make_unprinted_shape(name, "", _make_general_protocol(name), chosen_measures)


def _read_judged_ids(name: str) -> list[str]:
    """Return the ids of a dataset's queries with judgements; ValueError if there are none."""
    data = PresentData(name)
    return data.read_topics(data.judgements)["qid"].tolist()


def _make_general_protocol(name: str) -> Protocol:
    """Return the protocol of a table that no paper has; it has the collection's title."""
    protocol = protocol_of(name)
    return Protocol(collection=name, title=name if protocol is None else protocol.title)


def _make_grouped_shape(name: str, by: By, measures: Sequence[str] | None) -> Shape:
    """Return a table over the judged queries of each group of a dataset, and over all of them."""
    protocol = protocol_of(name)
    run = name if protocol is None else protocol.queries_of(name)
    groups = make_groups(_group_judged_queries(run, by))
    general_protocol = _make_general_protocol(run)
    headings = _make_headings(groups["subset"].unique(), measures, general_protocol)
    return Shape(
        number="",
        protocol=general_protocol,
        run=run,
        columns=_make_columns(groups, headings),
        groups=groups,
    )


def _group_judged_queries(run: str, by: By) -> dict[str, list[str]]:
    """Return the ids of a dataset's judged queries, by group and for ALL of them."""
    judged_ids = set(_read_judged_ids(run))
    ids_by_subset: dict[str, list[str]] = {}
    for group, query_ids in queries_by(run, by).items():
        # groups whose values differ by blanks alone have one name, and become one subset
        subset = name_subset(str(group).strip() or "without a value")
        judged_ids_of_group = [query_id for query_id in query_ids if query_id in judged_ids]
        ids_by_subset.setdefault(subset, []).extend(judged_ids_of_group)

    ids_by_subset[ALL] = list(chain.from_iterable(ids_by_subset.values()))
    return ids_by_subset


def _find_paper_shapes(
    name: str, measures: Sequence[str] | None = None, number: str | int | None = None
) -> Iterator[Shape]:
    """Yield the shape of each table in the papers that is over queries of a dataset.

    Args:
        name: the dataset's id.
        measures: of the columns; None for those of the paper's table.
        number: of the only table to yield; None for all.
    """
    protocol = protocol_of(name)
    if protocol is None:
        return
    part = name.removeprefix(protocol.collection).strip("/")
    first_part = part.partition("/")[0]
    other_pools = [subset.name for subset in protocol.subsets if subset.pools]
    parts_with_figures = ["", *protocol.facets, *other_pools]
    if protocol.facets and first_part not in parts_with_figures:
        return  # the figures of CSFCube are over its pools, so csfcube/s2orc/method has none

    if not protocol.printed:
        if number in (None, ""):
            yield _make_unprinted_shape(protocol.queries_of(name), part, protocol, measures)
        return

    figures = _read_nearest_printed(name)
    if number is not None:
        figures = figures[figures["table"] == str(number)]
    for _, figures_of_table in figures.groupby("table", sort=False):
        shape = _make_printed_shape(name, part, protocol, figures_of_table, measures)
        if shape is not None:
            yield shape


def _make_unprinted_shape(
    run: str, part: str, protocol: Protocol, measures: Sequence[str] | None
) -> Shape:
    """Return a table for which nothing is printed, over a dataset's judged queries.

    Args:
        run: the dataset's id.
        part: what stands below the collection in the id; it names the queries.
        protocol: with labels of measures; if it has facets, each is a subset.
        measures: of the columns; None for those of `_make_headings`.
    """
    judged_ids = _read_judged_ids(run)
    if protocol.facets:
        facet = part.partition("/")[0]
        subsets = [facet] if facet else list(protocol.facets)
        groups = group_facets(run, subsets)
        groups = groups[groups["qid"].isin(judged_ids)]
    else:
        subsets = [part]
        groups = split_into_folds(make_groups({part: judged_ids}), run)
    headings = _make_headings(subsets, measures, protocol)
    return Shape("", protocol, run, _make_columns(groups, headings), groups)


def _make_printed_shape(
    name: str,
    part: str,
    protocol: Protocol,
    figures: pd.DataFrame,
    measures: Sequence[str] | None,
) -> Shape | None:
    """Return a paper's table; None if it is over no query that is present.

    Args:
        name: id of the dataset whose table is wanted.
        part: what stands below the collection in this id.
        protocol: the collection's.
        figures: of `_read_nearest_printed`, of the table.
        measures: of the columns; None for those of the paper's table.
    """
    figures = _select_over_queries(figures)
    if figures.empty:
        return None

    run = _choose_run_dataset(name, part, protocol, figures["dataset"].unique())
    own_pools = protocol.find_subset(part.partition("/")[0]).pools
    figures = figures.assign(
        # figures over the same queries, but other candidates, stand in one column
        subset=figures["subset"].where(figures["pools"] == "", figures["queries"]),
        other_pools=figures["pools"].where(figures["pools"] != own_pools, ""),
    )
    try:
        queries_of_subset = _read_printed_queries(figures, protocol)
        groups = _group_subsets(run, protocol, queries_of_subset)
    except ValueError:  # these files lack what the queries are made from
        return None
    if groups.empty:
        return None

    if measures is None and not protocol.facets:  # not all subsets have the same measures
        headings = figures[[*COLUMN, "label"]].drop_duplicates(COLUMN)
    else:
        headings = _make_headings(queries_of_subset, measures, protocol)
    columns = _make_columns(groups, headings)
    # the paper's number of queries, of which only some may be present
    query_counts = {subset: len(queries) for subset, queries in queries_of_subset.items()}
    columns["of"] = columns["subset"].map(query_counts)
    return Shape(
        number=str(figures["table"].iloc[0]),
        protocol=protocol,
        run=run,
        columns=columns,
        groups=groups,
        printed=figures.merge(columns[[*COLUMN, "of"]], on=COLUMN),
        text_dataset=str(figures["texts"].max()),
    )


def _read_nearest_printed(name: str) -> pd.DataFrame:
    """Return what is printed for a dataset, or for the nearest one above it.

    Beside the columns of `published`, it has the fields of `PrintedSubset` for each row's subset:
    `queries`, `texts`, `pools` and `dataset`.
    """
    protocol = protocol_of(name)
    assert protocol is not None, "a protocol has the figures"
    try:
        figures = published(name)
    except ValueError:  # nothing is printed for this part of the collection
        return _read_nearest_printed(name.rpartition("/")[0])

    subsets = [protocol.find_subset(subset) for subset in figures["subset"]]
    return figures.assign(
        queries=[subset.queries for subset in subsets],
        texts=[subset.texts for subset in subsets],
        pools=[subset.pools for subset in subsets],
        dataset=[subset.dataset for subset in subsets],
    )


def _select_over_queries(figures: pd.DataFrame) -> pd.DataFrame:
    """Return the figures of a printed table whose queries are a dataset's.

    If some are figures on other texts than the usual ones, such as full texts, only these are
    returned: the table repeats the others from another table, to compare with them.
    """
    reads_other_texts = figures["texts"] != ""
    if reads_other_texts.any():
        return figures[reads_other_texts]
    has_published_queries = figures["queries"].notna()
    return figures[has_published_queries]


def _choose_run_dataset(name: str, part: str, protocol: Protocol, datasets: Sequence[str]) -> str:
    """Return the id of one dataset with the queries of all the figures of a printed table.

    For "doris-mae/dev" and a table over "subqueries-2", it is "doris-mae/subqueries-2/dev".

    Args:
        name, part, protocol: as for `_make_printed_shape`.
        datasets: ids, below the collection, of the figures' datasets.
    """
    if len(datasets) > 1 or protocol.facets:
        return protocol.queries_of(name)
    parts = [protocol.collection, datasets[0], part]
    run = "/".join(filter(None, parts))  # without empty ones
    # a dataset may lack this part, as the full texts of LitSearch do
    return run if run in ir_datasets.registry else name


def _read_printed_queries(
    figures: pd.DataFrame, protocol: Protocol
) -> dict[str, set[tuple[str, str]]]:
    """Return the queries of each subset of a printed table, see `_read_queries`.

    Facets stand in the order of the protocol, other subsets in that of the figures.
    """
    figures_of_subsets = figures.drop_duplicates("subset").set_index("subset")
    subsets = list(figures_of_subsets.index)
    if protocol.facets:
        subsets = [facet for facet in protocol.facets if facet in subsets]

    queries_of_subset = {}
    for subset in subsets:
        part = figures_of_subsets.loc[subset, "queries"]
        queries_of_subset[subset] = _read_queries(f"{protocol.collection}/{part}".rstrip("/"))
    return queries_of_subset


def _group_subsets(
    run: str, protocol: Protocol, queries_of_subset: Mapping[str, set[tuple[str, str]]]
) -> Groups:
    """Return the queries of printed subsets that are among those of the dataset `run`."""
    if protocol.facets:  # the ids of a facet's own dataset lack the facet, so those of `run` count
        return group_facets(run, queries_of_subset)
    own_queries = _read_queries(run)
    ids_by_subset = {}
    for subset, queries in queries_of_subset.items():
        # sorted, because sums of floats depend on their order, and that of a set on the process
        ids_by_subset[subset] = sorted(query_id for query_id, _ in own_queries & queries)
    return split_into_folds(make_groups(ids_by_subset), run)


def _read_queries(name: str) -> set[tuple[str, str]]:
    """Return the present queries of a dataset, by id and text: an id may have two texts in two."""
    return {(query.query_id, query.default_text()) for query in irds(name).queries_iter()}


def _make_headings(
    subsets: Iterable[str], measures: Sequence[str] | None, protocol: Protocol
) -> pd.DataFrame:
    """Return a column's `subset`, `measure` and `label` for each measure of each subset.

    Args:
        subsets: in the table's order.
        measures: None for the protocol's, or, if it names none, general ones.
        protocol: with the papers' labels of measures.
    """
    if measures is None:
        measures = list(protocol.measures.values())
        if not measures:
            measures = [str(measure) for measure in default_measures(protocol.collection)]

    # a measure may be spelled in another way than in the protocol
    label_of_measure = {str(measure_of(text)): label for label, text in protocol.measures.items()}
    headings = []
    for subset in subsets:
        for measure in measures:
            label = label_of_measure.get(str(measure_of(measure)), measure)
            headings.append((subset, measure, label))
    return pd.DataFrame(headings, columns=[*COLUMN, "label"])


def _make_columns(groups: Groups, headings: pd.DataFrame) -> pd.DataFrame:
    """Return the columns of a table: its headings, with `of` and `aggregate`.

    Args:
        groups: the queries of each subset; `of` is their number.
        headings: frame `subset`, `measure`, `label`.
    """
    ids_of_subset = groups.groupby("subset")["qid"].agg(set).to_dict()
    query_counts = {subset: len(ids) for subset, ids in ids_of_subset.items()}
    aggregates = set()
    for subset, ids in ids_of_subset.items():
        for other_ids in ids_of_subset.values():
            if ids > other_ids:  # between sets: has all of the other's ids, and more
                aggregates.add(subset)

    columns = headings.reset_index(drop=True)
    columns["of"] = columns["subset"].map(query_counts)
    columns["aggregate"] = columns["subset"].isin(aggregates)
    return columns


def _explain_missing_table(name: str, number: str) -> str:
    """Return an error's message: why a table is not over a dataset's queries, and what to do."""
    known_numbers = [known or "one without a number" for known in list_tables(name)]
    other_tables = f"Tables over queries of {name}: {', '.join(known_numbers) or 'none'}."
    protocol = protocol_of(name) or Protocol(collection=name, title=name)
    title = f"Table {number} of {protocol.title}"

    if number in [path.stem for path in protocol.printed_tables]:
        call = f"printed_tables({protocol.collection!r})[{number!r}]"
        return f"{title} has no figures of systems: {call} has it. {other_tables}"
    if number in protocol.other_tables:
        return f"{title} cannot be made. {protocol.other_tables[number].text} {other_tables}"

    datasets = _list_datasets_of_table(protocol, number)
    if not datasets:
        return describe_unknown("table", number, known_numbers, of=name, suggestions=0)
    known_datasets = [dataset for dataset in datasets if dataset in ir_datasets.registry]
    if not known_datasets:
        return f"{title} is over queries or candidates that were not published. {other_tables}"

    obstacles = [_explain_no_queries(dataset) for dataset in known_datasets]
    shown_datasets = some(known_datasets)
    if all(obstacles):
        lack = "without queries in the files that are present"
        return f"{title} is over {shown_datasets}, {lack}. {obstacles[0]}"
    right_dataset = known_datasets[0] if len(known_datasets) == 1 else protocol.collection
    advice = f"Pass {right_dataset!r} as dataset."
    return f"{title} is over {shown_datasets}, not over {name}. {advice} {other_tables}"


def _list_datasets_of_table(protocol: Protocol, number: str) -> list[str]:
    """Return the ids of a printed table's datasets, which may be unknown; none for no table."""
    if not protocol.printed:
        return []
    figures = _read_nearest_printed(protocol.collection)
    parts = figures["dataset"][figures["table"] == number].unique()
    return [f"{protocol.collection}/{part}".rstrip("/") for part in parts]


def _explain_no_queries(name: str) -> str:
    """Say what a dataset's queries lack in the files that are present; "" if there are queries."""
    try:
        queries = _read_queries(name)
    except ValueError as error:  # a part that cannot be made from these files
        return str(error)
    return "" if queries else "Add the release's files."
