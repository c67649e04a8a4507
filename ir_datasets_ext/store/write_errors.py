"""Errors about a disk that cannot be written to: which folder it is, and what to do.

::

    with explain_write_errors(folder, "Pass another `save_dir`."):
        ...  # an OSError about missing room or rights becomes
        # OSError: cannot write to runs/: No space left on device. Pass another `save_dir`.
"""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import ir_datasets

#: remedy if ir_datasets' home is not writable
HOME_REMEDY = (
    "Set the environment variable IR_DATASETS_HOME to a folder that you can write to; files of a "
    "release that you have already can be copied or linked into the collection's folder there."
)
#: remedy if no caller knows a better one
FOLDER_REMEDY = "Choose another folder, or make room there."
#: errors about missing room, or about missing rights
REFUSALS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EACCES, errno.EPERM, errno.EROFS)


@contextmanager
def explain_write_errors(folder: Path, remedy: str = HOME_REMEDY) -> Iterator[None]:
    """Name `folder` and the remedy, a sentence, in an OSError about missing room or rights."""
    try:
        yield
    except OSError as error:
        # a file elsewhere, which is read meanwhile, has an error of its own
        is_about_another = error.filename and not Path(error.filename).is_relative_to(folder)
        if error.errno not in REFUSALS or is_about_another:
            raise
        raise make_write_error(folder, error, remedy) from error


def make_write_error(folder: str | Path, error: OSError, remedy: str) -> OSError:
    """Return an OSError that names `folder`, why it is not writable, and the remedy."""
    reason = os.strerror(error.errno or 0)
    refusal = OSError(f"cannot write to {folder}: {reason}. {remedy}")
    refusal.errno = error.errno  # for callers that know another remedy
    return refusal


def collection_folder(collection: str) -> Path:
    """Return the folder of `collection` under ir_datasets' present home.

    Raises OSError with the remedy if the home cannot be made.
    """
    try:
        return ir_datasets.util.home_path() / collection
    except OSError as error:
        home = os.getenv("IR_DATASETS_HOME", "~/.ir_datasets")
        raise make_write_error(home, error, HOME_REMEDY) from error
