"""Whether a run fits a collection."""

import gzip
import warnings

import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly import BM25Retriever, check_run, chosen_on_dev, write_ranked_pools
from pyterrier_scholarly.collect import write_collection
from pyterrier_scholarly.evaluation import (
    RunCheck,
    from_all,
    leave_one_out,
    pool_sensitivity,
)

MINI = "scholarly-mini/method"
ALL = "scholarly-mini/all"


def pool(dataset=MINI):
    """The pools of a dataset, as a run with falling scores."""
    run = pt.get_dataset(f"irds:{dataset}").get_results()
    return run.assign(score=-run.groupby("qid").cumcount().astype(float))


def test_a_run_over_the_pools_fits():
    """All queries are answered, all documents known, all results judged; nothing is remarked."""
    run = pool()
    check = check_run(run, MINI)
    assert isinstance(check, RunCheck)
    assert check.remarks == ()
    assert (check.queries, check.answered) == (5, 5)
    assert (check.known_share, check.judged_share) == (1, 1)
    assert (check.results, check.documents) == (len(run), run["docno"].nunique())
    assert (check.outside_pools, check.own_paper, check.part) == (0, (), "")


@pytest.mark.parametrize("score", [float("nan"), float("inf"), "x"])
def test_scores_that_are_no_numbers_are_an_error(score):
    """A run without scores is checked, one with a wrong score is not."""
    run = pool()
    assert check_run(run.drop(columns="score"), MINI).results == len(run)
    wrong = run.assign(score=[score, *run["score"].astype(object)[1:]])
    with pytest.raises(ValueError, match="mine: Column 'score' must hold finite numbers"):
        check_run(wrong, MINI, name="mine")


def test_documents_of_another_collection_are_an_error():
    """It names documents of the run and of the collection, and what to pass."""
    foreign = pool().assign(docno=lambda run: "doc-" + run["docno"])
    with pytest.raises(ValueError, match=r"mine has no document of scholarly-mini/method") as error:
        check_run(foreign, MINI, name="mine")
    assert foreign["docno"].min() in str(error.value)
    assert pool()["docno"].min() in str(error.value)
    assert "Pass a run over such documents, or the dataset" in str(error.value)


@pytest.mark.parametrize(
    ("run", "dataset", "remedy"),
    [
        (
            lambda: pool().assign(qid=lambda run: "x" + run["qid"]),
            MINI,
            "Pass a run over such queries, or the dataset",
        ),
        (lambda: pool(), ALL, r"Join the runs of single facets: to_all\("),
        (lambda: pool(ALL), MINI, r"Take the run of a single facet: from_all\("),
    ],
)
def test_queries_of_another_dataset_are_an_error(run, dataset, remedy):
    """The remedy knows ids of papers, and of papers with facets."""
    with pytest.raises(ValueError, match=f"run has no query of {dataset}.*{remedy}"):
        check_run(run(), dataset)


def test_some_foreign_ids_are_remarked():
    """How many, and the first of them; the share of known documents says it, too."""
    run = pool()
    documents = run["docno"].unique()
    renamed = run.replace({"docno": {documents[0]: "d0"}, "qid": {run["qid"].iloc[0]: "q0"}})
    check = check_run(renamed, MINI)
    assert check.unknown_documents == ("d0",)
    assert check.known_share == 1 - 1 / len(documents)
    assert check.unknown_queries == ("q0",)
    assert check.missing_queries == (run["qid"].iloc[0],)
    missing, unknown, documents = (remark for remark in check.remarks if "outside" not in remark)
    assert missing.startswith("no results for 1 of 5 queries")
    assert unknown.startswith("1 of its queries are not in scholarly-mini/method (q0)")
    assert "of its documents are not in scholarly-mini/method (d0)" in documents


def test_the_query_paper_among_the_results_is_remarked():
    """A retriever over all papers finds the query itself first, which is not judged."""
    topics = pt.get_dataset(f"irds:{MINI}").get_topics("query")
    papers = pd.DataFrame({"qid": topics["qid"], "docno": topics["qid"], "score": 1e6})
    check = check_run(pd.concat([papers, pool()]), MINI)
    assert set(check.own_paper) == set(topics["qid"])
    assert check.own_paper_first == len(topics)
    assert any(
        "own paper is among the results of 5 queries, first for 5" in r for r in check.remarks
    )
    last = check_run(pd.concat([papers.assign(score=-1e6), pool()]), MINI)
    assert (len(last.own_paper), last.own_paper_first) == (5, 0)


