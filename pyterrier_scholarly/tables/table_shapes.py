"""A table before its own figures: printed rows, columns, and the dataset whose queries are run.

find_shape("litsearch", 3)                          # of a paper
find_shape("made/mine", measures=["nDCG@10"])       # of any dataset with judgements
find_shape("made/mine", by="facet")                 # with columns for each group of its queries
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import ir_datasets
import ir_measures
import pandas as pd

from ..datasets import DatasetLike, irds
from ..evaluation import published
from ..evaluation.measure_names import Measures, Named, measure_of
from ..evaluation.official_measures import default_measures
from ..evaluation.printed import COLUMNS, VERIFIED
from ..evaluation.query_groups import By, queries_by
from ..protocols import Protocol, protocol_of
from ..settings import dataset_id
from .column_queries import select_rows_over_queries
from .missing_tables import describe_missing_table
from .table_columns import Column, Heading, make_columns, make_group_columns

PRINTED_COLUMNS = [*COLUMNS, *VERIFIED, "pools"]


class Shape(NamedTuple):
    """A table before its own figures.

    number: as in the paper; "" where the figures come from several papers, or from none.
    protocol: the collection's; one that is made for a dataset without tables.
    run: id of the dataset whose queries systems rank, once for all columns.
    printed: rows of `published`, with `PrintedSubset.pools` as column `pools`; zero rows if papers
        print nothing.
    """

    number: str
    protocol: Protocol
    run: str
    columns: tuple[Column, ...]
    printed: pd.DataFrame

    @property
    def text_dataset(self) -> str:
        """Id, below the collection, of the dataset with the table's texts; "" for the usual.

        All columns of a table have the same texts, see `select_rows_over_queries`.
        """
        for column in self.columns:
            text_dataset = self.protocol.find_subset(column.subset).texts
            if text_dataset:
                return text_dataset
        return ""

    @property
    def pools(self) -> str:
        """Id, below the collection, of the dataset whose candidates are ranked; "" for the usual.

        Of the protocol's `PrintedSubset.pools` it is the one that `run` is, or is a part of.
        """
        part = _find_first_part(self.protocol, self.run)
        return self.protocol.find_subset(part).pools

    @property
    def queries(self) -> frozenset[str]:
        """The ids of all columns' queries."""
        return frozenset().union(*(column.queries for column in self.columns))

    @property
    def measures(self) -> list[str]:
        """The measures of all columns, each once."""
        return list(dict.fromkeys(column.measure for column in self.columns))


def list_tables(dataset: DatasetLike) -> list[str]:
    """List the numbers of the papers' tables over a dataset's queries; ``""`` for one without.

    Raises:
        ValueError: the dataset is unknown.
    """
    return [shape.number for shape in _find_paper_shapes(_read_id(dataset), None)]


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
    name = _read_id(dataset)
    chosen_measures = None if measures is None else _parse_measures(measures)

    if by is not None:
        if number is not None:
            raise ValueError(
                f"table={number!r}, by={by!r}: a paper's table has the paper's groups. Pass one of "
                "the two."
            )
        return _make_grouped_shape(name, chosen_measures, by)

    if number is None:
        first_shape = next(_find_paper_shapes(name, chosen_measures), None)
        if first_shape is None:
            return _make_general_shape(name, chosen_measures)
        return first_shape

    numbered_shape = next(_find_paper_shapes(name, chosen_measures, str(number)), None)
    if numbered_shape is None:
        raise ValueError(describe_missing_table(name, str(number), list_tables(name)))
    return numbered_shape


def _read_id(dataset: DatasetLike) -> str:
    """Return the id of a dataset that ir_datasets knows."""
    return irds(dataset_id(dataset) or dataset).dataset_id()


def _parse_measures(measures: Named | Measures) -> list[str]:
    """Return measures as our reprs, each once; ValueError for an unknown one."""
    if isinstance(measures, (str, ir_measures.Measure)):
        measures = [measures]
    return list(dict.fromkeys(str(measure_of(measure)) for measure in measures))


def _find_paper_shapes(
    name: str, measures: Sequence[str] | None, number: str | None = None
) -> Iterator[Shape]:
    """Yield the shape of each table in the papers that is over queries of a dataset.

    Args:
        name: the dataset's id.
        measures: of the columns; None for those of the paper's table.
        number: of the only table to yield; None for all.
    """
    protocol = protocol_of(name)
    if protocol is None or not _has_tables_over(protocol, name):
        return

    # a row per printed figure; its column `table` is the table's number
    if protocol.printed:
        figures = _read_nearest_printed(name)
    else:
        figures = _make_unprinted_rows(protocol, name, measures)

    for table_number, figures_of_table in figures.groupby("table", sort=False):
        is_wanted = number is None or table_number == number
        if not is_wanted:
            continue
        shape = _make_paper_shape(name, protocol, str(table_number), figures_of_table, measures)
        if shape is not None:  # its queries are present
            yield shape


