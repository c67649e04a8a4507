"""`stages`: figures after each stage, lost papers, failures, branches, and what is refused."""

import warnings
from itertools import pairwise

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import AP, SetR, nDCG

from pyterrier_scholarly import (
    BM25Retriever,
    DorisAP,
    FacetQuery,
    FunctionChat,
    ListwiseRerank,
    OneHop,
    PaperLoader,
    PaperTfIdf,
    PLastRel,
    Pool,
    WeightedSum,
    check_run,
    rHSA,
    stages,
)

QRELS = pd.DataFrame(
    [
        ("q1", "a", 2),
        ("q1", "b", 1),
        ("q1", "c", 0),
        ("q1", "z", 1),
        ("q2", "d", 1),
        ("q2", "e", 1),
    ],
    columns=["qid", "docno", "label"],
)
TOPICS = pd.DataFrame({"qid": ["q1", "q2"], "query": ["one", "two"]})
#: documents by descending score
FIRST = {"q1": "cbaxy", "q2": "xde"}
SECOND = {"q1": "acw", "q2": "edx"}


def ranking(docnos_by_qid):
    """A transformer from topics to a ranking: n for the first of n documents, 1 for the last."""
    rows = [
        (qid, docno, float(len(docnos) - position), position)
        for qid, docnos in docnos_by_qid.items()
        for position, docno in enumerate(docnos)
    ]
    results = pd.DataFrame(rows, columns=["qid", "docno", "score", "rank"])

    def rank(frame):
        topics = frame[["qid", "query"]].drop_duplicates()
        return topics.merge(results, on="qid")

    return pt.apply.generic(rank)


class Counted(pt.Transformer):
    """A step that counts its calls with rows; it returns its input."""

    def __init__(self, name):
        self.name = name
        self.calls = 0

    def transform(self, frame):
        """Count, and return the input."""
        self.calls += len(frame) > 0
        return frame

    def __repr__(self):
        return self.name


def followed_by_loops(frame_by_stage, qrels, stages_before=None):
    """The lost relevant papers: a plain loop over stages and judgements.

    A stage that received none could have returned any: it loses what it does not return.

    stages_before: of each stage, those whose documents it received; None for a chain.
    """
    if stages_before is None:
        stages_before = {after: [before] for before, after in pairwise(frame_by_stage)}
    first_stages = [stage for stage in frame_by_stage if stage not in stages_before]
    pairs_by_stage = {
        stage: set(zip(frame["qid"], frame["docno"])) for stage, frame in frame_by_stage.items()
    }
    lost = set()
    for row in qrels[qrels["label"] >= 1].itertuples():
        pair = (row.qid, row.docno)
        for after, before in stages_before.items():
            was_there = any(pair in pairs_by_stage[stage] for stage in before)
            if was_there and pair not in pairs_by_stage[after]:
                lost.add((*pair, after))
        for first in first_stages:
            if pair not in pairs_by_stage[first]:
                lost.add((*pair, first))
    return lost


def lost_of(result):
    """The lost papers of `stages`, as `followed_by_loops` returns them."""
    rows = result.lost.astype(object).itertuples()
    return {(row.qid, row.docno, row.stage) for row in rows}


def recall_of(frame, qrels):
    """The mean recall of a stage's results, by ir_measures."""
    measured = ir_measures.calc_aggregate(
        [SetR(rel=1)], pt.model.to_ir_measures(qrels), pt.model.to_ir_measures(frame)
    )
    return measured[SetR(rel=1)]


def assert_ceilings_and_losses(result, frame_by_stage, qrels, stages_before=None):
    """Recall is ir_measures' on each stage's own results; lost papers are those of plain loops."""
    recalls = result.stages.set_index("stage")["recall"]
    expected = {}
    for stage, frame in frame_by_stage.items():
        has_scores = "score" in frame.columns
        expected[stage] = recall_of(frame if has_scores else frame.assign(score=0.0), qrels)
    assert recalls[list(frame_by_stage)].to_dict() == pytest.approx(expected)
    lost = followed_by_loops(frame_by_stage, qrels, stages_before)
    assert lost_of(result) == lost != set()


