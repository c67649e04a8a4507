"""The page in a real browser; skipped where there is none."""

import pytest

from ..explanation.chromium import Chromium, found

pytestmark = pytest.mark.skipif(
    not found(), reason="no Chromium on the path: apt-get install chromium"
)


@pytest.fixture(scope="module")
def page(table, tmp_path_factory):
    """A browser with the page open."""
    chromium = Chromium(tmp_path_factory.mktemp("profile"))
    chromium.open(table.to_html(tmp_path_factory.mktemp("page") / "table.html"))
    yield chromium
    chromium.close()


def test_it_loads_without_complaint(page):
    """Nothing is refused by the page's own policy, and nothing is fetched."""
    complaints, requests = page.observed()
    assert complaints == []
    assert [url for url in requests if not url.startswith("data:")] == [page.run("location.href")]


@pytest.mark.parametrize("width", [360, 800, 1400])
def test_a_narrow_screen_scrolls_the_table_alone(page, width):
    """The text keeps to the screen's width; a wide table scrolls in its own region."""
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    page.call("Emulation.setDeviceMetricsOverride", **size)
    assert page.run("document.documentElement.scrollWidth") <= width
    assert page.run("document.querySelector('.scroll').tabIndex") == 0


#: scrolls the table to a share of its width, and waits until that is drawn
SCROLL = """
new Promise(done => {
  const scroll = document.querySelector('.scroll');
  scroll.scrollLeft = %s * (scroll.scrollWidth - scroll.clientWidth);
  requestAnimationFrame(() => requestAnimationFrame(() => done(scroll.scrollLeft)));
})
"""
#: of the table's figures: how many are cut by the name's column or the frame, how many are whole;
#: and how far each name, which must be in view, stands from the frame's edge
SEEN = """
(() => {
  const scroll = document.querySelector('.scroll'), frame = scroll.getBoundingClientRect();
  const names = [...scroll.querySelectorAll('th[scope=row]')].map(e => e.getBoundingClientRect());
  const edge = Math.max(...names.map(box => box.right)), range = document.createRange();
  let cut = 0, whole = 0;
  for (const cell of scroll.querySelectorAll('tbody tr:not(.counts) td')) {
    range.selectNodeContents(cell);
    for (const box of range.getClientRects()) {
      const hidden = box.right <= edge + .5 || box.left >= frame.right - .5;
      const seen = box.left >= edge - .5 && box.right <= frame.right + .5;
      cut += !hidden && !seen; whole += seen;
    }
  }
  return {cut, whole, away: Math.max(...names.map(box => Math.abs(box.left - frame.left)))};
})()
"""


@pytest.mark.parametrize("width", [320, 390, 600, 800, 1280, 1600])
def test_names_stay_in_view_and_no_number_is_cut(page, width):
    """Wherever the table is scrolled to, a name is at its edge, and each number whole or hidden."""
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600}
    page.call("Emulation.setDeviceMetricsOverride", **size)
    for share in (0, 0.13, 0.5, 0.77, 1):
        page.run(SCROLL % share)
        seen = page.run(SEEN)
        assert seen["cut"] == 0, share
        assert seen["whole"] > 0
        assert seen["away"] < 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_best_stand_out_in_weight_and_ground(page, scheme):
    """Not by a hue alone; and the ground is the scheme's."""
    feature = {"name": "prefers-color-scheme", "value": scheme}
    page.call("Emulation.setEmulatedMedia", features=[feature])
    style = "(selector => getComputedStyle(document.querySelector(selector)))"
    best, other = (f"{style}('tbody td{which}')" for which in (".best", ":not(.best):not(.x)"))
    assert page.run(f"{best}.fontWeight") == "700"
    assert page.run(f"{best}.backgroundColor !== {other}.backgroundColor")
    ground = page.run(f"{style}('body').backgroundColor.match(/\\d+/g).map(Number)")
    assert (max(ground) < 60) == (scheme == "dark")


def test_a_page_says_that_its_table_scrolls_where_it_does(table, page, tmp_path):
    """The hint is seen above a table with hidden columns; one that fits has none."""
    size = {"width": 800, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    page.call("Emulation.setDeviceMetricsOverride", **size)
    height = "document.querySelector('.hint').offsetHeight"
    assert page.run(height) > 10
    page.open(table[["NDCG%20"]].to_html(tmp_path / "narrow.html"))
    assert page.run(height) == 0
    assert page.run("document.querySelector('.label').closest('tr').children.length") == 5
