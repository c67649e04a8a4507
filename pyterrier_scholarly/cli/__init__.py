"""The command `pyterrier-scholarly`: one module per subcommand, and a table of them.

Conventions: a subcommand's module has a docstring (its first line is the help in the list, the rest
is shown on its own page), `arguments(parser)` and `run(options)`, and imports what takes time
inside of `run`, so that ``--help`` is there at once.
"""

from .entry import main

__all__ = ["main"]
