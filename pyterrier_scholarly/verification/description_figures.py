"""How each table that describes a collection is computed: functions from a printed row to cells.

::

    description = DESCRIPTIONS["doris-mae", "9"]
    cells = list(description.compute(record))  # our figures beside those of the record
"""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import pandas as pd

from ..datasets import irds
from ..evaluation import correlate, published, statistics
from ..protocols import PROTOCOLS
from ..recipes import systems
from .outcomes import Cell

Record = Mapping[str, object]
#: from a row as printed to its cells
Compute = Callable[[Record], Iterator[Cell]]


class Description(NamedTuple):
    """How a printed table is computed.

    command: Python that a reader can run.
    compute: returns the cells of a row.
    """

    command: str
    compute: Compute


class QuestionColumn(NamedTuple):
    """A column of `statistics` with figures of LitSearch's questions.

    name: of the column.
    decimals: of the printed figures.
    """

    name: str
    decimals: int


#: heading of LitSearch's tables 2 and 14 -> where `statistics` has its figures
QUESTION_COLUMNS = {
    "#Q": QuestionColumn("questions", decimals=0),
    "Avg. Len": QuestionColumn("words", decimals=1),
    "Avg. L": QuestionColumn("words", decimals=1),
    "Avg. #P": QuestionColumn("papers", decimals=2),
    "Overlap": QuestionColumn("overlap", decimals=2),
}
#: printed name -> name in `statistics`
QUESTION_NAMES = {
    "Inline-citation Questions": "inline",
    "Author-written Questions": "author",
    "ACL-sourced": "inline-acl",
    "Non-ACL-sourced": "inline-nonacl",
    "ACL 2023": "author-acl2023",
    "ICLR 2024": "author-iclr2024",
}
#: printed type of DORIS-MAE's queries -> type in `statistics`
QUERY_TYPES = {"Comp": "Composite", "All": "all"}


def _compute_questions(table_name: str, name_column: str) -> Compute:
    """Return the function for a table of numbers, lengths and overlaps of LitSearch's questions.

    Args:
        table_name: of the table of `statistics` that has the figures.
        name_column: heading of the printed column with the names of the rows.
    """

    def compute(record: Record) -> Iterator[Cell]:
        own_table = statistics("litsearch")[table_name]
        own_figures = own_table.set_index([own_table.columns[0], "specificity"])
        name = QUESTION_NAMES[str(record[name_column])]
        query_counts = PROTOCOLS["litsearch"].query_counts

        for heading, printed in record.items():
            specificity, _, label = heading.partition(" ")  # such as "Broad" and "#Q"
            if label not in QUESTION_COLUMNS or specificity == "Total":
                continue
            column = QUESTION_COLUMNS[label]
            figures = own_figures.loc[(name, specificity.lower())]

            # an overlap is of a question and its papers, of which some may not be here
            answered = "overlap_questions" if column.name == "overlap" else "questions"
            whole_count = query_counts.get(f"{name}/{specificity.lower()}", 0)
            yield Cell(
                subset=specificity.lower(),
                label=label,
                expected=float(str(printed)),
                found=float(figures[column.name]),
                decimals=column.decimals,
                queries=int(figures[answered]),
                of=max(int(figures["questions"]), whole_count),
            )

    return compute


def _compute_corpus(record: Record) -> Iterator[Cell]:
    """Yield the number of LitSearch's papers and the words of their texts (section 2.5)."""
    corpus = statistics("litsearch/full-text")["corpus"].set_index("text")
    released = int(float(str(record["number"])))
    present = int(corpus.loc["titles and abstracts", "papers"])
    figures = {
        "number": float(present),
        "average words of titles and abstracts": float(corpus.loc["titles and abstracts", "words"]),
        "average words of full texts": float(corpus.loc["full texts", "words"]),
    }
    for label, found in figures.items():
        expected = float(str(record[label]))
        yield Cell(label=label, expected=expected, found=found, queries=present, of=released)


def _compute_checkpoints(record: Record) -> Iterator[Cell]:
    """Yield the name of a retriever's weights."""
    table = systems("litsearch").table
    run_by_name = dict(zip(table["name"], table["run"]))
    label = "HuggingFace Checkpoint"
    yield Cell(label=label, expected=str(record[label]), found=run_by_name[record["Retriever"]])


def _compute_spread(table_name: str, decimals: int) -> Compute:
    """Return the function for DORIS-MAE's tables 9 and 10, which describe spreads over queries.

    Args:
        table_name: of the table of `statistics` that has the figures.
        decimals: of the printed figures.
    """

    def compute(record: Record) -> Iterator[Cell]:
        of_queries = record["of"] == "Query"
        dataset = "doris-mae" if of_queries else "doris-mae/subqueries-2"
        figures = statistics(dataset)[table_name].set_index("query_type")

        query_type = QUERY_TYPES.get(str(record["type"]), str(record["type"]))
        if query_type not in figures.index:
            raise ValueError(f"the files that are present have no queries of type {query_type}")

        source = irds(dataset)
        all_queries = source.queries_count() or 0
        with_pool = len({candidate.query_id for candidate in source.scoreddocs_iter()})
        for label in ("Min", "Max", "Mean", "Std"):
            yield Cell(
                label=label,
                expected=float(str(record[label])),
                found=float(figures.loc[query_type, label.lower()]),
                decimals=decimals,
                queries=with_pool,
                of=all_queries,
            )

    return compute


def _compute_correlations(record: Record) -> Iterator[Cell]:
    """Yield Pearson's and Spearman's coefficients of rHSA with MAP, from the printed tables."""
    table_of_model = {"tf-idf": "1", "LDA": "2"}
    figures = published("rhsa")
    rows = figures[figures["table"] == table_of_model[str(record["Doc. Sim. Model Type"])]]
    column_of_label: pd.DataFrame = rows.pivot(index="system", columns="label", values="value")

    measure = f"rHSA({record['Collection']})"
    correlations = correlate(column_of_label.reset_index(), "MAP(100q)", measure)
    found = correlations.set_index("coefficient")["value"]
    for label in ("R", "ρ"):
        expected = float(str(record[label]))
        yield Cell(label=label, expected=expected, found=float(found[label]), decimals=2)


#: (collection, number of a table) -> how it is computed; below the functions that it names
DESCRIPTIONS: dict[tuple[str, str], Description] = {
    ("litsearch", "2"): Description(
        'statistics("litsearch")["questions"]',
        _compute_questions("questions", "questions"),
    ),
    ("litsearch", "2.5"): Description(
        'statistics("litsearch/full-text")["corpus"]', _compute_corpus
    ),
    ("litsearch", "9"): Description('systems("litsearch").table', _compute_checkpoints),
    ("litsearch", "14"): Description(
        'statistics("litsearch")["sets"]', _compute_questions("sets", "set")
    ),
    ("doris-mae", "9"): Description(
        'statistics("doris-mae")["relevant"]', _compute_spread("relevant", 2)
    ),
    ("doris-mae", "10"): Description(
        'statistics("doris-mae")["scores"]', _compute_spread("scores", 3)
    ),
    ("rhsa", "3"): Description('correlate(published("rhsa"), …)', _compute_correlations),
}
