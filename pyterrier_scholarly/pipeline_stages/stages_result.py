"""What `stages` returns: frames of stages, papers, losses and failures, and a page.

::

    result = stages(pipeline, topics, qrels, ["nDCG@10"])
    result.stages                      # a row for each stage
    result.lost                        # relevant papers that a stage left out
    result.to_html("stages.html")
"""

import html
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import ir_measures
import pandas as pd

from ..arguments import FilePath, check_arguments
from ..evaluation.checks import describe_own_papers, find_own_papers
from ..pages import write_page
from ..stats.paired_tests import explain_missing_tests
from .branch_shares import compare_branches
from .lost_papers import list_lost, summarise_losses
from .page_content import StagePage
from .pipeline_run import Pair, PipelineRun, Stage
from .query_judgements import Judgements
from .rank_traces import trace_ranks
from .repeat_checks import Verdict
from .stage_changes import StageComparisons, compare_stages
from .stage_page import render_stages
from .stage_values import JUDGED, RECALL, UNKNOWN
from .stages_text import cut_text, write_text
from .unjudged_by_stage import measure_unjudged

SAME_RANKING = "same ranking"
LONGEST_NAME = 60  # characters of the pipeline, where it is named in a line
FRAME_STYLE = "width:100%;height:720px;border:1px solid #8886;border-radius:8px;resize:vertical"


