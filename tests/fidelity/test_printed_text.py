"""Figures of the papers' text: held against that text, against the releases, or both."""

import csv
import inspect
from collections import Counter

import ir_datasets
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import AP, NDCG, RR, P, R

from pyterrier_scholarly import OneHop, fold_mean, published, read_ranked_pools
from pyterrier_scholarly import statistics as describe
from pyterrier_scholarly.collect import agreement, single_ratings
from pyterrier_scholarly.evaluation import printed_tables
from pyterrier_scholarly.measures import PLastRel
from pyterrier_scholarly.protocols import GUIDELINES, LISTWISE, PROTOCOLS, TITLE_LIMITS
from pyterrier_scholarly.text.nltk_words import nltk_tokens

#: table -> the paper's file, and for each quantity its figure, and words of the paper with it
TEXT = {
    ("csfcube", "annotation"): (
        "csfcube.txt",
        {
            "annotators": ("4", "by four graduate-level"),
            "of these hired": ("2", "and 2 hired annotators"),
            "rounds in which the guidelines were written": ("4", "over 4 iterations"),
            "agreement of hired annotators with the training set (Spearman's ρ)": (
                *("0.5 to 0.7", "agreements of 0.5 − 0.7"),
            ),
            "annotators of a pair": ("2", "by two independent annotators"),
            "adjudicators of a pair on which they differ": ("1", "a third adjudicator"),
            "mean percent of a query's pairs in which both are over-ruled": (
                *("2 to 3", "2-3% on average per query"),
            ),
            "dollars an hour": ("22.5", "USD 22.5"),
            "weeks": ("3", "period of 3 weeks"),
        },
    ),
    ("csfcube", "selection"): (
        "csfcube.txt",
        {
            "papers that the top 25 of the methods have in common": (
                *("1 to 4", "between 1-4 papers in common"),
            ),
        },
    ),
    ("litsearch", "3.2"): (
        "litsearch.txt",
        {
            "vanilla, papers in the context": ("100", "n=100"),
            "vanilla, average words of the context": ("13844", "of 13,844 words"),
            "one-hop, papers whose citations are added": ("50", "m=50"),
            "one-hop, papers in the context": ("200", "n=200"),
            "one-hop, average words of the context": ("27544", "of 27,544 words"),
        },
    ),
    ("litsearch", "selection"): (
        "litsearch.txt",
        {
            "citations, version of S2ORC": ("2024-03-26", "the 2024-03-26 version"),
            "citations, venue of the target papers": ("ACL Anthology", "from the ACL Anthology"),
            "citations, demonstrations in the prompt that asks for a question": (
                *("2", "include two demonstrations"),
            ),
            "filter by title, ACL-sourced, percent of the questions that were removed": (
                *("5", "filter out 5% of the ACL sourced"),
            ),
            "filter by title, Non-ACL-sourced, percent of the questions that were removed": (
                *("80", "and 80% of the non-ACL sourced"),
            ),
            "invitation, ACL 2023, authors who were invited": ("623", "623 ACL 2023 authors"),
            "invitation, ICLR 2024, authors who were invited": ("404", "404 ICLR 2024 authors"),
            "invitation, ACL 2023, questions that came in": ("175", "175 questions from ACL"),
            "invitation, ICLR 2024, questions that came in": ("117", "117 questions from ICLR"),
            "filter by people, people who examined a question": ("1", "assigned to one author"),
            "filter by people, ACL-sourced, questions that were examined": (
                *("382", "examined 382 ACL sourced"),
            ),
            "filter by people, Non-ACL-sourced, questions that were examined": (
                *("450", "and 450 non-ACL sourced"),
            ),
            "filter by people, ACL-sourced, percent of the questions that were kept": (
                *("26", "26% (98 instances)"),
            ),
            "filter by people, Non-ACL-sourced, percent of the questions that were kept": (
                *("56", "56% (253 instances)"),
            ),
            "filter by people, ACL 2023, percent of the questions that were kept": (
                *("89", "kept 89% (155)"),
            ),
            "filter by people, ICLR 2024, percent of the questions that were kept": (
                *("78", "78% (91)"),
            ),
        },
    ),
    ("doris-mae", "text"): (
        "doris-mae-appendix.txt",
        {
            "fewest aspects of a query": ("3", "from 3 to 9 per query"),
            "most aspects of a query": ("9", "from 3 to 9 per query"),
            "fewest sub-aspects of an aspect": ("0", "from 0 to 6 per aspect"),
            "most sub-aspects of an aspect": ("6", "from 0 to 6 per aspect"),
            "fewest abstracts of a pool": ("99", "from 99 to 138"),
            "most abstracts of a pool": ("138", "from 99 to 138"),
            "first year of the corpus": ("2011", "between 2011-2021"),
            "last year of the corpus": ("2021", "between 2011-2021"),
            "queries of the first release (v0)": ("50", "It has 50 complex queries"),
            "annotated pairs of an aspect and an abstract in v0": ("83591", "contains 83,591"),
            "fewest words of a query of v0": ("95", "between 95 to 217 words"),
            "most words of a query of v0": ("217", "between 95 to 217 words"),
            "queries without a relevant abstract": ("4", "four queries lack any relevant"),
            "percent of NDCG%10 that a random ranking has": ("48.71", "value of 48.71%"),
            "queries of a set for training": ("10000", "10,000 complex queries"),
            "abstracts of each of their pools": ("100", "candidate pool of 100 abstracts"),
            "keys of the API for these": ("10", "with ten API keys"),
            "hours for these": ("240", "approximately 240 hours"),
            "experts who try out the prompt in another field": ("3", "three expert annotators"),
            "hours of each of them": ("20", "an average of 20 hours"),
            "dollars that the API cost less than": ("100", "less than \\$100"),
        },
    ),
}
#: how our copy of LitSearch prints formulas: as text, and again as markup
FORMULAS = {3 * number: "" for number in ("623", "404", "175", "117")}


