"""The shape of a table before its own figures: columns, the queries behind them, printed rows.

find_shape("litsearch", 3)                          # of a paper
find_shape("made/mine", measures=["nDCG@10"])       # of any dataset with judgements
find_shape("made/mine", by="facet")                 # with columns for each group of its queries
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
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
from ..evaluation.printed import find_protocol
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

    if by is not None:
        if number is not None:
            raise ValueError(
                f"table={number!r}, by={by!r}: a paper's table has the paper's groups. Pass one of "
                "the two."
            )
        return _make_grouped_shape(name, by, chosen_measures)

    # the paper's first table, or the only one with this number
    paper_shape = next(_find_paper_shapes(name, chosen_measures, number), None)
    if paper_shape is not None:
        return paper_shape
    if number is not None:
        raise ValueError(_explain_missing_table(name, str(number)))
    return _make_whole_shape(name, "", _make_general_protocol(name), chosen_measures)


# --- tables that no paper prints ------------------------------------------------------------------


def _make_grouped_shape(name: str, by: By, measures: Sequence[str] | None) -> Shape:
    """Return a table over the judged queries of each group of a dataset, and over all of them."""
    protocol = protocol_of(name)
    run = name if protocol is None else protocol.queries_of(name)
    groups = make_groups(_group_judged_queries(run, by))
    return _make_unprinted_shape(run, groups, _make_general_protocol(run), measures)


def _group_judged_queries(run: str, by: By) -> dict[str, list[str]]:
    """Return the ids of a dataset's judged queries, by group and for ALL of them."""
    judged_ids = set(_read_judged_ids(run))
    ids_by_subset: dict[str, list[str]] = {}
    for group, query_ids in queries_by(run, by).items():
        # groups whose values differ by blanks alone have one name, and become one subset
        subset = name_subset(str(group).strip() or "without a value")
        ids_of_subset = ids_by_subset.setdefault(subset, [])
        ids_of_subset += [query_id for query_id in query_ids if query_id in judged_ids]

    ids_by_subset[ALL] = list(chain.from_iterable(ids_by_subset.values()))
    return ids_by_subset


def _make_whole_shape(
    run: str, part: str, protocol: Protocol, measures: Sequence[str] | None
) -> Shape:
    """Return a table over all judged queries of a dataset, or over each facet of its protocol.

    part: what stands below the collection in the dataset's id: it names the queries, or a facet.
    """
    judged_ids = _read_judged_ids(run)
    if protocol.facets:
        facet = part.partition("/")[0]  # "method" of "method/fold1/test"
        groups_of_facets = group_facets(run, [facet] if facet else protocol.facets)
        groups = groups_of_facets[groups_of_facets["qid"].isin(judged_ids)]
    else:
        groups = split_into_folds(make_groups({part: judged_ids}), run)
    return _make_unprinted_shape(run, groups, protocol, measures)


def _make_unprinted_shape(
    run: str, groups: Groups, protocol: Protocol, measures: Sequence[str] | None
) -> Shape:
    """Return the table over these queries of the dataset `run`, with all measures in each subset.

    measures: None for those of `_make_headings`.
    """
    headings = _make_headings(groups["subset"].unique(), measures, protocol)
    return Shape("", protocol, run, _make_columns(groups, headings), groups)


def _read_judged_ids(name: str) -> list[str]:
    """Return the ids of a dataset's queries with judgements; ValueError if there are none."""
    data = PresentData(name)
    return data.read_topics(data.judgements)["qid"].tolist()


def _make_general_protocol(name: str) -> Protocol:
    """Return the protocol of a table that no paper has; it has the collection's title."""
    protocol = protocol_of(name)
    return Protocol(collection=name, title=name if protocol is None else protocol.title)


# --- tables of papers -----------------------------------------------------------------------------


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
    if protocol is None or not _may_have_tables(name, protocol):
        return
    if not protocol.printed:
        if number in (None, ""):
            run = protocol.queries_of(name)
            yield _make_whole_shape(run, protocol.part_of(name), protocol, measures)
        return

    figures = _read_nearest_printed(name)
    if number is not None:
        figures = figures[figures["table"] == str(number)]
    for _, figures_of_table in figures.groupby("table", sort=False):
        shape = _make_printed_shape(name, protocol, figures_of_table, measures)
        if shape is not None:
            yield shape


def _may_have_tables(name: str, protocol: Protocol) -> bool:
    """Return whether the papers' figures are over the pools of a dataset.

    Those of CSFCube are over its own, so csfcube/s2orc/method has no table.
    """
    if not protocol.facets:
        return True
    other_pools = [subset.name for subset in protocol.subsets if subset.pools]
    first_part = protocol.part_of(name).partition("/")[0]
    return first_part in ["", *protocol.facets, *other_pools]


