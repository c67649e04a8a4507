"""The documentation's pages are well formed, and what they name is there."""

import pkgutil
import re
from pathlib import Path

import pytest

PAGES = sorted((Path(__file__).parents[1] / "pyterrier_scholarly" / "pt_docs").glob("*.rst"))
NAMED = re.compile(r":(?:func|class|meth):`~?([^`]+)`|^\.\. auto\w+:: (\S+)", re.M)
SPHINX = ("autoclass", "autodata", "autofunction", "automodule", "code-block", "toctree")
ROLES = ("class", "doc", "func", "ref")

pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


@pages
def test_a_page_is_well_formed(page):
    """No broken table, title, list or link; what Sphinx adds to docutils is let through."""
    core = pytest.importorskip("docutils.core")
    from docutils.nodes import literal
    from docutils.parsers.rst import Directive, directives, roles

    class Anything(Directive):
        optional_arguments, final_argument_whitespace, has_content = 1, True, True

        def run(self):
            return []

    for name in SPHINX:
        directives.register_directive(name, Anything)
    for name in ROLES:
        roles.register_generic_role(name, literal)
    settings = {"report_level": 2, "halt_level": 2, "file_insertion_enabled": False}  # of warnings
    core.publish_doctree(page.read_text(encoding="utf-8"), str(page), settings_overrides=settings)


@pages
def test_what_a_page_names_is_there(page):
    """Of references and of what is documented from docstrings: where Sphinx looks for it."""
    for name in ("".join(found) for found in NAMED.findall(page.read_text(encoding="utf-8"))):
        assert pkgutil.resolve_name(name) is not None
