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