def test_figures_are_those_of_an_experiment():
    """After each stage, measures are those of the pipeline up to there."""
    first = ranking(FIRST)
    pipeline = first % 3 % 2
    result = stages(pipeline, TOPICS, QRELS, ["nDCG@10", AP])
    expected = pt.Experiment([first, first % 3, pipeline], TOPICS, QRELS, [nDCG @ 10, AP])
    assert result.stages["name"].tolist()[1:] == ["% 3", "% 2"]
    assert result.stages["nDCG@10"].tolist() == pytest.approx(expected["nDCG@10"].tolist())
    assert result.stages["AP"].tolist() == pytest.approx(expected["AP"].tolist())


@pytest.mark.parametrize("measure", [rHSA(bins=5), PLastRel(rel=2)], ids=repr)
def test_measures_average_as_they_do(measure):
    """A measure whose average is no mean of numbers, or leaves queries out, averages its way."""
    dataset = pt.get_dataset("irds:scholarly-mini/method")
    retrieve = FacetQuery(dataset) >> BM25Retriever("scholarly-mini", num_results=40)
    topics, qrels = dataset.get_topics("query"), dataset.get_qrels()
    result = stages(retrieve, topics, qrels, [measure])
    averages = ir_measures.calc_aggregate(
        [measure], pt.model.to_ir_measures(qrels), pt.model.to_ir_measures(retrieve(topics))
    )
    assert result.stages[str(measure)].iloc[-1] == pytest.approx(averages[measure], nan_ok=True)


def test_judgements_keep_their_columns():
    """DORIS-MAE's measures read the number of aspects from `iteration`, and skip queries."""
    qrels = QRELS.assign(iteration=["1", "1", "1", "1", "3", "3"])  # q2 has nothing relevant
    result = stages(ranking(FIRST), TOPICS, qrels, [DorisAP])
    averages = ir_measures.calc_aggregate(
        [DorisAP], pt.model.to_ir_measures(qrels), pt.model.to_ir_measures(ranking(FIRST)(TOPICS))
    )
    assert averages[DorisAP] > 0
    assert result.stages["DorisAP"].iloc[0] == pytest.approx(averages[DorisAP])


def test_counts_and_shares_of_a_chain():
    """Papers that come and go are counted per query; shares of the time add up to 1."""
    result = stages(ranking(FIRST) % 2, TOPICS, QRELS, ["AP"])
    assert result.stages["documents"].tolist() == [(5 + 3) / 2, 2]
    assert result.stages["added"].tolist() == [(5 + 3) / 2, 0]
    assert result.stages["dropped"].tolist() == [0, (3 + 1) / 2]
    # recall of q1's three and q2's two relevant papers: a, b of three and d, e; then b and d
    assert result.stages["recall"].tolist() == pytest.approx([(2 / 3 + 1) / 2, (1 / 3 + 1 / 2) / 2])
    # judged: c, b, a of five and d, e of three, among the first ten
    judged = (3 / 5 + 2 / 3) / 2
    assert result.stages["judged"].iloc[0] == pytest.approx(judged)
    assert result.stages["time_share"].sum() == pytest.approx(1)


def test_lost_papers_and_why():
    """A cut-off loses what is below it; a retriever, what it does not return."""
    pipeline = ranking(FIRST) % 2
    result = stages(pipeline, TOPICS, QRELS, ["AP"])
    frames = {1: ranking(FIRST)(TOPICS), 2: pipeline(TOPICS)}
    assert lost_of(result) == followed_by_loops(frames, QRELS)
    assert lost_of(result) == {("q1", "a", 2), ("q2", "e", 2), ("q1", "z", 1)}
    of_a = result.lost[result.lost["docno"] == "a"].iloc[0]
    assert (of_a["rank"], of_a["reason"], of_a["label"]) == (3, "below the cut-off at 2", 2)
    assert result.lost.set_index("docno")["reason"]["z"] == "no stage returned it"
    assert result.stages["lost_relevant"].tolist() == [1, 2]


