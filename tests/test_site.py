"""The site, as `make docs` builds it: no warning, examples to paste, pictures that are sharp."""

import ast
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple

import pytest

from pyterrier_scholarly import figures

from .explanation.chromium import Chromium, found

ROOT = Path(__file__).parents[1]
#: functions of `figures` that draw
DRAWN = [name for name in figures.__all__ if name.startswith("plot_")]
PAGES = sorted((ROOT / "pyterrier_scholarly" / "pt_docs").glob("*.rst"))
PROGRAMS = (
    "$ ",
    "pip ",
    "python ",
    "make ",
    "ir_datasets ",
    "ir_measures ",
    "pyterrier-scholarly ",
)
PROMPT = re.compile(r"^(>>>|\.\.\.) ?", re.M)
PYTHON = ("default", "python", "pycon")

pytestmark = pytest.mark.slow


class Block(NamedTuple):
    """A block of code on a page: its language, and its text as a browser copies it."""

    language: str
    text: str


class ReadPage(HTMLParser):
    """Collect a page's blocks of code, its texts outside of them, and its quotations."""

    def __init__(self, html):
        super().__init__()
        self.blocks, self.text, self.quotations, self.pictures = [], "", 0, []
        self._language, self._inside, self._ignored, self._link = "", False, False, None
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        """Note what begins: a quotation, a link, a picture, a block."""
        values = dict(attributes)
        if tag == "blockquote":
            self.quotations += 1
        if tag == "a":
            self._link = values.get("href")
        if tag == "img":
            self.pictures.append({**values, "link": self._link})
        if tag == "div" and (found := re.search(r"highlight-(\w+)", values.get("class") or "")):
            self._language = found[1]
        if tag == "pre":
            self._inside = True
            self.blocks.append(Block(self._language, ""))
        if tag in ("script", "style"):
            self._ignored = True

    def handle_endtag(self, tag):
        """Note what ends."""
        if tag == "a":
            self._link = None
        if tag == "pre":
            self._inside, self._language = False, ""
        if tag in ("script", "style"):
            self._ignored = False

    def handle_data(self, data):
        """Add a text to its block, or to the page."""
        if self._inside:
            self.blocks[-1] = Block(self.blocks[-1].language, self.blocks[-1].text + data)
        elif not self._ignored:
            self.text += data


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the site, built as `make docs` does; warnings are errors."""
    pytest.importorskip("furo")
    folder = tmp_path_factory.mktemp("site")
    options = ["--quiet", "--fail-on-warning", "--keep-going", "--conf-dir", ROOT / "docs"]
    command = [sys.executable, "-m", "sphinx", *options, PAGES[0].parent, folder]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def read(site):
    """Dict from a page's name to what a reader finds on it."""
    paths = [site / f"{page.stem}.html" for page in PAGES]
    return {path.stem: ReadPage(path.read_text("utf-8")) for path in paths}


def test_every_schematic_and_figure_is_drawn(site):
    """A page has as many schematics as its source, and each figure function its picture."""
    assert "search_papers" in (site / "reference.html").read_text()
    for page in PAGES:
        drawn = (site / f"{page.stem}.html").read_text().count('class="schematic"')
        assert drawn == page.read_text("utf-8").count(".. schematic::"), page.name
    pictures = {path.stem for path in (site / "_images").iterdir()}
    assert {*DRAWN} <= pictures


def is_pasted(block):
    """Whether a shell or Python takes the text: whole lines of commands, or statements."""
    lines = block.text.strip().splitlines()
    if all(line.startswith(PROGRAMS) for line in lines):
        return True
    code = block.text
    if code.startswith(">>> "):
        code = "\n".join(line for line in lines if PROMPT.match(line))
        code = PROMPT.sub("", code)
    try:
        ast.parse(code)
    except SyntaxError:
        return False
    return True


def test_every_example_can_be_pasted(read):
    """Each block of code, from pages and from docstrings, is Python or commands as it is shown."""
    wrong, count = [], 0
    for name, page in read.items():
        for block in page.blocks:
            if block.language in PYTHON:
                count += 1
                if not is_pasted(block):
                    wrong.append((name, block.text))
    assert wrong == []
    assert count > 100


def test_no_example_is_a_quotation(read):
    """An example without ``::`` would be indented text: no page has any."""
    assert {name: page.quotations for name, page in read.items() if page.quotations} == {}


def test_quotation_marks_stay_as_typed(read):
    """No mark that an author types is made a curly one, which Python does not take."""
    curly = {name: re.findall(".{20}[“”‘]", page.text) for name, page in read.items()}
    assert {name: found for name, found in curly.items() if found} == {}


