"""Make a table: plan it, run and evaluate its rows, compute the figures, and join them with print.

reproduce("litsearch", ["bm25", "e5_large_v2"], table=3, save_dir="runs")
reproduce("made/mine", ["bm25"], models={"ours": "folder"}, measures=["nDCG@10"])
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import ir_measures
import pandas as pd
import pyterrier as pt

from ..arguments import FilePath
from ..choices import describe_unknown
from ..datasets import DatasetLike, irds
from ..evaluation.checks import Reference, RunCheck, check_run
from ..evaluation.figures import (
    EFFECTS,
    FIGURE,
    TESTS,
    Values,
    choose_baselines,
    compare,
    describe,
)
from ..evaluation.groups import By, Groups
from ..evaluation.measure_names import Measures, Named, measure_runs
from ..evaluation.printed import VERIFIED
from ..evaluation.unjudged_documents import unjudged_effects
from ..progress import counted, say
from ..protocols import System
from ..recipes.named_systems import check_options
from ..stats.corrections import Correction
from ..transformers.text_templates import list_fields
from .layout import OWN, PUBLISHED, SIGNIFICANT, sign_baselines
from .present_data import PresentData
from .rows import PlannedRows, SystemsLike, plan_rows
from .saved_runs import rank_or_read
from .shape import Shape, find_shape
from .table import PaperTable

#: the meaning of each is with `PaperTable.figures`
FIGURE_COLUMNS = [
    *("name", "source", "subset", "measure", "label"),
    *("value", "std", "low", "high", "queries", "answered", "of", "part"),
    *TESTS,
    *EFFECTS,
    *VERIFIED,
    *("other_pools", "paper"),
]
COMPARISON_COLUMNS = ["name", "baseline", "subset", "measure", "label", "queries", *TESTS, "sign"]
#: argument `correction` of `reproduce` -> how the remark on tests says it
CORRECTIONS = {
    None: "not corrected for the number of comparisons",
    "holm": "corrected for {:,} comparisons (Holm)",
    "benjamini-hochberg": "corrected for {:,} comparisons (Benjamini-Hochberg)",
}


def reproduce(
    dataset: DatasetLike,
    systems: SystemsLike = (),
    table: str | int | None = None,
    *,
    measures: Named | Measures | None = None,
    by: By | None = None,
    baseline: str | Sequence[str] | None = None,
    save_dir: FilePath | None = None,
    resamples: int = 1000,
    seed: int = 0,
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
    if isinstance(dataset, (Mapping, list, pt.Transformer, pd.DataFrame)):
        raise ValueError(
            f"{dataset!r:.100} is no dataset. The first argument is the dataset, the second are "
            "the systems: reproduce('csfcube', {'mine': 'my-run.trec'})."
        )
    check_options(options)
    if correction not in CORRECTIONS:
        raise ValueError(describe_unknown("correction", correction, CORRECTIONS))

    # 1. plan: columns, rows and baselines; nothing is loaded or run
    shape = find_shape(dataset, table, measures, by)
    rows = plan_rows(systems, shape, options, verbose)
    names = list(rows.systems)
    if not names:
        raise ValueError(
            "systems is empty. Pass one or more (list(systems(dataset)) has the keys), or models "
            "under names of your own: models={'ours': folder}."
        )
    baselines = names[:1] if baseline is None else choose_baselines(baseline, names)

    # 2. run: rank with each system, or read its saved run, and evaluate it query by query
    runs, checks, values = _evaluate_rows(rows, shape, save_dir, verbose)

    # 3. figures: means and intervals in each column, and tests against each baseline
    figures = _compute_figures(values, shape, resamples, seed)
    tests = _test_figures(figures, values, shape.groups, baselines, correction)
    comparisons = tests[tests["name"] != tests["baseline"]].reset_index(drop=True)
    comparison_count = comparisons["p"].notna().sum()

    # 4. join: what is printed, and what was computed
    tests_against_first = tests[tests["baseline"] == baselines[0]]
    return PaperTable(
        dataset=shape.run,
        table=shape.number,
        protocol=shape.protocol,
        columns=shape.columns,
        figures=_join_figures(shape.printed, figures, tests_against_first),
        comparisons=comparisons,
        systems=rows.descriptions,
        checks=checks,
        runs=runs,
        baselines=baselines,
        corrected=CORRECTIONS[correction].format(comparison_count),
        resamples=resamples,
        notes=list(_remark_shape(shape, rows.named.values())),
    )


def _evaluate_rows(
    rows: PlannedRows, shape: Shape, save_dir: FilePath | None, verbose: bool
) -> tuple[dict[str, pd.DataFrame], dict[str, RunCheck], Values]:
    """Rank with each system, or take its results, and evaluate them query by query.

    Results that were passed are evaluated under all judgements. Systems are evaluated under those
    of documents that are present, as they cannot retrieve others.

    Returns:
        The rankings and their checks, both by the row's name; and the values of all rows, as of
        `evaluation.figures`, with EFFECTS.
    """
    data = PresentData(shape.run)
    if verbose:
        papers = "" if data.sizes is None else f", papers: {data.sizes.present:,}"
        say(f"{data.name}: systems: {len(rows.systems)}{papers}.")

    # passed results first: if one does not fit, that is an error before hours of ranking
    systems = rows.systems
    names = sorted(systems, key=lambda name: isinstance(systems[name], pt.Transformer))

    # by whether judgements of missing documents are left out; both are read for the first such row
    topics_by_kind: dict[bool, pd.DataFrame] = {}
    reference_by_kind: dict[bool, Reference] = {}
    runs = {}
    checks = {}
    values_by_name = {}
    for name in counted(names, "systems", "system", verbose=verbose):
        system = systems[name]
        if isinstance(system, pd.DataFrame) and "score" not in system:
            raise ValueError(f"{name} has no column score. Pass results with qid, docno and score.")

        # where no document is missing, both kinds of rows have the same judgements
        is_passed = isinstance(system, pd.DataFrame)
        leaves_out = not is_passed and data.sizes is not None and data.sizes.is_part
        judgements = data.reachable if leaves_out else data.judgements
        is_in_table = judgements["qid"].isin(shape.groups["qid"].unique())
        judgements_of_table = judgements[is_in_table]
        if leaves_out not in reference_by_kind:
            # all queries with judgements are ranked, so that a saved run serves every table of the
            # dataset; those of this table are evaluated
            topics_by_kind[leaves_out] = data.read_topics(judgements)
            reference_by_kind[leaves_out] = Reference(shape.run, judgements_of_table)
        topics = topics_by_kind[leaves_out]
        reference = reference_by_kind[leaves_out]

        run = rank_or_read(name, system, topics, data, save_dir, verbose).run
        check = check_run(run, reference, name=name)
        # not the reference's judgements, which lack columns that DORIS-MAE's measures read
        values = _evaluate(run, check, judgements_of_table, shape.measures)

        runs[name] = run
        checks[name] = check
        values_by_name[name] = values.assign(name=name, was_run=not is_passed)

    # in the table's order again
    return (
        {name: runs[name] for name in systems},
        {name: checks[name] for name in systems},
        pd.concat([values_by_name[name] for name in systems], ignore_index=True),
    )


def _evaluate(
    run: pd.DataFrame,
    check: RunCheck,
    judgements: pd.DataFrame,
    measures: Sequence[ir_measures.Measure],
) -> Values:
    """Return a row's value of each measure for each query, and what unjudged results may hide."""
    query_ids = judgements["qid"].unique()
    if check.judged == check.results:  # nothing is hidden
        values = measure_runs({"": run}, judgements, measures)
        values = values.assign(**dict.fromkeys(EFFECTS, float("nan")))
    else:
        values = unjudged_effects(run[run["qid"].isin(query_ids)], judgements, measures)
    return values.assign(
        answered=values["qid"].isin(run["qid"].unique()),
        judgements=len(judgements),
        part=check.part,
    )


