"""LitSearch's published figures, from the authors' run, to all printed decimals."""

import pyterrier as pt
import pytest
from ir_measures import R

from pyterrier_scholarly import NDCG

pytestmark = pytest.mark.filterwarnings("ignore:.*is not the release's file")

#: Table 3's row of GritLM-7B: subset -> recall in percent at its cut-offs
PRINTED = {
    "inline/broad": {R @ 20: "69.7"},
    "inline/specific": {R @ 5: "67.7", R @ 20: "77.9"},
    "author/broad": {R @ 20: "74.3"},
    "author/specific": {R @ 5: "82.5", R @ 20: "89.1"},
    "broad": {R @ 20: "70.8"},
    "specific": {R @ 5: "74.8"},
}
#: Table 4's, over both specificities of a quality.
BY_QUALITY = {
    "inline/quality-1": {R @ 5: "67.3"},
    "inline/quality-2": {R @ 5: "58.7"},
    "author/quality-1": {R @ 5: "80.0"},
    "author/quality-2": {R @ 5: "76.6"},
}
#: Table 6's, by the source of the citing paper.
BY_SOURCE = {
    "inline-acl/broad": {R @ 20: "72.4"},
    "inline-acl/specific": {R @ 5: "65.9"},
    "inline-nonacl/broad": {R @ 20: "68.8"},
    "inline-nonacl/specific": {R @ 5: "68.5"},
}


@pytest.fixture(scope="module")
def run(data):
    """GritLM-7B's run over titles and abstracts of all papers, the first 200 per question."""
    return pt.io.read_results(str(data("litsearch", "runs", "gritlm-7b.title_abstract.trec.gz")))


@pytest.mark.usefixtures("litsearch_home")
@pytest.mark.parametrize("below", [*PRINTED, *BY_QUALITY, *BY_SOURCE])
def test_gritlm_equals_the_published_row(run, below):
    """Tables 3, 4 and 6: recall over each subset's questions, all of which the run answers."""
    printed = {**PRINTED, **BY_QUALITY, **BY_SOURCE}[below]
    dataset = pt.get_dataset(f"irds:litsearch/{below}")
    topics, qrels = dataset.get_topics("query"), dataset.get_qrels()
    assert set(topics["qid"]) <= set(run["qid"])
    result = pt.Experiment({"GritLM-7B": run}, topics, qrels, list(printed))
    got = {measure: f"{100 * result[str(measure)][0]:.1f}" for measure in printed}
    assert got == printed


def released_ndcg(ranked, relevant):
    """The authors' measure, written again: 1/rank over what is found, over all that could be."""
    found = sum(1 / rank for rank, docno in enumerate(ranked, start=1) if docno in relevant)
    return found / sum(1 / rank for rank in range(1, len(relevant) + 1))


@pytest.mark.usefixtures("litsearch_home")
@pytest.mark.parametrize(
    ("below", "at_10", "at_9"), [("broad", "44.23", "44.10"), ("specific", "60.32", "60.30")]
)
def test_gritlms_ndcg(run, below, at_10, at_9):
    """Table 8 prints 44.1 and 60.3: the first is the figure at 9, the second that at 9 and 10."""
    dataset = pt.get_dataset(f"irds:litsearch/{below}")
    topics, qrels = dataset.get_topics("query"), dataset.get_qrels()
    gold = qrels.groupby("qid")["docno"].agg(set)
    best = run.sort_values(["qid", "rank"]).groupby("qid")["docno"].agg(list)
    for cutoff, expected in ((10, at_10), (9, at_9)):
        measure = NDCG(discount="reciprocal") @ cutoff
        (got,) = pt.Experiment({"GritLM-7B": run}, topics, qrels, [measure])[str(measure)]
        values = [released_ndcg(best[qid][:cutoff], gold[qid]) for qid in topics["qid"]]
        assert got == pytest.approx(sum(values) / len(values))
        assert f"{100 * got:.2f}" == expected


@pytest.mark.usefixtures("litsearch_home")
def test_the_run_answers_every_question(run):
    """All 597 take part, each with the first 200 papers."""
    topics = pt.get_dataset("irds:litsearch").get_topics("query")
    assert run.groupby("qid").size().to_dict() == dict.fromkeys(topics["qid"], 200)
    assert len(topics) == 597
