"""`compare`: what its frames say, over the embedded collection and over small ones."""

import itertools
from operator import attrgetter

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import nDCG
from scipy import stats

from pyterrier_scholarly import LSA, NDCG, compare, explain, reproduce, systems
from pyterrier_scholarly.collect import write_collection

from .conftest import MINI

NAMES = ["one_encoding", "fabs_bm25"]
EXACT = 1e-9


def values(compared, name):
    """A system's values by query, as ir_measures computes them."""
    run = pt.model.to_ir_measures(compared.find(name).run)
    qrels = pt.model.to_ir_measures(compared.judgements)
    metrics = ir_measures.iter_calc([NDCG % 20], qrels, run)
    return pd.Series({metric.query_id: metric.value for metric in metrics})


def test_shares_add_up_to_each_querys_difference(compared):
    """Every query's papers have shares that add up to its difference by ir_measures."""
    differences = values(compared, "one_encoding") - values(compared, "fabs_bm25")
    for qid, difference in differences.items():
        assert compared.papers(qid)["share"].sum() == pytest.approx(difference, abs=EXACT)
    assert differences.abs().max() > 0.1


def test_the_overview_is_that_of_a_paired_test(compared):
    """Means, p and counts are those of the differences; Holm's p is at least as large."""
    differences = values(compared, "one_encoding") - values(compared, "fabs_bm25")
    row = compared.overview.set_index("subset").loc["all"]
    assert row["difference"] == pytest.approx(differences.mean())
    assert row["p"] == pytest.approx(stats.ttest_1samp(differences, 0).pvalue)
    assert row["better"] == (differences > EXACT).sum()
    assert row["better"] + row["equal"] + row["worse"] == row["queries"] == len(differences)
    assert (compared.overview["p_holm"] >= compared.overview["p"]).all()


def test_the_detectable_difference_is_found_with_power_080(compared):
    """The noncentral t distribution gives the probability that a test finds it."""
    differences = values(compared, "one_encoding") - values(compared, "fabs_bm25")
    detectable = compared.overview.set_index("subset").loc["all", "detectable"]
    count = len(differences)
    noncentrality = detectable / differences.std(ddof=1) * np.sqrt(count)
    critical = stats.t.ppf(0.975, count - 1)
    found = stats.nct.sf(critical, count - 1, noncentrality)
    found += stats.nct.cdf(-critical, count - 1, noncentrality)
    assert found == pytest.approx(0.8, abs=1e-6)


def test_parts_add_up_and_the_last_is_the_system(compared):
    """All parts together measure as the system does; one fewer measures as the sum without it."""
    parts = compared.parts().set_index("part")
    whole = compared.overview.set_index("subset").loc["all", "value"]
    assert parts.loc["all", "alone"] == pytest.approx(whole, abs=EXACT)
    assert parts["so_far"].iloc[-2] == pytest.approx(whole, abs=EXACT)
    assert parts["gap"].iloc[:-1].sum() == pytest.approx(parts.loc["all", "gap"])
    assert parts["without"].iloc[-2] == pytest.approx(parts["so_far"].iloc[-3], abs=EXACT)


def test_parts_are_those_that_explain_finds(compared):
    """For one paper they differ from explain's only by the pool's means, which order nothing."""
    from pyterrier_scholarly.comparison.score_addends import split_scores

    pipeline = compared.find("one_encoding").pipeline
    topic = compared.topics.head(1)
    scored = split_scores(pipeline, topic)
    first, second = scored.parts.iloc[0], scored.parts.iloc[1]
    docnos = [scored.parts.index[n][1] for n in (0, 1)]
    explained = [
        pd.Series({part.name: part.value for part in explain(pipeline, topic, docno).parts})
        for docno in docnos
    ]
    steps = explained[0].sub(explained[1], fill_value=0)  # a part of 0 has no row
    steps = steps[steps.index.isin(scored.parts.columns)]
    assert len(steps) >= 4
    assert steps.to_dict() == pytest.approx((first - second)[steps.index].to_dict(), abs=1e-6)