def _make_paper_shape(
    name: str,
    protocol: Protocol,
    number: str,
    rows_of_table: pd.DataFrame,
    measures: Sequence[str] | None,
) -> Shape | None:
    """Return a paper's table; None if it is over no query that is present.

    Args:
        name: id of the dataset whose table is wanted.
        protocol: the collection's.
        number: the table's in the paper.
        rows_of_table: of `published`, or of `_make_unprinted_rows`.
        measures: of the columns; None for those of the paper's table.
    """
    rows = select_rows_over_queries(protocol, rows_of_table)
    rows = _add_pools(protocol, rows)
    if rows.empty:
        return None

    run_dataset = _choose_run_dataset(name, protocol, rows)
    headings = _make_headings(protocol, rows, measures)
    columns = _make_columns_with_queries(run_dataset, protocol, headings)
    if not columns:
        return None

    shown_rows = _select_rows_under(columns, rows) if protocol.printed else rows.iloc[:0]
    return Shape(number, protocol, run_dataset, columns, shown_rows.reset_index(drop=True))


def _add_pools(protocol: Protocol, rows: pd.DataFrame) -> pd.DataFrame:
    """Return printed rows with a column `pools`, and all rows over the same queries in one subset.

    pools: `PrintedSubset.pools` of a row's subset.
    """
    subsets = [protocol.find_subset(name) for name in rows["subset"]]
    subset_of_column = [subset.queries if subset.pools else subset.name for subset in subsets]
    return rows.assign(subset=subset_of_column, pools=[subset.pools for subset in subsets])


def _make_columns_with_queries(
    run_dataset: str, protocol: Protocol, headings: Sequence[Heading]
) -> tuple[Column, ...]:
    """Return a table's columns; none if no query of theirs is in the files that are present."""
    try:
        columns = make_columns(run_dataset, protocol, headings)
    except ValueError:  # these files lack what the queries are made from
        return ()
    has_queries = any(column.queries for column in columns)
    return columns if has_queries else ()


def _make_general_shape(name: str, measures: Sequence[str] | None) -> Shape:
    """Return the table of a dataset without printed ones: a column for each measure."""
    if measures is None:
        measures = [str(measure) for measure in default_measures(name)]

    protocol = _make_protocol_of_dataset(name, measures)
    headings = [Heading(subset="", measure=measure, label=measure) for measure in measures]
    columns = make_columns(name, protocol, headings)
    if not columns[0].queries:  # all columns are over the same queries
        raise ValueError(
            f"Nothing to evaluate: no query of {name} has judgements in the files that are "
            "present. Choose another dataset, or add the missing files."
        )
    return _make_shape_without_printed_rows(protocol, columns)


def _make_grouped_shape(name: str, measures: Sequence[str] | None, by: By) -> Shape:
    """Return a table with columns for each group of a dataset's queries, and for all of them."""
    collection_protocol = protocol_of(name)
    if collection_protocol is None:
        run_dataset = name
    else:
        run_dataset = collection_protocol.queries_of(name)
    if measures is None:
        measures = [str(measure) for measure in default_measures(run_dataset)]

    columns = make_group_columns(run_dataset, measures, queries_by(run_dataset, by))
    protocol = _make_protocol_of_dataset(run_dataset, measures)
    return _make_shape_without_printed_rows(protocol, columns)


def _make_protocol_of_dataset(name: str, measures: Sequence[str]) -> Protocol:
    """Return a protocol for a table of one dataset; each measure is its own label."""
    label_of_measure = {measure: measure for measure in measures}
    return Protocol(collection=name, title=name, measures=label_of_measure)


def _make_shape_without_printed_rows(protocol: Protocol, columns: tuple[Column, ...]) -> Shape:
    """Return a table that no paper has, so it has neither a number nor printed rows.

    protocol: of `_make_protocol_of_dataset`.
    """
    return Shape(
        number="",
        protocol=protocol,
        run=protocol.collection,
        columns=columns,
        printed=pd.DataFrame(columns=PRINTED_COLUMNS),
    )


def _has_tables_over(protocol: Protocol, name: str) -> bool:
    """Return whether a protocol's tables are over datasets such as this one.

    The figures of CSFCube are over its pools, so ``csfcube/s2orc/method`` is none of its tables.
    """
    if not protocol.facets:
        return True
    names_of_pools = [subset.name for subset in protocol.subsets if subset.pools]
    return _find_first_part(protocol, name) in ("", *protocol.facets, *names_of_pools)


def _find_first_part(protocol: Protocol, name: str) -> str:
    """Return what follows the collection in a dataset's id, "method" of "csfcube/method/fold1"."""
    return _cut_collection(protocol, name).partition("/")[0]


