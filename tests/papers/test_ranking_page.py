"""The page of a library's ranking, in a browser."""

import pytest

from pyterrier_scholarly import Papers

from ..explanation.chromium import Chromium, found


@pytest.fixture
def browser(tmp_path_factory):
    """A browser."""
    if not found():
        pytest.skip("no Chromium on the path: apt-get install chromium")
    chromium = Chromium(tmp_path_factory.mktemp("profile"))
    yield chromium
    chromium.close()


@pytest.mark.parametrize("width", [390, 1280])
def test_in_chromium_an_opened_explanation_has_its_whole_height(tmp_path, papers, browser, width):
    """Its frame grows to its content; nothing is refused or wider than the screen."""
    library = Papers.build(tmp_path / "library", papers[:12], verbose=False)
    ranking = library.search(papers[0]["id"], "method", num_results=2)
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    browser.call("Emulation.setDeviceMetricsOverride", **size)
    browser.open(ranking.to_html(tmp_path / "found.html"))

    browser.run("document.querySelector('details').open = true")
    browser.run("document.querySelector('iframe').scrollIntoView()")
    grown = "document.querySelector('iframe').style.height"
    waiting = f"const look = () => {grown} ? resolve({grown}) : setTimeout(look, 20); look();"
    height = browser.run(f"new Promise((resolve) => {{ {waiting} }})")
    assert int(height.removesuffix("px")) > 1_000
    assert browser.run("document.documentElement.scrollWidth") <= width
    complaints, _ = browser.observed()
    assert complaints == []