def _compute_figures(values: Values, shape: Shape, resamples: int, seed: int) -> pd.DataFrame:
    """Return the figures of this run in the table's columns, by row and then by column.

    A query without results counts as 0. Passed results have no figure in a column none of whose
    queries they answer: nobody knows whether they were made for it.
    """
    described = describe(values, shape.groups, resamples, seed)

    # `queries` counts those in a mean; a table shows how many were evaluated, also where the
    # collection leaves some of them out of a measure's mean
    figures = described.drop(columns=["queries", "evaluated"])
    figures["queries"] = described["evaluated"]

    # a cell for each row and column, in the table's order
    rows = values[["name", "part"]].drop_duplicates()
    columns = shape.columns.drop(columns="aggregate")
    cells = rows.merge(columns, how="cross")

    # an inner join keeps this order, and leaves out the cells that have no figure
    return cells.merge(figures, on=FIGURE)


def _test_figures(
    figures: pd.DataFrame,
    values: Values,
    groups: Groups,
    baselines: Sequence[str],
    correction: Correction | None,
) -> pd.DataFrame:
    """Return the tests of figures against all baselines, corrected together: COMPARISON_COLUMNS.

    A baseline is compared with itself, too, without a p-value.
    """
    tests = compare(figures, values, groups, baselines, correction)
    tests = tests.merge(figures[[*FIGURE, "label", "queries"]], on=FIGURE)

    # a figure that differs significantly has the sign of the baseline from which it does
    signs = tests["baseline"].map(sign_baselines(baselines))
    tests["sign"] = signs.where(tests["p"] < SIGNIFICANT, "")
    return tests[COMPARISON_COLUMNS]


