"""The shape of a table before its own figures: columns, the queries behind them, printed rows.

find_shape("litsearch", 3)                          # of a paper
find_shape("made/mine", measures=["nDCG@10"])       # of any dataset with judgements
find_shape("made/mine", by="facet")                 # with columns for each group of its queries
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass

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
    protocol = protocol_of(name) or Protocol(collection=name, title=name)
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
        run = protocol.queries_of(name)
        return _make_unprinted_shape(run, Protocol(run, protocol.title), chosen_measures, by)

    # the paper's first table, or the only one with this number
    paper_shape = next(_find_paper_shapes(name, chosen_measures, number), None)
    if paper_shape is not None:
        return paper_shape
    if number is not None:
        raise ValueError(_explain_missing_table(name, protocol, str(number)))
    return _make_unprinted_shape(name, Protocol(name, protocol.title), chosen_measures)


# --- tables that no paper prints ------------------------------------------------------------------


def _make_unprinted_shape(
    name: str, protocol: Protocol, measures: Sequence[str] | None, by: By | None = None
) -> Shape:
    """Return a table over the judged queries of a dataset, with all measures in each subset.

    Args:
        name: the dataset's id; what stands in it below the collection names the queries, or a
            facet.
        protocol: with facets, if the table has columns for each of them.
        measures: None for those of `_make_headings`.
        by: groups of queries that have columns in place of facets, and of the whole.
    """
    run = protocol.queries_of(name)
    data = PresentData(run)
    judged_ids = data.read_topics(data.judgements)["qid"]

    part = protocol.part_of(name)
    facet = part.partition("/")[0]  # "method" of "method/fold1/test"; "" of a whole collection
    if by is not None:
        groups = _group_by(run, by)
    elif not protocol.facets:
        groups = split_into_folds(make_groups({part: judged_ids}), run)
    elif facet:
        groups = group_facets(run, [facet])
    else:
        groups = group_facets(run, protocol.facets)
    groups = groups[groups["qid"].isin(judged_ids)]

    headings = _make_headings(groups["subset"].unique(), measures, protocol)
    return Shape("", protocol, run, _make_columns(groups, headings), groups)


def _group_by(run: str, by: By) -> Groups:
    """Return a dataset's queries by group, and then ALL of them."""
    ids_by_subset: dict[str, list[str]] = {}
    for group, query_ids in queries_by(run, by).items():
        # groups whose values differ by blanks alone have one name, and become one subset
        subset = name_subset(str(group).strip() or "without a value")
        ids_by_subset.setdefault(subset, []).extend(query_ids)
    groups = make_groups(ids_by_subset)
    return pd.concat([groups, groups.assign(subset=ALL)], ignore_index=True)


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
    if protocol is None:
        return

    # CSFCube's figures are over the pools of its facets ("" is the collection), or over those of a
    # printed subset; so csfcube/s2orc/method, which has other candidates, has no table
    first_part, _, _ = protocol.part_of(name).partition("/")  # "method" of "method/fold1/test"
    subset = protocol.find_subset(first_part)
    has_facet_pools = first_part == "" or first_part in protocol.facets
    has_printed_pools = subset.pools != ""
    if protocol.facets and not has_facet_pools and not has_printed_pools:
        return

    if protocol.printed:
        printed_figures = _read_nearest_printed(name, protocol)
        figures = _place_in_columns(printed_figures, subset.pools)
        if number is not None:
            figures = figures[figures["table"] == str(number)]
        yield from _make_printed_shapes(name, protocol, figures, measures)
    elif number in (None, ""):  # a collection without printed figures has one table, number ""
        yield _make_unprinted_shape(name, protocol, measures)


def _place_in_columns(figures: pd.DataFrame, pools: str) -> pd.DataFrame:
    """Return printed figures with the `subset` of their column, and with `other_pools`.

    Figures over the same queries stand in one column. For a subset with candidates of its own, such
    as CSFCube's "with-query-paper", this is the column of its queries, "all"; and `other_pools`
    names these candidates, unless the table's systems rank them, too.

    Args:
        figures: of `_read_nearest_printed`.
        pools: id, below the collection, of the dataset whose candidates the table's systems rank;
            "" for those of the queries.
    """
    placed_figures = figures.copy()
    has_own_candidates = figures["pools"] != ""
    placed_figures["subset"] = figures["subset"].mask(has_own_candidates, figures["queries"])

    is_over_pools_of_table = figures["pools"] == pools
    placed_figures["other_pools"] = figures["pools"].mask(is_over_pools_of_table, "")
    return placed_figures


