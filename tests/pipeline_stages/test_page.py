"""The page of `stages`: its data, and what a reader does with it in a real browser."""

import json
import re

import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly import BM25Retriever, FacetQuery, stages
from tests.explanation.chromium import Chromium, found

ODD = "a<b>&\"'"
DATASET = "irds:scholarly-mini/method"


@pytest.fixture(scope="module")
def result():
    """Two retrievers, their sum and a cut-off; a query's text is no markup."""
    dataset = pt.get_dataset(DATASET)
    retrieve = BM25Retriever("scholarly-mini", num_results=40)
    pipeline = FacetQuery("scholarly-mini/method") >> (retrieve % 20 + 0.5 * retrieve) % 10
    topics = dataset.get_topics("query").assign(query=f"<script>{ODD}</script>")
    return stages(pipeline, topics, dataset.get_qrels(), ["NDCG%20", "R@5"])


def data_of(page):
    """What the script receives."""
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.S).group(1))


def test_the_page_has_the_frames_figures(result, tmp_path):
    """Ranks, values and losses of each query are those of the frames."""
    page = result.to_html(tmp_path / "stages.html").read_text(encoding="utf-8")
    data = data_of(page)
    rank_columns = [f"rank_{box['number']}" for box in data["boxes"]]
    assert list(result.papers.columns) == ["qid", "docno", "label", *rank_columns]
    values = result.perquery.set_index(["qid", "measure", "stage"])["value"]
    papers = result.papers.set_index(["qid", "docno"])
    for qid, query in data["queries"].items():
        for measure, values_of_boxes in zip(data["measures"], query["values"]):
            expected = [values[qid, measure, box["number"]] for box in data["boxes"]]
            assert values_of_boxes == pytest.approx(expected, abs=1e-4)
        for docno, _, _, ranks in query["papers"]:
            row = papers.loc[(qid, docno), rank_columns]
            assert ranks == [None if pd.isna(rank) else rank for rank in row]
        lost = result.lost[result.lost["qid"] == qid]
        assert [loss[0] for loss in query["lost"]] == lost["docno"].tolist()


def test_bands_count_every_paper(result, tmp_path):
    """The relevant papers that flow into a stage are all relevant papers."""
    data = data_of(result.to_html(tmp_path / "stages.html").read_text(encoding="utf-8"))
    relevant_count = (result.judgements.qrels["label"] >= 1).sum()
    for target, box in enumerate(data["boxes"]):
        for source in box["sources"]:
            ribbons = [one for one in data["ribbons"] if one[:2] == [source, target]]
            assert sum(ribbon[4] for ribbon in ribbons) == relevant_count


def test_bands_are_as_high_as_their_numbers(result, tmp_path):
    """Beside each band is how many papers it has; in a stage, heights are in proportion."""
    data = data_of(result.to_html(tmp_path / "stages.html").read_text(encoding="utf-8"))
    is_relevant = result.papers["label"].fillna(0) >= 1
    for position, box in enumerate(data["boxes"]):
        ranks = result.papers[f"rank_{box['number']}"]
        ranges = {"1–10": ranks <= 10, "11–100": ranks > 10, "not returned": ranks.isna()}
        heights = {}
        for number, top, bottom, text in data["filled"]:
            if number != position:
                continue
            name, counts = text.split(": ")
            is_in_range = ranges[name].fillna(False).astype(bool)
            relevant_count = (is_in_range & is_relevant).sum()
            suffix = "" if name == "not returned" else f" of {is_in_range.sum()}"
            assert counts == f"{relevant_count}{suffix}"
            heights[name] = (bottom - top) / relevant_count
        assert len(heights) > 1
        assert list(heights.values()) == pytest.approx([max(heights.values())] * len(heights), 0.01)


def test_the_numbers_of_a_query_are_its_own(result, tmp_path):
    """Each query's bands count its relevant papers and all its papers in a range of ranks."""
    data = data_of(result.to_html(tmp_path / "stages.html").read_text(encoding="utf-8"))
    for qid, query in data["queries"].items():
        papers = result.papers[result.papers["qid"] == qid]
        first_box = data["boxes"][0]
        top = papers[papers[f"rank_{first_box['number']}"].le(10).fillna(False)]
        relevant_count = (top["label"].fillna(0) >= 1).sum()
        assert [0, 0, f"{relevant_count} of {len(top)}"] in query["counts"]


