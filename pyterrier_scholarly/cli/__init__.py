"""The command `pyterrier-scholarly`: find the subcommand, run it, print an error as one sentence.

Conventions: each subcommand has a module with a docstring, `arguments(parser)` and `run(options)`.
The docstring's first line is the help in the list; the rest is shown on the subcommand's own page.
A module may have `PYTHON_NAMES`, for errors that advise a function's argument: see `naming`.
Slow imports stand inside `run`, so that ``--help`` answers at once.
"""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

from . import (
    check_run_command,
    compare_command,
    explain_command,
    list_command,
    mine_command,
    reproduce_command,
    search_command,
    verify_command,
)
from .naming import name_options

__all__ = ["COMMANDS", "main"]

#: subcommand -> its module
COMMANDS = {
    "check-run": check_run_command,
    "compare": compare_command,
    "explain": explain_command,
    "list-local": list_command,
    "mine-log": mine_command,
    "reproduce": reproduce_command,
    "search": search_command,
    "verify": verify_command,
}

FAILED, INTERRUPTED, PIPE_CLOSED = 2, 130, 141  # exit codes, as in a shell


def main(
    arguments: Sequence[str] | None = None, commands: Mapping[str, ModuleType] = COMMANDS
) -> int:
    """Run the command line.

    Args:
        arguments: the words after the command's name; None for those of this process.
        commands: dict from subcommands to modules with a docstring, `arguments` and `run`.

    Returns:
        Exit code: 0; 2 after an error, printed as one sentence on stderr; 130 if interrupted; 141
        if the output's reader stopped (as ``| head`` does).
    """
    parser = _make_parser()
    parsers = _add_commands(parser, commands)
    options = parser.parse_args(arguments)
    try:
        commands[options.command].run(options)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Python flushes stdout once more when it ends: discard that.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except Exception as error:
        if options.traceback:
            raise
        python_names = getattr(commands[options.command], "PYTHON_NAMES", {})
        said = name_options(_sentence(error), parsers[options.command], python_names)
        print(f"pyterrier-scholarly {options.command}: {said}", file=sys.stderr)
        return FAILED
    return 0


def _make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pyterrier-scholarly",
        description="Experiments in scientific-literature retrieval, from the command line.",
        epilog="'pyterrier-scholarly COMMAND --help' lists a command's options, with examples.",
    )
    parser.add_argument("--traceback", action="store_true", help="show where an error comes from")
    return parser


def _add_commands(
    parser: argparse.ArgumentParser, commands: Mapping[str, Any]
) -> dict[str, argparse.ArgumentParser]:
    """Add a parser for each subcommand, and return them by name."""
    parsers = {}
    table = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, module in commands.items():
        command = table.add_parser(
            name,
            help=module.__doc__.partition("\n")[0].rstrip("."),
            description=module.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.arguments(command)
        parsers[name] = command
    return parsers


def _sentence(error: Exception) -> str:
    """Return an error's message on one line; prefix its type if it is not meant for users."""
    message = error.args[0] if isinstance(error, KeyError) and error.args else error
    text = " ".join(str(message).split())
    if text and isinstance(error, (ValueError, LookupError, OSError, ImportError)):
        return text
    return f"{type(error).__name__}: {text or 'no message'} (--traceback shows where)"