def test_a_part_alone_is_tested_against_the_baseline(compared):
    """The first part's ranking, measured by ir_measures, and scipy's test against the baseline."""
    from pyterrier_scholarly.comparison.score_addends import split_scores

    scored = split_scores(compared.find("one_encoding").pipeline, compared.topics)
    alone = scored.parts.iloc[:, 0].rename("score").reset_index()
    qrels = pt.model.to_ir_measures(compared.judgements)
    metrics = ir_measures.iter_calc([NDCG % 20], qrels, pt.model.to_ir_measures(alone))
    of_part = pd.Series({metric.query_id: metric.value for metric in metrics})
    differences = of_part - values(compared, "fabs_bm25")

    parts = compared.parts()
    row = parts.iloc[0]
    assert row["alone_difference"] == pytest.approx(differences.mean(), abs=EXACT)
    assert row["alone_p"] == pytest.approx(stats.ttest_1samp(differences, 0).pvalue)
    smallest = parts["alone_p"].min()
    assert parts["alone_p_holm"].min() == pytest.approx(min(1, smallest * len(parts)))
    whole = parts.set_index("part").loc["all"]
    overview = compared.overview.set_index("subset").loc["all"]
    assert whole["alone_p"] == pytest.approx(overview["p"])


def test_a_p_value_of_parts_that_is_missing_has_a_reason():
    """Of one query there is no test; a part that ranks as the baseline does needs none."""
    both = systems(MINI)["fabs_tfidf"] + systems(MINI)["fabs_bm25"]
    compared = compare(
        {"sum": both}, "fabs_bm25", dataset=MINI, by=attrgetter("query_id"), verbose=False
    )
    qid = compared.values.index[0]
    with pytest.warns(UserWarning, match=r"No p-value for .* \(one query\)"):
        parts = compared.parts(subset=qid)
    assert parts["without_p"].isna().all()


def test_a_baseline_that_is_a_sum_has_parts_too():
    """Each part is set against the whole; the whole is not tested against itself."""
    encoder = LSA(MINI)
    turned = compare("fabs_bm25", "one_encoding", MINI, encoder=encoder, verbose=False)
    assert turned.parted == ["one_encoding"]
    whole = turned.parts().iloc[-1]
    assert whole["alone_difference"] == pytest.approx(0, abs=EXACT)
    assert np.isnan(whole["alone_p"])


def test_parts_of_a_sample_add_up():
    """Where candidates stand for others, parts are centred and scaled as the score is."""
    from pyterrier_scholarly.comparison.score_addends import split_scores
    from pyterrier_scholarly.transformers import ZScore

    results = pd.DataFrame(
        {"qid": "1", "docno": list("abc"), "score": [1.0, 5, 2], "represented": [1, 1, 3]}
    )
    first = pt.Transformer.from_df(results)
    second = pt.Transformer.from_df(results.assign(score=[4.0, 0, 3]))
    pipeline = (0.5 * first + second) >> ZScore()
    scored = split_scores(pipeline, pd.DataFrame({"qid": ["1"], "query": ["?"]}))

    sums = 0.5 * np.array([1.0, 5, 2]) + np.array([4.0, 0, 3])
    mean = np.average(sums, weights=[1, 1, 3])
    deviation = np.average((sums - mean) ** 2, weights=[1, 1, 3]) ** 0.5
    scores = scored.scores.droplevel("qid")[list("abc")]
    assert scores.to_numpy() == pytest.approx((sums - mean) / deviation)
    assert scored.parts.sum(axis=1).droplevel("qid")[list("abc")].to_numpy() == pytest.approx(
        scores.to_numpy()
    )


def test_missed_papers_are_those_of_a_plain_loop(compared):
    """Each relevant paper below the cut-off stands there, with who ranks it there."""
    k = 5
    missed = compared.missed(k)
    ranks = {
        name: compared.find(name).run.set_index(["qid", "docno"])["rank"] + 1 for name in NAMES
    }
    expected = {}
    for row in compared.judgements.itertuples():
        if row.label < 1:
            continue
        pair = row.qid, row.docno
        names = [name for name in NAMES if ranks[name].get(pair, k + 1) > k]
        if names:
            expected[pair] = "all" if len(names) == 2 else names[0]
    assert dict(zip(zip(missed["qid"], missed["docno"]), missed["missed_by"])) == expected
    assert set(expected.values()) == {"all", *NAMES}


