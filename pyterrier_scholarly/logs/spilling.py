"""A folder for what does not fit in memory while a log is mined."""

from contextlib import contextmanager
from pathlib import Path

from ir_datasets_ext.store.files import (
    collection_folder,
    ensure_writable,
    sweep,
    temporary,
    writing,
)

REMEDY = "Make room there, say another folder with spill=, or more memory with memory=."


@contextmanager
def spill_folder(given=None):
    """Yield a new folder below `given`, or below ir_datasets' home; it is removed in the end.

    What a process that was killed has left there is removed by the next one.

    Raises OSError with the remedy where nothing can be written, or the disk is full.
    """
    above = Path(given) if given else collection_folder("download-log") / ".spill"
    ensure_writable(above, REMEDY)
    sweep(above)
    with temporary(above / "mining", folder=True) as new, writing(above, REMEDY), _full_disks(new):
        yield new


@contextmanager
def _full_disks(folder):
    """Raise OSError where DuckDB says in words of its own that it could not write there.

    What it says of other files, such as the log's, is passed on.
    """
    try:
        yield
    except Exception as error:
        said = str(error)
        kinds = {"OutOfMemoryException": True, "IOException": str(folder) in said}
        of_duckdb = type(error).__module__ in ("duckdb", "_duckdb")
        if not (of_duckdb and kinds.get(type(error).__name__)):
            raise
        raise OSError(
            f"mining stopped: {said.splitlines()[0]} It had {folder} for what does not fit in "
            f"memory. {REMEDY}"
        ) from error
