"""A comparison's page in a real browser: each click, on wide and narrow screens, light and dark.

Skipped where there is no browser. Each test ends with two checks: the page complained of nothing,
and asked for no address but its own.
"""

from itertools import pairwise

import pandas as pd
import pytest

from pyterrier_scholarly import compare
from pyterrier_scholarly.collect import write_collection

from ..explanation.chromium import Chromium, found

pytestmark = pytest.mark.skipif(
    not found(), reason="no Chromium on the path: apt-get install chromium"
)
LOOKS = [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")]
ARROW_DOWN = 40  # the key's code
OPEN_VIEW = "[...document.querySelectorAll('.view')].filter(v => !v.hidden).map(v => v.id).join()"
FITS = "document.documentElement.scrollWidth <= innerWidth"
ADDRESS = "decodeURIComponent(location.hash)"
CELLS = "[...document.querySelectorAll('%s tbody th')].map(e => e.textContent)"


class Page:
    """A page that is open in a browser, and what a reader does with it."""

    def __init__(self, browser, path):
        self.browser = browser
        browser.open(path)

    def run(self, script):
        """The value of an expression."""
        return self.browser.run(script)

    def settle(self):
        """Wait until the page has drawn."""
        self.run("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))")

    def click(self, selector):
        """Click on an element."""
        self.browser.click(selector)
        self.settle()

    def press(self, key, code):
        """Press a key."""
        self.browser.press(key, code)
        self.settle()

    def choose(self, selector, value):
        """Choose from a list by the keyboard, from its first entry downwards."""
        box = f"document.querySelector({selector!r})"
        self.run(f"{box}.focus(); {box}.selectedIndex = 0")
        for _ in range(self.run(f"{box}.options.length")):
            if self.run(f"{box}.value") == value:
                break
            self.press("ArrowDown", ARROW_DOWN)
        assert self.run(f"{box}.value") == value

    def text(self, selector):
        """An element's text."""
        return self.run(f"document.querySelector({selector!r}).textContent")

    def count(self, selector):
        """How many elements there are."""
        return self.run(f"document.querySelectorAll({selector!r}).length")

    def is_hidden(self, selector):
        """Whether an element is hidden."""
        return self.run(f"document.querySelector({selector!r}).hidden")

    def check(self):
        """Nothing went wrong, nothing was fetched, and the page is as wide as the screen."""
        assert self.run(FITS)
        complaints, requests = self.browser.observed()
        assert complaints == []
        address = self.run("location.href.split('#')[0]")
        assert {url.split("#")[0] for url in requests if not url.startswith("data:")} == {address}


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """One browser for all tests."""
    chromium = Chromium(tmp_path_factory.mktemp("profile"))
    yield chromium
    chromium.close()


@pytest.fixture(params=LOOKS, ids=lambda look: f"{look[0]}-{look[1]}")
def screen(request, browser):
    """The browser, as wide and as dark as a reader's."""
    width, scheme = request.param
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    feature = {"name": "prefers-color-scheme", "value": scheme}
    browser.call("Emulation.setDeviceMetricsOverride", **size)
    browser.call("Emulation.setEmulatedMedia", features=[feature])
    yield browser
    browser.call("Emulation.setEmulatedMedia", features=[])
    browser.call("Emulation.clearDeviceMetricsOverride")


@pytest.fixture
def page(screen, path):
    """The page of two systems over the embedded collection."""
    opened = Page(screen, path)
    yield opened
    opened.check()


# --- two systems over the embedded collection ---------------------------------------------------


def test_clicks_lead_from_a_bar_to_a_paper(page, compared):
    """A bar opens its query, a paper its place and share, a link the next query; all by address."""
    assert page.run(OPEN_VIEW) == "overview"
    assert page.count("#bars rect") == page.count("#scatter circle") == len(compared.values)

    best = compared.queries.iloc[0]
    page.click("#bars rect")
    assert page.run(OPEN_VIEW) == "query"
    assert best["qid"] in page.text("#h-query")
    largest = compared.papers(best["qid"]).iloc[0]
    assert page.text("#said").startswith("one_encoding is better than fabs_bm25 by ")
    assert f"paper {largest['docno']} “" in page.text("#said")
    assert page.count("#lines path") > 0

    page.click("#left .place")
    ranked = compared.find("one_encoding").run
    first = ranked.query("qid == @best.qid and rank == 0")["docno"].iloc[0]
    assert first in page.text("#paper")
    assert page.run(ADDRESS) == f"#query/{best['qid']}/paper/{first}"
    page.press("Escape", 27)
    assert page.is_hidden("#paper")

    second = compared.queries["qid"].iloc[1]
    page.click("#next")
    assert second in page.text("#h-query")
    page.press("ArrowLeft", 37)
    assert best["qid"] in page.text("#h-query")
    page.press("ArrowRight", 39)
    assert second in page.text("#h-query")
    page.click("#previous")
    assert best["qid"] in page.text("#h-query")


def test_every_view_opens_by_its_link(page, compared):
    """The bar of views leads to each, and none is wider than the screen."""
    for view in ("queries", "missed", "parts", "overview"):
        page.click(f'nav a[href="#{view}"]')
        assert page.run(OPEN_VIEW) == view
        assert page.run(FITS)
    page.click('figcaption a[href="#queries"]')
    assert page.run(OPEN_VIEW) == "queries"


def test_a_link_to_a_paper_can_be_sent(page, compared):
    """An address with a fragment opens the paper, and the keyboard's focus is on it."""
    qid = compared.queries["qid"].iloc[0]
    docno = compared.papers(qid)["docno"].iloc[0]
    page.run(f"location.hash = '#query/{qid}/paper/{docno}'")
    page.settle()
    assert docno in page.text("#paper")
    assert page.run("document.activeElement.closest('#paper') !== null")

    page.run(f"location.hash = '#query/{qid}'")
    page.settle()
    page.run(f"location.hash = '#query/{qid}/{docno}'")
    page.settle()
    assert docno in page.text("#paper")
    page.run(f"location.hash = '#query/{qid}/no-such-paper'")
    page.settle()
    assert "This paper is not on this page." in page.text("#paper")


def test_explained_papers_are_marked(page, compared):
    """A mark stands at the paper, and its parts and words open; another says how to get them."""
    differences = compared.differences["one_encoding"].abs()
    qid = differences.idxmax()
    docno = compared.papers(qid)["docno"].iloc[0]
    page.run(f"location.hash = '#query/{qid}'")
    page.settle()
    number = page.run("document.querySelector('#left .place:has(.star)').dataset.doc")
    page.click("#left .place:has(.star)")
    assert page.text("#paper").count(docno) == 1
    assert "Part of the score" in page.text("#paper")
    assert "Word that query and paper share" in page.text("#paper")
    page.click(f"#left .place:not([data-doc='{number}'])")
    assert "--explained" in page.text("#paper")


def test_no_text_leaves_its_box(page, compared):
    """Ranks, badges and shares of a paper stand beside each other, inside its box."""
    page.click("#bars rect")
    outside = """[...document.querySelectorAll('.place')].filter(place => {
      const right = place.getBoundingClientRect().right;
      const boxes = [...place.querySelectorAll('.other, .share')].map(e => {
        const range = document.createRange();
        range.selectNodeContents(e);
        return range.getBoundingClientRect();
      });
      const [other, share] = boxes;
      const overlap = share && share.width && other.bottom > share.top + 2
        && other.top < share.bottom - 2 && other.right > share.left;
      return overlap || boxes.some(box => box.right > right);
    }).length"""
    page.run("for (const e of document.querySelectorAll('.other')) e.textContent = '← not ranked'")
    page.run("for (const e of document.querySelectorAll('.share')) e.textContent = '−0.1234'")
    assert page.run(outside) == 0


# --- three systems with many missed papers ------------------------------------------------------

PAPERS = [f"paper-{number:02d}" for number in range(60)]
QUERIES = ["1", "2", "3", "4"]
ORDERS = {
    "down": ("difference", False),
    "up": ("difference", True),
    "unlike": ("overlap", True),
}


def rank(key):
    """Results of all queries; a paper's score is `key` of the query's number and its own."""
    rows = [
        (qid, docno, float(key(int(qid), number)))
        for qid in QUERIES
        for number, docno in enumerate(PAPERS)
    ]
    return pd.DataFrame(rows, columns=["qid", "docno", "score"])


@pytest.fixture(scope="module")
def three(tmp_path_factory):
    """Three systems; of 60 papers, 37 to 40 are relevant for a query, and one is above rank 20."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("IR_DATASETS_HOME", str(tmp_path_factory.mktemp("home")))
        docs = [{"doc_id": docno, "title": "", "text": f"Of {docno}."} for docno in PAPERS]
        queries = [{"query_id": qid, "query": f"What is asked {qid} times?"} for qid in QUERIES]
        qrels = [
            {"query_id": qid, "doc_id": docno, "relevance": 1}
            for qid in QUERIES
            for docno in PAPERS[: 36 + int(qid)]
        ]
        tables = {"queries": queries, "qrels": qrels}
        write_collection("three", docs, **tables, description="D", licence="CC0-1.0")
        runs = {
            "rotated": rank(lambda qid, number: -((number + 3 * qid * qid) % 60)),
            "mixed": rank(lambda qid, number: -(number * 7 % 61)),
            "behind": rank(lambda qid, number: number),
        }
        groups = {"1": "odd", "2": "even", "3": "odd", "4": "even"}
        yield compare(
            runs, dataset="made/three", measure="AP", by=lambda query: groups[query.query_id]
        )


@pytest.fixture(scope="module")
def path_of_three(three, tmp_path_factory):
    """The file of their page."""
    return three.to_html(tmp_path_factory.mktemp("three") / "three.html", explained=0)


@pytest.fixture
def page_of_three(screen, path_of_three):
    """The page of three systems."""
    opened = Page(screen, path_of_three)
    yield opened
    opened.check()


def queries_of(compared, name):
    """The queries' rows of a system, by query id."""
    table = compared.queries
    return table[table["name"] == name].set_index("qid")


def test_bars_stand_in_groups_and_points_open_queries(page_of_three, three):
    """In groups, the first group's bars come first; a point of the scatter opens its query."""
    page = page_of_three
    order = "[...document.querySelectorAll('#bars title')].map(e => e.textContent.split(':')[0])"
    by_difference = list(queries_of(three, "rotated").index)
    assert page.run(order) == by_difference
    page.choose("#bars-order", "group")
    even = [qid for qid in by_difference if qid in three.groups["even"]]
    odd = [qid for qid in by_difference if qid in three.groups["odd"]]
    assert page.run(order) == [*even, *odd]

    qid = page.text("#scatter circle:last-of-type title").split(":")[0]
    page.click("#scatter circle:last-of-type")
    assert page.text("#h-query").startswith(f"Query {qid}, ")


def test_few_bars_stay_slim_and_labels_apart(page_of_three):
    """Four bars do not fill the chart, and no two labels of its axis overlap."""
    page = page_of_three
    widths = (
        "[...document.querySelectorAll('#bars rect')].map(e => e.getBoundingClientRect().width)"
    )
    assert max(page.run(widths)) < 60
    tops = "[...document.querySelectorAll('#bars text')].map(e => e.getBoundingClientRect().top)"
    labels = sorted(page.run(tops))
    assert all(below - above >= 10 for above, below in pairwise(labels))


def test_a_wide_table_keeps_its_first_column(page_of_three):
    """Scrolled to its end, the table of means still has the names of systems in view."""
    page = page_of_three
    page.run("document.querySelector('#overview .scroll').scrollLeft = 10000")
    page.settle()
    distance = """(() => {
      const head = document.querySelector('#overview tbody th').getBoundingClientRect();
      return head.left - document.querySelector('#overview .scroll').getBoundingClientRect().left;
    })()"""
    assert 0 <= page.run(distance) < 10


def test_each_shown_paper_has_a_line_or_an_end(page_of_three):
    """A paper whose other place is not shown has a dotted end, and the page counts these."""
    page = page_of_three
    page.click("#bars rect")
    stubs = page.count("#lines .stub")
    lines = page.count("#lines path") - stubs
    assert 2 * lines + stubs == page.count(".place")
    assert f"Papers that stand in both columns: {lines}." in page.text("#common")
    assert f"({stubs})" in page.text("#common")


def test_queries_are_chosen_and_ordered(page_of_three, three):
    """The lists of groups and orders show what the frame has; a query's id opens it."""
    page = page_of_three
    shown = CELLS % "#query-table"
    table = queries_of(three, "rotated")
    page.click('nav a[href="#queries"]')
    for order, (column, ascending) in ORDERS.items():
        page.choose("#order", order)
        expected = table[column].sort_values(ascending=ascending)
        assert table.loc[page.run(shown), column].to_list() == expected.to_list()
    page.choose("#order", "size")
    sizes = table["difference"].abs()
    assert page.run(shown)[0] == sizes.idxmax()
    both = table[["value", "baseline_value"]]
    page.choose("#order", "hard")
    assert page.run(shown)[0] == both.max(axis=1).idxmin()
    page.choose("#order", "easy")
    assert page.run(shown)[0] == both.min(axis=1).idxmax()

    page.choose("#group", "even")
    assert sorted(page.run(shown)) == sorted(three.groups["even"])
    page.choose("#group", "")
    page.click("#find")
    page.browser.call("Input.insertText", text="asked 3")
    assert page.run(shown) == ["3"]
    page.click("#query-table a")
    assert page.text("#h-query").startswith("Query 3, odd")


def test_all_papers_of_a_query_are_shown(page_of_three, three):
    """Twenty papers stand in each ranking, all after a click; others are reached from there."""
    page = page_of_three
    page.click("#bars rect")
    assert page.count("#left .place") == page.count("#right .place") == 20
    assert not page.is_hidden("#more")
    page.click("#more")
    assert page.count("#left .place") == page.count("#right .place") > 50
    assert page.is_hidden("#more")

    page.click("#query-text-box summary")
    assert page.run("document.getElementById('query-text-box').open")
    assert "What is asked" in page.text("#query-text")

    best = three.papers(queries_of(three, "rotated").index[0]).iloc[0]
    page.click("#share-table a")
    assert f"{best['docno']}: rank {best['rank']} by rotated" in page.text("#paper")
    page.click("#right .place")
    assert "rank" in page.text("#paper") and "1 by behind" in page.text("#paper")
    page.click("#right .place")
    assert page.is_hidden("#paper")
    page.click('#query a[href="#queries"]')
    assert page.run(OPEN_VIEW) == "queries"


def test_more_missed_papers_are_shown(page_of_three, three):
    """A hundred rows stand at first; a click shows more, and the list those that all miss."""
    page = page_of_three
    missed = three.missed(20)
    page.click('nav a[href="#missed"]')
    assert page.count("#missed-table tbody tr") == 100 < len(missed)
    page.click("#missed-more")
    assert page.count("#missed-table tbody tr") == len(missed)
    assert page.is_hidden("#missed-more")
    page.choose("#missed-by", "all")
    missed_by_all = missed[missed["missed_by"] == "all"]
    assert page.count("#missed-table tbody tr") == len(missed_by_all) > 0

    first = missed_by_all.iloc[0]
    page.click("#missed-table td a")
    assert page.run(ADDRESS) == f"#query/{first['qid']}/paper/{first['docno']}"
    page.click('nav a[href="#missed"]')
    page.click("#missed-table th a")
    assert page.run(ADDRESS) == f"#query/{first['qid']}"


def test_another_system_is_chosen(page_of_three, three):
    """The open query then shows the other system's ranking against the baseline."""
    page = page_of_three
    page.click("#bars rect")
    qid = queries_of(three, "rotated").index[0]
    page.choose("#pair", "1")
    titles = {docno: f"Of {docno}." for docno in PAPERS}
    assert page.text("#said") == three.describe(qid, "mixed", titles)
    assert page.text("#h-left") == f"mixed: {three.values.loc[qid, 'mixed']:.4f}"


# --- markup -------------------------------------------------------------------------------------

HOSTILE = "</script><script>document.title = 'broken'</script> & <img src=x onerror='oops()'>"


@pytest.fixture
def hostile_path(tmp_path, monkeypatch):
    """A page whose ids, titles and names are markup."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "home"))
    docs = [{"doc_id": f"<d{n}>", "title": HOSTILE, "text": "Cats."} for n in range(3)]
    queries = [{"query_id": "q/1<b>&'\"", "query": HOSTILE}]
    qrels = [{"query_id": queries[0]["query_id"], "doc_id": "<d0>", "relevance": 1}]
    tables = {"queries": queries, "qrels": qrels}
    write_collection("hostile", docs, **tables, description="D", licence="CC0-1.0")
    run = pd.DataFrame({"qid": queries[0]["query_id"], "docno": [doc["doc_id"] for doc in docs]})
    first, second = run.assign(score=[3.0, 2.0, 1.0]), run.assign(score=[1.0, 2.0, 3.0])
    compared = compare({"<b>a</b>": first, "b": second}, dataset="made/hostile", measure="nDCG@10")
    return compared.to_html(tmp_path / "hostile.html")


def test_markup_stays_text(browser, hostile_path):
    """No id, title or name becomes markup."""
    page = Page(browser, hostile_path)
    page.click("#bars rect")
    page.click("#left .place")
    assert HOSTILE in page.text("#paper h3")
    assert page.count("img, #query b b") == 0
    page.check()
