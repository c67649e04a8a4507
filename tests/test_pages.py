"""The documentation's pages are well formed, and what they name is there."""

import inspect
import io
import pkgutil
import re
from pathlib import Path

import pytest

PAGES = sorted((Path(__file__).parents[1] / "pyterrier_scholarly" / "pt_docs").glob("*.rst"))
NAMED = re.compile(r"(?::(func|class|meth):`~?|^\.\. auto(\w+):: )([^`\s]+)", re.M)
KINDS = {
    "func": callable,
    "meth": callable,
    "function": inspect.isroutine,
    "class": inspect.isclass,
    "module": inspect.ismodule,
    "data": lambda named: not (inspect.isroutine(named) or inspect.isclass(named)),
}
SPHINX = ("autoclass", "autodata", "autofunction", "automodule", "autosummary", "code-block")
SPHINX += ("cite", "glossary", "schematic", "toctree")
ROLES = ("class", "doc", "func", "ref")


def names(page):
    """What it refers to: role, directive, and path of each."""
    return NAMED.findall(page.read_text(encoding="utf-8"))


pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


def read_page(page, warnings=None):
    """Return a page as docutils reads it; what Sphinx adds to docutils is let through."""
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
    settings = {"report_level": 2, "file_insertion_enabled": False}
    settings["warning_stream"] = io.StringIO() if warnings is None else warnings
    text = page.read_text(encoding="utf-8")
    return core.publish_doctree(text, str(page), settings_overrides=settings)


@pages
def test_a_page_is_well_formed(page):
    """No broken table, title, list or link."""
    warnings = io.StringIO()
    read_page(page, warnings)
    assert warnings.getvalue() == ""


@pytest.mark.parametrize("page", [*filter(names, PAGES)], ids=lambda page: page.name)
def test_what_a_page_names_is_there(page):
    """Of references and of what is documented from docstrings: where Sphinx looks for it."""
    for role, directive, name in names(page):
        place, _, last = name.rpartition(".")
        kind = role or directive
        named = pkgutil.resolve_name(name if kind == "module" else place)
        named = named if kind == "module" else getattr(named, last)
        assert KINDS[kind](named), f"{name} is no {kind}"


LONGEST_SENTENCE = 25  # words; code counts as one
SENTENCE_END = re.compile(r"(?<=[.?!:;])\s+")


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.stem != "fidelity"], ids=lambda page: page.name
)
def test_sentences_are_short(page):
    """Readers are tired, and many learnt English late: a sentence, or its part, has few words."""
    from docutils import nodes

    document = read_page(page)
    long = []
    for paragraph in document.findall(nodes.paragraph):
        for code in paragraph.findall(nodes.literal):
            code.children = [nodes.Text("code")]
        text = " ".join(paragraph.astext().split())
        sentences = SENTENCE_END.split(text)
        long += [one for one in sentences if len(one.split()) > LONGEST_SENTENCE]
    assert long == []
