"""The page in a real browser.

Skipped where there is none, for it is no part of what is installed.
"""

import pytest

from .chromium import Chromium, found

pytestmark = pytest.mark.skipif(
    not found(), reason="no Chromium on the path: apt-get install chromium"
)
WIDE, NARROW = 1200, 420

ON = "[...document.querySelectorAll('#ribbons path.on')].map(p => p.dataset.document)"
SENTENCES = (
    "[...document.querySelectorAll('.sentence%s')].map(b => b.dataset.side + b.dataset.number)"
)
MATCHED, PRESSED = SENTENCES % ".match", SENTENCES % "[aria-pressed=true]"
FOCUSED = "document.activeElement.dataset.side + document.activeElement.dataset.number"
SAID = "document.getElementById('status').textContent"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """One browser for all tests."""
    chromium = Chromium(tmp_path_factory.mktemp("profile"))
    yield chromium
    chromium.close()


@pytest.fixture
def page(browser, hostile, tmp_path):
    """The browser, with a page open."""
    resize(browser, WIDE)
    browser.open(hostile.to_html(tmp_path / "page.html"))
    yield browser
    browser.call("Emulation.clearDeviceMetricsOverride")


def resize(browser, width):
    """Give the page so many pixels, and time to draw."""
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.call("Emulation.setDeviceMetricsOverride", **size)
    browser.run("new Promise(r => setTimeout(r, 200))")


def drawn(explanation, query):
    """The document's sentences that a query's is matched with, by the frame: the weightiest."""
    frame = explanation.frame.dropna(subset="sentence_id")
    own = frame[(frame["query_sentence_id"] == query) & (frame["weight"] > 0.05)]
    return {f"document{number}" for number in own["sentence_id"]}


def test_a_click_shows_the_match(page, hostile):
    """Of the sentence that is clicked, the ribbons stand out and the matches are marked."""
    assert page.run(ON) == []
    pairs = hostile.frame.dropna(subset="sentence_id")
    query = pairs.loc[pairs["weight"].idxmax(), "query_sentence_id"]
    page.click(f'button[data-side="query"][data-number="{query}"]')
    assert page.run(PRESSED) == [f"query{query}"]
    assert set(page.run(MATCHED)) == drawn(hostile, query) != set()
    assert {f"document{number}" for number in page.run(ON)} == drawn(hostile, query)
    assert f"Query sentence {query} is matched" in page.run(SAID)
    page.click(f'button[data-side="query"][data-number="{query}"]')
    assert page.run(PRESSED) == page.run(MATCHED) == page.run(ON) == []


def test_keys_do_what_a_mouse_does(page):
    """Tab reaches the first sentence, Enter chooses it, Escape lets it go."""
    page.press("Tab", 9)
    assert page.run(FOCUSED) == "query0"
    page.press("Enter", 13, "\r")
    assert page.run(PRESSED) == ["query0"]
    page.press("Escape", 27)
    assert page.run(PRESSED) == []


def test_no_error_and_nothing_fetched(page, hostile):
    """The console is silent, the only request is the page, and no sentence became a script."""
    page.click('button[data-side="document"][data-number="2"]')
    complaints, requests = page.observed()
    assert complaints == []
    assert [url for url in requests if not url.startswith("data:")] == [page.run("location.href")]
    assert page.run("document.title").startswith("Why <d> scores")


ENDS = """[...document.querySelectorAll('#ribbons path')].map(path => {
  const frame = document.getElementById('ribbons').getBoundingClientRect();
  const [start, end] = [0, path.getTotalLength()].map(at => path.getPointAtLength(at));
  return [['query', start], ['document', end]].every(([side, point]) => {
    const box = document.querySelector(
      `button[data-side="${side}"][data-number="${path.dataset[side]}"]`).getBoundingClientRect();
    const [x, y] = [point.x + frame.x, point.y + frame.y];
    const beside = Math.min(Math.abs(x - box.left), Math.abs(x - box.right)) < 2;
    return beside && y > box.top && y < box.bottom;
  });
})"""


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_ribbons_run_from_sentence_to_sentence(page, width):
    """They begin and end at the edges of theirs, also where the two papers are stacked."""
    resize(page, width)
    ends = page.run(ENDS)
    assert len(ends) >= 1
    assert all(ends)
    assert page.run("document.documentElement.scrollWidth <= innerWidth")