def _make_printed_shape(
    name: str, protocol: Protocol, figures: pd.DataFrame, measures: Sequence[str] | None
) -> Shape | None:
    """Return a paper's table; None if it is over no query that is present.

    Args:
        name: id of the dataset whose table is wanted.
        protocol: the collection's.
        figures: of `_read_nearest_printed`, of the table.
        measures: of the columns; None for those of the paper's table.
    """
    figures_over_queries = _select_over_queries(figures)
    if figures_over_queries.empty:
        return None
    run = _choose_run_dataset(name, protocol, figures_over_queries["dataset"].unique())
    first_part = protocol.part_of(name).partition("/")[0]
    own_pools = protocol.find_subset(first_part).pools
    printed = _place_in_columns(figures_over_queries, own_pools)

    try:
        groups = _group_printed_queries(run, protocol, printed)
    except ValueError:  # these files lack what the queries are made from
        return None
    if groups.empty:
        return None

    columns = _make_printed_columns(printed, groups, protocol, measures)
    return Shape(
        number=str(printed["table"].iloc[0]),
        protocol=protocol,
        run=run,
        columns=columns,
        groups=groups,
        printed=printed.merge(columns[[*COLUMN, "of"]], on=COLUMN),
        text_dataset=str(printed["texts"].max()),
    )


def _place_in_columns(figures: pd.DataFrame, own_pools: str) -> pd.DataFrame:
    """Return printed figures under the `subset` of their column, with `other_pools`.

    Figures over the same queries, but other candidates, stand in one column.

    own_pools: `PrintedSubset.pools` of the dataset whose table is wanted.
    """
    pools = figures["pools"]
    # a subset of other candidates has a name of its own, so its queries name the column
    subset_of_column = figures["subset"].where(pools == "", figures["queries"])
    other_pools = pools.where(pools != own_pools, "")
    return figures.assign(subset=subset_of_column, other_pools=other_pools)


def _read_nearest_printed(name: str) -> pd.DataFrame:
    """Return what is printed for a dataset, or for the nearest one above it.

    Beside the columns of `published`, it has the fields of `PrintedSubset` for each row's subset:
    `queries`, `texts`, `pools` and `dataset`.
    """
    try:
        figures = published(name)
    except ValueError:  # nothing is printed for this part of the collection
        return _read_nearest_printed(name.rpartition("/")[0])

    protocol = find_protocol("published figures", name, "printed")
    subsets = [protocol.find_subset(subset) for subset in figures["subset"].unique()]
    fields = pd.DataFrame(map(asdict, subsets)).rename(columns={"name": "subset"})
    fields["dataset"] = [subset.dataset for subset in subsets]
    return figures.merge(fields, on="subset", how="left")


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


def _choose_run_dataset(name: str, protocol: Protocol, datasets: Sequence[str]) -> str:
    """Return the id of one dataset with the queries of all the figures of a printed table.

    For "doris-mae/dev" and a table over "subqueries-2", it is "doris-mae/subqueries-2/dev".

    Args:
        name, protocol: as for `_make_printed_shape`.
        datasets: ids, below the collection, of the figures' datasets.
    """
    if len(datasets) > 1 or protocol.facets:
        return protocol.queries_of(name)
    parts = [protocol.collection, datasets[0], protocol.part_of(name)]
    run = "/".join(filter(None, parts))  # without empty ones
    # a dataset may lack this part, as the full texts of LitSearch do
    return run if run in ir_datasets.registry else name


def _group_printed_queries(run: str, protocol: Protocol, figures: pd.DataFrame) -> Groups:
    """Return the queries of each subset of printed figures that are among those of a dataset.

    Facets stand in the order of the protocol, other subsets in that of the figures.
    """
    subsets = figures.drop_duplicates("subset")
    if protocol.facets:  # the ids of a facet's own dataset lack the facet, so those of `run` count
        printed_facets = set(subsets["subset"])
        return group_facets(run, [facet for facet in protocol.facets if facet in printed_facets])

    queries_of_run = _read_queries(run)
    ids_by_subset = {}
    for subset in subsets.itertuples():
        queries_of_subset = _read_queries(protocol.name_dataset(subset.queries))
        queries = queries_of_run & queries_of_subset
        # sorted, because sums of floats depend on their order, and that of a set on the process
        ids_by_subset[subset.subset] = sorted(query_id for query_id, _ in queries)
    return split_into_folds(make_groups(ids_by_subset), run)


