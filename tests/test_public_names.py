"""The names at the top: found without an import, listed where help begins, loaded when used."""

import pkgutil
import pydoc
import re
import subprocess
import sys
from types import ModuleType

import pytest

import pyterrier_scholarly
from pyterrier_scholarly import logs

HEAVY = ("torch", "jnius", "pandas", "numpy", "sklearn", "pyterrier", "ir_datasets")
IMPORT = """
import sys
from pyterrier_scholarly import {}
print(*sorted(name for name in sys.modules if name.startswith({!r})))
"""


@pytest.mark.parametrize("module", [pyterrier_scholarly, logs], ids=lambda module: module.__name__)
def test_the_listed_names_are_there(module):
    """What `dir` lists can be imported, and has its own documentation."""
    assert sorted(dir(module)) == sorted(module.__all__)
    for name in module.__all__:
        assert getattr(module, name).__doc__, name


def test_an_import_loads_what_is_used_and_nothing_else():
    """The package alone loads no library; the functions on logs load what they need."""
    loaded = "import pyterrier_scholarly, sys; print([m for m in {} if m in sys.modules])"
    assert printed(loaded.format(HEAVY)) == "[]"
    assert "pyterrier_scholarly.tables" not in printed(IMPORT.format("paired_t", "pyterrier_sch"))


def printed(code):
    """What Python prints in a new process."""
    command = [sys.executable, "-c", code]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def test_help_begins_with_where_to_begin():
    """Its first screen has lines to paste, and the main names by task; all of these are there."""
    page = pydoc.plaintext.document(pyterrier_scholarly)
    first_screen = "\n".join(page.splitlines()[:30])
    assert "Begin here" in first_screen and ">>> " in first_screen
    main = {"systems", "reproduce", "search_papers", "explain", "Pool", "fold_mean"}
    assert {*re.findall(r"`(\w+)`", first_screen)} >= main
    for name in re.findall(r"`([a-z]\w+|[A-Z]\w*[a-z]\w*|LSA)`", pyterrier_scholarly.__doc__):
        assert name in pyterrier_scholarly.__all__, name


def test_a_package_is_a_name_too():
    """Packages need no import of their own, as in `pt.scholarly.collect`."""
    packages = [module.name for module in pkgutil.iter_modules(pyterrier_scholarly.__path__)]
    for name in ("collect", "figures", "logs", "training"):
        assert isinstance(getattr(pyterrier_scholarly, name), ModuleType)
        assert name in packages


def test_a_misspelt_name_names_the_right_one():
    """The error says which name was meant."""
    done = subprocess.run(
        [sys.executable, "-c", "import pyterrier_scholarly as p; p.SentenceMaxsim"],
        capture_output=True,
        text=True,
    )
    assert "Did you mean: 'SentenceMaxSim'?" in done.stderr