@pytest.mark.parametrize(
    ("page", "function"),
    [
        ("explanation", "explain"),
        ("download_logs", "mine_log"),
        ("paper_tables", "reproduce"),
        ("own_papers", "search_papers"),
        ("stages", "stages"),
        ("systems", "systems"),
    ],
)
def test_the_first_functions_show_an_example(site, function, page):
    """Who looks up one of these finds a call to paste below its signature."""
    html = (site / f"{page}.html").read_text("utf-8")
    module = r"(?:[a-z_]+\.)*"  # a class begins with a capital: its fields are no functions
    described = re.split(
        rf'<dt class="sig [^>]*id="pyterrier_scholarly\.{module}{function}"', html
    )[1]
    described = described.partition("</dl>")[0].partition('<dl class="py')[0]
    blocks = ReadPage(described).blocks
    assert any(f"{function}(" in block.text and is_pasted(block) for block in blocks)


def name_of(address):
    """A picture's name without its ending, from its address."""
    return Path(address).stem


def test_every_picture_has_a_dark_form_and_opens_at_full_size(read):
    """A light picture has a dark one beside it; a click on either opens its own file."""
    count = 0
    for name, page in read.items():
        shown = [one for one in page.pictures if one["src"].startswith("_images/")]
        names = {name_of(one["src"]) for one in shown}
        light = {one for one in names if not one.endswith("-dark")}
        assert names == light | {f"{one}-dark" for one in light}, name
        assert all(one["link"] == one["src"] for one in shown), name
        count += len(light)
    assert count >= len(DRAWN) + 3


def test_dark_pictures_draw_nothing_in_black(site):
    """What is drawn in a fixed colour is seen on a dark ground, too."""
    for name in DRAWN:
        assert "#000000" not in (site / "_images" / f"{name}-dark.svg").read_text("utf-8"), name


def test_the_start_page_begins_with_a_picture_and_three_lines(site):
    """What it is, how to install it and the first command come before any other text or table."""
    html = (site / "index.html").read_text("utf-8")
    article = html.partition('<article role="main"')[2].partition("</ul>")[0]
    assert "<img" in article.partition("<ul")[0]
    assert "<table" not in article
    items = [ReadPage(item).text for item in article.partition("<ul")[2].split("<li>")[1:]]
    assert len(items) == 3
    assert "pip install" in items[1] and "pyterrier-scholarly" in items[2]


LONGEST_PAGE = 12_000  # CSS pixels of a window of 1,200; the page of transformers had 25,000


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """A Chromium; where there is none, the test is skipped."""
    if not found():
        pytest.skip("no Chromium on the path: apt-get install chromium")
    chromium = Chromium(tmp_path_factory.mktemp("profile"))
    yield chromium
    chromium.close()


#: the pictures in view: their files, how many pixels of theirs stand on one of the screen's
PICTURES = """
[...document.querySelectorAll('article img')].filter(e => e.checkVisibility())
  .map(e => [e.currentSrc.split('/').pop(), e.naturalWidth / e.clientWidth])
"""


def resize(browser, width, scheme="light"):
    """Give the browser a width in pixels, and colours."""
    feature = {"name": "prefers-color-scheme", "value": scheme}
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.call("Emulation.setEmulatedMedia", features=[feature])
    browser.call("Emulation.setDeviceMetricsOverride", **size)


@pytest.mark.parametrize("width", [1200, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("page", ["index", "quickstart", "csfcube", "rhsa", "making"])
def test_pictures_are_sharp_and_fit_the_colours(site, browser, page, scheme, width):
    """The reader's form alone is in view: an SVG, or at least two pixels for each of the page."""
    resize(browser, width, scheme)
    browser.open(site / f"{page}.html")
    shown = browser.run(PICTURES)
    assert shown
    for file, density in shown:
        assert name_of(file).endswith("-dark") == (scheme == "dark"), file
        assert file.endswith(".svg") or density >= 2, file
    assert browser.run("document.documentElement.scrollWidth") <= width


TRANSFORMERS = ["candidates", "scoring_sentences", "scoring_texts", "reranking", "retrieval"]


@pytest.mark.parametrize("page", ["transformers", *TRANSFORMERS])
def test_pages_of_transformers_are_of_one_task(site, browser, page):
    """None is half as long as the one that had them all; the first, which chooses, is short."""
    resize(browser, 1200)
    path = site / f"{page}.html"
    assert path.exists()  # a browser's own page of errors is short, too
    browser.open(path)
    height = browser.run("document.documentElement.scrollHeight")
    assert height <= (2_000 if page == "transformers" else LONGEST_PAGE)


def test_the_page_that_chooses_names_all_tasks(read, site):
    """Each page of transformers is reached from the first."""
    html = (site / "transformers.html").read_text("utf-8")
    article = html.partition('<article role="main"')[2].partition("</article>")[0]
    assert [page for page in TRANSFORMERS if f'href="{page}.html"' not in article] == []
