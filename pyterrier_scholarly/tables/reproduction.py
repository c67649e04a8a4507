"""Make a table: plan its rows, run and evaluate them, and compute the figures.

reproduce("litsearch", ["bm25", "e5_large_v2"], table=3, save_dir="runs")
reproduce("made/mine", ["bm25"], models={"ours": "folder"}, measures=["nDCG@10"])
"""

import inspect
from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

import ir_measures
import pandas as pd
import pyterrier as pt

from ir_datasets_ext.choices import describe_unknown

from ..arguments import FilePath, Repeats, Seed, check_arguments
from ..datasets import DatasetLike
from ..evaluation.measure_names import Measures, Named, measure_of
from ..evaluation.run_checks import Reference, RunCheck, check_against
from ..progress import counted, say
from ..recipes import systems as named_systems
from ..recipes.pipelines import Systems
from .paper_table import PaperTable
from .remarks import write_remarks
from .row_sources import RowSource, System, check_names, read_sources
from .system_keys import check_keys, check_known, describe_systems, your_keys
from .system_runs import JudgementSet, PresentData, plan, remark_missing_texts, run_of
from .table_columns import holm, own_figures, printed_figures
from .table_shapes import Shape, shape_of


class PlannedRows(NamedTuple):
    """The rows of a table before they are run.

    sources: of all rows, in their order; each a pipeline from topics, or results.
    keys: dict from a row's name to its key, for named systems.
    named: the named systems; None if no row is one.
    remarks: on texts that documents lack and systems read.
    """

    sources: list[RowSource]
    keys: dict[str, str]
    named: Systems | None
    remarks: tuple[str, ...] = ()


class EvaluatedRow(NamedTuple):
    """A row's value for each query and measure, and how its run fits the collection.

    values: see `own_figures`.
    run: the row's ranking.
    """

    values: pd.DataFrame
    run: pd.DataFrame
    check: RunCheck


class Evaluation(NamedTuple):
    """What runs are evaluated with.

    judged: name of the judgements.
    topics: all with judgements, so that a saved run serves every table of the dataset.
    table_topics, table_judgements: those of the table's queries.
    measures: of the table's columns.
    reference: what runs are checked against.
    """

    judged: str
    topics: pd.DataFrame
    table_topics: pd.DataFrame
    table_judgements: pd.DataFrame
    measures: list[ir_measures.Measure]
    reference: Reference


