"""The files and names to which CONTRIBUTING sends its reader are there."""

import pkgutil
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
LINK = re.compile(r"\]\(([\w./]+)\)")
TEST_FILE = re.compile(r"`(tests/[\w./]+\.py)`")
NAME = re.compile(r"`([\w.]+)`")
PACKAGES = ("pyterrier_scholarly", "ir_datasets_ext")


def list_new_names(table):
    """Return the dotted names of the last column; one that begins with a dot is spelt out."""
    names = []
    for row in table.splitlines():
        cells = row.split(" | ")
        if len(cells) != 2:
            continue
        module = ""
        for name in NAME.findall(cells[1]):
            full_name = module + name if name.startswith(".") else name
            module = full_name.rpartition(".")[0]
            names.append(full_name)
    return [name for name in names if "." in name]


def is_there(name):
    """Whether one of our packages has a module or an object of that name."""
    for package in PACKAGES:
        full_name = name if name.startswith(package) else f"{package}.{name}"
        try:
            pkgutil.resolve_name(full_name)
        except (ImportError, AttributeError):
            continue
        return True
    return False


def test_the_files_are_there():
    """Each page that is linked, and each file of tests that a change needs, exists."""
    links = LINK.findall(TEXT)
    section = TEXT.partition("## What you add, and its tests\n")[2].partition("\n## ")[0]
    tests = TEST_FILE.findall(section)
    assert "pyterrier_scholarly/protocols/README.md" in links
    assert "tests/transformers/test_contract.py" in tests
    assert [path for path in [*links, *tests] if not (ROOT / path).exists()] == []


def test_what_moved_is_where_the_table_says():
    """Each new place can be imported; the table is the last section."""
    table = TEXT.partition("## What moved\n")[2]
    assert "\n## " not in table
    names = list_new_names(table)
    assert "evaluation.pool_studies" in names
    assert [name for name in names if not is_there(name)] == []
