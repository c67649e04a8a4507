"""The command `pyterrier-scholarly`: find the subcommand, run it, print an error as one sentence.

    main(["list-local", "--check"])  # as typed in a shell: pyterrier-scholarly list-local --check

Conventions: each subcommand has a module, see `Command`. Slow imports stand inside its `run`, so
that ``--help`` answers at once.
"""

import argparse
import io
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from types import ModuleType
from typing import Protocol, cast

from . import (
    check_run_command,
    compare_command,
    explain_command,
    list_command,
    mine_command,
    papers_command,
    reproduce_command,
    search_command,
    stages_command,
    verify_command,
)
from .naming import name_options

__all__ = ["COMMANDS", "main"]

#: subcommand -> its module, a `Command`
COMMANDS: dict[str, ModuleType] = {
    "check-run": check_run_command,
    "compare": compare_command,
    "explain": explain_command,
    "list-local": list_command,
    "mine-log": mine_command,
    "papers": papers_command,
    "reproduce": reproduce_command,
    "search": search_command,
    "stages": stages_command,
    "verify": verify_command,
}

# exit codes, as in a shell
SUCCEEDED = 0
FAILED = 2
INTERRUPTED = 130
PIPE_CLOSED = 141

#: errors whose message is meant for users
USER_ERRORS = (ValueError, LookupError, OSError, ImportError)


class Command(Protocol):
    """A subcommand's module; `main` calls its functions.

    The docstring's first line is the help in the list of commands; all of it is shown on the
    subcommand's own page. A module may also have `PYTHON_NAMES` and `PYTHON_CALLS`, see `naming`.
    """

    __doc__: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add the subcommand's arguments; called before the command line is read."""

    def run(self, options: argparse.Namespace) -> None:
        """Do the work, and print the result; called with what was read."""


def main(
    arguments: Sequence[str] | None = None, commands: Mapping[str, ModuleType] = COMMANDS
) -> int:
    """Run the command line.

    Args:
        arguments: the words after the command's name; None for those of this process.
        commands: dict from subcommands to their modules, each a `Command`.

    Returns:
        Exit code: 0; 2 after an error, printed as one sentence on stderr; 130 if interrupted; 141
        if the output's reader stopped (as ``| head`` does).
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        # in a terminal that is not UTF-8, ? stands for what it lacks; an error would come after
        # the work is done (stderr never fails)
        sys.stdout.reconfigure(errors="replace")

    parser = _make_parser()
    parser_of_command = _add_commands(parser, commands)
    options = parser.parse_args(arguments)
    command_module = commands[options.command]
    say_in_shell = partial(
        _say_in_shell, module=command_module, parser=parser_of_command[options.command]
    )

    try:
        with _show_warnings_as_sentences(options.command, say_in_shell):
            command_module.run(options)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _discard_output()
        return PIPE_CLOSED
    except Exception as error:
        if options.traceback:
            raise
        sentence = say_in_shell(_describe_error(error))
        print(f"pyterrier-scholarly {options.command}: {sentence}", file=sys.stderr)
        return FAILED
    return SUCCEEDED


def _make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pyterrier-scholarly",
        description="Experiments in scientific-literature retrieval, from the command line.",
        epilog="'pyterrier-scholarly COMMAND --help' lists a command's options, with examples.",
    )
    parser.add_argument("--traceback", action="store_true", help="show where an error comes from")
    return parser


def _add_commands(
    parser: argparse.ArgumentParser, commands: Mapping[str, ModuleType]
) -> dict[str, argparse.ArgumentParser]:
    """Add a parser for each subcommand, and return them by name."""
    parser_of_command = {}
    table = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, module in commands.items():
        command = cast(Command, module)
        first_line = command.__doc__.partition("\n")[0]
        command_parser = table.add_parser(
            name,
            help=first_line.rstrip("."),
            description=command.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.add_arguments(command_parser)
        parser_of_command[name] = command_parser
    return parser_of_command


def _say_in_shell(message: str, *, module: ModuleType, parser: argparse.ArgumentParser) -> str:
    """Return a message with options in place of arguments, and commands in place of calls.

    Args:
        message: that a function wrote for callers in Python: "Pass overwrite=True.".
        module: the subcommand's, which may say in `PYTHON_NAMES` and `PYTHON_CALLS` what differs.
        parser: the subcommand's, with its options.
    """
    python_names = getattr(module, "PYTHON_NAMES", {})
    python_calls = getattr(module, "PYTHON_CALLS", {})
    return name_options(message, parser, python_names, python_calls)


@contextmanager
def _show_warnings_as_sentences(command: str, say_in_shell: Callable[[str], str]) -> Iterator[None]:
    """Show warnings for users without a line of code: in a shell it is none of theirs."""
    format_with_code = warnings.formatwarning

    def format_warning(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        line: str | None = None,
    ) -> str:
        """Return what is shown; called by Python's `warnings`."""
        if category is not UserWarning:
            return format_with_code(message, category, filename, lineno, line)
        return f"pyterrier-scholarly {command}: warning: {say_in_shell(str(message))}\n"

    warnings.formatwarning = format_warning
    try:
        yield
    finally:
        warnings.formatwarning = format_with_code


def _describe_error(error: Exception) -> str:
    """Return an error's message on one line; prefix its type if it is not meant for users."""
    message: object = error
    if isinstance(error, OSError) and error.filename and error.strerror:
        message = f"{error.filename} cannot be used: {error.strerror}. Check the path."
    if isinstance(error, subprocess.CalledProcessError):
        return _describe_failed_program(error)
    if isinstance(error, KeyError) and error.args:
        message = error.args[0]  # as text, a KeyError has its message in quotes
    line = " ".join(str(message).split())

    if line and isinstance(error, USER_ERRORS):
        return line
    return f"{type(error).__name__}: {line or 'no message'} (--traceback shows where)"


def _describe_failed_program(error: subprocess.CalledProcessError) -> str:
    """Return a message for a program that failed, such as the perl script that computes ERR@k."""
    command = error.cmd if isinstance(error.cmd, str) else error.cmd[0]
    return (
        f"The program {command} failed with exit code {error.returncode}. ir_measures runs perl "
        "for ERR@k, which takes only query ids that are numbers: choose another measure, such as "
        "nDCG@10 (--traceback shows where)."
    )


def _discard_output() -> None:
    """Send what is left of stdout nowhere: Python flushes it once more when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