def _join_figures(
    printed: pd.DataFrame | None, figures: pd.DataFrame, tests: pd.DataFrame
) -> pd.DataFrame:
    """Return the printed figures, and behind them those of this run with tests: FIGURE_COLUMNS."""
    own_figures = figures.merge(tests[[*FIGURE, *TESTS]], on=FIGURE, how="left")
    own_figures["source"] = OWN
    # what only a printed figure has: what it was compared with, and other pools than its column's
    for column in [*VERIFIED, "other_pools"]:
        own_figures[column] = ""

    if printed is None:
        return own_figures.reindex(columns=FIGURE_COLUMNS)

    printed_figures = printed.copy()
    printed_figures["source"] = PUBLISHED
    # a paper evaluates all queries of a column, over all documents: no `part` of them
    printed_figures["queries"] = printed_figures["of"]
    printed_figures["part"] = ""

    # reindexed last, because printed figures lack the columns of intervals and tests
    joined = pd.concat([printed_figures, own_figures], ignore_index=True)
    return joined.reindex(columns=FIGURE_COLUMNS)


def _remark_shape(shape: Shape, systems: Iterable[System]) -> Iterator[str]:
    """Say what is known of the figures of a table, and of the texts that its systems read."""
    # the texts that systems read in place of the usual ones, such as full texts, are the fields of
    # their templates; some documents may lack them
    systems_on_other_texts = [system for system in systems if system.text]
    templates = {str(system.scoring.get("document", "")) for system in systems_on_other_texts}
    for template in sorted(templates - {""}):
        fields = list_fields(template)
        documents = irds(shape.run).docs_iter()
        is_missing = [not any(getattr(doc, field) for field in fields) for doc in documents]
        if any(is_missing):
            yield (
                f"{sum(is_missing):,} of the {len(is_missing):,} documents that are present have "
                f"no text for {template}, and are ranked as empty texts."
            )

    if shape.number in shape.protocol.remarks:
        yield shape.protocol.remarks[shape.number]
    fold_counts = shape.groups.groupby("subset")["part"].nunique()
    if fold_counts.max() > 1:
        yield "Figures are the mean of the two test folds' means."
