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
    """Two papers' scores are taken apart by both systems, by parts and by words."""
    text = path.read_text(encoding="utf-8")
    entries = read_data(text)["pairs"][0]["explanations"]
    assert len(entries) == 2
    assert "The scores of 2 papers are explained" in text
    ours, theirs = entries[0]["systems"]
    assert ours["parts"] and ours["pairs"] and not ours["reason"]
    assert theirs["words"] and not theirs["reason"]


@pytest.mark.parametrize("key", ["fabs_tfidf", "fabs_bm25"])
def test_words_add_up_to_the_score(key, tmp_path):
    """What the page says of words is the whole score of the ranking."""
    other = {"fabs_tfidf": "fabs_bm25", "fabs_bm25": "fabs_tfidf"}[key]
    compared = compare(key, other, MINI, verbose=False)
    text = compared.to_html(tmp_path / "words.html", explained=3).read_text(encoding="utf-8")
    data = read_data(text)
    entries = data["pairs"][0]["explanations"]
    run = compared.find(key).run.set_index(["qid", "docno"])["score"]
    for entry in entries:
        qid, docno = data["queries"][entry["query"]]["id"], data["docs"][entry["doc"]][0]
        total = sum(value for _, value in entry["systems"][0]["words"])
        assert total == pytest.approx(run[qid, docno], abs=1e-4) != 0
    assert len(entries) == 3


def test_the_queries_that_differ_most_are_explained(compared, tmp_path):
    """The first four of them have their paper with the largest share explained, one each."""
    text = compared.to_html(tmp_path / "four.html", explained=4, parts=False)
    data = read_data(text.read_text(encoding="utf-8"))
    explained = {
        (data["queries"][entry["query"]]["id"], data["docs"][entry["doc"]][0])
        for entry in data["pairs"][0]["explanations"]
    }
    differences = compared.differences["one_encoding"].abs().sort_values(ascending=False)
    largest = differences.index[:4]
    assert explained == {(qid, compared.papers(qid)["docno"].iloc[0]) for qid in largest}


def test_the_page_speaks_plainly(path):
    """No error for developers stands there; steps have a sentence, papers their titles."""
    text = path.read_text(encoding="utf-8")
    data = read_data(text)
    systems = [one for entry in data["pairs"][0]["explanations"] for one in entry["systems"]]
    assert not any("Use one of" in one["reason"] for one in systems)
    assert "Score documents by how well their best sentences match the query" in text
    titles = dict(data["docs"])

    # the first row is the paper with the largest share; equal rankings have none
    pair = data["pairs"][0]
    changed = [(said, rows[0]) for said, rows in zip(pair["sentences"], pair["rows"]) if rows[0][5]]
    assert len(changed) > len(pair["rows"]) / 2
    for sentence, largest in changed:
        docno = data["docs"][largest[0]][0]
        assert f"paper {docno} “{titles[docno][:30]}" in sentence


def test_parts_have_no_tab_where_there_are_none(compared, path, tmp_path):
    """Results that were passed have no parts, and so no link to them."""
    runs = {name: compared.find(name).run for name in compared.names}
    text = compare(runs, dataset=MINI).to_html(tmp_path / "runs.html").read_text(encoding="utf-8")
    assert 'href="#parts"' not in text
    assert 'href="#parts"' in path.read_text(encoding="utf-8")


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
    printed = capsys.readouterr().out
    assert "fabs_tfidf against fabs_bm25 on scholarly-mini/all" in printed
    assert f"Page written to {page}" in printed and "Parts of" not in printed
    assert len(pd.read_csv(values)) == len(read_data(page.read_text(encoding="utf-8"))["queries"])


def test_the_command_prints_parts(compared, capsys):
    """A sum's parts stand in the shell with their figures, unless nobody wants them."""
    words = ["compare", MINI, "one_encoding", "fabs_bm25", "--encoder", "lsa"]
    assert main(words) == 0
    printed = capsys.readouterr().out
    parts = compared.parts().set_index("part")
    row = next(line for line in printed.splitlines() if "SentenceCentroid" in line)
    figures = parts.loc["SentenceCentroid(context='title')"]
    for column in ("alone", "alone_difference", "without"):
        assert f"{figures[column]:.4f}" in row
    assert main([*words, "--no-parts"]) == 0
    assert "Parts of" not in capsys.readouterr().out


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
