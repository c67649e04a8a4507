r"""Read LaTeX as plain text, with pylatexenc; "%", "&" and "#" are characters, as in BibTeX.

    >>> decode_latex(r"{CO$_2$} of \emph{S\o ren} rises by 5%")
    'CO2 of Søren rises by 5%'

A command that nobody knows leaves its arguments, or without one its name.
"""

import re
from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pylatexenc.latex2text import LatexNodes2Text
    from pylatexenc.latexwalker import LatexMacroNode

#: what is no LaTeX in an address: escapes, braces, "\url", and "<" of an old DOI as a formula
ADDRESS_MARKS = re.compile(r"\\url\b|\\(?=[_%&#~{}$^])|[{}]|\$(?=[<>]\$)|(?<=[<>])\$")
ADDRESS_COMMANDS = {r"\textless": "<", r"\textgreater": ">", r"\textasciitilde": "~"}
#: a command; a character that is none; a formula. Without a command or an index, it is one as for
#: pandoc: no "$5 and $10"
CHARACTERS = re.compile(
    r"(?P<command>\\(?:[A-Za-z]+|.|$))|(?P<plain>[%&#])"
    r"|(?P<formula>\$\$?(?:[^$\s]*[\\^_](?:\\.|[^$\\])*?|[^\w\s$])\$\$?"
    r"|\$\$?(?=\S)(?:\\.|[^$\\])+?(?<=\S)\$\$?(?!\d))|\$",
    re.DOTALL,
)
#: commands that pylatexenc drops, or shows otherwise -> their text
TEXT_OF_COMMAND = {
    **{"textless": "<", "textgreater": ">", "textbar": "|", "textunderscore": "_", "slash": "/"},
    **{"textquotedbl": '"', "textasciicircum": "^", "LaTeX": "LaTeX", "TeX": "TeX"},
    **dict.fromkeys(("item", "newline", "par", "linebreak", "quad", "qquad", "hfill"), " "),
    **dict.fromkeys(("-", "allowbreak"), ""),
}
#: commands whose arguments are no text
DROPPED = ("cite", "citep", "citet", "ref", "label", "noopsort", "vspace", "hspace")
#: commands that change the letters behind them
DECLARATIONS = (
    *("it", "bf", "em", "rm", "tt", "sc", "sl", "sf", "itshape", "bfseries", "upshape", "scshape"),
    *("small", "large", "tiny", "normalfont", "displaystyle", "textstyle", "boldmath", "relax"),
    *("left", "right", "big", "Big", "bigl", "bigr", "noindent", "centering", "ignorespaces"),
)
#: commands with more arguments than their text, which is the last; and how many they have
LAST_ARGUMENT = {
    **{"url": "{", "section": "*[{", "subsection": "*[{", "paragraph": "*[{", "footnote": "[{"},
    **{"href": "{{", "textcolor": "[{{", "foreignlanguage": "[{{"},
}


def decode_address(value: str) -> str:
    r"""Return an address or a DOI without LaTeX's escapes.

    >>> decode_address(r"\url{https://a.org/b\_c?d=%20}")
    'https://a.org/b_c?d=%20'
    """
    for command, character in ADDRESS_COMMANDS.items():
        value = value.replace(command, character)
    return ADDRESS_MARKS.sub("", value)


def decode_latex(value: str) -> str:
    """Return LaTeX as plain text.

    Raises:
        LatexWalkerError: a brace or an environment is not closed.
    """
    if not re.search(r"[\\{}$~%&#]|--|``|''", value):
        return value
    from pylatexenc.latexwalker import LatexWalkerError

    try:
        return _load_decoder()(CHARACTERS.sub(_escape_character, value))
    except LatexWalkerError:  # no formulas, but amounts of money
        without_formulas = re.sub(r"(?<!\\)\$", r"\\$", value)
        return _load_decoder()(CHARACTERS.sub(_escape_character, without_formulas))


def _escape_character(match: re.Match[str]) -> str:
    """Return a match of CHARACTERS as LaTeX has to have it."""
    if match["command"]:
        return match[0]
    if match["formula"]:
        formula = re.sub(r"\^\{?\\circ\b\}?", "°", match[0])
        without_subscripts = re.sub(r"(?<!\\)_", "", formula)
        return re.sub(r"(?<!\\)[%&#]", r"\\\g<0>", without_subscripts)
    return f"\\{match[0]}"


@cache
def _load_decoder() -> Callable[[str], str]:
    """Return pylatexenc's decoder, which leaves the arguments of commands that it does not know."""
    from pylatexenc import latex2text, latexwalker, macrospec

    def show_arguments(node: "LatexMacroNode", l2tobj: "LatexNodes2Text") -> str:
        if node.macroname in (*DROPPED, *DECLARATIONS):
            return " " if node.macroname in DROPPED else ""
        arguments = [argument for argument in node.nodeargd.argnlist if argument is not None]
        if node.macroname in LAST_ARGUMENT:
            arguments = arguments[-1:]
        if arguments:
            return " ".join(l2tobj.nodelist_to_text([argument]) for argument in arguments)
        source = node.parsing_state.s
        has_braces = source.startswith("{", node.pos + node.len)
        text = TEXT_OF_COMMAND.get(node.macroname, "" if has_braces else node.macroname)
        return text + str(node.macro_post_space)

    own_names = (*TEXT_OF_COMMAND, *DECLARATIONS, *LAST_ARGUMENT, *DROPPED)
    shown = [latex2text.MacroTextSpec(name, show_arguments) for name in own_names]
    texts = latex2text.get_default_latex_context_db()
    texts.add_context_category("papers", prepend=True, macros=shown)
    texts.set_unknown_macro_spec(latex2text.MacroTextSpec("", show_arguments))

    parsed = [macrospec.std_macro(name, arguments) for name, arguments in LAST_ARGUMENT.items()]
    commands = latexwalker.get_default_latex_context_db()
    commands.add_context_category("papers", prepend=True, macros=parsed)
    decoder = latex2text.LatexNodes2Text(latex_context=texts)
    return partial(decoder.latex_to_text, latex_context=commands, tolerant_parsing=False)
