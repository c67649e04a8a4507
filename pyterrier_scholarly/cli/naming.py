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
from collections.abc import Collection, Mapping
from functools import partial

#: what may stand behind ``name=`` in an error: a dict, a list, a text, or a plain value
VALUE = r"\{[^{}]*\}|\[[^\[\]]*\]|'[^']*'|\"[^\"]*\"|[\w…][\w…./-]*[\w…]|[\w…]|-"

#: matches overwrite=True, a bare overwrite=, and either in backquotes
ASSIGNED = re.compile(
    rf"(?P<backquote>`?)\b(?P<name>[a-z]\w*)=(?!=)(?P<value>{VALUE})?(?P=backquote)"
)

#: a name alone, in backquotes; the group for the value is always empty
QUOTED = re.compile(r"(?P<backquote>`)(?P<name>[a-z]\w*)(?P<value>)`")

#: in `PYTHON_NAMES`, for an argument that no option stands for
NO_OPTION = ""


def name_options(
    message: str,
    parser: ArgumentParser,
    python_names: Mapping[str, str],
    python_calls: Mapping[str, str] | None = None,
) -> str:
    """Return a message with what is typed in a shell in place of a function's arguments and calls.

    "Pass overwrite=True." becomes "Pass --overwrite.".

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

    write_for_shell = partial(
        _write_argument_for_shell,
        action_of_argument=_find_actions(parser, python_names),
        python_only={name for name, option in python_names.items() if option == NO_OPTION},
    )
    message = ASSIGNED.sub(write_for_shell, message)  # overwrite=True -> --overwrite
    return QUOTED.sub(write_for_shell, message)  # `overwrite` -> `--overwrite`


def _write_argument_for_shell(
    match: re.Match[str], *, action_of_argument: Mapping[str, Action], python_only: Collection[str]
) -> str:
    """Return the option that stands for an argument found in a message; other text stays.

    "k=5" becomes "--k 5"; "k=5" of a command without that option "k=5 (in Python alone)".

    Args:
        match: of `ASSIGNED` or `QUOTED`.
        action_of_argument: the option or positional for each argument.
        python_only: arguments that no option stands for.
    """
    matched_text = match[0]
    name = match["name"]
    if name in python_only:
        return f"{matched_text} (in Python alone)"
    if name not in action_of_argument:  # it only looks like an argument
        return matched_text

    value = match["value"] or ""  # None for "k=", without a value
    option = _write_option(action_of_argument[name], value)
    backquote = match["backquote"]
    return f"{backquote}{option}{backquote}"


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
    """Return an option with its value, as it is typed in a shell; for a positional its name.

    Args:
        action: argparse's, which has the option's names.
        value: as Python writes it: "5", "[a, b]" or "{'a': 1}"; "" for none.
    """
    if action.option_strings:
        name = action.option_strings[-1]  # the long form comes last: -o, --overwrite
    else:
        name = action.dest

    is_switch = action.nargs == 0
    if value.startswith("{"):  # models={'a': x} -> --model NAME=MODEL
        value_words = [str(action.metavar)]
    elif value.startswith("["):  # measures=[AP, RR] -> --measures AP RR
        value_words = value.strip("[]").split(", ")
    elif value and not is_switch:  # k=5 -> --k 5
        value_words = [value]
    else:  # overwrite=True -> --overwrite
        value_words = []
    return " ".join([name, *value_words])