@check_arguments
def reproduce(
    dataset: DatasetLike,
    systems: System | Iterable[System] | Mapping[str, System] = (),
    table: str | int | None = None,
    *,
    measures: Named | Measures | None = None,
    baseline: str | None = None,
    save_dir: FilePath | None = None,
    resamples: Repeats = 1000,
    seed: Seed = 0,
    correction: Literal["holm"] | None = None,
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
        baseline: name of the system that the others are tested against; None for the first.
        save_dir: folder for runs. A saved run is reused, so an interrupted table resumes with the
            missing systems. A system that changed, or whose data changed, is run again.
        resamples, seed: of `bootstrap`.
        correction: "holm" to correct p-values for the number of comparisons in the table.
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
    _check_names_of_arguments(dataset, options)
    shape = shape_of(dataset, table, measures)
    data = PresentData(shape.run)

    rows = _plan_rows(systems, shape, data, options, verbose)
    baseline = _choose_baseline(baseline, [source.name for source in rows.sources])
    if verbose:
        encoders = [] if rows.named is None else map(rows.named.encoder, rows.keys.values())
        say(plan(data, len(rows.sources), encoders))

    evaluated_rows = _evaluate_rows(rows.sources, shape, data, save_dir, verbose)
    values = pd.concat([row.values for row in evaluated_rows], ignore_index=True)

    figures = own_figures(shape.columns, values, baseline, resamples, seed)
    if correction:
        figures["p"] = holm(figures["p"])
    printed = printed_figures(shape.columns, shape.printed)
    described = describe_systems(rows.named, rows.keys, shape.number)
    remarks = write_remarks(
        shape,
        figures,
        values,
        checks=[row.check for row in evaluated_rows],
        keys=set(described["key"]),
        baseline=baseline,
        resamples=resamples,
        correction=correction,
    )

    return PaperTable(
        dataset=shape.run,
        table=shape.number,
        columns=pd.DataFrame(shape.columns)[["subset", "measure", "label", "of"]],
        figures=pd.concat([printed, figures], ignore_index=True),
        systems=described,
        remarks=rows.remarks + remarks,
        baseline=baseline,
        decimals=shape.protocol.decimals,
        runs={row.check.name: row.run for row in evaluated_rows},
    )


def _check_names_of_arguments(dataset: DatasetLike, options: Mapping[str, Any]) -> None:
    """Raise an error for systems in the dataset's place, and for unknown names."""
    if isinstance(dataset, (Mapping, list, pt.Transformer, pd.DataFrame)):
        raise ValueError(
            f"{dataset!r:.100} is no dataset. The first argument is the dataset, the second are "
            "the systems: reproduce('csfcube', {'mine': 'my-run.trec'})."
        )

    of_systems = [name for name in inspect.signature(named_systems).parameters if name != "dataset"]
    of_reproduce = list(inspect.signature(reproduce).parameters)[:-1]  # without **options
    for name in options:
        if name not in of_systems:
            known = dict.fromkeys([*of_reproduce, *of_systems])
            raise TypeError(describe_unknown("argument", name, known, of="reproduce"))


def _plan_rows(
    systems: System | Iterable[System] | Mapping[str, System],
    shape: Shape,
    data: PresentData,
    options: Mapping[str, Any],
    verbose: bool,
) -> PlannedRows:
    """Build the pipelines of the rows, without running or loading anything.

    Raises:
        ValueError, KeyError, OSError: see `reproduce`.
    """
    models = options.get("models") or {}
    check_names(models)
    sources = read_sources(systems, data.name)
    keys = {source.name: source.key for source in sources if source.key is not None}
    if not keys and not models:
        return PlannedRows(sources, keys, None)

    if options.get("cache") is None:
        options = {**options, "cache": True}
    named = named_systems(data.name, verbose=verbose, **options)
    check_known(keys.values(), named)

    names = [source.name for source in sources]
    for key in your_keys(named, shape, keys.values(), names):
        sources.append(RowSource(key, key=key))
        keys[key] = key
    check_keys(keys.values(), named.table, shape)

    read_rows = [named.rows[key] for key in keys.values() if key in named]
    missing_texts = remark_missing_texts(read_rows, data)

    runnable = []
    for source in sources:
        if source.key is not None:
            source = source._replace(pipeline=data.from_topics(named[source.key]))
        runnable.append(source)
    return PlannedRows(runnable, keys, named, missing_texts)


def _choose_baseline(name: str | None, names: list[str]) -> str:
    """Return the name of the baseline, by default the first row's."""
    if not names:
        raise ValueError(
            "systems is empty. Pass one or more (list(systems(dataset)) has the keys), or models "
            "under names of your own: models={'ours': folder}."
        )
    if name is None:
        return names[0]
    if name not in names:
        raise ValueError(describe_unknown("baseline", name, names))
    return name


def _evaluate_rows(
    sources: list[RowSource],
    shape: Shape,
    data: PresentData,
    save_dir: FilePath | None,
    verbose: bool,
) -> list[EvaluatedRow]:
    """Run and evaluate all rows; return them in their order."""
    # results first: one that does not fit is an error before hours of ranking
    in_order_of_work = sorted(sources, key=lambda source: source.results is None)

    evaluations: dict[str, Evaluation] = {}
    row_by_name: dict[str, EvaluatedRow] = {}
    for source in counted(in_order_of_work, "systems", "system", verbose=verbose):
        judgements = data.reachable if source.results is None else data.judgements
        if judgements.name not in evaluations:
            evaluations[judgements.name] = _prepare_evaluation(judgements, shape, data)
        evaluation = evaluations[judgements.name]

        run = _run_source(source, evaluation.topics, data, save_dir, verbose)
        row_by_name[source.name] = _evaluate(source, run, evaluation)
    return [row_by_name[source.name] for source in sources]


def _prepare_evaluation(judgements: JudgementSet, shape: Shape, data: PresentData) -> Evaluation:
    """Collect what runs are evaluated with."""
    topics = data.topics(judgements)
    table_topics = topics[topics["qid"].isin(shape.queries)]
    table_judgements = judgements.rows[judgements.rows["qid"].isin(shape.queries)]
    return Evaluation(
        judged=judgements.name,
        topics=topics,
        table_topics=table_topics,
        table_judgements=table_judgements,
        measures=[measure_of(measure) for measure in shape.measures],
        reference=Reference.of(data.name, table_judgements),
    )


def _run_source(
    source: RowSource,
    topics: pd.DataFrame,
    data: PresentData,
    save_dir: FilePath | None,
    verbose: bool,
) -> pd.DataFrame:
    """Return a row's results, or those of its pipeline for all topics."""
    if source.results is not None:
        return source.results
    assert source.pipeline is not None, "a row is a pipeline, or results"
    fingerprint = None if save_dir is None else data.fingerprint
    return run_of(source.name, source.pipeline, topics, fingerprint, save_dir, verbose)


def _evaluate(source: RowSource, run: pd.DataFrame, evaluation: Evaluation) -> EvaluatedRow:
    """Check a run, and compute the table's measures for each query."""
    check = check_against(run, evaluation.reference, source.name)

    values = pt.Experiment(
        [run],
        evaluation.table_topics,
        evaluation.table_judgements,
        evaluation.measures,
        names=[source.name],
        perquery=True,
    )
    values = values.assign(
        answered=values["qid"].isin(run["qid"]),
        asked=source.results is None,
        judged=evaluation.judged,
        part=check.part,
    )
    return EvaluatedRow(values, run, check)
