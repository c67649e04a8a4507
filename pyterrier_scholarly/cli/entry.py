"""From a command line to the subcommand that it names, and from an error to one sentence."""

import argparse
import os
import sys

from . import explaining, listing, mining, reproducing, searching

#: subcommand -> its module
COMMANDS = {
    "explain": explaining,
    "list-local": listing,
    "mine-log": mining,
    "reproduce": reproducing,
    "search": searching,
}

FAILED, INTERRUPTED, PIPE_CLOSED = 2, 130, 141  # exit codes, as a shell has them


def main(arguments=None, commands=COMMANDS):
    """Run the command line.

    Args:
        arguments: what follows the command's name; None for that of this process.
        commands: dict from subcommands to modules with a docstring, `arguments` and `run`.

    Returns:
        Exit code: 0; 2 after an error, of which one sentence stands on stderr; 130 when
        interrupted; 141 when nobody reads the output any more (as ``| head`` does not).
    """
    options = _parser(commands).parse_args(arguments)
    try:
        commands[options.command].run(options)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Python flushes stdout once more when it ends: let that go nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except Exception as error:
        if options.traceback:
            raise
        print(f"pyterrier-scholarly {options.command}: {_sentence(error)}", file=sys.stderr)
        return FAILED
    return 0


def _parser(commands):
    parser = argparse.ArgumentParser(
        prog="pyterrier-scholarly",
        description="Experiments in scientific-literature retrieval, from the command line.",
        epilog="'pyterrier-scholarly COMMAND --help' says what a command takes, with examples.",
    )
    parser.add_argument("--traceback", action="store_true", help="show where an error comes from")
    table = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, module in commands.items():
        first, _, rest = module.__doc__.partition("\n")
        command = table.add_parser(
            name,
            help=first.rstrip("."),
            description=f"{first}\n{rest}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.arguments(command)
    return parser


def _sentence(error):
    """What an error says, on one line; what is no message to a user has its type in front."""
    said = error.args[0] if isinstance(error, KeyError) and error.args else error
    text = " ".join(str(said).split())
    if text and isinstance(error, (ValueError, LookupError, OSError, ImportError)):
        return text
    return f"{type(error).__name__}: {text or 'no message'} (--traceback shows where)"