def _read_nearest_printed(name: str, protocol: Protocol) -> pd.DataFrame:
    """Return what is printed for a dataset, or for the nearest one above it.

    Beside the columns of `published`, it has the fields of `PrintedSubset` for each row's subset:
    `queries`, `texts`, `pools` and `dataset`.
    """
    try:
        figures = published(name)
    except ValueError:  # nothing is printed for this part of the collection
        return _read_nearest_printed(name.rpartition("/")[0], protocol)

    subsets = [protocol.find_subset(subset) for subset in figures["subset"].unique()]
    fields = pd.DataFrame(map(asdict, subsets)).rename(columns={"name": "subset"})
    fields["dataset"] = [subset.dataset for subset in subsets]
    return figures.merge(fields, on="subset", how="left")


def _make_printed_shapes(
    name: str, protocol: Protocol, figures: pd.DataFrame, measures: Sequence[str] | None
) -> Iterator[Shape]:
    """Yield the papers' tables, without those that are over no query that is present.

    Args:
        name: id of the dataset whose tables are wanted.
        protocol: the collection's.
        figures: of `_place_in_columns`.
        measures: of the columns; None for those of the paper's table.
    """
    for number, figures_of_table in figures.groupby("table", sort=False):
        # such as full texts: a table over these repeats figures of another table, to compare
        is_over_other_texts = figures_of_table["texts"] != ""
        if is_over_other_texts.any():
            printed = figures_of_table[is_over_other_texts]
        else:  # without figures over what are no queries
            printed = figures_of_table[figures_of_table["queries"].notna()]
        if printed.empty:
            continue

        run = _choose_run_dataset(name, protocol, printed["dataset"].unique())
        try:
            groups = _group_printed_queries(run, protocol, printed)
        except ValueError:  # these files lack what the queries are made from
            continue
        if groups.empty:
            continue

        if measures is None and not protocol.facets:  # not all subsets have the same measures
            headings = printed[[*COLUMN, "label"]].drop_duplicates(COLUMN)
        else:
            headings = _make_headings(groups["subset"].unique(), measures, protocol)
        columns = _make_columns(groups, headings)

        # the paper's number of queries, of which only some may be present; 0 if it is unknown
        counts_of_paper = columns["subset"].map(protocol.count_queries)
        columns["of"] = counts_of_paper.where(counts_of_paper > 0, columns["of"])
        yield Shape(
            number=str(number),
            protocol=protocol,
            run=run,
            columns=columns,
            groups=groups,
            printed=printed.merge(columns[[*COLUMN, "of"]], on=COLUMN),
            text_dataset=str(printed["texts"].max()),
        )


def _choose_run_dataset(name: str, protocol: Protocol, datasets: Sequence[str]) -> str:
    """Return the id of the dataset whose queries systems rank for a printed table.

    For "doris-mae/dev" and a table over "subqueries-2", it is "doris-mae/subqueries-2/dev".

    Args:
        name, protocol: as for `_make_printed_shapes`.
        datasets: ids, below the collection, of the figures' datasets.
    """
    if len(datasets) > 1 or protocol.facets:  # a dataset above them has the queries of all
        return protocol.queries_of(name)

    # the part of the figures' dataset, which may lack it, as the full texts of LitSearch do
    name_of_figures = protocol.name_dataset(datasets[0])
    run = f"{name_of_figures}/{protocol.part_of(name)}".rstrip("/")
    return run if run in ir_datasets.registry else name