def perfect(score=None):
    """A perfect ranking of the judged documents, with ranks from 1, scored by rank and number."""
    qrels = pt.get_dataset(f"irds:{MINI}").get_qrels()
    run = qrels.sort_values(["qid", "label"], ascending=[True, False], ignore_index=True)
    rank = run.groupby("qid").cumcount() + 1
    return run[["qid", "docno"]].assign(rank=rank, score=score(rank) if score else -rank)


def figure(run):
    """NDCG%20 of a run, by PyTerrier."""
    dataset = pt.get_dataset(f"irds:{MINI}")
    found = pt.Experiment([run], dataset.get_topics("query"), dataset.get_qrels(), ["NDCG%20"])
    return found["NDCG%20"][0]


@pytest.mark.parametrize("first_rank", [0, 1])
def test_scores_that_fall_with_ranks_are_not_remarked(first_rank):
    """Wherever ranks begin; ranks that are all alike, as some programs write them, say nothing."""
    run = perfect().assign(rank=lambda run: run["rank"] - 1 + first_rank)
    assert check_run(run, MINI).remarks == ()
    assert check_run(run.assign(rank=0, score=-run["rank"]), MINI).remarks == ()
    assert check_run(run.assign(rank=run["rank"].astype(str)), MINI).remarks == ()


def test_scores_that_contradict_ranks_are_remarked():
    """Distances, and ranks that count backwards; with the figure by scores and by ranks."""
    for run in (perfect(lambda rank: rank), perfect().assign(rank=lambda run: -run["rank"])):
        (remark,) = check_run(run, MINI).remarks
        assert "scores and ranks contradict each other for 5 of 5 queries (110" in remark
        by_ranks = figure(run.assign(score=-run["rank"]))
        said = f"{figure(run):.4f}; by the run's ranks it would be {by_ranks:.4f}."
        assert f"NDCG%20 is {said}" in remark
        assert {figure(run), by_ranks} == {0, 1}


def test_one_query_whose_ranks_contradict_its_scores_is_named():
    """The others are as they should be."""
    run = perfect()
    is_first = run["qid"] == "122"
    check = check_run(run.assign(score=run["score"].mask(is_first, run["rank"])), MINI)
    assert check.order.inverted_queries == ("122",)
    assert check.order.by_ranks == 1
    assert check.order.value == pytest.approx(4 / 5)


