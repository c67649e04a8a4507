"""Ibis, or what to install for it; and what engines have in common."""

from contextlib import ExitStack

try:
    import ibis  # noqa: F401 (the other modules have it from here)
except ImportError as error:
    raise ImportError('Mining logs needs Ibis: pip install "pyterrier-scholarly[logs]"') from error


class Engine(ExitStack):
    """A connection of Ibis to what logs are mined on; see `engines`.

    What was kept and registered goes when it is closed, or when a `with` block ends. An error in
    such a block becomes the one that `explained` makes of it.
    """

    def __init__(self, connection):
        super().__init__()
        self.connection = connection

    def __exit__(self, kind, error, trace):
        super().__exit__(kind, error, trace)
        if error is not None and (said := self.explained(error)):
            raise said from error