def test_the_summary_counts_each_lost_paper_once(result, tmp_path):
    """Returned papers, those that no stage returned and those that stages left out add up."""
    page = result.to_html(tmp_path / "stages.html").read_text(encoding="utf-8")
    summary = re.search(r'id="flow-text">(.*?)</p>', page).group(1)
    returned, relevant = map(int, re.search(r"returned (\d+) of (\d+) relevant", summary).groups())
    never_found = sum(map(int, re.findall(r"No stage returned (\d+)", summary)))
    left_out = sum(map(int, re.findall(r"left out (\d+)", summary)))
    # the first branch leaves out papers that the second returns, and the cut-off leaves out again
    assert result.lost.duplicated(["qid", "docno"]).any()
    assert returned + never_found + left_out == relevant


def test_a_notebook_shows_the_page(result):
    """The frame has the page, and no text became markup."""
    shown = result._repr_html_()
    assert shown.startswith("<iframe")
    assert "<script>a<b>" not in shown


# --- in Chromium -------------------------------------------------------------------------------

in_chromium = pytest.mark.skipif(not found(), reason="no Chromium on the path")
OPENED = "document.querySelectorAll('.detail').length"
FIRST = "#queries button[data-qid]"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """One browser for all tests."""
    chromium = Chromium(tmp_path_factory.mktemp("profile"))
    yield chromium
    chromium.close()


@pytest.fixture
def page(browser, result, tmp_path):
    """The browser, with the page open."""
    browser.open(result.to_html(tmp_path / "stages.html"))
    yield browser
    browser.call("Emulation.clearDeviceMetricsOverride")


@in_chromium
def test_a_click_opens_a_query_and_follows_a_paper(page):
    """A query's details are made when it is opened; a paper's line stands out when chosen."""
    assert page.run(OPENED) == 0
    page.click(FIRST)
    assert page.run(OPENED) == 1
    assert page.run("document.querySelectorAll('.detail .line').length") > 0
    page.click(".detail button")
    assert page.run("document.querySelectorAll('.detail .line.on').length") == 1
    page.click(FIRST)
    assert page.run(OPENED) == 0


@in_chromium
def test_keys_do_what_a_mouse_does(page):
    """Enter opens the query that has the focus; Escape closes it."""
    page.run(f"document.querySelector('{FIRST}').focus()")
    page.press("Enter", 13, "\r")
    assert page.run(OPENED) == 1
    page.press("Escape", 27)
    assert page.run(OPENED) == 0


@in_chromium
def test_numbers_stand_beside_the_bands(page):
    """The picture of all queries, and that of an opened one, write their numbers of papers."""
    written = "[...document.querySelectorAll('{} .count')].map(one => one.textContent)"
    of_all = page.run(written.format("#flow"))
    assert of_all == page.run("data.filled.map(band => band[3])")
    page.click(FIRST)
    qid = page.run(f"document.querySelector('{FIRST}').dataset.qid")
    counts = page.run(f"data.queries['{qid}'].counts.map(count => count[2])")
    assert page.run(written.format(".detail")) == counts


@in_chromium
def test_a_link_opens_its_query(page):
    """The address of an open query opens it again."""
    page.click(FIRST)
    qid = page.run(f"document.querySelector('{FIRST}').dataset.qid")
    assert page.run("location.hash") == f"#query={qid}"
    page.press("Escape", 27)
    page.run("history.replaceState(null, '', '#')")
    page.run(f"location.hash = '#query={qid}'")
    page.run("new Promise(r => setTimeout(r, 100))")
    assert page.run(OPENED) == 1


@in_chromium
@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_fetched_no_error_and_no_sideways_scroll(page, width):
    """No complaint, no request but the page; the page is as wide as the screen."""
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    page.call("Emulation.setDeviceMetricsOverride", **size)
    page.click(FIRST)
    assert page.run("document.documentElement.scrollWidth <= innerWidth")
    complaints, requests = page.observed()
    assert complaints == []
    assert all(url.startswith(("data:", "file:")) for url in requests)
