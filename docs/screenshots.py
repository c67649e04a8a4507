"""Photograph the pages that the documentation shows, light and dark, at twice the pixels.

    python docs/screenshots.py     # needs Chromium, the extra `dense`, and all-MiniLM-L6-v2

Run it when a page's look has changed; the pictures are committed.
"""

import argparse
import base64
import io
import math
import sys
import tempfile
from pathlib import Path

import pyterrier as pt
from PIL import Image

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
from pyterrier_scholarly import compare, explain, reproduce, systems  # noqa: E402
from pyterrier_scholarly.collect import annotations  # noqa: E402
from tests.explanation.chromium import Chromium  # noqa: E402

IMAGES = ROOT / "pyterrier_scholarly" / "pt_docs" / "images"
WIDTH, DENSITY, MARGIN = 1040, 2, 12  # CSS pixels, device pixels per each, CSS pixels below
#: name -> a selector; the picture ends below the last element that it selects
LAST = {
    "explanation": ".sentence",
    "table": ".paper-table > ul",
    "annotations": "section:nth-of-type(-n + 2)",
    "comparison": "#rankings li:nth-of-type(-n + 12)",
}
#: name -> the view that is opened, if it is not the first
VIEWS = {"comparison": "#query/104_background"}
#: ending of a picture's name -> the scheme of colours that the browser asks for
FORMS = {"": "light", "-dark": "dark"}
BOTTOM = (
    "Math.max(...[...document.querySelectorAll(%r)].map(e => e.getBoundingClientRect().bottom))"
)


def make_pages(folder, model):
    """Write the pages, and return their paths by name."""
    dataset = pt.get_dataset("irds:scholarly-mini/all")
    system = systems(dataset, model)["one_encoding"]
    ranking = system.search("", qid="104_background").sort_values("rank")
    best = ranking["docno"].iloc[0]
    paths = {name: folder / f"{name}.html" for name in LAST}

    explain(system, "104_background", best, name="one_encoding").to_html(paths["explanation"])
    reproduce("scholarly-mini", ["fabs_tfidf", "fabs_bm25"], verbose=False).to_html(paths["table"])
    annotations(dataset, "104_background").to_html(paths["annotations"])
    compared = compare("one_encoding", "fabs_bm25", dataset, encoder=model, verbose=False)
    compared.to_html(paths["comparison"])
    return paths


def photograph(browser, path, last, scheme, view=""):
    """Return a picture of the page's top, down to the last element."""
    feature = {"name": "prefers-color-scheme", "value": scheme}
    size = {"width": WIDTH, "height": 900, "deviceScaleFactor": DENSITY, "mobile": False}
    browser.call("Emulation.setScrollbarsHidden", hidden=True)
    browser.call("Emulation.setEmulatedMedia", features=[feature])
    browser.call("Emulation.setDeviceMetricsOverride", **size)
    browser.open(path)
    browser.run(f"location.hash = {view!r}; new Promise(r => setTimeout(r, 200))")
    height = browser.run(BOTTOM % last) + MARGIN

    # the whole picture is in the window, so that nothing scrolls while it is taken
    browser.call("Emulation.setDeviceMetricsOverride", **{**size, "height": math.ceil(height)})
    browser.run("new Promise(r => setTimeout(r, 500))")  # ribbons are drawn anew
    browser.run("document.querySelectorAll('.scroll').forEach(e => e.scrollLeft = 0)")
    browser.run("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))")
    clip = {"x": 0, "y": 0, "width": WIDTH, "height": height, "scale": 1}
    taken = browser.call("Page.captureScreenshot", clip=clip)
    picture = Image.open(io.BytesIO(base64.b64decode(taken["data"]))).convert("RGB")
    return picture.quantize(128, dither=Image.Dither.NONE)


def main():
    """Write the pictures."""
    parser = argparse.ArgumentParser(description="Photograph the pages that are shown.")
    name = "sentence-transformers/all-MiniLM-L6-v2"
    parser.add_argument("--model", default=name, help="or a folder (default: %(default)s)")
    parser.add_argument("--folder", type=Path, default=IMAGES, help="of the pictures")
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        paths = make_pages(Path(folder), options.model)
        browser = Chromium(f"{folder}/profile")
        for name, path in paths.items():
            for form, scheme in FORMS.items():
                picture = photograph(browser, path, LAST[name], scheme, VIEWS.get(name, ""))
                picture.save(options.folder / f"{name}{form}.png", optimize=True)
        browser.close()


if __name__ == "__main__":
    main()
