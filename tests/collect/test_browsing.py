"""Annotations of a query: the frame against the ratings, the page as text and in a browser."""

import html
import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import ir_datasets
import numpy as np
import pandas as pd
import pytest

from pyterrier_scholarly.collect import agreement, annotations, single_ratings, write_collection

from ..explanation.chromium import Chromium, found
from .test_agreeing import RULED

ARTICLE = re.compile(r"<article(.*?)</article>", re.S)
GRADE = re.compile(r'<span class="chip">(\S+) <b>(\S+)</b>')
DOCNO = re.compile(r"<code>(\d+)</code>")
HOSTILE = "<script>alert('a')</script> & <img src=x> half \ud83d of a pair"
#: document -> grades of two annotators and the final one, and what follows: by hand
BY_HAND = {
    "kept": (1, 2, 2, 1, "one_kept"),
    "agreed": (1, 1, 1, 0, "agreed"),
    "changed": (1, 1, 2, 0, "changed"),
    "overruled": (0, 2, 1, 2, "overruled"),
    "missing": (None, 2, 2, 0, ""),
    "unsettled": (0, 1, None, 1, ""),
}
#: by final grade, then by the mean of the annotators' grades, then as written
ORDER = ["missing", "kept", "changed", "agreed", "overruled", "unsettled"]