def test_a_retriever_loses_what_it_does_not_return():
    """Each branch counts what it lacks; the reason says whether another stage returned it."""
    result = stages(ranking(FIRST) + ranking(SECOND), TOPICS, QRELS, ["AP"])
    returned = set()
    for stage, docnos in ((1, FIRST), (2, SECOND)):
        pairs = set(ranking(docnos)(TOPICS)[["qid", "docno"]].itertuples(index=False, name=None))
        lost = result.lost[result.lost["stage"] == stage]
        expected = [pair for pair in result.judgements.relevant_pairs if pair not in pairs]
        assert list(zip(lost["qid"], lost["docno"])) == expected
        returned |= pairs
    for row in result.lost.itertuples():
        is_found = (row.qid, row.docno) in returned
        assert (row.reason == "no stage returned it") is not is_found
        assert row.in_result is is_found


def test_a_querys_own_paper_is_remarked_on():
    """What `check_run` says of a run, `stages` says of a pipeline whose topics name the paper."""
    dataset = pt.get_dataset("irds:scholarly-mini/method")
    pipeline = FacetQuery(dataset) >> BM25Retriever("scholarly-mini", num_results=40)
    topics = dataset.get_topics("query")
    result = stages(pipeline, topics, dataset.get_qrels(), ["AP"])
    check = check_run(pipeline(topics), "scholarly-mini/method")
    (said,) = [remark for remark in check.remarks if "own paper" in remark]
    assert [remark.lower() for remark in result.remarks] == [said.lower()]
    assert result.remarks[0] in " ".join(str(result).split())


def test_printed_stages_are_a_table():
    """Printed, stages have a row each with figures, in 80 columns, and say what was lost."""
    measures = ["AP", "P@5", "nDCG@10", "R@5", "RR", "R@100"]
    result = stages(ranking(FIRST) % 2 >> Counted("x" * 200), TOPICS, QRELS, measures)
    lines = str(result).splitlines()
    assert max(map(len, lines)) <= 80
    assert [line.split()[0] for line in lines[2:5]] == ["1", "2", "3"]
    assert f"{result.stages['recall'].iloc[1]:.3f}" in lines[3].split()
    assert "The pipeline returned 2 of 5 relevant papers." in " ".join(lines)
    for measure in measures:
        assert sum(measure in line.replace(",", " ").replace(".", "").split() for line in lines)
    assert len(repr(result)) < 120


def test_ranks_through_the_stages():
    """Each paper has its rank behind each stage, or none."""
    result = stages(ranking(FIRST) % 2, TOPICS, QRELS, ["AP"])
    papers = result.papers.astype(object).where(result.papers.notna(), None)
    ranks = {
        row.docno: (row.rank_1, row.rank_2) for row in papers[papers["qid"] == "q1"].itertuples()
    }
    assert ranks == {
        "c": (1, 1),
        "b": (2, 2),
        "a": (3, None),
        "x": (4, None),
        "y": (5, None),
        "z": (None, None),
    }


def test_failures_and_how_sure():
    """A stage's failures are the queries with a lower value; p is that of a paired t-test."""
    from scipy.stats import ttest_rel

    result = stages(ranking(SECOND) >> ranking(FIRST), TOPICS, QRELS, ["AP"])
    values = result.perquery[result.perquery["measure"] == "AP"]
    before = values[values["stage"] == 1]["value"].to_numpy()
    after = values[values["stage"] == 2]["value"].to_numpy()
    worse = [qid for qid, first, then in zip(["q1", "q2"], before, after) if then < first]
    change = result.changes.iloc[0]
    assert result.failures["qid"].tolist() == worse != []
    assert change["worse"] == len(worse)
    assert change["difference"] == pytest.approx((after - before).mean())
    assert change["p"] == pytest.approx(ttest_rel(after, before).pvalue)


def test_a_single_stage_is_compared_with_nothing(tmp_path):
    """A retriever alone has no stage before it: no changes, no failures, but a page."""
    result = stages(ranking(FIRST), TOPICS, QRELS, ["AP"])
    assert len(result.changes) == len(result.failures) == 0
    assert "After each stage" in result.to_html(tmp_path / "stages.html").read_text("utf-8")