def read_values(collection, table):
    """Return the column `value` of a table as texts, by the texts before it."""
    frame = printed_tables(collection)[table].astype(object).fillna("").astype(str)
    labels = frame.loc[:, :"value"].drop(columns="value")
    if (collection, table) == ("csfcube", "selection"):
        labels = labels[["quantity"]]  # each stands once
    names = [", ".join(filter(None, row)) for row in labels.itertuples(index=False)]
    return dict(zip(names, frame["value"].str.removesuffix(".0")))


@pytest.mark.parametrize(("collection", "table"), TEXT)
def test_figures_stand_in_the_papers_text(data, collection, table):
    """Each figure is as typed here, beside words that are in the paper."""
    file, figures = TEXT[collection, table]
    text = " ".join(data("..", "papers", file).read_text(encoding="utf-8").split())
    for doubled, once in FORMULAS.items():
        text = text.replace(doubled, once)
    values = read_values(collection, table)
    for quantity, (value, words) in figures.items():
        assert values[quantity] == value, quantity
        assert words in text, quantity


def test_csfcubes_both_annotators_are_over_ruled_as_rarely_as_printed(csfcube_home):
    """Section 4: 2 to 3 % of a query's pairs, in each facet, rounded."""
    low, high = read_values("csfcube", "annotation")[
        "mean percent of a query's pairs in which both are over-ruled"
    ].split(" to ")
    for facet in ("background", "method", "result"):
        rulings = agreement(single_ratings(f"csfcube/{facet}"), "reference").rulings
        percent = 100 * (rulings["overruled"] / rulings["rated"]).mean()
        assert int(low) <= round(percent) <= int(high)


