r"""Read LaTeX as plain text, with pylatexenc; "%", "&" and "#" are characters, as in BibTeX.

    >>> decode_latex(r"{CO$_2$} of \emph{S\o ren} rises by 5%")
    'CO2 of Søren rises by 5%'

``latex_commands.yaml`` has patterns of commands that pylatexenc does not know, or shows otherwise,
and the text that takes their place. Of a command that nobody knows, the arguments in braces stay,
or its name if there are none.
"""

import re
from pathlib import Path

import msgspec
from pylatexenc import latex2text, latexwalker

#: what is no LaTeX in an address: escapes, braces, "\url", and "<" of an old DOI as a formula
ADDRESS_MARKS = re.compile(r"\\url\b|\\(?=[_%&#~{}$^])|[{}]|\$(?=[<>]\$)|(?<=[<>])\$")
ADDRESS_COMMANDS = {r"\textless": "<", r"\textgreater": ">", r"\textasciitilde": "~"}
#: a command, and what may stand before its argument in braces
COMMAND = re.compile(
    r"(?s)"
    r"\\(?!(?:begin|end|verb)\b|[][()])(?P<name>[A-Za-z]+|.)(?P<before>\s*(?:\[[^]]*\]\s*)*(?=\{))?"
)
#: a command; a character that is none; a formula. Without a command or an index, it is one as for
#: pandoc: no "$5 and $10"
CHARACTERS = re.compile(
    r"(?s)(?P<command>\\(?:.|$))|(?P<plain>[%&#])"
    r"|(?P<formula>\$\$?(?:[^$\s]*[\\^_](?:\\.|[^$\\])*?|[^\w\s$])\$\$?"
    r"|\$\$?(?=\S)(?:\\.|[^$\\])+?(?<=\S)\$\$?(?!\d))|\$"
)

#: what pylatexenc knows of commands: their texts, and their arguments
TEXTS = latex2text.get_default_latex_context_db()
ARGUMENTS = latexwalker.get_default_latex_context_db()
REPLACED_COMMANDS: dict[str, str] = msgspec.yaml.decode(
    Path(__file__).with_name("latex_commands.yaml").read_bytes()
)


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
    for command, text in REPLACED_COMMANDS.items():
        # "\!" shows nothing, and ends the name of a command before it
        value = re.sub(rf"(?<!\\){command}", rf"\\!{text}", value)
    value = COMMAND.sub(_replace_unknown_command, value)
    value = CHARACTERS.sub(_escape_character, value)
    return latex2text.LatexNodes2Text(TEXTS).latex_to_text(
        value, latex_context=ARGUMENTS, tolerant_parsing=False
    )


def _replace_unknown_command(match: re.Match[str]) -> str:
    """Return a known command as it is; an unknown one as nothing before arguments, or its name."""
    if TEXTS.get_macro_spec(match["name"]):
        return match[0]
    return rf"\!{match['name']}" if match["before"] is None else ""


def _escape_character(match: re.Match[str]) -> str:
    """Return a match of CHARACTERS as LaTeX has to have it."""
    if match["command"]:
        return match[0]
    if match["formula"]:
        without_subscripts = re.sub(r"(?<!\\)_", "", match[0])
        return re.sub(r"(?<!\\)[%&#]", r"\\\g<0>", without_subscripts)
    return f"\\{match[0]}"