def test_the_detectable_difference_is_found_with_power_080():
    """The noncentral t distribution gives the probability that a test finds it."""
    from scipy.stats import nct, t

    first = FIRST | {"q3": "fg"}
    second = SECOND | {"q3": "fg"}
    topics = pd.DataFrame({"qid": ["q1", "q2", "q3"], "query": ["one", "two", "three"]})
    qrels = pd.concat(
        [QRELS, pd.DataFrame([("q3", "g", 1)], columns=QRELS.columns)], ignore_index=True
    )

    result = stages(ranking(second) >> ranking(first), topics, qrels, ["AP"])
    values = result.perquery[result.perquery["measure"] == "AP"]
    before = values[values["stage"] == 1]["value"].to_numpy()
    after = values[values["stage"] == 2]["value"].to_numpy()
    detectable = result.changes.iloc[0]["detectable"]
    noncentrality = detectable / (after - before).std(ddof=1) * np.sqrt(3)
    critical = t.ppf(0.975, 2)
    found = nct.sf(critical, 2, noncentrality) + nct.cdf(-critical, 2, noncentrality)
    assert found == pytest.approx(0.8, abs=1e-6)


def test_a_sum_and_its_branches():
    """`0.5 * a + b` has four stages; branches share papers, and each brings some alone."""
    first, second = ranking(FIRST), ranking(SECOND)
    result = stages(0.5 * first + second, TOPICS, QRELS, ["AP"])
    assert result.stages["branch"].tolist() == ["+1", "+1", "+2", ""]
    assert result.stages["name"].tolist()[1::2] == ["* 0.5", "+"]
    assert result.stages["result"].tolist() == ["ranked", "same ranking", "ranked", "ranked"]
    assert result.verdict.same is True

    branches = result.branches
    # q1: c and a are in both; b, x, y and w in one. q2: x, d and e are in both.
    assert branches["documents"].tolist() == [(5 + 3) / 2, (3 + 3) / 2]
    assert branches["shared"].tolist() == [(2 + 3) / 2, (2 + 3) / 2]
    assert branches["alone"].tolist() == [3 / 2, 1 / 2]
    assert branches["relevant"].tolist() == [4, 3]
    assert branches["relevant_alone"].tolist() == [1, 0]
    # the sum is compared with the better branch
    means = result.stages.set_index("stage")["AP"]
    change = result.changes.iloc[-1]
    assert means[change["compared_with"]] == max(means[1], means[3])


def test_a_weighted_sum_has_the_stages_of_a_sum():
    """Each scorer, its product, and the sum; the whole returns what its stages do."""
    load = PaperLoader("scholarly-mini/all")
    scorers = [pt.apply.doc_score(lambda row: -len(row["docno"])), PaperTfIdf("scholarly-mini/all")]
    dataset = pt.get_dataset("irds:scholarly-mini/all")
    pipeline = Pool("scholarly-mini/all") >> FacetQuery("scholarly-mini/all") >> load
    pipeline = pipeline >> WeightedSum(scorers, [0.5, 1])
    result = stages(pipeline, dataset.get_topics("query"), dataset.get_qrels(), ["AP"])
    assert result.stages["name"].tolist()[3:5] == ["pt.apply.doc_score()", "* 0.5"]
    assert result.stages["branch"].tolist()[3:] == ["+1", "+1", "+2", ""]
    assert result.verdict.same is True
    # the titles are those of the papers
    assert result.titles["105"] == load(pd.DataFrame({"docno": ["105"]}))["paper"][0].title


def test_ceilings_and_losses_of_a_sum():
    """Of `0.5 * a + b` and a cut-off: recall after each stage, and what each left out."""
    first, second = ranking(FIRST), ranking(SECOND)
    pipeline = (0.5 * first + second) % 2
    result = stages(pipeline, TOPICS, QRELS, ["AP"])
    assert result.stages["name"].tolist()[1:] == ["* 0.5", "pt.apply.generic()", "+", "% 2"]
    frames = {
        1: first(TOPICS),
        2: (0.5 * first)(TOPICS),
        3: second(TOPICS),
        4: (0.5 * first + second)(TOPICS),
        5: pipeline(TOPICS),
    }
    stages_before = {2: [1], 4: [2, 3], 5: [4]}
    assert_ceilings_and_losses(result, frames, QRELS, stages_before)


def test_losses_of_an_intersection():
    """What only one branch has is lost at the operator."""
    first, second = ranking(FIRST), ranking(SECOND)
    result = stages(first & second, TOPICS, QRELS, ["AP"])
    frames = {1: first(TOPICS), 2: second(TOPICS), 3: (first & second)(TOPICS)}
    assert_ceilings_and_losses(result, frames, QRELS, {3: [1, 2]})
    assert ("q1", "b", 3) in lost_of(result)


