"""A folder for what does not fit in memory while a log is mined."""

from contextlib import contextmanager
from pathlib import Path

from ir_datasets_ext._files import (
    collection_folder,
    ensure_writable,
    leftovers,
    locked,
    remove,
    temporary,
    writing,
)


@contextmanager
def spill_folder(given=None):
    """Yield a new folder below `given`, or below ir_datasets' home; it is removed in the end.

    What a process that was killed has left there is removed by the next one.

    Raises OSError with the remedy where nothing can be written, or the disk is full.
    """
    above = Path(given) if given else collection_folder("download-log") / ".spill"
    ensure_writable(above)
    for old in leftovers(above):
        with locked(old, wait=False) as held:  # whoever uses it holds its lock
            if held:
                remove(old)
    with temporary(above / "mining") as new, writing(above):
        new.mkdir()
        with locked(new), _full_disks(new):
            yield new


@contextmanager
def _full_disks(folder):
    """Raise OSError where DuckDB says in words of its own that it could not write."""
    try:
        yield
    except Exception as error:
        if type(error).__module__ not in ("duckdb", "_duckdb"):
            raise
        said = str(error).splitlines()[0]
        if type(error).__name__ not in ("IOException", "OutOfMemoryException"):
            raise
        raise OSError(
            f"mining stopped: {said} It had {folder} for what does not fit in memory: make room "
            "there, say another folder with spill=, or more memory with memory=."
        ) from error
