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

#: what may stand behind ``name=`` in an error: a dict, a list, a text, or a plain value
VALUE = r"\{[^{}]*\}|\[[^\[\]]*\]|'[^']*'|\"[^\"]*\"|[\w…][\w…./-]*[\w…]|[\w…]|-"

#: ``name=value``, perhaps without the value, perhaps in backquotes
ASSIGNED = re.compile(
    rf"(?P<backquote>`?)\b(?P<name>[a-z]\w*)=(?!=)(?P<value>{VALUE})?(?P=backquote)"
)

#: a name in backquotes; the group for the value is always empty
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

    action_of_argument = _find_actions(parser, python_names)

    def replace_argument(match: re.Match[str]) -> str:
        """Return the option for a matched argument; a name that is no argument stays."""
        matched_text = match[0]
        name = match["name"]
        if python_names.get(name) == NO_OPTION:
            return f"{matched_text} (in Python alone)"
        if name not in action_of_argument:
            return matched_text

        value = match["value"] or ""
        option = _write_option(action_of_argument[name], value)
        backquote = match["backquote"]
        return f"{backquote}{option}{backquote}"

    with_assigned_replaced = ASSIGNED.sub(replace_argument, message)  # name=value
    return QUOTED.sub(replace_argument, with_assigned_replaced)  # `name`


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

    value: as Python writes it, "[a, b]" or "{'a': 1}"; "" for none.
    """
    if action.option_strings:
        name = action.option_strings[-1]  # the long form comes last: -o, --overwrite
    else:
        name = action.dest

    is_switch = action.nargs == 0  # it takes no value
    if value.startswith("{"):
        value_words = [str(action.metavar)]  # an option has its own form for a dict: NAME=MODEL
    elif value.startswith("["):
        value_words = value.strip("[]").split(", ")
    elif value and not is_switch:
        value_words = [value]
    else:
        value_words = []
    return " ".join([name, *value_words])
