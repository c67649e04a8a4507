"""The page of a comparison as text; `test_clicks` has it in a real browser."""

import html
import json
import re
from pathlib import Path

import pandas as pd
import pytest

from pyterrier_scholarly import LSA, compare
from pyterrier_scholarly.cli import main
from pyterrier_scholarly.collect import write_collection

from .conftest import MINI

LARGEST = 5 * 1024**2  # bytes of a page


def read_data(text):
    """The data that the page's script reads."""
    return json.loads(
        re.search(r'<script type="application/json" id="data">(.*?)</script>', text)[1]
    )


def test_shares_on_the_page_add_up(path, compared):
    """The shares that the page shows are those of the frame, and add up to the difference."""
    data = read_data(path.read_text(encoding="utf-8"))
    for query, rows in zip(data["queries"], data["pairs"][0]["rows"]):
        shares = [row[5] for row in rows]
        difference = compared.differences.loc[query["id"], "one_encoding"]
        assert sum(shares) == pytest.approx(difference, abs=1e-6 * max(1, len(shares)))


def test_the_page_says_how_many_papers_are_explained(path):
    """Two papers' scores are taken apart, by both systems; words stand for the one that cannot."""
    text = path.read_text(encoding="utf-8")
    entries = read_data(text)["pairs"][0]["explanations"]
    assert len(entries) == 2
    assert "The scores of 2 papers with the largest shares are explained" in text
    ours, theirs = entries[0]["systems"]
    assert ours["parts"] and ours["pairs"] and not ours["reason"]
    assert theirs["reason"] and not theirs["parts"]


def test_an_encoder_matches_sentences_for_results(compared, tmp_path):
    """Where results were passed, the page says so, and shows what `explain_with` matches best."""
    runs = {name: compared.find(name).run for name in compared.names}
    passed = compare(runs, dataset=MINI, explain_with=LSA(MINI))
    text = passed.to_html(tmp_path / "passed.html", explained=1).read_text(encoding="utf-8")
    (entry,) = read_data(text)["pairs"][0]["explanations"]
    for system in entry["systems"]:
        assert system["reason"] == "Its results were passed, not its pipeline."
        assert system["byEncoder"] and system["pairs"]
        contributions = [pair[2] for pair in system["pairs"]]
        assert contributions == sorted(contributions, reverse=True)


def test_nothing_is_fetched(path):
    """No tag names a resource, and the page's policy forbids all."""
    text = path.read_text(encoding="utf-8")
    assert re.findall(r'(?:src|href)="(?!#|data:)[^"]*"', text) == []
    assert "default-src 'none'" in text and "url(" not in text


def test_a_notebook_shows_the_page(compared):
    """The whole page is in a frame, with the overview for viewers that drop frames."""
    shown = compared._repr_html_()
    frame = html.unescape(re.search(r'srcdoc="(.*?)"></iframe>', shown, re.DOTALL)[1])
    assert read_data(frame)["names"] == ["one_encoding", "fabs_bm25"]
    assert "No scores are explained on this page." in frame
    assert "<summary>Overview</summary>" in shown


def test_a_measure_without_shares_says_why():
    """The page of PLastRel shows ranks, and the reason that there are no shares."""
    compared = compare("fabs_tfidf", "fabs_bm25", MINI, measure="PLastRel", verbose=False)
    assert "share" not in compared.papers(compared.topics["qid"][0])
    assert "it depends on the rank of the last relevant paper alone" in repr(compared)


@pytest.mark.slow
def test_many_queries_make_a_page_of_some_megabytes(tmp_path, monkeypatch):
    """600 queries with 60 papers in each of two rankings stay below 5 MB."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "home"))
    docnos = [f"{n:09d}" for n in range(60)]
    docs = [{"doc_id": docno, "title": "A paper's title", "text": "Text."} for docno in docnos]
    qids = [f"query-{n}" for n in range(600)]
    queries = [{"query_id": qid, "query": "What do papers say of cats? " * 4} for qid in qids]
    qrels = [
        {"query_id": qid, "doc_id": docnos[n % 60], "relevance": 1} for n, qid in enumerate(qids)
    ]
    tables = {"queries": queries, "qrels": qrels}
    write_collection("many", docs, **tables, description="D", licence="CC0-1.0")
    pairs = pd.MultiIndex.from_product([qids, docnos], names=["qid", "docno"]).to_frame(index=False)
    position = pairs["docno"].astype(int)
    runs = {"a": pairs.assign(score=-position), "b": pairs.assign(score=position * 7919 % 61)}
    compared = compare(runs, dataset="made/many", measure="AP")
    assert compared.to_html(tmp_path / "many.html").stat().st_size < LARGEST


def test_the_command_writes_page_and_values(tmp_path, capsys):
    """`compare` in a shell prints the overview and writes both files."""
    page, values = tmp_path / "compare.html", tmp_path / "values.csv"
    words = ["compare", MINI, "fabs_tfidf", "fabs_bm25", "--html", str(page), "--csv", str(values)]
    assert main(words) == 0
    assert "fabs_tfidf against fabs_bm25 on scholarly-mini/all" in capsys.readouterr().out
    assert len(pd.read_csv(values)) == len(read_data(page.read_text(encoding="utf-8"))["queries"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([MINI, "fabs_tfidf"], "needs two systems or more, got 1 (fabs_tfidf)"),
        ([MINI, "fabs_tfidf", "fabs_bm26"], "Did you mean 'fabs_bm25'"),
        ([MINI, "fabs_tfidf", "a="], "a=: expected NAME=FILE"),
        ([MINI, "fabs_tfidf", "fabs_tfidf"], "fabs_tfidf is passed twice"),
        ([MINI, "fabs_tfidf", "no-such.trec"], "no-such.trec"),
        (["scholarly-mini/metod", "a", "b"], "Did you mean 'scholarly-mini/method'"),
    ],
)
def test_the_command_says_what_is_wrong(words, said, capsys):
    """An error is one sentence, and names the word."""
    assert main(["compare", *words]) == 2
    assert said in capsys.readouterr().err
    assert not Path("compare.html").exists()