@dataclass(frozen=True, eq=False, repr=False)
class Stages:
    """A pipeline taken apart into its stages, as `stages` returns it.

    Printed, it is the table of stages and what to know of them. A notebook shows the page that
    `to_html` writes.

    Attributes:
        name: of the pipeline, as it is written or as the caller named it.
        run: what each stage returned.
        judgements: of the evaluated queries.
        measures: by the name that they have in frames.
        top: how many first documents count as top.
        perquery: `stage`, `measure`, `qid`, `value`.
        averages: of the measures over queries, by stage and measure.
        verdict: whether the pipeline as a whole returned the same, and which stages vary.
        query_texts: by id; maybe empty.
        query_papers: from a query's id to the paper that it comes from, if topics or steps name it.
        titles: of documents, by id; maybe empty.
    """

    name: str
    run: PipelineRun
    judgements: Judgements
    measures: Mapping[str, ir_measures.Measure]
    top: int
    perquery: pd.DataFrame
    averages: Mapping[tuple[int, str], float]
    verdict: Verdict
    query_texts: Mapping[str, str]
    query_papers: Mapping[str, str]
    titles: Mapping[str, str]

    @cached_property
    def stages(self) -> pd.DataFrame:
        """A row for each stage, in the order in which they run.

        Returns:
            Frame with `stage` (its number, from 1; 0 is the input, if that has documents), `name`,
            `branch` (``"+1"``: the first of a sum), `inputs` (numbers of the stages before),
            `inside` (transformers that a step is made of), `result` (``"ranked"``,
            ``"same ranking"`` as before, ``"without order"``, ``"repeated documents"``,
            ``"no ranking"``); per evaluated query the mean of `documents`, of those `added` and
            `dropped`; a column for each measure; `recall` of all documents, the ceiling for
            re-rankers that follow; `lost_relevant`, the number of relevant papers that it left out,
            over all queries (a retriever: that it did not return); `judged`, the judged share of
            the first documents; `seconds`, and their `time_share` of the whole. Where there is no
            order or no document, figures are NaN.
        """
        total_seconds = sum(stage.seconds for stage in self.run.stages)
        lost_count_by_stage = self.lost["stage"].value_counts().to_dict()
        rows = []
        for stage in self.run.shown_stages:
            row: dict[str, object] = {
                "stage": stage.number,
                "name": stage.name,
                "branch": stage.branch,
                "inputs": ", ".join(str(number) for number in stage.inputs),
                "inside": ", ".join(stage.inside),
                "result": SAME_RANKING if stage.repeats else stage.form.value,
                **self._count_documents(stage),
            }
            for measure in (*self.measures, RECALL, JUDGED):
                row[measure] = self.averages[stage.number, measure]
            row["lost_relevant"] = lost_count_by_stage.get(stage.number, 0)
            row["seconds"] = stage.seconds
            row["time_share"] = stage.seconds / total_seconds if total_seconds else UNKNOWN
            rows.append(row)
        return pd.DataFrame(rows)

    @cached_property
    def papers(self) -> pd.DataFrame:
        """Each paper's rank through the stages.

        Returns:
            Frame with `qid`, `docno`, `label` (NA: unjudged), and for each stage that changes
            the ranking ``rank_1``, ``rank_2``, … by its number: the rank, from 1, or NA. It has the
            papers that were ranked, and all relevant ones.
        """
        return trace_ranks(self.run, self.judgements)

    @cached_property
    def lost(self) -> pd.DataFrame:
        """The relevant papers that stages left out; a retriever, those that it did not return.

        Returns:
            Frame with `qid`, `docno`, `label`, `stage` that left it out and its `name`, `rank`
            before that stage (the best, of several branches; NA for a retriever), `reason` (``"no
            stage returned it"``: it was never found), and `in_result`: whether the pipeline
            returned it all the same, by another branch or by a later stage.
        """
        return list_lost(self.run, self.judgements)

    @cached_property
    def branches(self) -> pd.DataFrame:
        """What the branches of each operator share, and what each alone brings.

        Returns:
            Frame with `stage` and `operator`, `branch` (from 1), `ends_with` and `name` of its last
            stage; per query the mean of its `documents`, of those `shared` with another branch, of
            those that it `alone` has, and of those that are among the first of it alone
            (`top_alone`); the numbers of relevant papers (`relevant`, `relevant_alone`,
            `relevant_top_alone`) over all queries; and a column for each measure, of the branch.
        """
        branches = compare_branches(self.run, self.judgements, self.top)
        for measure in self.measures:
            branches[measure] = [self.averages[number, measure] for number in branches["ends_with"]]
        return branches

    @property
    def changes(self) -> pd.DataFrame:
        """What each stage that changes the ranking changed in each measure, with how sure that is.

        Returns:
            Frame with `stage`, `name`, `compared_with` (the ranking before; for an operator its
            best branch), `measure`, the means `before` and `after`, their `difference`, `p` of the
            two-sided paired t-test, `p_holm` (corrected for all rows), the numbers of queries
            `better`, `equal` and `worse`, and `detectable`: the smallest mean difference that so
            many queries can show, see `stats.smallest_difference`.
        """
        return self._comparisons.changes

    @property
    def failures(self) -> pd.DataFrame:
        """The queries that a stage made worse, the worst first.

        Returns:
            Frame with `stage`, `name`, `compared_with`, `measure`, `qid`, the values `before` and
            `after`, their `difference`, and `p` and `p_holm` of the stage's change over all
            queries.
        """
        return self._comparisons.failures

    @cached_property
    def unjudged(self) -> pd.DataFrame:
        """What unjudged papers may hide, after each stage that changes the ranking.

        It is computed when it is read; that takes some seconds where hundreds of queries have
        a thousand unjudged papers each.

        Returns:
            Frame with `stage`, `name`, `measure`, and means over queries: `judged_share` (of the
            papers up to the measure's cut-off), `value` (of the measure), `condensed` (its value
            without unjudged papers, see `evaluation.condense`; NaN if only relevant papers were
            judged), `lowest` and `highest` (what nDCG could be if they were judged, see
            `evaluation.bound_ndcg`; NaN for other measures).
        """
        return measure_unjudged(self.run, self.judgements, self.measures, self.averages)

    @property
    def summary(self) -> str:
        """How many relevant papers the pipeline returned, and where the others were lost."""
        return summarise_losses(self.lost, self.judgements)

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        """Sentences on what makes figures misleading; also printed, and on the page.

        One is that a query's own paper is among the pipeline's results, see `check_run`. It is
        found if topics have a column `paper_id` or `query_docno`, or a step adds `query_docno`, as
        `FacetQuery` does. One names the stages whose change has no p-value.
        """
        missing_tests = explain_missing_tests(self.changes, ["stage", "name", "measure"])
        sentences = [self._remark_own_papers(), missing_tests]
        return tuple(sentence for sentence in sentences if sentence)

    def _remark_own_papers(self) -> str:
        """Say how many queries' own papers are among the pipeline's results; "" if none is."""
        final_stage = self.run.last_with_documents
        if final_stage is None:
            return ""
        results = final_stage.ranking[final_stage.ranking["qid"].isin(self.judgements.qids)]
        queries, first_count = find_own_papers(results, self.judgements.qrels, self.query_papers)
        if not queries:
            return ""
        sentence = describe_own_papers(queries, first_count)
        return sentence[0].upper() + sentence[1:]

    @check_arguments
    def to_html(self, path: FilePath, *, unjudged: bool = False) -> Path:
        """Write one HTML file that needs no other file, and return its path.

        unjudged: whether to show the frame `unjudged`, too, which may take long.
        """
        return write_page(path, self._render(unjudged))

    def _repr_html_(self) -> str:
        """Return the page in an iframe, with a table for viewers that drop frames."""
        title = html.escape(repr(self))
        page = html.escape(self._render(shows_unjudged=False))
        table = self.stages.to_html(index=False, border=0, float_format="{:.3f}".format)
        return (
            f'<iframe title="{title}" sandbox="allow-scripts" style="{FRAME_STYLE}" '
            f'srcdoc="{page}"></iframe><details><summary>Stages</summary>{table}</details>'
        )

    def __repr__(self) -> str:
        stage_count = len(self.run.stages) - 1
        query_count = len(self.judgements.qids)
        name = cut_text(self.name, LONGEST_NAME)
        return f"<Stages of {name}: {stage_count} stages, {query_count} queries>"

    def __str__(self) -> str:
        query_count = len(self.judgements.qids)
        heading = f"{query_count} queries, {self.name}"
        return write_text(self.stages, list(self.measures), heading, [self.summary, *self.remarks])

    @cached_property
    def _comparisons(self) -> StageComparisons:
        return compare_stages(self.run, self.perquery, list(self.measures))

    def _render(self, shows_unjudged: bool) -> str:
        """Return the page. shows_unjudged: whether it has the frame `unjudged`."""
        content = StagePage(
            name=self.name,
            run=self.run,
            judgements=self.judgements,
            measures=list(self.measures),
            top=self.top,
            perquery=self.perquery,
            verdict=self.verdict,
            query_texts=self.query_texts,
            titles=self.titles,
            stages=self.stages,
            papers=self.papers,
            lost=self.lost,
            branches=self.branches,
            changes=self.changes,
            failures=self.failures,
            summary=self.summary,
            remarks=self.remarks,
            unjudged=self.unjudged if shows_unjudged else None,
        )
        return render_stages(content)

    def _count_documents(self, stage: Stage) -> dict[str, float]:
        """Return the means over evaluated queries of a stage's documents, added and dropped."""
        if not stage.form.has_documents:
            return {"documents": UNKNOWN, "added": UNKNOWN, "dropped": UNKNOWN}

        pairs_before: set[Pair] = set()
        for source in self.run.find_sources(stage):
            pairs_before |= source.collect_pairs()
        pairs_before = self.judgements.keep_judged_queries(pairs_before)
        pairs = self.judgements.keep_judged_queries(stage.collect_pairs())
        query_count = len(self.judgements.qids)
        return {
            "documents": len(pairs) / query_count,
            "added": len(pairs - pairs_before) / query_count,
            "dropped": len(pairs_before - pairs) / query_count,
        }