def _read_queries(name: str) -> set[tuple[str, str]]:
    """Return the present queries of a dataset, by id and text: an id may have two texts in two."""
    return {(query.query_id, query.default_text()) for query in irds(name).queries_iter()}


# --- columns --------------------------------------------------------------------------------------


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

    # a measure may be spelled in another way than in the protocol, so compare our reprs
    label_of_measure = {str(measure_of(text)): label for label, text in protocol.measures.items()}
    labels = [label_of_measure.get(str(measure_of(measure)), measure) for measure in measures]

    headings_of_subset = pd.DataFrame({"measure": measures, "label": labels})
    named_subsets = pd.DataFrame({"subset": list(subsets)}, dtype=object)
    return named_subsets.merge(headings_of_subset, how="cross")


def _make_printed_columns(
    figures: pd.DataFrame, groups: Groups, protocol: Protocol, measures: Sequence[str] | None
) -> pd.DataFrame:
    """Return the columns of a paper's table.

    Arguments are as for `_make_printed_shape`, and the queries of each subset.
    """
    if measures is None and not protocol.facets:  # not all subsets have the same measures
        headings = figures[[*COLUMN, "label"]].drop_duplicates(COLUMN)
    else:
        headings = _make_headings(groups["subset"].unique(), measures, protocol)
    columns = _make_columns(groups, headings)
    # the paper's number of queries, of which only some may be present; 0 if it is unknown
    counts_of_paper = columns["subset"].map(protocol.count_queries)
    return columns.assign(of=counts_of_paper.where(counts_of_paper > 0, columns["of"]))


def _make_columns(groups: Groups, headings: pd.DataFrame) -> pd.DataFrame:
    """Return the columns of a table: its headings, with `of` and `aggregate`.

    Args:
        groups: the queries of each subset; `of` is their number.
        headings: frame `subset`, `measure`, `label`.
    """
    ids_of_subset = groups.groupby("subset")["qid"].agg(set)
    aggregates = set()
    for subset, ids in ids_of_subset.items():
        contains_other = [ids > other_ids for other_ids in ids_of_subset]  # and has more ids
        if any(contains_other):
            aggregates.add(subset)

    columns = headings.reset_index(drop=True)
    columns["of"] = columns["subset"].map(ids_of_subset.map(len))
    columns["aggregate"] = columns["subset"].isin(aggregates)
    return columns


# --- errors ---------------------------------------------------------------------------------------


def _explain_missing_table(name: str, number: str) -> str:
    """Return an error's message: why a table is not over a dataset's queries, and what to do."""
    protocol = protocol_of(name) or Protocol(collection=name, title=name)
    known_numbers = [known or "one without a number" for known in list_tables(name)]
    other_tables = f"Tables over queries of {name}: {', '.join(known_numbers) or 'none'}."
    reason = _find_reason(protocol, number, name, other_tables)
    if not reason:
        return describe_unknown("table", number, known_numbers, of=name, suggestions=0)
    return f"Table {number} of {protocol.title} {reason}"


def _find_reason(protocol: Protocol, number: str, name: str, other_tables: str) -> str:
    """Return the end of the sentence "Table 3 of LitSearch …" on why there is no such table.

    It is "" if the papers have no table with this number.

    other_tables: a sentence with the tables that there are, for reasons after which one of them may
        be what the user wants.
    """
    if number in [path.stem for path in protocol.printed_tables]:
        call = f"printed_tables({protocol.collection!r})[{number!r}]"
        return f"has no figures of systems: {call} has it. {other_tables}"
    if number in protocol.other_tables:
        return f"cannot be made. {protocol.other_tables[number].text} {other_tables}"
    if number in protocol.unpublished:
        return f"is over queries or candidates that were not published. {other_tables}"
    if not protocol.printed:
        return ""

    figures = _read_nearest_printed(protocol.collection)
    parts = figures["dataset"][figures["table"] == number].dropna().unique()
    datasets = [protocol.name_dataset(part) for part in parts]
    if not datasets:
        return ""
    obstacles = [_explain_no_queries(dataset) for dataset in datasets]
    if all(obstacles):
        lack = "without queries in the files that are present"
        return f"is over {some(datasets)}, {lack}. {obstacles[0]}"
    right_dataset = datasets[0] if len(datasets) == 1 else protocol.collection
    advice = f"Pass {right_dataset!r} as dataset."
    return f"is over {some(datasets)}, not over {name}. {advice} {other_tables}"


def _explain_no_queries(name: str) -> str:
    """Say what a dataset's queries lack in the files that are present; "" if there are queries."""
    try:
        queries = _read_queries(name)
    except ValueError as error:  # a part that cannot be made from these files
        return str(error)
    return "" if queries else "Add the release's files."