@pytest.mark.parametrize(
    "combine",
    [
        lambda a, b, c: a + b + c,
        lambda a, b, c: a | b,
        lambda a, b, c: a & b,
        lambda a, b, c: a ^ b,
        lambda a, b, c: (a % 3) + 2 * b,
        lambda a, b, c: a >> (b**c),
        lambda a, b, c: a >> (b**c**a) >> pt.apply.doc_score(lambda row: sum(row["features"])),
        lambda a, b, c: (a | b) >> c,
    ],
    ids=["a+b+c", "a|b", "a&b", "a^b", "a%3+2*b", "a>>b**c", "features", "(a|b)>>c"],
)
def test_every_operator_returns_what_the_pipeline_does(combine):
    """Stages put together by hand are PyTerrier's own result, and recall is ir_measures'."""
    alike = {"q1": "bcaxy", "q2": "edx"}  # of the documents of FIRST
    pipeline = combine(ranking(FIRST), ranking(alike), ranking({"q1": "yxcba", "q2": "dxe"}))
    result = stages(pipeline, TOPICS, QRELS, ["AP"])
    assert result.verdict.same is True
    whole = pipeline(TOPICS)
    if "score" not in whole.columns:
        whole = whole.assign(score=0.0)
    assert result.stages["recall"].iloc[-1] == pytest.approx(recall_of(whole, QRELS))


def test_features_keep_the_ranking():
    """`**` adds features and leaves the ranking of its input; what follows has two branches."""
    alike = ranking({"q1": "bcaxy", "q2": "edx"})
    learned = pt.apply.doc_score(lambda row: sum(row["features"]))
    result = stages(ranking(FIRST) >> (alike**alike) >> learned, TOPICS, QRELS, ["AP"])
    assert result.stages["result"].tolist() == ["ranked"] * 3 + ["same ranking", "ranked"]
    assert result.stages["AP"].iloc[3] == result.stages["AP"].iloc[0]
    assert 4 not in set(result.changes["stage"])


def test_three_summands_are_three_branches():
    """PyTerrier nests `a + b + c`; a reader sees three branches and one sum."""
    steps = [ranking(FIRST), ranking(SECOND), ranking(FIRST)]
    result = stages(steps[0] + steps[1] + steps[2], TOPICS, QRELS, ["AP"])
    assert result.stages["branch"].tolist() == ["+1", "+2", "+3", ""]


def test_a_stage_runs_once():
    """Without the check each step runs once; with it, once more in the whole pipeline."""
    first, second = Counted("first"), Counted("second")
    pipeline = ranking(FIRST) >> first >> (second + second)
    stages(pipeline, TOPICS, QRELS, ["AP"], check=False)
    assert (first.calls, second.calls) == (1, 2)  # `second` is written twice
    stages(pipeline, TOPICS, QRELS, ["AP"])
    assert (first.calls, second.calls) == (3, 6)


def test_a_stage_that_varies_is_named():
    """A step that returns something else each time is named in a warning and on the page."""

    class Varying(Counted):
        def transform(self, frame):
            self.calls += 1
            return pt.model.add_ranks(frame.assign(score=frame["score"] * (-1) ** self.calls))

    pipeline = ranking(FIRST) >> Varying("coin") >> Counted("steady")
    with pytest.warns(UserWarning, match=r"vary from run to run: 2 coin\. The figures"):
        result = stages(pipeline, TOPICS, QRELS, ["AP"])
    assert result.verdict.varying == ("2 coin",)
    assert "vary from run to run: 2 coin" in result._repr_html_()


def test_stages_without_a_ranking_are_kept():
    """A rewriter has no documents, a pool no order; their rows have no figures."""
    rewrite = pt.apply.query(lambda row: row["query"] + " more")
    pool = pd.DataFrame(
        [("q1", docno) for docno in "abc"] + [("q2", docno) for docno in "de"],
        columns=["qid", "docno"],
    )
    score = pt.apply.doc_score(lambda row: float(ord(row["docno"])))
    result = stages(rewrite >> Pool(pool) >> score, TOPICS, QRELS, ["AP"])
    assert result.stages["result"].tolist() == ["no ranking", "without order", "ranked"]
    assert result.stages["AP"].isna().tolist() == [True, True, False]
    assert result.stages["recall"].isna().tolist() == [True, False, False]
    assert list(result.papers.columns) == ["qid", "docno", "label", "rank_3"]


