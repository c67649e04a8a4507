"""Build the documentation: `make docs`. The pages are in `pyterrier_scholarly/pt_docs`."""

import inspect
import re
import sys
from pathlib import Path

from docutils import nodes

sys.path.insert(0, str(Path(__file__).parent))

project = "pyterrier-scholarly"
extensions = [f"sphinx.ext.{name}" for name in ("autodoc", "napoleon", "autosummary", "viewcode")]
extensions += ["directives"]
html_theme = "furo"
html_static_path = ["static"]
html_show_copyright = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"
default_role = "code"
smartquotes_action = "D"  # dashes alone: quotation marks that a page shows can be pasted
napoleon_numpy_docstring = False

FIELD = re.compile(r"^(\w+(?:, \w+)*): ")  # of a record, as our docstrings describe it


def setup(app):
    """Change docstrings and pages as they are read."""
    app.connect("doctree-read", unlinked)
    app.connect("autodoc-process-docstring", shown)
    app.connect("autodoc-process-signature", called)


def unlinked(app, doctree):
    """Undo links to addresses: docutils takes `P@20` for one."""
    for link in [*doctree.findall(nodes.reference)]:
        if link.get("refuri", "").startswith("mailto:"):
            link.replace_self(link.children)


def called(app, what, name, obj, options, signature, returned):
    """Show a transformer's own parameters: PyTerrier's classes are made by `*args, **kwargs`."""
    if what == "class" and signature == "(*args, **kwargs)":
        own = list(inspect.signature(obj.__init__).parameters.values())[1:]
        plain = [one.replace(annotation=one.empty) for one in own]
        return str(inspect.Signature(plain)), returned
    return None


def shown(app, what, name, obj, options, lines):
    """Mark a record's fields; leave out what Python itself says of a dict or a tuple."""
    if type(obj).__module__ == "builtins" and lines and lines[0] in (type(obj).__doc__ or ""):
        lines.clear()
    fields = {*getattr(obj, "__annotations__", ()), *getattr(obj, "__dataclass_fields__", ())}
    fields |= {*getattr(getattr(obj, "__code__", None), "co_varnames", ())}
    beside = True  # whether a field may begin here: behind a blank line, or another field
    for number, line in enumerate(lines):
        found = beside and FIELD.match(line)
        if found and fields >= {*found[1].split(", ")}:
            lines[number] = FIELD.sub(r":\1: ", line)
        else:
            beside = not line or (beside and line.startswith(" "))