def test_what_distinguishes_says_how_much_was_looked_at(compared):
    """Each trait is tested once, and p is corrected for that number."""
    table = compared.distinguishing
    assert table["trait"].is_unique
    assert (table["looked_at"] == len(table)).all()
    assert table["p_holm"].iloc[0] == pytest.approx(min(1, table["p"].iloc[0] * len(table)))


def test_a_sentence_tells_of_the_largest_shares(compared):
    """It says which is better, by how much, and where the first paper went."""
    qid = compared.queries["qid"].iloc[0]
    paper = compared.papers(qid).iloc[0]
    said = compared.describe(qid)
    assert said.startswith("one_encoding is better than fabs_bm25 by 0.")
    assert f"paper {paper['docno']} " in said
    assert f"from {paper['baseline_rank']} to {paper['rank']}" in said


def test_rows_of_a_table_are_compared():
    """A table's rankings are compared without running anything, and equal those of its systems."""
    table = reproduce("scholarly-mini", ["fabs_tfidf", "fabs_bm25"], verbose=False)
    compared = compare(table)
    assert compared.names == ["fabs_tfidf", "fabs_bm25"]
    again = compare("fabs_tfidf", "fabs_bm25", MINI, verbose=False)
    pd.testing.assert_frame_equal(compared.values, again.values)


def test_more_systems_are_compared_with_one():
    """With three systems, each of two stands against the baseline that was named."""
    named = systems(MINI, LSA(MINI), verbose=False)[["in_context", "fabs_tfidf", "fabs_bm25"]]
    compared = compare(named, dataset=MINI, baseline="fabs_tfidf", verbose=False)
    assert compared.names == ["in_context", "fabs_bm25", "fabs_tfidf"]
    assert set(compared.overview["name"]) == {"in_context", "fabs_bm25"}
    assert compared.papers(compared.topics["qid"][0], "fabs_bm25")["share"].notna().all()


# --- a small collection of one's own, and TREC files --------------------------------------------


@pytest.fixture
def animals(tmp_path, monkeypatch):
    """The id of a collection of two queries and four documents."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "home"))
    docs = [{"doc_id": one, "text": f"All about {one}s."} for one in ("cat", "dog", "owl", "bee")]
    queries = [{"query_id": "1", "query": "a cat"}, {"query_id": "2", "query": "an owl"}]
    qrels = [
        {"query_id": "1", "doc_id": "cat", "relevance": 1},
        {"query_id": "1", "doc_id": "dog", "relevance": 0},
        {"query_id": "2", "doc_id": "owl", "relevance": 2},
    ]
    tables = {"queries": queries, "qrels": qrels}
    write_collection("animals", docs, **tables, description="D", licence="CC0-1.0")
    return "made/animals"


def ranking(**docnos):
    """Results in the order of their documents; a query's id follows q."""
    rows = [
        (name.removeprefix("q"), docno, -float(rank))
        for name, ranked in docnos.items()
        for rank, docno in enumerate(ranked)
    ]
    return pd.DataFrame(rows, columns=["qid", "docno", "score"])


def test_two_trec_files_are_compared(animals, tmp_path):
    """A relevant paper that rises from 3 to 1 gains 1 - 1/log2(4); an unjudged one is marked."""
    ours, theirs = tmp_path / "ours.trec", tmp_path / "theirs.trec"
    first = ranking(q1=["cat", "bee", "dog"], q2=["owl"])
    second = ranking(q1=["bee", "dog", "cat"], q2=["owl"])
    for run, path in ((first, ours), (second, theirs)):
        pt.io.write_results(run.assign(rank=run.groupby("qid").cumcount()), str(path))
    compared = compare({"ours": ours, "theirs": theirs}, dataset=animals, measure="nDCG@10")
    papers = compared.papers("1").set_index("docno")
    assert papers["share"].to_dict() == pytest.approx({"cat": 1 - 1 / 2, "bee": 0, "dog": 0})
    assert pd.isna(papers.loc["bee", "label"])
    assert "relevant paper cat (grade 1) rose from 3 to 1 (+0.5000)" in compared.describe("1")
    assert compared.describe("2") == "ours and theirs are equal."