def test_results_as_input():
    """Behind results, the input is stage 0, and losses of the first step count."""
    result = stages(pt.Transformer.identity() % 1, ranking(FIRST)(TOPICS), QRELS, ["AP"])
    assert result.stages["stage"].tolist()[0] == 0
    assert set(result.lost["docno"]) == {"a", "b", "d", "e", "z"}


@pytest.mark.java
def test_terrier_alone(tmp_path):
    """A pipeline without any of our steps: Terrier's retrieval, a sum, a cut-off."""
    dataset = pt.get_dataset("irds:scholarly-mini/method")
    index = pt.terrier.IterDictIndexer(str(tmp_path / "index")).index(
        {"docno": doc["docno"], "text": doc["text"]} for doc in dataset.get_corpus_iter()
    )
    bm25 = pt.terrier.Retriever(index, wmodel="BM25")
    tf_idf = pt.terrier.Retriever(index, wmodel="TF_IDF")
    pipeline = pt.rewrite.tokenise() >> (bm25 + 2 * tf_idf) % 10
    topics, qrels = dataset.get_topics("query"), dataset.get_qrels()
    result = stages(pipeline, topics, qrels, ["nDCG@10"])
    expected = pt.Experiment([pipeline], topics, qrels, [nDCG @ 10])
    assert result.verdict.same is True
    assert result.stages["nDCG@10"].iloc[-1] == pytest.approx(expected["nDCG@10"].iloc[0])
    assert result.stages["result"].iloc[0] == "no ranking"
    assert result.stages["name"].iloc[1] == "Retriever(BM25)"

    tokenised = pt.rewrite.tokenise()(topics)
    sum_of_both = bm25 + 2 * tf_idf
    frames = {
        2: bm25(tokenised),
        3: tf_idf(tokenised),
        4: (2 * tf_idf)(tokenised),
        5: sum_of_both(tokenised),
        6: (sum_of_both % 10)(tokenised),
    }
    stages_before = {4: [3], 5: [2, 4], 6: [5]}
    assert_ceilings_and_losses(result, frames, qrels, stages_before)


@pytest.mark.java
@pytest.mark.torch
def test_terrier_and_pyterrier_dr(tmp_path):
    """A dense branch beside Terrier's, by an encoder that counts letters; none of our steps."""
    pyterrier_dr = pytest.importorskip("pyterrier_dr")

    class Letters(pyterrier_dr.BiEncoder):
        def encode_queries(self, texts, batch_size=None):
            counts = [[text.lower().count(letter) for letter in "aeiou"] for text in texts]
            return np.array(counts, dtype=np.float32)

        encode_docs = encode_queries

    dataset = pt.get_dataset("irds:scholarly-mini/method")
    documents = [{"docno": doc["docno"], "text": doc["text"]} for doc in dataset.get_corpus_iter()]
    vectors = pyterrier_dr.FlexIndex(str(tmp_path / "vectors"))
    (Letters() >> vectors).index(documents)
    index = pt.terrier.IterDictIndexer(str(tmp_path / "index")).index(documents)
    bm25 = pt.terrier.Retriever(index, wmodel="BM25")
    dense = Letters() >> vectors.np_retriever(num_results=20)
    pipeline = pt.rewrite.tokenise() >> (bm25 % 10 | dense)

    topics, qrels = dataset.get_topics("query"), dataset.get_qrels()
    result = stages(pipeline, topics, qrels, ["nDCG@10"])
    assert result.verdict.same is True
    assert result.stages.set_index("name").loc["|", "result"] == "without order"
    assert result.branches["documents"].tolist()[1] == 20

    tokenised = pt.rewrite.tokenise()(topics)
    frames = {
        2: bm25(tokenised),
        3: (bm25 % 10)(tokenised),
        5: dense(tokenised),
        6: (bm25 % 10 | dense)(tokenised),
    }
    assert_ceilings_and_losses(result, frames, qrels, {3: [2], 6: [3, 5]})