@pytest.fixture
def mini(tmp_path, monkeypatch):
    """The embedded collection, with a home of its own."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "home"))
    return "scholarly-mini/all"


def written(name, grades, annotators=("one", "two"), title="A title", judged=True):
    """A collection of one query without a facet, rated by two; documents have no sentences."""
    docs = [{"doc_id": doc, "title": title, "text": f"On {doc}."} for doc in grades]
    rows = []
    for doc, given in grades.items():
        for annotator, grade in zip(annotators, given):
            rows.append({"qid": "q", "docno": doc, "annotator": annotator, "rating": grade})
    final = {doc: given[2] for doc, given in grades.items() if given[2] is not None}
    qrels = [{"query_id": "q", "doc_id": doc, "relevance": grade} for doc, grade in final.items()]
    write_collection(
        name,
        docs,
        [{"query_id": "q", "query": "Which?"}],
        qrels=qrels if judged else None,
        annotators=pd.DataFrame(rows),
        description="D",
        licence="CC0-1.0",
        definitions={0: "not", 1: "somewhat", 2: "exactly"} if judged else None,
    )
    return f"made/{name}"


def test_the_frame_has_what_was_rated(mini):
    """Each query: each rated document once, with the grades, sources and texts of the dataset."""
    source = ir_datasets.load(mini)
    rated = single_ratings(mini).set_index(["qid", "docno", "annotator"])["rating"]
    pools = {entry.paper_id: {} for entry in ir_datasets.load("scholarly-mini").pool_sources_iter()}
    for entry in ir_datasets.load("scholarly-mini").pool_sources_iter():
        pools[entry.paper_id][entry.doc_id] = entry.sources
    docs = {doc.doc_id: doc for doc in source.docs_iter()}
    for query in source.queries_iter():
        frame = annotations(mini, query.query_id).frame
        own = rated[query.query_id].unstack()
        assert sorted(frame["docno"]) == sorted(own.index)
        names = {"label": "reference", "ann1": "ann1", "ann2": "ann2"}
        expected = own.loc[frame["docno"], list(names.values())].to_numpy()
        np.testing.assert_array_equal(frame[list(names)].to_numpy(), expected)
        for row in frame.itertuples():
            assert row.difference == abs(row.ann1 - row.ann2)
            assert row.sources == pools[query.paper_id][row.docno]
            assert (row.title, row.text) == (docs[row.docno].title, docs[row.docno].text)
        assert frame["label"].is_monotonic_decreasing


def test_rulings_are_those_that_agreement_counts(mini):
    """Of all queries: what was kept of the grades on which annotators differ."""
    counted = agreement(single_ratings(mini), "reference", (0, 1, 2, 3)).rulings
    for row in counted.itertuples():
        found = annotations(mini, row.qid).frame["ruling"].value_counts()
        assert found.get("one_kept", 0) == row.one_kept
        assert found.get("overruled", 0) == row.overruled
        assert found.get("agreed", 0) + found.get("changed", 0) == row.agreed


def test_by_hand(tmp_path, monkeypatch):
    """Rulings, differences, order, and a page for a collection with neither facets nor labels."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path))
    shown = annotations(written("hand", BY_HAND), "q")
    assert shown.annotators == ("one", "two") and shown.facet == ""
    assert shown.definitions == {0: "not", 1: "somewhat", 2: "exactly"}
    assert shown.frame["docno"].tolist() == ORDER
    for row in shown.frame.fillna({"one": -1, "label": -1}).itertuples():
        one, two, final, difference, ruling = BY_HAND[row.docno]
        assert (row.one, row.two) == (-1 if one is None else one, two)
        assert row.label == (-1 if final is None else final)
        assert (row.difference, row.ruling, row.sources) == (difference, ruling, ())
    page = shown.to_html(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Which?" in page and "On agreed." in page and "no final grade" in page
    assert "agreed, but over-ruled" in page and "one <b>missing</b>" in page
    assert "only the 4 on which grades differ" in page


def test_no_final_grades(tmp_path, monkeypatch):
    """Without judgements, documents come by the mean of the annotators' grades."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path))
    frame = annotations(written("open", BY_HAND, judged=False), "q").frame
    assert frame["label"].isna().all() and set(frame["ruling"]) == {""}
    means = frame[["one", "two"]].mean(axis=1)
    assert means.is_monotonic_decreasing and means.nunique() > 2


@pytest.mark.parametrize("facet", ["background", "method", "result"])
def test_grades_mean_what_the_facet_says(mini, facet):
    """In the dataset of all facets, too; the page has the words above each grade's documents."""
    topics = [query.query_id for query in ir_datasets.load(mini).queries_iter()]
    shown = annotations(mini, next(qid for qid in topics if qid.endswith(facet)))
    assert shown.definitions == ir_datasets.load(f"scholarly-mini/{facet}").qrels_defs()
    labels = {"background": {"background", "objective"}}.get(facet, {facet})
    assert labels & set(shown.paper.labels)
    for grade in shown.frame["label"].unique():
        assert html.escape(shown.definitions[grade]) in shown._repr_html_().replace("&amp;", "&")


def test_the_page_has_every_document_once(mini, tmp_path):
    """In the frame's order, with the annotators' grades; those that differ are marked."""
    shown = annotations(mini, "104_background")
    page = shown.to_html(tmp_path / "page.html").read_text(encoding="utf-8")
    articles = ARTICLE.findall(page)
    assert [DOCNO.findall(one)[0] for one in articles] == shown.frame["docno"].tolist()
    for text, row in zip(articles, shown.frame.itertuples(), strict=True):
        assert GRADE.findall(text) == [("ann1", f"{row.ann1:g}"), ("ann2", f"{row.ann2:g}")]
        assert ('class="differs"' in text) == (row.difference > 0)
        assert ("cited by the query" in text) == ("cited" in row.sources)
    assert f"only the {(shown.frame['difference'] > 0).sum()} on which" in page


def test_a_page_fetches_nothing_and_escapes_all(tmp_path, monkeypatch):
    """No script, no address; markup is text, and half a surrogate pair is U+FFFD."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path))
    shown = annotations(written("hostile", {"a": (0, 1, 1)}), "q")
    titles = pd.Series([HOSTILE], dtype=object)
    shown = replace(shown, frame=shown.frame.assign(title=titles))
    page = shown.to_html(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<script" not in page and "<img" not in page
    assert "&lt;script&gt;" in page and "half \ufffd of a pair" in page
    assert re.findall(r'(?:src|href)="([^"]*)"', page) == ["data:,"]
    assert "default-src 'none'" in page and "script-src" not in page
    in_notebook = shown._repr_html_()
    assert 'sandbox=""' in in_notebook and "<script" not in in_notebook


@pytest.mark.parametrize(
    ("dataset", "qid", "said"),
    [
        ("scholarly-mini/all", "104", "is no query of the dataset. Choose one of 104_background"),
        ("scholarly-mini/background", "104_background", "Choose one of 104"),
        ("scholarly-mini", "104", "keeps no ratings of single annotators"),
    ],
)
def test_bad_input(mini, dataset, qid, said):
    """The error names what to choose."""
    with pytest.raises(ValueError, match=re.escape(said)):
        annotations(dataset, qid)


def test_a_query_that_nobody_rated(tmp_path, monkeypatch):
    """Is another error than a query that is not there."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path))
    rating = {"query_id": "rated", "doc_id": "a", "annotator": "one", "rating": 1}
    write_collection(
        "two",
        [{"doc_id": "a"}],
        [{"query_id": "rated", "query": "?"}, {"query_id": "other", "query": "!"}],
        annotators=[rating],
        description="D",
        licence="CC0-1.0",
    )
    with pytest.raises(ValueError, match=r"qid='other' has no ratings\. Choose one of rated"):
        annotations("made/two", "other")


def test_an_annotator_named_like_a_column(tmp_path, monkeypatch):
    """Would be hidden behind the column, so it is an error."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path))
    with pytest.raises(ValueError, match="annotators named title, which are other columns"):
        annotations(written("named", {"a": (0, 1, 1)}, annotators=("one", "title")), "q")


@pytest.mark.filterwarnings("ignore:.*was not compared", "ignore:.*pairs of Test_set")
def test_aspects_of_doris_mae(tmp_path, monkeypatch):
    """Three people's grades and the majority's, of abstracts without labels."""
    small = Path(__file__).parents[1] / "ir_datasets_ext" / "doris-mae-small.json"
    (tmp_path / "doris-mae").mkdir()
    shutil.copyfile(small, tmp_path / "doris-mae" / "DORIS-MAE_dataset_v1.json")
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path))
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")  # nobody answers for Zenodo
    test_set = json.loads(small.read_text())["Test_set"]
    aspect = test_set[0]["aspect_id"]
    of_aspect = [entry for entry in test_set if entry["aspect_id"] == aspect]
    shown = annotations("doris-mae/human", aspect)
    assert shown.annotators == ("annotator-1", "annotator-2", "annotator-3")
    assert set(shown.frame["docno"]) == {str(entry["abstract_id"]) for entry in of_aspect}
    page = shown.to_html(tmp_path / "page.html").read_text(encoding="utf-8")
    assert html.escape(shown.query, quote=False) in html.unescape(page)


@pytest.mark.parametrize("facet", RULED)
def test_csfcubes_annotations(csfcube_home, facet):
    """Over all queries: what the adjudicator ruled, as counted in the release's own files."""
    topics = [query.query_id for query in ir_datasets.load(f"csfcube/{facet}").queries_iter()]
    shown = [annotations(f"csfcube/{facet}", qid) for qid in topics]
    counts = pd.concat([one.frame["ruling"] for one in shown]).value_counts()
    agreed, kept, overruled, _ = RULED[facet]
    assert counts["agreed"] + counts.get("changed", 0) == agreed
    assert (counts["one_kept"], counts["overruled"]) == (kept, overruled)
    assert {len(one.annotators) for one in shown} == {2}
    assert all(one.frame["sources"].map(len).all() for one in shown)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """One browser for all tests."""
    if not found():
        pytest.skip("no Chromium on the path: apt-get install chromium")
    chromium = Chromium(tmp_path_factory.mktemp("profile"))
    yield chromium
    chromium.close()


@pytest.fixture
def page(browser, mini, tmp_path):
    """The browser, with a page open."""
    browser.open(annotations(mini, "104_background").to_html(tmp_path / "page.html"))
    yield browser
    browser.call("Emulation.clearDeviceMetricsOverride")


def test_in_chromium_nothing_is_refused(page):
    """By the page's own policy; and nothing is fetched."""
    complaints, requests = page.observed()
    assert complaints == []
    assert [url for url in requests if not url.startswith("data:")] == [page.run("location.href")]


@pytest.mark.parametrize("width", [390, 1280])
def test_in_chromium_nothing_is_wider_than_the_screen(page, width):
    """The query stands beside the documents, or above them on a narrow screen."""
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    page.call("Emulation.setDeviceMetricsOverride", **size)
    assert page.run("document.documentElement.scrollWidth") <= width
    box = "document.querySelector('%s').getBoundingClientRect()"
    query, documents = box % "aside", box % "main"
    assert page.run(f"{query}.right <= {documents}.left") == (width == 1280)
    assert page.run(f"{query}.bottom <= {documents}.top") == (width == 390)


def test_in_chromium_the_switch_leaves_what_differs(page, mini):
    """Without a script: documents on which grades differ, under grades that have some."""
    frame = annotations(mini, "104_background").frame
    shown = "[...document.querySelectorAll('%s')].filter(e => e.offsetParent).length"
    assert page.run(shown % "article") == len(frame)
    page.click("#differing")
    differing = frame[frame["difference"] > 0]
    assert page.run(shown % "article") == len(differing) < len(frame)
    assert page.run(shown % "section") == differing["label"].nunique()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_in_chromium_the_ground_is_the_schemes(page, scheme):
    """Dark where the reader's system is."""
    feature = {"name": "prefers-color-scheme", "value": scheme}
    page.call("Emulation.setEmulatedMedia", features=[feature])
    style = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)"
    assert (max(page.run(style)) < 60) == (scheme == "dark")