def test_csfcubes_query_papers_are_of_the_classes_that_are_left(data, csfcube_home):
    """The guidelines: surveys are left out, and each period has query papers."""
    values = read_values("csfcube", "selection")
    assert values["class that is left out"] == "surveys"
    with data("csfcube", "queries-release.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    left = values["classes that are left"]
    for kind in {row["paper type"] for row in rows}:
        assert kind.split("/")[0].split("-")[0] in left
    periods = Counter((max(int(row["year"]), 1995) - 1995) // 5 for row in rows)
    assert sorted(periods) == list(range(int(values["periods of about five years"])))
    drawn = int(values["papers drawn at random of each period"]) * len(periods)
    assert str(drawn) == values["papers drawn at random over the period"]


def test_csfcubes_guidelines_for_all_facets_and_for_methods():
    """Several aspects, wrong labels and unknown terms: of all facets; a mention: of methods."""
    for name in ("csfcube", "csfcube/background", "csfcube/method", "csfcube/result"):
        text = " ".join(GUIDELINES[name].words)
        assert "several salient aspects" in text and "any one of them suffices" in text
        assert "correct wrong ones in your mind" in text and "Look up terms" in text
        assert ("mere mention of a method" in text) == (name in ("csfcube", "csfcube/method"))


#: label of a column of the table "script" -> our measure; F1@20 is made of two others
SCRIPT = {
    "R-Precision": PLastRel(rel=2),
    "P@20": P(rel=2) @ 20,
    "R@20": R(rel=2) @ 20,
    "NDCG%100": NDCG % 100,
    "NDCG@20": pt.scholarly.NDCG(discount="csfcube") @ 20,
    "NDCG%20": NDCG % 20,
    "MRR": RR(rel=2),
    "MAP": AP(rel=2),
}


@pytest.mark.parametrize("facet", ["background", "result"])
def test_the_scripts_figures_on_its_rankings(data, csfcube_home, facet):
    """All that the authors' script computes, dev and test; F1@20 is of each query's P and R."""
    name = f"test-pid2pool-csfcube-specter-{facet}-ranked.json"
    run = read_ranked_pools(data("csfcube", "sample_ranked_pools", name))
    dataset = pt.get_dataset(f"irds:csfcube/{facet}")
    topics, qrels = dataset.get_topics("query"), dataset.get_qrels()
    perquery = pt.Experiment({"SPECTER": run}, topics, qrels, list(SCRIPT.values()), perquery=True)

    wide = perquery.pivot(index="qid", columns="measure", values="value")
    precision, recall = wide[str(SCRIPT["P@20"])], wide[str(SCRIPT["R@20"])]
    f1 = (2 * precision * recall / (precision + recall)).fillna(0)
    rows = pd.DataFrame({"name": "SPECTER", "qid": f1.index, "measure": "F1", "value": f1.values})
    means = fold_mean(pd.concat([perquery, rows], ignore_index=True), dataset)

    printed = printed_tables("csfcube")["script"].query("facet == @facet").set_index("split")
    for label, measure in {**SCRIPT, "F1@20": "F1"}.items():
        found = means[means["measure"] == str(measure)].set_index("split")["value"]
        for split in ("dev", "test"):
            assert f"{found[split]:.4f}" == f"{printed.loc[split, label] / 100:.4f}", label


def test_the_scripts_test_figures_are_those_of_specters_row():
    """Of all four facets: the same cells stand in `published`."""
    script = printed_tables("csfcube")["script"].set_index(["facet", "split"])
    assert script.index.get_level_values("facet").unique().tolist() == [
        *("background", "method", "result", "all")
    ]
    figures = published("csfcube").query("name == 'SPECTER'")
    for figure in figures.itertuples():
        if figure.label in script:
            cell = script.loc[(figure.subset, "test"), figure.label]
            assert f"{100 * figure.value:.2f}" == f"{cell:.2f}"
    cells = script.xs("test", level="split")["NDCG@20"]
    assert cells.tolist() == [66.24, 37.65, 56.43, 53.14]


def test_litsearchs_questions_add_up():
    """Sections 2.1 to 2.3: percentages by the counts; what is kept is in the release's tables."""
    table = printed_tables("litsearch")["selection"]
    cells = table.set_index(["step", "questions", "quantity"])["value"].to_dict()
    released = printed_tables("litsearch")["14"].set_index("set")["Total #Q"]
    for name in ("ACL-sourced", "Non-ACL-sourced", "ACL 2023", "ICLR 2024"):
        step = "filter by people"
        kept = int(cells[step, name, "questions that were kept"])
        examined = int(cells[step, name, "questions that were examined"])
        percent = int(cells[step, name, "percent of the questions that were kept"])
        assert round(100 * kept / examined) == percent and released[name] == kept
    assert released.sum() == PROTOCOLS["litsearch"].query_counts[""]
    for name, source in (("ACL-sourced", "inline-acl"), ("Non-ACL-sourced", "inline-nonacl")):
        limit = cells[
            "filter by title",
            name,
            "largest share of a question's words in the titles of its papers",
        ]
        assert float(limit) == TITLE_LIMITS[source]


def test_gpt_4o_reads_as_many_papers_as_printed():
    """Section 3.2: the defaults here are the paper's n and m."""
    values = read_values("litsearch", "3.2")
    one_hop = inspect.signature(OneHop).parameters
    assert str(one_hop["m"].default) == values["one-hop, papers whose citations are added"]
    assert str(one_hop["n"].default) == values["one-hop, papers in the context"]
    assert str(LISTWISE["litsearch"].window) == values["vanilla, papers in the context"]


def test_doris_maes_queries_are_as_the_text_says(real_home):
    """A.3: aspects and sub-aspects of the release's 100 queries."""
    values = {name: float(value) for name, value in read_values("doris-mae", "text").items()}
    table = describe("doris-mae")["queries"].set_index("quantity")
    for quantity, name in (
        ("aspects", "aspects of a query"),
        ("sub_aspects_of_an_aspect", "sub-aspects of an aspect"),
    ):
        assert table.loc[quantity, "min"] == values[f"fewest {name}"]
        assert table.loc[quantity, "max"] == values[f"most {name}"]
    random = published("doris-mae").query("name == 'random' and table == '11'")
    ndcg = random.set_index("label")["value"]["NDCG%10"]
    assert round(100 * ndcg, 2) == values["percent of NDCG%10 that a random ranking has"]


def test_doris_maes_words_are_nltks_tokens_of_the_first_fifty_queries(real_home):
    """F.2: 95 to 217 words, of the fifty queries of v0; by blanks it is 86 to 199."""
    values = {name: float(value) for name, value in read_values("doris-mae", "text").items()}
    queries = [query.query for query in ir_datasets.load("doris-mae").queries_iter()]
    first_count = int(values["queries of the first release (v0)"])
    token_counts = [len(nltk_tokens(query)) for query in queries[:first_count]]
    assert min(token_counts) == values["fewest words of a query of v0"]
    assert max(token_counts) == values["most words of a query of v0"]
    word_counts = [len(query.split()) for query in queries]
    assert (min(word_counts), max(word_counts)) == (86, 199)


def test_table_10_is_printed_with_two_means_of_cvs_sub_queries(data):
    """Our copy of the paper has .633 in one place and .642 in another; the latter stands here."""
    text = data("..", "papers", "doris-mae-appendix.txt").read_text(encoding="utf-8")
    assert "2.000 & 0.633" in text and ".000 & 0.642 & 0.434" in text
    table = printed_tables("doris-mae")["10"].set_index(["of", "type"])
    assert table.loc[("Sub-query", "CV"), "Mean"] == 0.642