def test_two_queries_have_a_page_without_tests(animals, tmp_path):
    """Two queries are too few to test what distinguishes them: the page says nothing of it."""
    runs = {"a": ranking(q1=["cat"], q2=["owl"]), "b": ranking(q1=["dog", "cat"], q2=["owl"])}
    compared = compare(runs, dataset=animals, measure="RR")
    assert compared.distinguishing.empty
    page = compared.to_html(tmp_path / "compared.html")
    assert page.read_text(encoding="utf-8").count("<script") > 0


def test_bounds_are_those_of_all_grades_of_unjudged_papers(animals):
    """A plain loop over the grades of three unjudged papers finds the lowest and highest mean.

    The highest is not the value with all of them relevant, which raises the ideal ranking, too.
    """
    run = ranking(q1=["cat", "bee", "owl"], q2=["dog", "owl"])
    compared = compare({"a": run, "b": ranking(q1=["dog"], q2=["owl"])}, animals, measure="nDCG@3")
    unjudged = [("1", "bee"), ("1", "owl"), ("2", "dog")]
    means = {}
    for grades in itertools.product(range(3), repeat=len(unjudged)):  # 2 is the best grade judged
        added = pd.DataFrame(unjudged, columns=["query_id", "doc_id"]).assign(relevance=grades)
        judgements = pt.model.to_ir_measures(compared.judgements)
        qrels = pd.concat([judgements[added.columns], added])
        results = pt.model.to_ir_measures(run)
        measured = ir_measures.calc_aggregate([nDCG @ 3], qrels, results)
        means[grades] = measured[nDCG @ 3]

    row = compared.unjudged.set_index("name").loc["a"]
    assert row["lowest"] == pytest.approx(min(means.values()), abs=1e-6)
    assert row["highest"] == pytest.approx(max(means.values()), abs=1e-6)
    assert means[2, 2, 2] < row["highest"] - 0.01
    assert compared.reason_against_bounds == ""


def test_other_measures_say_why_they_have_no_bounds(animals):
    """Without the unjudged paper on top the cat is first, so P@1 rises; it has no bounds."""
    run = ranking(q1=["bee", "cat"], q2=["owl"])
    compared = compare({"a": run, "b": ranking(q1=["dog"], q2=["owl"])}, animals, measure="P@1")
    row = compared.unjudged.set_index("name").loc["a"]
    assert row[["value", "condensed", "judged_share"]].to_list() == [0.5, 1.0, 0.5]
    assert row[["lowest", "highest"]].isna().all()
    assert compared.has_unjudged
    assert compared.reason_against_bounds.startswith("P@1 has no bounds: ")


def test_queries_that_a_run_does_not_answer_are_skipped_or_zero(animals):
    """By default they are left out, with a remark; `missing="zero"` counts them."""
    runs = {"a": ranking(q1=["cat"], q2=["owl"]), "b": ranking(q1=["dog", "cat"])}
    skipped = compare(runs, dataset=animals, measure="RR")
    assert skipped.differences["a"].to_dict() == {"1": 0.5}
    assert any("1 of 2 queries" in remark for remark in skipped.remarks)
    counted = compare(runs, dataset=animals, measure="RR", missing="zero")
    assert counted.differences["a"].to_dict() == {"1": 0.5, "2": 1.0}


def test_remarks_say_what_is_not_alike(animals):
    """Ties, and papers that one system alone ranks, are told."""
    tied = ranking(q1=["cat", "dog"], q2=["owl"]).assign(score=1.0)
    compared = compare({"a": tied, "b": ranking(q1=["cat"], q2=["owl"])}, animals, measure="RR")
    said = " ".join(compared.remarks)
    assert "a: 2 of 3 results share their score with another" in said
    assert "Papers that one of them alone ranks: 1, of queries: 1." in said


