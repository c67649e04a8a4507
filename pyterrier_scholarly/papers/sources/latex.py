r"""Read LaTeX as plain text, with pylatexenc; "%", "&" and "#" are characters, as in BibTeX.

    >>> decode_latex(r"{CO$_2$} of \emph{S\o ren} rises by 5%")
    'CO2 of Søren rises by 5%'

``latex_commands.csv`` has the commands that pylatexenc does not know, or shows otherwise, with
their arguments and their text. One without a text, or that nobody knows, leaves its last argument;
an unknown one without arguments its name.
"""

import csv
import re
from functools import cache
from pathlib import Path

from pylatexenc import latex2text, latexwalker, macrospec

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

with Path(__file__).with_name("latex_commands.csv").open(encoding="utf-8") as table:
    COMMANDS = {
        command: row for row in csv.DictReader(table) for command in row["commands"].split()
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
    escaped = CHARACTERS.sub(_escape_character, value)
    texts, arguments = _read_commands()
    return latex2text.LatexNodes2Text(texts).latex_to_text(
        escaped, latex_context=arguments, tolerant_parsing=False
    )


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
def _read_commands() -> tuple[macrospec.LatexContextDb, macrospec.LatexContextDb]:
    """Return what pylatexenc has to know of commands: their texts, and their arguments."""
    shown = [latex2text.MacroTextSpec(command, _show_command) for command in COMMANDS]
    texts = latex2text.get_default_latex_context_db()
    texts.add_context_category("papers", shown, prepend=True)
    texts.set_unknown_macro_spec(latex2text.MacroTextSpec("", _show_command))

    parsed = [macrospec.std_macro(command, row["arguments"]) for command, row in COMMANDS.items()]
    arguments = latexwalker.get_default_latex_context_db()
    arguments.add_context_category("papers", parsed, prepend=True)
    return texts, arguments


def _show_command(node: latexwalker.LatexMacroNode, l2tobj: latex2text.LatexNodes2Text) -> str:
    """Return a command's text; else its last argument, or its name, but not before a group."""
    text = COMMANDS[node.macroname]["text"] if node.macroname in COMMANDS else ""
    arguments = [argument for argument in node.nodeargd.argnlist if argument is not None]
    if arguments and not text:
        return l2tobj.nodelist_to_text(arguments[-1:])
    is_before_group = node.parsing_state.s.startswith("{", node.pos + node.len)
    if node.macroname not in COMMANDS and not is_before_group:
        text = node.macroname
    return text + node.macro_post_space
