"""A table before its own figures: printed rows, columns, and the dataset whose queries are run.

shape_of("litsearch", 3)                          # of a paper
shape_of("made/mine", measures=["nDCG@10"])       # of any dataset with judgements
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import ir_datasets
import ir_measures
import pandas as pd

from ir_datasets_ext.choices import describe_unknown

from ..datasets import DatasetLike, irds
from ..evaluation import published
from ..evaluation.measure_names import Measures, Named, default_measures, measure_of
from ..evaluation.printed import COLUMNS, VERIFIED
from ..frames import some
from ..protocols import Protocol, protocol_of
from ..settings import dataset_id
from .table_columns import Column, Heading, columns_of, present_queries

PRINTED = [*COLUMNS, *VERIFIED]
UNNUMBERED = "one without a number"


class Shape(NamedTuple):
    """A table before its own figures.

    number: as in the paper; "" where the figures come from several papers, or from none.
    protocol: the collection's; one that is made for a dataset without tables.
    run: id of the dataset whose queries systems rank, once for all columns.
    printed: rows of `published`; zero rows if papers print nothing.
    """

    number: str
    protocol: Protocol
    run: str
    columns: tuple[Column, ...]
    printed: pd.DataFrame

    @property
    def text(self) -> str:
        """Id, below the collection, of the dataset with the table's texts; "" for the usual."""
        texts = (column.subset.partition(" (") for column in self.columns)
        return next((text for text, other, _ in texts if other), "")

    @property
    def queries(self) -> frozenset[str]:
        """The ids of all columns' queries."""
        return frozenset().union(*(column.queries for column in self.columns))

    @property
    def measures(self) -> list[str]:
        """The measures of all columns, each once."""
        return list(dict.fromkeys(column.measure for column in self.columns))


def tables_of(dataset: DatasetLike) -> list[str]:
    """List the numbers of the papers' tables over a dataset's queries; ``""`` for one without.

    Raises:
        ValueError: the dataset is unknown.
    """
    name = irds(dataset_id(dataset) or dataset).dataset_id()
    return [shape.number for shape in _paper_tables(name, None)]


def shape_of(
    dataset: DatasetLike,
    number: str | int | None = None,
    measures: Named | Measures | None = None,
) -> Shape:
    """Return a table over the queries of a dataset.

    Args:
        dataset: an id or a dataset object, with judgements.
        number: of the paper's table; None for the first. A dataset without printed tables has one
            over all its queries.
        measures: of the columns, objects or strings; None for those of the paper's table, or, for a
            dataset without tables, for `default_measures`.

    Raises:
        ValueError: an unknown dataset, measure or table (says which dataset has it).
    """
    name = irds(dataset_id(dataset) or dataset).dataset_id()
    asked_measures = None if measures is None else _parse_measures(measures)

    if number is None:
        first_table = next(_paper_tables(name, asked_measures), None)
        return first_table or _general_table(name, asked_measures)

    for shape in _paper_tables(name, asked_measures, str(number)):
        return shape
    raise ValueError(_describe_missing_table(name, str(number)))


def _parse_measures(measures: Named | Measures) -> list[str]:
    """Return measures as our reprs, each once; ValueError for an unknown one."""
    listed = [measures] if isinstance(measures, (str, ir_measures.Measure)) else measures
    return list(dict.fromkeys(str(measure_of(measure)) for measure in listed))


def _paper_tables(
    name: str, measures: Sequence[str] | None, only: str | None = None
) -> Iterator[Shape]:
    """Yield the papers' tables (or the one numbered `only`) that have queries of the dataset."""
    protocol = protocol_of(name)
    if protocol is None or not _covers(protocol, name):
        return

    printed = _nearest_printed(name) if protocol.printed else _unprinted(protocol, name, measures)
    for number, rows in printed.groupby("table", sort=False):
        table_rows = rows[_over_datasets(rows["subset"])]
        if table_rows.empty or only not in (None, number):
            continue

        run = _run_on(name, protocol, table_rows)
        headings = _headings(protocol, table_rows, measures)
        try:
            columns = columns_of(run, protocol, headings)
        except ValueError:  # the files that are present may lack what its queries are made from
            continue
        if any(column.queries for column in columns):
            shown = _rows_under(columns, table_rows) if protocol.printed else rows.iloc[:0]
            yield Shape(number, protocol, run, columns, shown.reset_index(drop=True))


def _covers(protocol: Protocol, name: str) -> bool:
    """Return whether a protocol's tables are over datasets such as this one.

    The figures of CSFCube are over its pools, so ``csfcube/s2orc/method`` is none of its tables.
    """
    below = name.removeprefix(protocol.collection).strip("/")
    if not protocol.facets or not below:
        return True
    return below.partition("/")[0] in protocol.facets


def _general_table(name: str, measures: Sequence[str] | None) -> Shape:
    """Return the table of a dataset without printed ones: a column for each measure."""
    if measures is None:
        measures = [str(measure) for measure in default_measures(name)]

    protocol = Protocol(name, name, measures={measure: measure for measure in measures})
    headings = [Heading("", measure, measure) for measure in measures]
    columns = columns_of(name, protocol, headings)
    if not columns[0].queries:
        raise ValueError(
            f"Nothing to evaluate: no query of {name} has judgements in the files that are "
            "present. Choose another dataset, or add the missing files."
        )
    return Shape("", protocol, name, columns, pd.DataFrame(columns=PRINTED))