def _group_printed_queries(run: str, protocol: Protocol, figures: pd.DataFrame) -> Groups:
    """Return the queries of each subset of printed figures that are among those of a dataset.

    Facets stand in the order of the protocol, other subsets in that of the figures.
    """
    part_of_subset = dict(zip(figures["subset"], figures["queries"]))
    if protocol.facets:  # the ids of a facet's own dataset lack the facet, so those of `run` count
        printed_facets = [facet for facet in protocol.facets if facet in part_of_subset]
        return group_facets(run, printed_facets)

    queries_of_run = _read_queries(run)
    ids_by_subset = {}
    for subset, part in part_of_subset.items():
        queries_of_part = _read_queries(protocol.name_dataset(part))
        common_queries = queries_of_run & queries_of_part
        # sorted, because sums of floats depend on their order, and that of a set on the process
        ids_by_subset[subset] = sorted(query_id for query_id, _ in common_queries)
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
        measures: as our reprs; None for the protocol's, or, if it names none, general ones.
        protocol: with the papers' labels of measures.
    """
    label_of_measure = {str(measure_of(text)): label for label, text in protocol.measures.items()}
    if measures is None:
        measures = list(label_of_measure)
    if not measures:
        measures = [str(measure) for measure in default_measures(protocol.collection)]

    headings = [
        (subset, measure, label_of_measure.get(measure, measure))
        for subset in subsets
        for measure in measures
    ]
    return pd.DataFrame(headings, columns=[*COLUMN, "label"])


def _make_columns(groups: Groups, headings: pd.DataFrame) -> pd.DataFrame:
    """Return the columns of a table: its headings, with `of` and `aggregate`.

    Args:
        groups: the queries of each subset; `of` is their number.
        headings: frame `subset`, `measure`, `label`.
    """
    ids_of_subset = groups.groupby("subset")["qid"].agg(set)
    aggregates = [
        subset
        for subset, ids in ids_of_subset.items()
        if any(ids > other_ids for other_ids in ids_of_subset)  # it contains another one, and more
    ]
    columns = headings.reset_index(drop=True)
    columns["of"] = columns["subset"].map(ids_of_subset.map(len))
    columns["aggregate"] = columns["subset"].isin(aggregates)
    return columns


# --- errors ---------------------------------------------------------------------------------------


def _explain_missing_table(name: str, protocol: Protocol, number: str) -> str:
    """Return an error's message: why a table is not over a dataset's queries, and what to do."""
    tables_of_dataset = [known or "one without a number" for known in list_tables(name)]
    hint = f"Tables over queries of {name}: {', '.join(tables_of_dataset) or 'none'}."
    table = f"Table {number} of {protocol.title}"

    # the table can be made over no dataset
    reason = ""
    if number in [path.stem for path in protocol.printed_tables]:
        call = f"printed_tables({protocol.collection!r})[{number!r}]"
        reason = f"has no figures of systems: {call} has it."
    elif number in protocol.other_tables:
        reason = f"cannot be made. {protocol.other_tables[number].text}"
    elif number in protocol.unpublished:
        reason = "is over queries or candidates that were not published."
    if reason:
        return f"{table} {reason} {hint}"

    # no paper prints such a table
    datasets_of_table = _list_printed_datasets(protocol, number)
    if not datasets_of_table:
        return describe_unknown("table", number, tables_of_dataset, of=name, suggestions=0)

    # it is over datasets none of which has queries in these files
    is_over = f"{table} is over {some(datasets_of_table)}"
    missing_content = [_explain_no_queries(dataset) for dataset in datasets_of_table]
    if all(missing_content):  # the text is "" for a dataset with queries
        return f"{is_over}, without queries in the files that are present. {missing_content[0]}"

    # it is over another dataset than this one; a table over several has the collection's id
    dataset_to_pass = protocol.collection
    if len(datasets_of_table) == 1:
        dataset_to_pass = datasets_of_table[0]
    return f"{is_over}, not over {name}. Pass {dataset_to_pass!r} as dataset. {hint}"


def _list_printed_datasets(protocol: Protocol, number: str) -> list[str]:
    """Return the ids of the datasets of a printed table; none if the papers have no such table."""
    if not protocol.printed:
        return []
    figures = _read_nearest_printed(protocol.collection, protocol)
    parts = figures["dataset"][figures["table"] == number].dropna().unique()
    return [protocol.name_dataset(part) for part in parts]


def _explain_no_queries(name: str) -> str:
    """Say what a dataset's queries lack in the files that are present; "" if there are queries."""
    try:
        queries = _read_queries(name)
    except ValueError as error:  # a part that cannot be made from these files
        return str(error)
    return "" if queries else "Add the release's files."
