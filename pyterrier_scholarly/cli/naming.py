"""Say an error's advice in the shell's words: `overwrite=True` is ``--overwrite`` there.

Functions advise their own arguments, because most people call them in Python. One place translates
for all subcommands: an argument with an option of its name is that option. Where names differ, or
the shell has no option, the subcommand's module says so in `PYTHON_NAMES`.
"""

import re
from argparse import Action, ArgumentParser
from collections.abc import Mapping

#: what stands behind ``name=`` in an error: a dict, a list, a text, a plain value, or nothing
VALUE = r"(\{[^{}]*\}|\[[^\[\]]*\]|'[^']*'|\"[^\"]*\"|[\w…][\w…./-]*[\w…]|[\w…]|-)?"
ASSIGNED = re.compile(rf"(`?)\b([a-z]\w*)=(?!=){VALUE}\1")
QUOTED = re.compile(r"`([a-z]\w*)`")


def name_options(message: str, parser: ArgumentParser, python_names: Mapping[str, str]) -> str:
    """Replace arguments of functions in an error's message by the options of a subcommand.

    Args:
        message: of the error.
        parser: of the subcommand.
        python_names: dict from an argument to the option that stands for it under another name, or
            to "" for an argument that no option stands for.
    """
    # argparse has no public list of what was added to a parser
    actions = {action.dest: action for action in parser._actions}
    by_option = {name: action for action in actions.values() for name in action.option_strings}
    for argument, option in python_names.items():
        if option:
            actions[argument] = by_option[option]

    def replace_assigned(match: re.Match[str]) -> str:
        quote, name, value = match[1], match[2], match[3] or ""
        if python_names.get(name) == "":
            return f"{match[0]} (in Python alone)"
        if name not in actions:
            return match[0]
        return f"{quote}{_write(actions[name], value)}{quote}"

    def replace_quoted(match: re.Match[str]) -> str:
        name = match[1]
        if python_names.get(name) == "":
            return f"{match[0]} (in Python alone)"
        return f"`{_write(actions[name], '')}`" if name in actions else match[0]

    return QUOTED.sub(replace_quoted, ASSIGNED.sub(replace_assigned, message))


def _write(action: Action, value: str) -> str:
    """Return an option with its value, as it is typed in a shell; for a positional its name."""
    words = [action.option_strings[-1] if action.option_strings else action.dest]
    if value.startswith("{"):
        words.append(str(action.metavar))
    elif value.startswith("["):
        words.extend(value.strip("[]").split(", "))
    elif value and action.nargs != 0:  # 0: a switch, which takes no value
        words.append(value)
    return " ".join(words)
