"""Compare systems: rank, measure, and collect what the page and the frames need.

compared = compare("one_encoding", "fabs_tfidf", dataset="csfcube/all")
compared.overview, compared.papers("1791179_method")
compared.to_html("compare.html")
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from ir_measures import Measure

from ..arguments import FilePath, Repeats, Seed, check_arguments
from ..choices import describe_unknown
from ..datasets import DatasetLike, irds
from ..encoders import EncoderLike
from ..evaluation import queries_by
from ..evaluation.groups import By
from ..evaluation.measure_names import Named, default_measures, measure_of
from ..measures import NDCG, DorisR
from ..protocols import protocol_of
from ..recipes.named_systems import check_options
from ..tables import PaperTable
from ..tables.present_data import PresentData
from ..tables.rows import SystemLike
from .comparison_result import Comparison
from .measure_splits import SPLITS, describe_indivisible
from .missed_papers import ERROR
from .shares import split_measure
from .system_names import name_systems
from .system_rankings import Missing, RankedSystems, rank_systems

#: fields of queries by which they are grouped, unless the caller wants others
GROUP_FIELDS = ("facet", "query_type", "specificity")
NDCG_NAMES = (NDCG.NAME, "nDCG")


@check_arguments
def compare(
    *systems: SystemLike | PaperTable | Mapping[str, SystemLike],
    dataset: DatasetLike | None = None,
    measure: Named | None = None,
    baseline: str | None = None,
    by: By | None = None,
    missing: Missing = "skip",
    tags: pd.DataFrame | None = None,
    explain_with: EncoderLike | None = None,
    save_dir: FilePath | None = None,
    resamples: Repeats = 1000,
    seed: Seed = 0,
    verbose: bool = True,
    **options: Any,
) -> Comparison:
    """Show why one system is better than another, and where it is not.

    Each system ranks the judged queries once. Then each query's difference of the measure is taken
    apart by paper; these shares add up to it. ::

        compared = compare("one_encoding", "fabs_tfidf", dataset="csfcube/all")
        print(compared)                            # by facet, with intervals and tests
        compared.papers("1791179_method")          # both rankings, and each paper's share
        compared.to_html("compare.html")           # all of it as a page

    Args:
        *systems: two or more: keys of `systems`, pipelines from topics, results (a frame of `qid`,
            `docno`, `score`), files of results (see `read_run`; a list of files of different
            queries is one run), dicts of these with names, or the rows of a `PaperTable`. The last
            positional argument may be the dataset.
        dataset: with judgements: an id of ir_datasets (``"csfcube/all"``) or a dataset object. None
            for a table's, or for the last of `systems`.
        measure: object or string ("NDCG%20", "AP(rel=2)"); None for the first nDCG of the dataset's
            `default_measures`.
        baseline: name of the system that the others are compared with; None for the last.
        by: groups of queries, see `queries_by`; None for facets, or DORIS-MAE's and LitSearch's
            kinds of queries, else none.
        missing: "skip" leaves queries out that passed results do not answer; "zero" counts them as
            0, as trec_eval does with ``-c``.
        tags: frame of `collect.read_errors` (`name`, `qid`, `docno`, `error`), shown with the
            papers that a system misses.
        explain_with: an encoder of sentences, for papers whose score no explanation takes apart.
        save_dir: folder for runs; a saved run is reused, see `reproduce`.
        resamples, seed: of the bootstrap.
        verbose: say on stderr what is run.
        **options: of `systems`, for keys: ``encoder``, ``models``, ``cache``, ``device`` …

    Returns:
        A `Comparison`.

    Raises:
        ValueError: fewer than two systems; two of one name; what is no system, or no dataset with
            judgements; results without a query or document of the dataset; no query in common; a
            score that is NaN; an unknown measure, baseline or group.
        KeyError: an unknown key.
        TypeError: an unknown option.
        OSError: a file is missing or cannot be read.
    """
    check_options(options)
    _check_tags(tags)
    compared = _separate_dataset(systems, dataset)
    data = PresentData(irds(compared.dataset).dataset_id())

    named = name_systems(compared.systems)
    chosen_baseline = list(named)[-1] if baseline is None else baseline
    if chosen_baseline not in named:
        raise ValueError(describe_unknown("baseline", chosen_baseline, named))
    chosen_measure = choose_measure(compared.dataset) if measure is None else measure_of(measure)

    ranked = rank_systems(named, data, options, missing, save_dir, verbose)
    compared_qids = ranked.topics["qid"].tolist()
    return Comparison(
        dataset=data.name,
        measure=chosen_measure,
        systems=tuple(ranked.systems),
        baseline=chosen_baseline,
        topics=ranked.topics,
        judgements=_mark_relevant(chosen_measure, ranked.judgements),
        groups=_group_queries(compared.dataset, by, compared_qids),
        run_remarks=tuple(ranked.remarks),
        reason=_find_reason(chosen_measure, ranked),
        tags=tags,
        encoder=explain_with,
        resamples=resamples,
        seed=seed,
    )


class ComparedArguments(NamedTuple):
    """What `compare` is called with: the systems, and the dataset that they rank."""

    systems: list[SystemLike | PaperTable | Mapping[str, SystemLike]]
    dataset: DatasetLike


def _separate_dataset(systems: Sequence[Any], dataset: DatasetLike | None) -> ComparedArguments:
    """Separate the dataset from the systems: a caller may pass it behind them, by position.

    If `dataset` is None, it is the dataset of the first `PaperTable`. If there is no such table, it
    is the last of `systems`.
    """
    if dataset is not None:
        return ComparedArguments(list(systems), dataset)
    for system in systems:
        if isinstance(system, PaperTable):
            return ComparedArguments(list(systems), system.dataset)

    last_argument = systems[-1] if systems else None
    return ComparedArguments(list(systems[:-1]), _check_dataset(last_argument))


def _check_dataset(last_argument: Any) -> DatasetLike:
    """Return the last positional argument; ValueError unless it is a dataset."""
    try:
        irds(last_argument)
    except ValueError as error:
        raise ValueError(
            "compare needs the dataset with the judgements: pass it behind the systems, or as "
            f"dataset='csfcube/all'. ({error})"
        ) from error
    known: DatasetLike = last_argument
    return known


def choose_measure(dataset: DatasetLike) -> Measure:
    """Return the dataset's first nDCG, else its first measure with shares, else its first."""
    measures = default_measures(dataset)
    for names in (NDCG_NAMES, SPLITS):
        for measure in measures:
            if measure.NAME in names:
                return measure
    return measures[0]


