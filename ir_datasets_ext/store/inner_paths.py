"""Paths of files inside a folder that may come from elsewhere: none may lead out of it.

::

    check_name_inside("inner/a.txt")    # fine; "../a.txt" is a ValueError
    check_inside(folder, "inner/a.txt") # Damaged if a link leads out of the folder
"""

import os
from pathlib import Path, PurePosixPath, PureWindowsPath

from ir_datasets_ext.store.segment import Damaged


def check_name_inside(name: str) -> None:
    """Raise ValueError unless `name` is a plain path below a folder, as ``inner/a.txt``."""
    path = PurePosixPath(name)
    is_plain = (
        str(path) == name
        and name != "."
        and "\\" not in name
        and "\0" not in name
        and ".." not in path.parts
        and not path.is_absolute()
        and not PureWindowsPath(name).drive
    )
    if not is_plain:
        raise ValueError(f"{name!r} is no path of a file inside the folder")


def check_inside(folder: Path, name: str) -> None:
    """Raise Damaged if a link leads from ``folder / name`` out of the folder."""
    real_path = Path(os.path.realpath(folder / name))
    if not real_path.is_relative_to(os.path.realpath(folder)):
        raise Damaged(
            f"{folder / name} is a link that leads out of {folder}. Put the file itself there, as "
            "`cp -rL` copies it"
        )
