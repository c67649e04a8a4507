"""Make a table: plan it, run and evaluate its rows, and compute the figures.

reproduce("litsearch", ["bm25", "e5_large_v2"], table=3, save_dir="runs")
reproduce("made/mine", ["bm25"], models={"ours": "folder"}, measures=["nDCG@10"])
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import pyterrier as pt

from ..arguments import FilePath, Repeats, Seed, check_arguments
from ..datasets import DatasetLike
from ..evaluation.measure_names import Measures, Named
from ..evaluation.query_groups import By
from ..progress import say
from ..recipes.named_systems import check_options
from ..stats.corrections import Correction
from .baseline_tests import TestedFigures, compute_tested_figures
from .column_figures import select_printed_figures
from .paper_table import PaperTable
from .remarks import write_remarks
from .row_evaluation import EvaluatedRow, evaluate_rows
from .row_sources import SystemsLike
from .system_descriptions import describe_systems
from .table_columns import find_aggregates
from .table_content import Remark
from .table_plan import TablePlan, plan_table


@check_arguments
def reproduce(
    dataset: DatasetLike,
    systems: SystemsLike = (),
    table: str | int | None = None,
    *,
    measures: Named | Measures | None = None,
    by: By | None = None,
    baseline: str | Sequence[str] | None = None,
    save_dir: FilePath | None = None,
    resamples: Repeats = 1000,
    seed: Seed = 0,
    correction: Correction | None = None,
    verbose: bool = True,
    **options: Any,
) -> PaperTable:
    """Make a table of a paper, or of your own collection, with your systems.

    Each system ranks the dataset's queries once. Its figures are then computed for each column,
    with ± and tests against a baseline; a paper's printed rows stand beside them. If only a part of
    a collection is present (some of LitSearch's papers, some of DORIS-MAE's pools), systems are
    evaluated on that part, and the table says so. So it does where a run does not fit the
    collection: see `check_run`. A query without results counts as 0. ::

        reproduce("litsearch", systems=["bm25", "e5_large_v2"], table=3, save_dir="runs")
        reproduce("csfcube", models={"ours": "folder", "theirs": "all-mpnet-base-v2"})
        reproduce("csfcube", {"ours": "my-run.trec", "baseline": "fabs_tfidf"})
        reproduce("made/mine", ["bm25"], measures=["nDCG@10", "R@100"])

    Args:
        dataset: ``"csfcube"``, ``"litsearch"``, ``"doris-mae"``, or a part of one
            (``"csfcube/method"``, ``"litsearch/inline"``, ``"doris-mae/dev"``), whose rows stand
            next to what is printed for the whole; or any dataset of ir_datasets with judgements
            (``"made/mine"``). An id or a dataset object.
        systems: a list of keys of `systems`, of transformers (named by their reprs) and of files;
            or a dict from names to keys, transformers, results (a frame with `qid`, `docno`,
            `score`), or files of results (see `read_run`; a list of files of different queries is
            one row). Results have a figure in each column of which they answer a query, even if
            documents are missing. May be empty if there are `models` of your own.
        table: number of the paper's table; None for the first (LitSearch's 3, DORIS-MAE's 11;
            CSFCube's figures are one table).
        measures: objects or strings ("nDCG@10", "NDCG%20"), the columns of each group of queries;
            None for those of the paper's table, or, for a dataset without tables, for its
            `official_measures`, else nDCG@10, AP and R@100.
        by: groups of queries that have columns of their own, as for `queries_by`: a field of your
            collection's queries, such as "facet", or a function. Figures are means over queries,
            also where the paper averages over folds, and no printed rows stand beside them. None
            for the groups of the paper's table.
        baseline: name of the system that the others are tested against; None for the first. With a
            list of names, each system is tested against each of them, and letters mark from which
            ones a figure differs.
        save_dir: folder for runs. A saved run is reused, so an interrupted table resumes with the
            missing systems. A system that changed, or whose data changed, is run again.
        resamples, seed: of `bootstrap`.
        correction: "holm" or "benjamini-hochberg" to correct p-values for the number of
            comparisons in the table, with all baselines; see `correct_pvalues`.
        verbose: say on stderr what is run and encoded, with bars if somebody watches, else lines.
        **options: of `systems`: ``encoder``, ``models`` (each of your own adds its rows behind
            `systems`, in the table's forms, unless `systems` has keys of it), ``candidates``,
            ``precision``, ``device``, ``cache`` (default here: True, so a resumed or repeated table
            encodes nothing twice; False keeps no embeddings), ``client`` for language models,
            ``runs`` instead of systems. Without pools and ``candidates``, a system that only ranks
            candidates ranks all documents that are present, up to 2,000.

    Returns:
        A `PaperTable`.

    Raises:
        ValueError: the dataset has no judgements; the table is unknown, or its queries are missing;
            no systems, or a system that retrieves nothing; an unknown measure or baseline; a key
            whose texts or form belong to another table (names the right key); texts that no
            document present has (table 5 over files without full texts); a run without a document,
            or without a query, of the dataset.
        KeyError: the key is unknown.
        TypeError: an unknown option.
        OSError: a file is missing or cannot be read.
    """
    _check_is_dataset(dataset)
    check_options(options, reproduce)

    # 1. plan: columns, rows and the baseline; nothing runs
    plan = plan_table(dataset, systems, table, measures, by, baseline, options, verbose)
    if verbose:
        say(plan.describe())

    # 2. run: rank with each system, and evaluate its results query by query
    evaluated_rows = evaluate_rows(plan, save_dir, verbose)
    values = pd.concat([row.values for row in evaluated_rows], ignore_index=True)

    # 3. figures: means, intervals and tests in each column
    tested = compute_tested_figures(
        plan.shape.columns, values, plan.baselines, resamples, seed, correction
    )
    remarks = write_remarks(
        plan.shape,
        tested,
        values,
        checks=[row.check for row in evaluated_rows],
        keys=plan.rows.keys,
        baselines=plan.baselines,
        resamples=resamples,
        correction=correction,
    )
    return _assemble_table(plan, evaluated_rows, tested, remarks)


def _assemble_table(
    plan: TablePlan,
    evaluated_rows: Sequence[EvaluatedRow],
    tested: TestedFigures,
    remarks: Sequence[Remark],
) -> PaperTable:
    """Return the table with the printed figures before those of this run."""
    shape = plan.shape
    columns = pd.DataFrame(shape.columns)[["subset", "measure", "label", "of"]]
    columns = columns.assign(aggregate=find_aggregates(shape.columns))
    printed_figures = select_printed_figures(shape.columns, shape.printed)
    all_figures = pd.concat([printed_figures, tested.figures], ignore_index=True)
    remarks_on_rows = [Remark(text) for text in plan.rows.remarks]

    return PaperTable(
        dataset=shape.run,
        table=shape.number,
        columns=columns,
        figures=all_figures,
        systems=describe_systems(plan.rows.named, plan.rows.keys, shape.number),
        notes=(*remarks_on_rows, *remarks),
        baseline=plan.baselines[0],
        decimals=shape.protocol.decimals,
        further=tested.further,
        runs={row.check.name: row.run for row in evaluated_rows},
    )


def _check_is_dataset(dataset: DatasetLike) -> None:
    """Raise ValueError for systems in the dataset's place."""
    if isinstance(dataset, (Mapping, list, pt.Transformer, pd.DataFrame)):
        raise ValueError(
            f"{dataset!r:.100} is no dataset. The first argument is the dataset, the second are "
            "the systems: reproduce('csfcube', {'mine': 'my-run.trec'})."
        )