def _check_tags(tags: pd.DataFrame | None) -> None:
    """Raise ValueError for tags without the columns that `collect.read_errors` returns."""
    if tags is None:
        return
    missing = [column for column in ("name", "qid", "docno", ERROR) if column not in tags]
    if missing:
        raise ValueError(
            f"tags has no column {', '.join(missing)}: expected the frame of collect.read_errors, "
            "with name, qid, docno and error."
        )


def _group_queries(
    dataset: DatasetLike, by: By | None, qids: Sequence[str]
) -> dict[str, list[str]]:
    """Return the compared queries of each group; none if all are in one.

    Raises:
        ValueError: an unknown field.
    """
    if by is None:
        by = _choose_field(dataset)
    if by is None:
        return {}

    compared = set(qids)
    groups = {}
    for group, members in queries_by(dataset, by).items():
        members_compared = [qid for qid in members if qid in compared]
        if members_compared:
            groups[str(group)] = members_compared
    return groups if len(groups) > 1 else {}


def _choose_field(dataset: DatasetLike) -> str | None:
    """Return the field by which a benchmark's queries are grouped; None for other datasets."""
    source = irds(dataset)
    if protocol_of(source.dataset_id()) is None:
        return None
    fields = source.queries_cls()._fields
    for field in GROUP_FIELDS:
        if field in fields:
            return field
    return None


def _mark_relevant(measure: Measure, judgements: pd.DataFrame) -> pd.DataFrame:
    """Add the column `is_relevant`: whether a judged paper counts as relevant.

    The measure's lowest grade decides. For a measure without one, it is the rule of DORIS-MAE,
    whose judgements have a column `iteration`; for other judgements, grade 1.
    """
    has_lowest_grade = "rel" in measure.SUPPORTED_PARAMS
    if has_lowest_grade:
        return judgements.assign(is_relevant=judgements["label"] >= measure["rel"])

    is_relevant = None
    if "iteration" in judgements:
        is_relevant = _apply_doris_rule(judgements)
    if is_relevant is None:
        is_relevant = judgements["label"] >= 1
    return judgements.assign(is_relevant=is_relevant)


def _apply_doris_rule(judgements: pd.DataFrame) -> np.ndarray | None:
    """Return which judgements DORIS-MAE counts as relevant, bools (judgements,).

    None if the column `iteration` is another collection's, without DORIS-MAE's numbers.
    """
    names_in_measures = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
    try:
        relevance = DorisR.read_relevance(judgements.rename(columns=names_in_measures))
    except ValueError:
        return None
    return relevance.astype(bool)


def _find_reason(measure: Measure, ranked: RankedSystems) -> str:
    """Return why there are no shares; "" if they add up to each system's values."""
    reason = describe_indivisible(measure)
    if reason:
        return reason
    try:
        for system in ranked.systems:
            split_measure(measure, ranked.judgements, system.run)
    except ValueError as error:
        return str(error)
    return ""
