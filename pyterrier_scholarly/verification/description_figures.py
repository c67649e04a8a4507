"""How each table that describes a collection is computed: functions from a printed row to cells.

::

    description = DESCRIPTIONS["doris-mae", "9"]
    cells = list(description.compute(record))  # our figures beside those of the record
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

import pandas as pd

from ..datasets import irds
from ..evaluation import correlate, published, statistics
from ..protocols import PROTOCOLS
from ..recipes import systems
from .outcomes import Cell

#: what rHSA's coefficients are of -> number of the table with the figures of such models
TABLE_OF_MODELS = {"tf-idf": "1", "LDA": "2"}

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


class QuestionFigure(NamedTuple):
    """A figure of LitSearch's questions, as `statistics` has it and as it is printed.

    column: of the frame that `statistics` returns.
    decimals: of the printed figures.
    count_column: of the same frame, the number of questions that the figure is a mean over.
    """

    column: str
    decimals: int
    count_column: str = "questions"


#: how LitSearch's tables 2 and 14 label a figure -> the figure
QUESTION_FIGURES = {
    "#Q": QuestionFigure("questions", decimals=0),
    "Avg. Len": QuestionFigure("words", decimals=1),
    "Avg. L": QuestionFigure("words", decimals=1),
    "Avg. #P": QuestionFigure("papers", decimals=2),
    # of a question and its papers: questions without a paper in the files at hand have none
    "Overlap": QuestionFigure("overlap", decimals=2, count_column="overlap_questions"),
}
#: printed name of a set of questions -> its name in `statistics`
QUESTION_SETS = {
    "Inline-citation Questions": "inline",
    "Author-written Questions": "author",
    "ACL-sourced": "inline-acl",
    "Non-ACL-sourced": "inline-nonacl",
    "ACL 2023": "author-acl2023",
    "ICLR 2024": "author-iclr2024",
}
#: what stands before the label in a heading
SPECIFICITIES = ("Broad", "Specific")
#: printed type of DORIS-MAE's queries -> type in `statistics`
QUERY_TYPES = {"Comp": "Composite", "All": "all"}


def _compute_questions(record: Record, *, table_name: str, name_column: str) -> Iterator[Cell]:
    """Yield a cell for each figure that LitSearch prints of a set of questions, beside ours.

    The figures are numbers, lengths and overlaps, for broad and for specific questions, and the
    number of both.

    Args:
        record: a row of the printed table, such as ``{"set": "ACL-sourced", "Broad #Q": 32, "Broad
            Avg. L": 24.8, …}``. A figure's heading is a specificity and a label.
        table_name: of the table of `statistics` that has our figures.
        name_column: heading of the printed column that names the set, such as "set".
    """
    set_name = QUESTION_SETS[str(record[name_column])]
    our_row_by_specificity = _read_questions(table_name, set_name)

    for heading, printed_value in record.items():
        printed_specificity, _, label = heading.partition(" ")
        is_compared = printed_specificity in SPECIFICITIES and label in QUESTION_FIGURES
        if not is_compared:
            continue

        specificity = printed_specificity.lower()  # as our frame calls it
        figure = QUESTION_FIGURES[label]
        our_row = our_row_by_specificity.loc[specificity]
        yield Cell(
            subset=specificity,
            label=label,
            expected=float(str(printed_value)),
            found=float(our_row[figure.column]),
            decimals=figure.decimals,
            queries=int(our_row[figure.count_column]),
            of=_count_released_questions(set_name, our_row, specificity),
        )

    question_count = int(our_row_by_specificity["questions"].sum())
    released_count = sum(
        _count_released_questions(set_name, our_row, str(specificity))
        for specificity, our_row in our_row_by_specificity.iterrows()
    )
    yield Cell(
        subset="total",
        label="#Q",
        expected=float(str(record["Total #Q"])),
        found=float(question_count),
        queries=question_count,
        of=released_count,
    )


def _read_questions(table_name: str, set_name: str) -> pd.DataFrame:
    """Return our figures of a set of questions: a row each for the broad and the specific ones.

    table_name: of a table of `statistics`, whose first column names the sets.
    """
    figures = statistics("litsearch")[table_name]
    name_of_set = figures.iloc[:, 0]
    return figures[name_of_set == set_name].set_index("specificity")


def _count_released_questions(set_name: str, our_row: pd.Series, specificity: str) -> int:
    """Return how many questions of a set and specificity the release has, as far as is known.

    our_row: our figures of those whose files are present.
    """
    present_count = int(our_row["questions"])
    count_in_paper = PROTOCOLS["litsearch"].query_counts.get(f"{set_name}/{specificity}")
    if count_in_paper is None:  # of a single conference's authors, such as "author-acl2023"
        return present_count
    return max(present_count, count_in_paper)


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
    """Yield one cell: the weights that a retriever loads, as printed and as our system names them.

    record: ``{"Retriever": "GTR-T5-large", "HuggingFace Checkpoint": "sentence-transformers/…"}``.
    """
    our_systems = systems("litsearch").table
    # the column `model` names the weights on the hub
    weights_by_retriever = dict(zip(our_systems["name"], our_systems["model"]))
    our_weights = weights_by_retriever[record["Retriever"]]

    label = "HuggingFace Checkpoint"
    yield Cell(label=label, expected=str(record[label]), found=our_weights)


def _compute_spread(record: Record, *, table_name: str, decimals: int) -> Iterator[Cell]:
    """Yield a row of DORIS-MAE's table 9 or 10: minimum, maximum, mean and standard deviation.

    Args:
        record: a row of the printed table.
        table_name: of the table of `statistics` that has our figures.
        decimals: of the printed figures.
    """
    # the rows of a table are of whole queries, or of sub-queries of two aspects
    is_of_whole_queries = record["of"] == "Query"
    dataset = "doris-mae" if is_of_whole_queries else "doris-mae/subqueries-2"
    own_figures = statistics(dataset)[table_name].set_index("query_type")

    printed_type = str(record["type"])
    query_type = QUERY_TYPES.get(printed_type, printed_type)  # as our frame calls it
    if query_type not in own_figures.index:
        raise ValueError(f"no query of the files that are present has the query_type {query_type}")
    own_row = own_figures.loc[query_type]

    # figures are of the queries that have a pool in the present files
    source = irds(dataset)
    all_count = source.queries_count() or 0
    queries_with_pool = {candidate.query_id for candidate in source.scoreddocs_iter()}
    for label in ("Min", "Max", "Mean", "Std"):
        yield Cell(
            label=label,
            expected=float(str(record[label])),
            found=float(own_row[label.lower()]),
            decimals=decimals,
            queries=len(queries_with_pool),
            of=all_count,
        )


def _compute_correlations(record: Record) -> Iterator[Cell]:
    """Yield two cells: how rHSA correlates with MAP, by Pearson's R and by Spearman's ρ.

    Both are computed from the figures that the paper prints for each system, and compared with the
    coefficients that it prints.

    record: a row of the printed table of coefficients.
    """
    table = TABLE_OF_MODELS[str(record["Doc. Sim. Model Type"])]
    printed = published("rhsa")
    figures = printed[printed["table"] == table]

    # a row for each system, a column for each measure
    systems_by_measure = figures.pivot(index="name", columns="label", values="value")
    measure = f"rHSA({record['Collection']})"
    correlations = correlate(systems_by_measure.reset_index(), "MAP(100q)", measure)
    computed_values = correlations.set_index("coefficient")["value"]
    for coefficient in ("R", "ρ"):
        printed_value = float(str(record[coefficient]))
        computed_value = float(computed_values[coefficient])
        yield Cell(label=coefficient, expected=printed_value, found=computed_value, decimals=2)


#: (collection, number of a table) -> how it is computed; below the functions that it names
DESCRIPTIONS: dict[tuple[str, str], Description] = {
    ("litsearch", "2"): Description(
        'statistics("litsearch")["questions"]',
        partial(_compute_questions, table_name="questions", name_column="questions"),
    ),
    ("litsearch", "2.5"): Description(
        'statistics("litsearch/full-text")["corpus"]', _compute_corpus
    ),
    ("litsearch", "9"): Description('systems("litsearch").table', _compute_checkpoints),
    ("litsearch", "14"): Description(
        'statistics("litsearch")["sets"]',
        partial(_compute_questions, table_name="sets", name_column="set"),
    ),
    ("doris-mae", "9"): Description(
        'statistics("doris-mae")["relevant"]',
        partial(_compute_spread, table_name="relevant", decimals=2),
    ),
    ("doris-mae", "10"): Description(
        'statistics("doris-mae")["scores"]',
        partial(_compute_spread, table_name="scores", decimals=3),
    ),
    ("rhsa", "3"): Description(
        'correlate(published("rhsa").query("table == \'{table}\'").pivot(index="name", '
        'columns="label", values="value"), "MAP(100q)", "rHSA({collection})")',
        _compute_correlations,
    ),
}