def test_ties_are_remarked_with_what_they_may_change():
    """Scores of few digits: the figure by ids, and the lowest and highest of all orders."""
    run = perfect(lambda rank: -(rank // 4).astype(float))
    check = check_run(run, MINI)
    (remark,) = check.remarks
    assert f"of {len(run)} results share their score" in remark
    assert check.order.tied == run.duplicated(["qid", "score"], keep=False).sum()
    assert check.order.value == pytest.approx(figure(run))
    assert check.order.lowest < check.order.value < check.order.highest
    assert check.order.highest == check.order.by_ranks == 1
    assert "by the run's ranks it would be 1.0000" in remark
    without_ranks = check_run(run.drop(columns="rank"), MINI)
    assert "by the run's ranks" not in without_ranks.remarks[0]


def test_the_lowest_figure_of_ties_is_that_of_the_worst_order():
    """All scores alike: the worst order is that of rising grades."""
    worst = perfect().assign(score=lambda run: run["rank"])
    check = check_run(perfect(lambda rank: 0 * rank), MINI)
    assert check.order.constant_queries == tuple(perfect()["qid"].unique())
    assert (check.order.lowest, check.order.highest) == (figure(worst), 1)
    assert "For 5 of 5 queries (110, 122, 137, 138, 142) all results have one score" in str(check)


def test_ties_that_change_nothing_are_not_remarked():
    """Documents of one grade may share a score."""
    run = perfect()
    qrels = pt.get_dataset(f"irds:{MINI}").get_qrels()
    graded = run.merge(qrels, on=["qid", "docno"])
    check = check_run(graded[["qid", "docno", "rank"]].assign(score=graded["label"]), MINI)
    assert check.order.tied > 0
    assert check.remarks == ()


def test_a_query_that_matches_no_document_is_remarked():
    """BM25 fills its results up with documents of score 0, in the order of the collection."""
    topics = pd.DataFrame({"qid": ["110", "122"], "query": ["zzz qqq", "noise model sentences"]})
    with pytest.warns(UserWarning, match=r"BM25Retriever: 1 of 2 queries match no document \(110"):
        run = BM25Retriever("scholarly-mini", num_results=4)(topics)
    check = check_run(run, MINI)
    assert check.order.constant_queries == ("110",)
    assert check.order.value == pytest.approx(figure(run))  # over all queries, as everywhere
    with warnings.catch_warnings(action="error", category=UserWarning):
        BM25Retriever("scholarly-mini", num_results=4)(topics[1:])


def test_results_outside_the_pools_are_remarked():
    """As a share of the results; the rest are judged."""
    topics = pt.get_dataset(f"irds:{MINI}").get_topics("query")
    run = BM25Retriever("scholarly-mini", num_results=48)(topics)
    check = check_run(run, MINI)
    assert check.outside_pools == len(run) - len(pool())
    assert check.judged_share == len(pool()) / len(run)
    share = f"{check.outside_pools / len(run):.0%}"
    assert any(r.startswith(f"{share} of its results are outside the pools") for r in check.remarks)


@pytest.fixture
def unpooled(tmp_path, monkeypatch):
    """A collection of a hundred documents without pools, and two judged queries."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path))
    docs = [{"doc_id": f"d{number}", "title": "", "text": "a"} for number in range(100)]
    queries = [{"query_id": qid, "query": "a"} for qid in ("1", "2", "3")]
    qrels = [{"query_id": qid, "doc_id": f"d{qid}", "relevance": 1} for qid in ("1", "2")]
    about = {"description": "D", "licence": "CC0"}
    write_collection("plain", docs, queries=queries, qrels=qrels, **about)
    return "made/plain"


def ranking(*rankings):
    """A run of the queries 1, 2, …, each a range of documents."""
    rows = [
        (str(qid), f"d{number}", -float(rank))
        for qid, numbers in enumerate(rankings, 1)
        for rank, number in enumerate(numbers)
    ]
    return pd.DataFrame(rows, columns=["qid", "docno", "score"])


def test_a_run_over_a_part_of_the_documents_is_remarked(unpooled):
    """Two queries with the same 30 of 100 documents: the others were not ranked."""
    check = check_run(ranking(range(30), range(30)), unpooled)
    assert check.part == "30 of 100 documents"
    assert any("30 of 100 documents only, not comparable" in remark for remark in check.remarks)
    others = (range(30), range(20, 50)), (range(60), range(60)), (range(30), range(5))
    for other in (ranking(*documents) for documents in others):
        assert check_run(other, unpooled).part == ""


def test_queries_without_judgements_need_no_results(unpooled):
    """Query 3 has none: its results are no fault, nor is their absence."""
    assert check_run(ranking(range(5), range(5, 10)), unpooled).remarks == ()
    assert check_run(ranking(range(5), range(5, 10), range(5)), unpooled).remarks == ()


def test_a_run_for_queries_without_judgements_is_an_error(unpooled):
    """Query 3 is known, and not judged: nothing can be said of the run."""
    alone = ranking((), (), range(5))
    with pytest.raises(
        ValueError, match=r"made/plain that has judgements: it has 3; .* 1, 2\. Pass"
    ):
        check_run(alone, unpooled)


def test_a_run_without_a_judged_result_is_remarked(unpooled):
    """Its documents and queries are known, yet every figure is 0."""
    check = check_run(ranking([50], [51]), unpooled)
    assert check.judged_share == 0
    assert any("none of its results is judged" in remark for remark in check.remarks)


@pytest.mark.parametrize(
    ("run", "said"),
    [
        (lambda: pool().head(0), "run has no results"),
        (lambda: pool().assign(qid=1), "must hold texts"),
        (lambda: pd.concat([pool(), pool()]), "^run: Duplicate qid docno"),
    ],
)
def test_a_broken_run_is_an_error(run, said):
    """No results, ids that are numbers, and documents that are there twice."""
    with pytest.raises(ValueError, match=said):
        check_run(run(), MINI)


def test_a_dataset_without_judgements_is_an_error():
    """There is nothing to check against."""
    with pytest.raises(ValueError, match="scholarly-mini has no judgements"):
        check_run(pool(), "scholarly-mini")


def test_a_file_is_checked(tmp_path):
    """In TREC's format, zipped; and one facet in the authors', for the dataset of all facets."""
    run = pool()
    lines = [f"{r.qid} Q0 {r.docno} 0 {r.score} x\n" for r in run.itertuples()]
    (tmp_path / "run.gz").write_bytes(gzip.compress("".join(lines).encode()))
    assert check_run(tmp_path / "run.gz", MINI).remarks == ()
    write_ranked_pools(run, tmp_path / "ours-method.json")
    check = check_run(tmp_path / "ours-method.json", ALL)
    assert check.answered == 5
    assert check.results == len(run)


def test_it_prints_what_it_found():
    """A line of counts, then a line for each remark."""
    text = str(check_run(pool()[lambda run: run["qid"] != run["qid"].iloc[0]], MINI, name="mine"))
    first, second = text.splitlines()
    assert first.startswith("mine, scholarly-mini/method: 4 of 5 judged queries answered, 100.0%")
    assert second.startswith("- no results for 1 of 5 queries")


def test_what_evaluates_runs_checks_them_first():
    """A run of other documents is an error, where every change would be 0."""
    whole = pool(ALL)
    foreign = whole.assign(docno="x" + whole["docno"])
    qrels = pt.get_dataset(f"irds:{ALL}").get_qrels()
    with pytest.raises(ValueError, match="mine has no document of scholarly-mini/all"):
        leave_one_out({"mine": foreign}, ALL, ["NDCG%20"])
    with pytest.raises(ValueError, match="mine has no document of the judgements and pools"):
        pool_sensitivity({"mine": foreign}, qrels, {"all": whole}, ["NDCG%20"])
    features = foreign.assign(features=[[1.0]] * len(foreign))
    with pytest.raises(ValueError, match="scored has no document of scholarly-mini/all"):
        chosen_on_dev(features, ALL, [(1.0,)])


def test_leaving_one_out_warns_of_a_run_that_misses_queries():
    """They count as 0 there."""
    whole = pool(ALL)
    part = whole[whole["qid"] != whole["qid"].iloc[0]]
    with pytest.warns(UserWarning, match="mine: no results for 1 of 16 queries"):
        leave_one_out({"mine": part}, ALL, ["NDCG%20"])


@pytest.mark.parametrize(("column", "kind"), [("docno", "documents"), ("qid", "queries")])
def test_measures_warn_of_a_run_of_another_collection(column, kind):
    """Ours do, once for each run of a `pt.Experiment`; nothing is said of a run that fits."""
    dataset = pt.get_dataset(f"irds:{MINI}")
    topics, qrels, run = dataset.get_topics("query"), dataset.get_qrels(), pool()
    foreign = run.assign(**{column: "x" + run[column]})
    measures = ["NDCG%20", "PLastRel"]
    with pytest.warns(UserWarning, match=f"None of the run's {kind} .such as 'x") as caught:
        pt.Experiment([foreign], topics, qrels, measures)
    assert sum("None of the run's" in str(warning.message) for warning in caught) == 1
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        pt.Experiment([run], topics, qrels, measures)
    assert not [warning for warning in caught if "None of the run's" in str(warning.message)]


def test_published_rankings_fit(data, real_home):
    """CSFCube's, DORIS-MAE's and LitSearch's: known, and without a remark but for other facets."""
    folder = data("csfcube", "sample_ranked_pools")
    for facet in ("background", "result"):
        file = folder / f"test-pid2pool-csfcube-specter-{facet}-ranked.json"
        assert check_run(file, f"csfcube/{facet}").remarks == ()
        (remark,) = check_run(file, "csfcube/all").remarks
        assert remark.startswith("no results for 3")
    for file in data("doris-mae", "rankings").glob("*.json"):
        assert check_run(file, "doris-mae").remarks == ()
    run = data("litsearch", "runs", "gritlm-7b.title_abstract.trec.gz")
    check = check_run(run, "litsearch")
    assert check.remarks == ()
    assert check.answered == check.queries == 597


def test_searching_the_papers_at_hand_is_remarked(litsearch_home):
    """All results are of the 459 papers that are present, of 64,183."""
    topics = pt.get_dataset("irds:litsearch/author/broad").get_topics("query")
    run = BM25Retriever("litsearch", num_results=20)(topics)
    check = check_run(run, "litsearch/author/broad")
    assert check.part == "459 of 64,183 documents"
    assert check.remarks[0].startswith("results from 459 of 64,183 documents only")
    counts = str(check).splitlines()[0]
    assert f"100.0% of the run's {run['docno'].nunique()} documents present" in counts
    assert counts.endswith("At hand are 459 of 64,183 documents.")


def test_facets_are_split_and_joined_as_the_remedies_say():
    """The remedies of the errors make the runs fit."""
    assert check_run(from_all(pool(ALL))["method"], MINI).remarks == ()
