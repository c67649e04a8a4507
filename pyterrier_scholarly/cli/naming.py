"""Say an error's advice in the shell's words: `overwrite=True` is ``--overwrite`` there.

    name_options("Pass overwrite=True.", parser, {})  # Pass --overwrite.
    name_options("Pass models={'a': x}.", parser, {"models": "--model"})  # Pass --model NAME=MODEL.

Functions advise their own arguments, because most people call them in Python. One place translates
for all subcommands: an argument with an option of its name is that option. Where names differ, or
the shell has no option, the subcommand's module says so in `PYTHON_NAMES`. Calls of functions that
are commands in the shell are in its `PYTHON_CALLS`.
"""

import re
from argparse import Action, ArgumentParser, _SubParsersAction
from collections.abc import Mapping

#: what stands behind ``name=`` in an error: a dict, a list, a text, a plain value, or nothing
VALUE = r"(\{[^{}]*\}|\[[^\[\]]*\]|'[^']*'|\"[^\"]*\"|[\w…][\w…./-]*[\w…]|[\w…]|-)?"

#: ``name=value``, perhaps in backquotes; groups: the backquote, name, value
ASSIGNED = re.compile(rf"(`?)\b([a-z]\w*)=(?!=){VALUE}\1")

#: a name in backquotes; group: the name
QUOTED = re.compile(r"`([a-z]\w*)`")

#: in `PYTHON_NAMES`, for an argument that no option stands for
NO_OPTION = ""


def name_options(
    message: str,
    parser: ArgumentParser,
    python_names: Mapping[str, str],
    python_calls: Mapping[str, str] | None = None,
) -> str:
    """Replace arguments and calls of functions in a message by what is typed in a shell.

    Args:
        message: an error's, or a remark.
        parser: of the subcommand; options of its actions (`papers build`) count, too.
        python_names: dict from an argument to the option that stands for it under another name, or
            to "" for an argument that no option stands for.
        python_calls: dict from a pattern of calls, a regular expression, to the shell's command, in
            which ``\\1`` is the pattern's first group.
    """
    for call_pattern, shell_command in (python_calls or {}).items():
        message = re.sub(call_pattern, shell_command, message)

    action_of_argument = _find_actions(parser, python_names)

    def name_argument(written: str, name: str, value: str, backquote: str) -> str:
        """Return what the shell says instead of `written`, which names an argument."""
        if python_names.get(name) == NO_OPTION:
            return f"{written} (in Python alone)"
        if name not in action_of_argument:
            return written
        return f"{backquote}{_write_option(action_of_argument[name], value)}{backquote}"

    def replace_assigned(match: re.Match[str]) -> str:
        return name_argument(match[0], name=match[2], value=match[3] or "", backquote=match[1])

    def replace_quoted(match: re.Match[str]) -> str:
        return name_argument(match[0], name=match[1], value="", backquote="`")

    message = ASSIGNED.sub(replace_assigned, message)
    return QUOTED.sub(replace_quoted, message)


def _find_actions(parser: ArgumentParser, python_names: Mapping[str, str]) -> dict[str, Action]:
    """Return the option or positional that stands for each argument of a function."""
    action_of_argument = {}
    action_of_option = {}
    for action in list_actions(parser):
        action_of_argument[action.dest] = action
        for option in action.option_strings:
            action_of_option[option] = action

    for argument, option in python_names.items():
        if option != NO_OPTION:
            action_of_argument[argument] = action_of_option[option]
    return action_of_argument


def list_actions(parser: ArgumentParser) -> list[Action]:
    """Return options and positionals of a parser, and of the parsers below it."""
    actions: list[Action] = []
    for action in parser._actions:  # argparse has no public list of what was added to a parser
        if isinstance(action, _SubParsersAction):
            for parser_below in action.choices.values():
                actions += list_actions(parser_below)
        else:
            actions.append(action)
    return actions


def _write_option(action: Action, value: str) -> str:
    """Return an option with its value, as it is typed in a shell; for a positional its name."""
    words = [action.dest]
    if action.option_strings:
        words = [action.option_strings[-1]]

    takes_value = action.nargs != 0  # a switch takes none
    if value.startswith("{"):  # a dict is written in the option's own form
        words.append(str(action.metavar))
    elif value.startswith("["):
        words.extend(value.strip("[]").split(", "))
    elif value and takes_value:
        words.append(value)
    return " ".join(words)
