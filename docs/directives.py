"""Directives of PyTerrier's own site, which builds the same pages: here they need no network."""

import ast
from html import escape
from pathlib import Path

import ir_datasets
import pictures
import pyterrier as pt
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective

import pyterrier_scholarly  # noqa: F401 (registers the collections)

SHOWN_FROM = "# FOLD"


class Schematic(SphinxDirective):
    """Draw the pipeline that the last line of the code makes, below the code.

    Lines before `# FOLD` run and are not shown. Names are those of the block alone, and `pt`.
    """

    has_content = True
    option_spec = {"show_code": directives.flag}

    def run(self):
        """Return the code and PyTerrier's drawing: HTML that holds its styles and its script."""
        code = "\n".join(self.content)
        *body, last = ast.parse(code).body
        names = {"pt": pt}
        exec(compile(ast.Module(body, []), self.env.docname, "exec"), names)
        pipeline = eval(compile(ast.Expression(last.value), self.env.docname, "eval"), names)
        drawn = pt.schematic.draw(pipeline, outer_class="repr_html")
        block = nodes.raw("", f'<div class="schematic">{drawn}</div>', format="html")
        if "show_code" not in self.options:
            return [block]
        shown = code.rpartition(SHOWN_FROM)[2].strip()
        return [nodes.literal_block(shown, shown, language="python"), block]


class Cite(SphinxDirective):
    """Cite a paper: a line of text, and BibTeX, which is the content.

    Without content, the name is a dataset's: BibTeX, access and licence are from ir_datasets.
    """

    required_arguments, has_content = 1, True
    option_spec = {"citation": directives.unchanged, "link": directives.uri}

    def run(self):
        """Return the citation with its BibTeX folded, and where a dataset comes from."""
        bibtex, access = "\n".join(self.content), ""
        if not bibtex:
            told = ir_datasets.load(self.arguments[0]).documentation()
            bibtex, access = told["bibtex"], told["data_access"]
        link = f'<a href="{escape(self.options["link"])}">{escape(self.options["citation"])}</a>'
        folded = f"<details><summary>BibTeX</summary><pre>{escape(bibtex.strip())}</pre></details>"
        return [nodes.raw("", f"<p>{link}</p>{folded}{access}", format="html")]


class DarkPictures(SphinxTransform):
    """Put the dark form beside each picture that has one; the theme shows what fits.

    A page names the light form, `picture.png`; the dark one is `picture-dark.png`.
    """

    default_priority = 200  # before Sphinx looks for the files

    def apply(self):
        """Add the pictures' dark forms, each with its caption."""
        folder = Path(self.env.doc2path(self.env.docname)).parent
        for image in [*self.document.findall(nodes.image)]:
            light = Path(image["uri"])
            dark = light.with_name(f"{light.stem}-dark{light.suffix}")
            if not (folder / dark).exists():
                continue

            shown = image.parent if isinstance(image.parent, nodes.figure) else image
            added = shown.deepcopy()
            for dark_image in added.findall(nodes.image):
                dark_image["uri"] = dark.as_posix()
            shown["classes"].append("only-light")
            added["classes"].append("only-dark")
            shown.parent.insert(shown.parent.index(shown) + 1, added)


def setup(app):
    """Add them, with the styles of what they make."""
    pt.documentation.url_for_class = lambda _: None  # PyTerrier's asks its site
    app.connect("builder-inited", lambda _: pictures.draw())
    app.add_transform(DarkPictures)
    app.add_directive("schematic", Schematic)
    app.add_directive("cite", Cite)
    app.add_css_file("pages.css")
    return {"parallel_read_safe": True}