class MadeUpGraph:
    """Each paper "cites" the second and the fifth behind it."""

    def __init__(self, docnos):
        self.docnos = docnos

    def neighbours(self, docno):
        """Return two papers."""
        number = self.docnos.index(docno)
        return [self.docnos[(number + step) % len(self.docnos)] for step in (2, 5)]


@pytest.mark.filterwarnings("ignore:.*is not the release's file")
@pytest.mark.usefixtures("litsearch_home")
def test_retrieve_expand_and_rerank_litsearch():
    """BM25, one hop and list-wise re-ranking over LitSearch's papers at hand."""
    dataset = pt.get_dataset("irds:litsearch")
    topics = dataset.get_topics("query").head(60)
    qrels = dataset.get_qrels()
    qrels = qrels[qrels["qid"].isin(topics["qid"])]
    docnos = [doc.doc_id for doc in dataset.irds_ref().docs_iter()]

    def reverse(messages):
        count = (len(messages) - 4) // 2
        return " > ".join(f"[{number}]" for number in range(count, 0, -1))

    retrieve = BM25Retriever("litsearch", num_results=40)
    expand = OneHop(MadeUpGraph(docnos), m=10, n=25)
    load = dataset.text_loader(["title", "text"])
    rerank = ListwiseRerank(FunctionChat(reverse))
    result = stages(retrieve >> expand >> load >> rerank, topics, qrels, ["R@5", "nDCG@10"])

    frames = {1: retrieve(topics)}
    frames[2] = expand(frames[1])
    frames[3] = load(frames[2])
    frames[4] = rerank(frames[3])
    assert result.verdict.same is True
    assert_ceilings_and_losses(result, frames, qrels)
    lost_by_hop = result.lost[result.lost["stage"] == 2]
    assert len(lost_by_hop) > 0
    assert lost_by_hop["reason"].str.startswith("below the 10 seeds").any()
    assert result.stages["result"].iloc[2] == "same ranking"


# --- what is refused ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"pipeline": "bm25"}, r"stages, pipeline='bm25': expected .*Transformer"),
        ({"qrels": QRELS.assign(qid="q9")}, r"No query has both .* Pass topics and qrels of one"),
        (
            {"qrels": QRELS.assign(label=[1, None, 0, 1, 1, 1])},
            r"'q1', 'b' is nan; expected a whole",
        ),
        ({"measures": ["nDGC@10"]}, r"'nDGC@10' is no measure"),
        ({"measures": []}, r"measures=\[\]: expected one measure or more"),
        ({"relevant": 0}, r"relevant=0: expected a whole number of at least 1"),
        (
            {
                "pipeline": ranking(FIRST)
                >> pt.apply.generic(lambda frame: frame.assign(score=np.nan))
            },
            r"stage 2, .* returned a wrong result.*score",
        ),
        (
            {"pipeline": ranking(FIRST) >> pt.apply.generic(lambda frame: [][1])},
            r"^In stage 2, pt.apply.generic.*: list index out of range",
        ),
        (
            {"pipeline": pt.apply.query(lambda row: "x")},
            r"No stage of the pipeline returned documents .* Add a step",
        ),
        (
            {"pipeline": pt.apply.generic(lambda frame: frame.to_dict("records"))},
            r"stage 1, .* returned list, no pandas.DataFrame",
        ),
    ],
)
def test_bad_input(changed, said):
    """Each error says what is wrong with which value, and what was expected."""
    arguments = {
        "pipeline": ranking(FIRST),
        "topics": TOPICS,
        "qrels": QRELS,
        "measures": ["AP"],
    }
    with pytest.raises((ValueError, IndexError), match=said), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        stages(**{**arguments, **changed})


def test_one_measure_needs_no_list():
    """A text alone is one measure, as it is in tables."""
    result = stages(ranking(FIRST), TOPICS, QRELS, "nDCG@10")
    assert list(result.measures) == ["nDCG@10"]


def test_judgements_without_documents():
    """Missing columns of the judgements are named, with the remedy."""
    with pytest.raises(pt.validate.InputValidationError, match=r"get_qrels.*docno"):
        stages(ranking(FIRST), TOPICS, QRELS.drop(columns="docno"), ["AP"])