def _cut_collection(protocol: Protocol, name: str) -> str:
    """Return a dataset's id below the collection; "" for the collection itself."""
    return name.removeprefix(protocol.collection).strip("/")


def _read_nearest_printed(name: str) -> pd.DataFrame:
    """Return what is printed for a dataset, or for the nearest one above it.

    Raises:
        ValueError: nothing is printed for any of them.
    """
    try:
        return published(name)
    except ValueError:
        if "/" not in name:
            raise

    dataset_above = name.rpartition("/")[0]
    return _read_nearest_printed(dataset_above)


def _make_unprinted_rows(
    protocol: Protocol, name: str, measures: Sequence[str] | None
) -> pd.DataFrame:
    """Return a row for each column of a table without printed figures, in the form of `published`.

    So such a table is made like the others. It has the protocol's measures; if that names none,
    `measures` or the dataset's default ones.
    """
    subsets = _choose_subsets(protocol, name)
    label_by_measure = _label_protocol_measures(protocol)
    if not label_by_measure:
        shown_measures = measures or [str(measure) for measure in default_measures(name)]
        label_by_measure = {measure: measure for measure in shown_measures}

    rows = []
    for subset in subsets:
        for measure, label in label_by_measure.items():
            rows.append({"table": "", "subset": subset, "measure": measure, "label": label})
    return pd.DataFrame(rows).reindex(columns=PRINTED_COLUMNS)


def _choose_subsets(protocol: Protocol, name: str) -> list[str]:
    """Return the subsets that a table without printed figures has for a dataset.

    They are the dataset itself; of a collection with facets, the dataset's facet, or all facets.
    """
    if not protocol.facets:
        return [_cut_collection(protocol, name)]

    facet_of_dataset = _find_first_part(protocol, name)
    return [facet_of_dataset] if facet_of_dataset else list(protocol.facets)


def _label_protocol_measures(protocol: Protocol) -> dict[str, str]:
    """Return a dict from each of a protocol's measures to its label in print."""
    return {measure: label for label, measure in protocol.measures.items()}


def _choose_run_dataset(name: str, protocol: Protocol, rows: pd.DataFrame) -> str:
    """Return the id of one dataset with the queries of all the rows of a printed table.

    For "doris-mae/dev" and a table over "subqueries-2", it is "doris-mae/subqueries-2/dev".

    Args:
        name: id of the dataset whose table is wanted: the collection, or a part of it.
        protocol: the collection's.
        rows: of `published`, of one table.
    """
    subsets = [protocol.find_subset(subset) for subset in rows["subset"].unique()]
    datasets_of_subsets = list(dict.fromkeys(subset.dataset for subset in subsets))
    if len(datasets_of_subsets) > 1 or protocol.facets:
        return protocol.queries_of(name)

    (dataset_of_table,) = datasets_of_subsets
    part_of_collection = _cut_collection(protocol, name)
    id_parts = (protocol.collection, dataset_of_table, part_of_collection)
    run_dataset = "/".join(part for part in id_parts if part)
    # a dataset may lack this part, as the full texts of LitSearch do
    return run_dataset if run_dataset in ir_datasets.registry else name


def _make_headings(
    protocol: Protocol, rows: pd.DataFrame, measures: Sequence[str] | None
) -> list[Heading]:
    """Return a table's headings in the papers' order.

    With facets, every facet has every measure, whichever of them are printed. With `measures`,
    every subset of the table has these instead. Else the headings are those of the printed columns.
    """
    if measures is None and not protocol.facets:
        printed_columns = rows.drop_duplicates(["subset", "measure"])
        return [
            Heading(row.subset, row.measure, row.label)
            for row in printed_columns.itertuples(index=False)
        ]

    subsets = list(rows["subset"].unique())
    if protocol.facets:
        subsets = [facet for facet in protocol.facets if facet in subsets]

    if measures is not None:
        label_by_measure = _label_measures(protocol, measures)
    else:
        label_by_measure = _label_protocol_measures(protocol)

    headings = []
    for subset in subsets:
        for measure, label in label_by_measure.items():
            headings.append(Heading(subset, measure, label))
    return headings


def _label_measures(protocol: Protocol, measures: Sequence[str]) -> dict[str, str]:
    """Return each measure's label in print, or the measure itself."""
    printed_labels = {str(measure_of(text)): label for label, text in protocol.measures.items()}
    return {measure: printed_labels.get(measure, measure) for measure in measures}


def _select_rows_under(columns: Sequence[Column], rows: pd.DataFrame) -> pd.DataFrame:
    """Return the printed rows that stand in one of the columns."""
    column_keys = {(column.subset, column.measure) for column in columns}
    has_column = [key in column_keys for key in zip(rows["subset"], rows["measure"])]
    return rows[pd.Series(has_column, rows.index, dtype=bool)]
