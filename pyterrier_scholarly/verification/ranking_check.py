"""The check of our measures on a ranking that authors released.

::

    row = PrintedRow("litsearch", "3", "GritLM-7B")
    RankingCheck(row, find_released(row)).run()  # cells: the printed figures, and ours
"""

import json
import warnings
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pyterrier as pt
from ir_datasets.util import home_path

from ..datasets import irds
from ..evaluation import read_run
from ..folders import hash_once
from ..protocols import ReleasedRanking
from ..tables import reproduce
from ..tables.shape import find_shape
from .comparison import compare_with_print, own_figures_of
from .missing_data import explain_missing_data
from .outcomes import Basis, Cell, Promise
from .rows import PrintedRow
from .timing import time_call

#: queries that are evaluated to tell how long all of them take
SAMPLE_QUERIES = 5
#: name of a file beside the release: figures by the authors' code, for each ranking
CODE_FIGURES = "reference-metrics.json"
#: name of a measure there -> label of the column
CODE_LABELS = {
    "recall@5": "R@5",
    "recall@20": "R@20",
    "r_precision": "RP",
    "ndcg@0.1": "NDCG%10",
    "ndcg_exp@0.1": "NDCGexp%10",
    "mrr@10": "MRR@10",
    "map": "MAP",
}
CODE_DECIMALS = 4


@dataclass(frozen=True)
class RankingCheck:
    """Our measures on the authors' ranking, beside their figures.

    folder: with the files of rankings; None for the one below the collection's own folder.
    """

    row: PrintedRow
    ranking: ReleasedRanking
    folder: Path | None = None
    promise = Promise.MEASURE

    @property
    def source(self) -> str:
        """Where the ranking is from."""
        return self.ranking.about

    @property
    def command(self) -> str:
        """Python that computes the figures, called in the folder of rankings."""
        pattern = self.ranking.files[0]
        files = f'sorted(glob("{pattern}"))' if "*" in pattern else f'"{pattern}"'
        table = f", table={self.row.table!r}" if self.row.table else ""
        return f'reproduce("{self.ranking.dataset}", {{"{self.row.name}": {files}}}{table})'

    @property
    def known_differences(self) -> dict[str, str]:
        """The reasons of known differences, by column."""
        column = self.ranking.known_column
        return {column: self.ranking.known_reason} if column else {}

    def find_files(self) -> list[Path]:
        """Return the files of the ranking that are present."""
        folder = self.folder or home_path() / self.row.collection / self.ranking.folder
        return self.ranking.find_files(folder)

    def why_not(self) -> str:
        """Say all that keeps the check from running here; "" if nothing does."""
        missing_data = explain_missing_data(self.ranking.dataset, self.row.table)
        return "; ".join(reason for reason in (self.why_no_files(), missing_data) if reason)

    def why_no_files(self) -> str:
        """Say which files of the ranking are missing; "" if they are here."""
        if self.find_files():
            return ""
        folder = self.folder or f"the folder {self.ranking.folder!r} beside the release's files"
        return f"the ranking is not here: put {self.ranking.files[0]} into {folder}"

    def hash_models(self) -> dict[str, str]:
        """Return nothing: the check loads no model."""
        return {}

    def hash_files(self) -> dict[str, str]:
        """Return the sha256 of each file of the ranking."""
        return {file.name: hash_once(file) for file in self.find_files()}

    def estimate_seconds(self) -> float:
        """Evaluate some queries, and return how long all of them would take."""
        shape = find_shape(self.ranking.dataset, self.row.table or None)
        query_ids = sorted(shape.groups["qid"].unique())
        sample_ids = query_ids[:SAMPLE_QUERIES]
        run = self.read_run()
        in_sample = run[run["qid"].isin(sample_ids)]
        if in_sample.empty:
            return 0.0

        topics = pd.DataFrame({"qid": sample_ids, "query": ""})
        qrels = pt.get_dataset(f"irds:{shape.run}").get_qrels()
        seconds = time_call(lambda: pt.Experiment([in_sample], topics, qrels, shape.measures))
        return seconds * len(query_ids) / len(sample_ids)

    def run(self) -> tuple[Cell, ...]:
        """Evaluate the ranking, and compare each column that it answers whole."""
        table = reproduce(
            self.ranking.dataset,
            {self.row.name: self.read_run()},
            self.row.table or None,
            verbose=False,
        )
        figures = own_figures_of(table.figures)
        figures = figures[figures["answered"] == figures["queries"]]

        expected = self._read_code_figures()
        if expected:
            return _compare_with_code(figures, expected)
        return compare_with_print(self.row, figures)

    def read_run(self, dataset: str | None = None) -> pd.DataFrame:
        """Read the ranking's files, and return their results for the queries of a dataset.

        dataset: its id; None for the dataset of the table, as far as the ranking answers it.
        """
        table_dataset = dataset or find_shape(self.ranking.dataset, self.row.table or None).run
        with warnings.catch_warnings():
            # the files rank for queries of the whole release, too; outcomes count those compared
            warnings.filterwarnings("ignore", message=".*entries rank the pool of no query")
            run = read_run(self.find_files(), table_dataset)

        query_ids = {query.query_id for query in irds(table_dataset).queries_iter()}
        is_of_table = run["qid"].isin(query_ids)
        return run[is_of_table].reset_index(drop=True)

    def _read_code_figures(self) -> dict[str, float]:
        """Return the figures that the authors' code computes for the ranking, by label.

        They are in a file beside the release, for the queries that are present there; {} if it is
        missing.
        """
        path = home_path() / self.row.collection / CODE_FIGURES
        if not self.ranking.code_key or not path.is_file():
            return {}

        figures_by_ranking = json.loads(path.read_text("utf-8"))
        figures = figures_by_ranking.get(self.ranking.code_key, {})
        figure_of_label = {}
        for name, figure in figures.items():
            if name in CODE_LABELS:
                figure_of_label[CODE_LABELS[name]] = figure
        return figure_of_label


def _compare_with_code(figures: pd.DataFrame, expected: dict[str, float]) -> tuple[Cell, ...]:
    """Compare figures with those of the authors' code, over the same queries."""
    cells = []
    for figure in figures.itertuples(index=False):
        if figure.label not in expected:
            continue
        cells.append(
            Cell(
                label=figure.label,
                expected=expected[figure.label],
                found=100 * figure.value,
                decimals=CODE_DECIMALS,
                basis=Basis.CODE,
            )
        )
    return tuple(cells)