def _headings(
    protocol: Protocol, rows: pd.DataFrame, measures: Sequence[str] | None
) -> list[Heading]:
    """Return a table's headings in the papers' order.

    With facets, every facet has every measure, whichever of them are printed. With `measures`,
    every subset of the table has these instead.
    """
    subsets = list(rows["subset"].unique())
    if protocol.facets:
        subsets = [facet for facet in protocol.facets if facet in subsets]

    if measures is not None:
        labels = {str(measure_of(text)): label for label, text in protocol.measures.items()}
        labelled = [(measure, labels.get(measure, measure)) for measure in measures]
    elif protocol.facets:
        labelled = [(measure, label) for label, measure in protocol.measures.items()]
    else:
        printed = rows.drop_duplicates(["subset", "measure"])
        return [
            Heading(row.subset, row.measure, row.label) for row in printed.itertuples(index=False)
        ]
    return [Heading(subset, measure, label) for subset in subsets for measure, label in labelled]


def _rows_under(columns: Sequence[Column], rows: pd.DataFrame) -> pd.DataFrame:
    """Return the printed rows that stand in one of the columns."""
    pairs = {(column.subset, column.measure) for column in columns}
    has_column = [pair in pairs for pair in zip(rows["subset"], rows["measure"])]
    return rows[pd.Series(has_column, rows.index, dtype=bool)]


def _over_datasets(subsets: pd.Series) -> pd.Series:
    """Mark the subsets that are datasets; the others are settings without published queries.

    Where a table compares texts ("full-text (…)" with the usual ones), mark the other text's.
    """
    other = subsets.str.contains(" (", regex=False)
    return other if other.any() else ~subsets.str.startswith("(")


def _nearest_printed(name: str) -> pd.DataFrame:
    """Return what is printed for a dataset, or for the nearest one above it."""
    try:
        return published(name)
    except ValueError:
        if "/" not in name:
            raise
        return _nearest_printed(name.rpartition("/")[0])


def _unprinted(protocol: Protocol, name: str, measures: Sequence[str] | None) -> pd.DataFrame:
    """Return the columns of a table without printed figures, as rows of `published`."""
    below = name.removeprefix(protocol.collection).strip("/")
    first_part = below.partition("/")[0]
    subsets = [facet for facet in protocol.facets if first_part in ("", facet)] or [below]

    labels = {measure: label for label, measure in protocol.measures.items()}
    if not labels:
        texts = measures or [str(measure) for measure in default_measures(name)]
        labels = {text: text for text in texts}

    rows = [
        {"table": "", "subset": subset, "measure": measure, "label": label}
        for subset in subsets
        for measure, label in labels.items()
    ]
    return pd.DataFrame(rows).reindex(columns=PRINTED)


def _run_on(name: str, protocol: Protocol, printed: pd.DataFrame) -> str:
    """Return the id of one dataset with all the columns' queries."""
    subsets = printed["subset"].str.partition(" (")[0].unique()
    if len(subsets) > 1 or protocol.facets:
        return protocol.queries_of(name)
    below = name.removeprefix(protocol.collection).strip("/")
    special = "/".join(part for part in (protocol.collection, subsets[0], below) if part)
    return special if special in ir_datasets.registry else name


def _describe_missing_table(name: str, number: str) -> str:
    """Return the error's message for a table that is not over a dataset's queries."""
    numbers = [known or UNNUMBERED for known in tables_of(name)]
    message = describe_unknown("table", number, numbers, of=name, suggestions=0)

    protocol = protocol_of(name)
    if protocol is None:
        return message
    without_systems = _why_without_systems(protocol, number)
    if without_systems:
        return f"{without_systems} Tables over queries of {name}: {', '.join(numbers)}."
    if not protocol.printed:
        return message

    rows = published(protocol.collection)
    rows = rows[rows["table"] == number]
    if rows.empty:
        return message

    datasets = _datasets_of(protocol, rows)
    if not datasets:
        return (
            f"Table {number} of {protocol.title} is over queries or candidates that were not "
            f"published. Tables over queries of {name}: {', '.join(numbers)}."
        )
    reasons = {dataset: _why_without_queries(dataset) for dataset in datasets}
    with_queries = [dataset for dataset, reason in reasons.items() if reason is None]
    if not with_queries:
        return (
            f"Table {number} of {protocol.title} is over {some(datasets)}, without queries in the "
            f"files that are present. {reasons[datasets[0]]}"
        )
    fitting = with_queries[0] if len(with_queries) == 1 else protocol.collection
    return (
        f"Table {number} of {protocol.title} is over {some(datasets)}, not over {name}. Pass "
        f"{fitting!r} as dataset."
    )


def _why_without_systems(protocol: Protocol, number: str) -> str:
    """Say what a printed table holds that has no figures of systems here; "" for others."""
    table = f"Table {number} of {protocol.title}"
    if number in [path.stem for path in protocol.printed_tables]:
        where = f"printed_tables({protocol.collection!r})[{number!r}]"
        return f"{table} has no figures of systems: {where} has it."
    if number in protocol.other_tables:
        return f"{table} cannot be made. {protocol.other_tables[number].text}"
    return ""


def _datasets_of(protocol: Protocol, rows: pd.DataFrame) -> list[str]:
    """Return the ids of the datasets that rows of `published` are over."""
    subsets = rows[_over_datasets(rows["subset"])]["subset"].unique()
    names = [f"{protocol.collection}/{subset.partition(' (')[0]}".rstrip("/") for subset in subsets]
    return [name for name in dict.fromkeys(names) if name in ir_datasets.registry]


def _why_without_queries(name: str) -> str | None:
    """Return what a dataset's queries lack in the files that are present; None for nothing."""
    try:
        queries = present_queries(name)
    except ValueError as error:  # a part that cannot be made from these files
        return str(error)
    return None if queries else "Add the release's files."