def test_a_missing_p_value_is_told(animals, tmp_path):
    """A system that is better by the same number at every query cannot be tested."""
    late = ranking(q1=["bee", "cat"], q2=["bee", "owl"])
    first = ranking(q1=["cat", "bee"], q2=["owl", "bee"])
    compared = compare({"first": first, "late": late}, animals, measure="RR")
    reason = "No p-value for first all (all 2 differences are 0.5)"
    assert compared.remarks[-1].startswith(reason)
    assert reason in str(compared)
    assert reason in compared.to_html(tmp_path / "page.html").read_text("utf-8")


def test_tags_of_readers_stand_beside_missed_papers(animals):
    """The type of an error that somebody named is shown with the paper."""
    runs = {"a": ranking(q1=["dog", "cat"], q2=["owl"]), "b": ranking(q1=["cat"], q2=["owl"])}
    tags = pd.DataFrame({"name": ["a"], "qid": ["1"], "docno": ["cat"], "error": ["context"]})
    compared = compare(runs, dataset=animals, measure="RR", tags=tags)
    row = compared.missed(1).iloc[0]
    assert (row["docno"], row["missed_by"], row["error"]) == ("cat", "a", "context")


GOOD = {"q1": ["cat"], "q2": ["owl"]}
WRONG = {
    "one system": ({"a": ranking(**GOOD)}, {}, "needs two systems or more, got 1"),
    "no pipeline": ({"a": ranking(**GOOD), "b": 7}, {}, "'b': 7 is no system"),
    "no score": (
        {"a": ranking(**GOOD), "b": ranking(**GOOD).assign(score=np.nan)},
        {},
        "b: Column 'score' must hold finite numbers; it does not for qid 1, 2",
    ),
    "no query in common": (
        {"a": ranking(q1=["cat"]), "b": ranking(q2=["owl"])},
        {},
        "have no query in common: a has 1; b has 2",
    ),
    "other documents": (
        {"a": ranking(**GOOD), "b": ranking(q1=["cow"])},
        {},
        "b has no document of made/animals",
    ),
    "other queries": (
        {"a": ranking(**GOOD), "b": ranking(q9=["cat"])},
        {},
        "b has no query of made/animals",
    ),
    "a measure": (
        {"a": ranking(**GOOD), "b": ranking(**GOOD)},
        {"measure": "nDGC@5"},
        "Did you mean 'nDCG'",
    ),
    "an option": (
        {"a": ranking(**GOOD), "b": ranking(**GOOD)},
        {"mesure": "RR"},
        "unexpected keyword argument 'mesure'",
    ),
    "a baseline": (
        {"a": ranking(**GOOD), "b": ranking(**GOOD)},
        {"baseline": "c"},
        "Unknown baseline 'c'",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_bad_input_is_named_with_its_remedy(case, animals):
    """The error says which value is wrong."""
    runs, options, said = WRONG[case]
    with pytest.raises((ValueError, TypeError), match=said):
        compare(runs, dataset=animals, **options)


def test_the_dataset_must_be_there():
    """Without a dataset, the error says where to pass it."""
    with pytest.raises(ValueError, match="needs the dataset with the judgements"):
        compare(ranking(**GOOD), ranking(**GOOD))


def test_unknown_queries_systems_and_subsets(compared):
    """Lookups name what there is."""
    with pytest.raises(ValueError, match=r"Query 'x' was not compared. Choose one of the 16"):
        compared.papers("x")
    with pytest.raises(ValueError, match=r"is the baseline\. Choose another system: one_encoding"):
        compared.papers(compared.topics["qid"][0], "fabs_bm25")
    with pytest.raises(ValueError, match=r"Unknown subset 'metod'\. Did you mean 'method'"):
        compared.parts(subset="metod")
    with pytest.raises(ValueError, match="has no parts: expected a pipeline that adds scores"):
        compared.parts("fabs_bm25")
