"""`features.md` lists what users have, so that a redesign loses nothing without a word."""

import importlib
import pkgutil
import re
from pathlib import Path

import ir_datasets
import pytest

import pyterrier_scholarly
from pyterrier_scholarly.cli import COMMANDS

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "tests" / "features.md").read_text("utf-8")
CODE = re.compile(r"`([^`]+)`")
CELL_BORDER = re.compile(r"(?<!\\)\|")
INNER_BRACES = re.compile(r"(.*)\{([^{}]*)\}(.*)")
COLLECTIONS = ("csfcube", "doris-mae", "litsearch", "scholarly-mini")
#: of packages without public names: that of the command, and the templates of pages
INNER_PACKAGES = ("cli", "pages")
PACKAGES = [
    module.name
    for module in pkgutil.iter_modules(pyterrier_scholarly.__path__)
    if module.ispkg and module.name not in INNER_PACKAGES
]


def read_rows(first_heading=""):
    """Return the rows, as lists of cells, of all tables whose first column has this heading."""
    rows = []
    for section in TEXT.split("\n## ")[1:]:
        lines = [line for line in section.splitlines() if line.startswith("| ")]
        if lines[0].startswith(f"| {first_heading}"):
            rows += [CELL_BORDER.split(line)[1:-1] for line in lines[1:]]
    return rows


def list_names():
    """Return what rows are about, and its new name: the code in first and last cells."""
    cells = [cell for row in read_rows() for cell in (row[0], row[-1])]
    return {name for cell in cells for name in CODE.findall(cell)}


def is_there(name):
    """Whether our package has an object of this dotted name."""
    try:
        pkgutil.resolve_name(f"pyterrier_scholarly.{name}")
    except (ImportError, AttributeError):
        return False
    return True


def expand(pattern):
    """Return what a pattern stands for: a, a/b1 and a/b2 for "a{,/b{1,2}}"."""
    match = INNER_BRACES.fullmatch(pattern)
    if match is None:
        return {pattern}
    before, choices, after = match.groups()
    return {text for choice in choices.split(",") for text in expand(before + choice + after)}


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_is_listed(package):
    """By itself if it is at the top, else behind its package."""
    at_top = pyterrier_scholarly.__all__
    exported = importlib.import_module(f"pyterrier_scholarly.{package}").__all__
    expected = {name if name in at_top else f"{package}.{name}" for name in exported}
    assert expected - list_names() == set()


def test_every_name_at_the_top_is_listed():
    """Packages need no row of their own."""
    assert {*pyterrier_scholarly.__all__} - {*PACKAGES} - list_names() == set()


def test_a_name_that_is_gone_says_what_became_of_it():
    """Its last cell is filled in."""
    rows = read_rows("name")
    assert {"`SentenceMaxSim`", "`chat.Reply`"} <= {row[0].strip() for row in rows}
    missing = [row[0] for row in rows if not is_there(row[0].strip(" `"))]
    explained = [row[0] for row in rows if row[-1].strip()]
    assert [name for name in missing if name not in explained] == []


def test_every_command_is_listed():
    """As it is typed."""
    assert {f"pyterrier-scholarly {name}" for name in COMMANDS} - list_names() == set()


def test_every_page_and_example_is_listed():
    """Pages by their names in a link, notebooks and scripts by those of their files."""
    pages = {path.stem for path in (ROOT / "pyterrier_scholarly" / "pt_docs").glob("*.rst")}
    examples = {path.name for path in (ROOT / "examples").iterdir() if path.is_file()}
    assert {*pages, *examples} - list_names() == set()


def test_datasets_are_those_that_are_listed():
    """Patterns stand for the ids of our collections, and for no others."""
    patterns = [pattern for row in read_rows("id") for pattern in CODE.findall(row[0])]
    listed = set().union(*map(expand, patterns))
    registered = {name for name in ir_datasets.registry if name.split("/")[0] in COLLECTIONS}
    assert listed == registered
