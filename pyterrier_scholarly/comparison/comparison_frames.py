"""The frames of a comparison: on queries, papers and parts, each computed when it is asked for.

compared.overview          # by group, with intervals and tests
compared.papers("1")       # one query's rankings side by side, with shares of the difference
compared.parts("ours")     # what each part of a sum contributes
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import pandas as pd
from ir_measures import Measure

from ..arguments import Count, check_arguments
from ..choices import describe_unknown, some
from ..encoders import EncoderLike
from ..evaluation.checks import mark_pairs
from ..evaluation.measure_names import measure_queries
from ..evaluation.unjudged_documents import describe_unbounded
from ..stats.paired_tests import EQUAL_WITHIN, explain_missing_tests
from ..tables.saved_runs import Ranked
from .change_sentences import describe_change, read_moves
from .joined_rankings import PAPER_COLUMNS, SHARE_COLUMNS, compare_orders, join_rankings
from .missed_papers import find_missed
from .paired_differences import ALL, compare_means
from .part_measures import measure_parts
from .query_traits import TRAITS, describe_queries
from .score_addends import ScoredParts, has_sum, split_scores
from .shares import split_difference
from .trait_tests import relate_traits
from .unjudged_papers import average_unjudged_effects

MISSED_AT = 20  # the cut-off of missed papers, unless the caller wants another
QUERY_COLUMNS = [
    *("name", "qid", "value", "baseline_value", "difference"),
    *(*TRAITS, "overlap", "correlation", "query"),  # the text last, because it is long
]


@dataclass(frozen=True, eq=False, repr=False)
class ComparisonFrames:
    """Systems compared query by query and paper by paper.

    A difference is a system's value minus the baseline's: positive if the system is better.

    Attributes:
        dataset: id of the dataset.
        measure: what is compared.
        systems: name, ranking and pipeline of each system.
        baseline: name of the system that the others are compared with.
        topics: frame `qid`, `query` of the compared queries.
        judgements: frame `qid`, `docno`, `label` of these, and `is_relevant`.
        groups: dict from a facet or group to its query ids.
        run_remarks: sentences on what fits in part: missing queries, unjudged papers, ties, pools.
        reason: why the measure has no shares of papers; "" if it has some.
        tags: frame of the errors that readers named, or None.
        encoder: for papers that no explanation takes apart, or None.
        resamples, seed: of the bootstrap.
    """

    dataset: str
    measure: Measure
    systems: tuple[Ranked, ...]
    baseline: str
    topics: pd.DataFrame
    judgements: pd.DataFrame
    groups: Mapping[str, Sequence[str]]
    run_remarks: tuple[str, ...]
    reason: str = ""
    tags: pd.DataFrame | None = None
    encoder: EncoderLike | None = None
    resamples: int = 1000
    seed: int = 0

    # --- over queries ---------------------------------------------------------------------------

    @property
    def names(self) -> list[str]:
        """The names of all systems, the baseline last."""
        return [*self.compared_names, self.baseline]

    @property
    def compared_names(self) -> list[str]:
        """The names of the systems that are compared with the baseline: all others."""
        return [system.name for system in self.systems if system.name != self.baseline]

    @property
    def has_shares(self) -> bool:
        """Whether a difference of the measure splits into papers' shares; else see `reason`."""
        return not self.reason

    def find(self, name: str) -> Ranked:
        """Return a system; ValueError for an unknown name."""
        for system in self.systems:
            if system.name == name:
                return system
        raise ValueError(describe_unknown("system", name, self.names))

    @cached_property
    def values(self) -> pd.DataFrame:
        """The measure for each query (index `qid`) and system (columns, the baseline last)."""
        columns = {
            name: measure_queries(self.measure, self.judgements, self.find(name).run)
            for name in self.names
        }
        return pd.DataFrame(columns).reindex(self.topics["qid"])

    @cached_property
    def differences(self) -> pd.DataFrame:
        """Each system's value minus the baseline's, by `qid`."""
        others = self.values.drop(columns=self.baseline)
        return others.sub(self.values[self.baseline], axis=0)

    @cached_property
    def overview(self) -> pd.DataFrame:
        """Means and tests over all queries and over each group.

        Returns:
            Frame `name`, `subset` ("all", then the groups), `queries` (their number), `value` and
            `baseline_value` (means over queries), `difference` with `low` and `high` (95 %
            bootstrap interval of the mean), `p` (two-sided paired t-test), `p_holm` (corrected for
            the number of rows), `better`, `equal`, `worse` (numbers of queries), and `detectable`:
            the smallest mean difference that so many queries can show, see
            `stats.smallest_difference`.
        """
        return compare_means(self.values, self.baseline, self.groups, self.resamples, self.seed)

    @cached_property
    def queries(self) -> pd.DataFrame:
        """One row for each query and system, the largest gains first.

        Returns:
            Frame `name`, `qid`, `value`, `baseline_value`, `difference`, and the query's traits:
            `group`, `relevant` and `pool` (numbers of papers), `words`, `shared`, `agreement` (see
            `distinguishing`), and how alike the two rankings are: `overlap` (share of the first 20
            papers of either that both have there) and `correlation` (Spearman's, of ranks); last
            `query`, its text.
        """
        qids = self.values.index
        texts = self.topics.set_index("qid")["query"]
        frames_of_systems = []
        for name in self.differences.columns:
            values = pd.DataFrame(
                {
                    "name": name,
                    "query": texts.reindex(qids),
                    "value": self.values[name],
                    "baseline_value": self.values[self.baseline],
                    "difference": self.differences[name],
                },
                index=qids,
            )
            likeness = pd.DataFrame([compare_orders(self.papers(qid, name)) for qid in qids], qids)
            frame = values.join(self._traits).join(likeness).reset_index()
            frame = frame.sort_values("difference", ascending=False, kind="stable")
            frames_of_systems.append(frame)

        queries = pd.concat(frames_of_systems, ignore_index=True)
        return queries[QUERY_COLUMNS]

    @cached_property
    def distinguishing(self) -> pd.DataFrame:
        """Tests whether the difference depends on a trait of the query.

        Returns:
            Frame `name`, `trait`, `meaning`, `queries`, `statistic` ("ρ" of Spearman, "H" of
            Kruskal and Wallis for groups), `value`, `p`, `p_holm` (corrected) and `looked_at`, the
            number of tests; the smallest p first. Traits that are unknown, or equal for all
            queries, are left out.
        """
        return relate_traits(self._traits, self.differences)

    @cached_property
    def unjudged(self) -> pd.DataFrame:
        """What unjudged papers may hide, for each system; see `evaluation.unjudged_effects`.

        Returns:
            Frame `name`, `results` (their number), and means over queries: `judged_share` (of the
            results up to the measure's cut-off), `value`, `condensed` (unjudged papers removed;
            NaN if all judged papers are relevant), `lowest` and `highest` (what the measure can be
            for any grades of unjudged papers; NaN for measures other than nDCG, see
            `reason_against_bounds`).
        """
        systems = [self.find(name) for name in self.names]
        return average_unjudged_effects(self.measure, systems, self.judgements)

    @property
    def has_unjudged(self) -> bool:
        """Whether a system ranks a paper that is not judged for the query."""
        return not all(mark_pairs(system.run, self.judgements).all() for system in self.systems)

    @property
    def reason_against_bounds(self) -> str:
        """Why `unjudged` has no lowest and highest value; "" if it has them."""
        return describe_unbounded(self.measure)

    # --- of one query ---------------------------------------------------------------------------

    @check_arguments
    def papers(self, qid: str, name: str | None = None) -> pd.DataFrame:
        """Put the rankings of one query side by side.

        Args:
            qid: of the query.
            name: of the system that is compared with the baseline; None for the first.

        Returns:
            Frame `docno`, `label` (NA if not judged), `is_relevant`, `rank` and `baseline_rank`
            (from 1, NA if not ranked), `contribution`, `baseline_contribution` and `share` of the
            difference, which all shares add up to; the largest first. Without shares (see `reason`)
            these columns are missing, and the order is that of ranks.

        Raises:
            ValueError: an unknown query or system.
        """
        self._check_query(qid)
        table_by_query = self._join_with_baseline(self._find_compared(name))
        if qid in table_by_query:
            return table_by_query[qid].copy()

        # neither system ranks a paper for it, and none is relevant
        share_columns = SHARE_COLUMNS if self.has_shares else []
        return pd.DataFrame(columns=[*PAPER_COLUMNS, *share_columns])

    @check_arguments
    def describe(
        self, qid: str, name: str | None = None, titles: Mapping[str, str] | None = None
    ) -> str:
        """Say in words what changed for a query.

        Args:
            qid, name: see `papers`.
            titles: of papers, by id, which are named beside their ids.
        """
        system = self._find_compared(name)
        moves = read_moves(self.papers(qid, system.name))
        difference = float(self.differences.loc[qid, system.name])
        if abs(difference) <= EQUAL_WITHIN:
            difference = 0.0
        return describe_change(system.name, self.baseline, difference, moves, titles or {})

    # --- over papers and parts ------------------------------------------------------------------

    @check_arguments
    def missed(self, k: Count = MISSED_AT) -> pd.DataFrame:
        """List the relevant papers that a system alone, or all, leave below rank `k`.

        Args:
            k: the cut-off.

        Returns:
            Frame `qid`, `docno`, `label`, a column for each system with the paper's rank (from 1,
            NA if not ranked), `missed_by` ("all", or the names) and, with `tags`, `error`.
        """
        systems = [self.find(name) for name in self.names]
        return find_missed(systems, self.judgements, k, self.tags)

    @property
    def parted(self) -> list[str]:
        """The names of the systems that are sums, which have `parts`."""
        sums = []
        for name in self.names:
            pipeline = self.find(name).pipeline
            if pipeline is not None and has_sum(pipeline):
                sums.append(name)
        return sums

    @check_arguments
    def parts(self, name: str | None = None, subset: str = ALL) -> pd.DataFrame:
        """Describe what each part of a sum contributes; it ranks once more, all queries together.

        Weights and standardisation stay as in the whole sum. P-values are of two-sided paired
        t-tests; those in ``…_holm`` are corrected for the number of tests in the column. A p-value
        is missing where all differences are one number: a warning names these.

        Args:
            name: of a system whose pipeline adds scores (one of `parted`); None for the first.
            subset: a facet or group of queries, or "all".

        Returns:
            Frame with a row for each `part`, and last for their sum, "all":

            - `relevant`, `other`: mean contribution to relevant and to other judged papers;
            - `gap`: the difference of these two;
            - `alone`: the measure if only this part ranks;
            - `alone_difference`: `alone` minus the baseline's value;
            - `alone_p`, `alone_p_holm`: test of `alone` against the baseline;
            - `so_far`: the measure if the parts from the first to this one rank;
            - `without`: the measure if all other parts rank;
            - `without_p`, `without_p_holm`: test of `without` against the whole sum.

        Raises:
            ValueError: an unknown system, one that adds no scores, or an unknown subset.
        """
        system_name = self._find_first_sum() if name is None else name
        scored = self._score_parts(system_name)

        is_of_subset = self.judgements["qid"].isin(self._members(subset))
        judgements = self.judgements[is_of_subset]
        return measure_parts(scored, self.measure, judgements, self.values[self.baseline])

    # --- in words -------------------------------------------------------------------------------

    @property
    def remarks(self) -> tuple[str, ...]:
        """Sentences on runs that fit in part, and on tests that are missing."""
        missing_tests = explain_missing_tests(self.overview, ["name", "subset"])
        return (*self.run_remarks, missing_tests) if missing_tests else self.run_remarks

    @property
    def title(self) -> str:
        """What is compared, in a line."""
        others = ", ".join(self.compared_names)
        return f"{others} against {self.baseline} on {self.dataset}, {self.measure}"

    def __repr__(self) -> str:
        hidden = ["p"] if len(self.names) > 2 else ["p", "name"]  # the title has the only name
        overview = self.overview.drop(columns=hidden)
        table = overview.to_string(index=False, float_format="{:.4f}".format)
        sentences = [*self.remarks, self.reason] if self.reason else self.remarks
        return "\n".join([self.title, table, *sentences])

    # --- lookups --------------------------------------------------------------------------------

    def _find_compared(self, name: str | None) -> Ranked:
        """Return a system that is compared with the baseline; None for the first."""
        if name == self.baseline:
            raise ValueError(
                f"{name!r} is the baseline. Choose another system: "
                f"{', '.join(self.compared_names)}."
            )
        return self.find(self.names[0] if name is None else name)

    def _check_query(self, qid: str) -> None:
        """Raise ValueError for a query that was not compared."""
        if qid not in self.values.index:
            raise ValueError(
                f"Query {qid!r} was not compared. Choose one of the {len(self.values)}: "
                f"{some(list(self.values.index))}."
            )

    def _find_first_sum(self) -> str:
        """Return the name of the first system that is a sum; ValueError if there is none."""
        if not self.parted:
            raise ValueError(
                f"None of {', '.join(self.names)} has parts: expected a pipeline that adds "
                "scores, such as one_encoding. Results that were passed have none."
            )
        return self.parted[0]

    def _members(self, subset: str) -> Sequence[str]:
        """Return the query ids of a subset; ValueError for an unknown one."""
        if subset == ALL:
            return list(self.values.index)
        if subset not in self.groups:
            raise ValueError(describe_unknown("subset", subset, [ALL, *self.groups]))
        return self.groups[subset]

    def _join_with_baseline(self, system: Ranked) -> dict[str, pd.DataFrame]:
        """Return a system's and the baseline's rankings side by side, by query; computed once."""
        if system.name not in self._joined_rankings:
            self._joined_rankings[system.name] = join_rankings(
                system.run,
                self.find(self.baseline).run,
                self.judgements,
                shares=self._shares.get(system.name),
            )
        return self._joined_rankings[system.name]

    @cached_property
    def _joined_rankings(self) -> dict[str, dict[str, pd.DataFrame]]:
        """What `_join_with_baseline` has computed, by system."""
        return {}

    @cached_property
    def _shares(self) -> dict[str, pd.DataFrame]:
        """By system, each paper's share of its difference to the baseline.

        {} for a measure without shares. The frames are of `split_difference`.
        """
        if not self.has_shares:
            return {}

        baseline_run = self.find(self.baseline).run
        shares_by_system = {}
        for name in self.compared_names:
            shares_by_system[name] = split_difference(
                self.measure, self.judgements, self.find(name).run, baseline_run
            )
        return shares_by_system

    @cached_property
    def _traits(self) -> pd.DataFrame:
        """The traits of each query, by `qid`; see `describe_queries`."""
        return describe_queries(self.dataset, self.topics, self.judgements, self.groups)

    def _score_parts(self, name: str) -> ScoredParts:
        """Return the parts of a system's scores; computed once."""
        if name not in self._scored_parts:
            pipeline = self.find(name).pipeline
            if pipeline is None:
                raise ValueError(
                    f"{name!r} has no parts: its results were passed, not its pipeline. Pass the "
                    "pipeline, or a key of systems(dataset)."
                )
            self._scored_parts[name] = split_scores(pipeline, self.topics)
        return self._scored_parts[name]

    @cached_property
    def _scored_parts(self) -> dict[str, ScoredParts]:
        """What `_score_parts` has computed, by system."""
        return {}
