"""Find the modules of the package that write files, with Python's audit hook, during tests.

The hook does not see what C code writes (DuckDB, PyArrow, torch). For those the kit compares
folders; see `Kind.strangers`.
"""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = tuple(str(ROOT / name) + os.sep for name in ("ir_datasets_ext", "pyterrier_scholarly"))
STORE = PACKAGES[0] + "store" + os.sep
TESTS = str(ROOT / "tests") + os.sep
MODELS = f"{os.sep}transformers_modules{os.sep}"  # runs Python code of models
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT
EVENTS = {"open", "os.rename", "sqlite3.connect"}

#: module -> the files that it writes for others; our code does not read them again
OUTPUTS = {
    "ir_datasets_ext.releases.download": "a release's file, verified before it has its name",
    "pyterrier_scholarly.cli": "the null device, where a pipe is closed",
    "pyterrier_scholarly.cli.reproduce_command": "tables for people",
    "pyterrier_scholarly.cli.compare_command": "tables for people",
    "pyterrier_scholarly.figures.panels": "figures for papers",
    "pyterrier_scholarly.pages.__init__": "pages for browsers, and tables for LaTeX",
}


class Audit:
    """Record the modules that write below a folder: module -> a path."""

    def __init__(self, folder):
        self.found, self._on, self._below = {}, False, str(folder) + os.sep
        sys.addaudithook(self._heard)  # until the process ends

    def __enter__(self):
        self._on = True
        return self

    def __exit__(self, *_):
        self._on = False

    def _heard(self, event, arguments):
        if event not in EVENTS or not self._on or (event == "open" and not is_write(arguments)):
            return
        path = os.path.abspath(os.fsdecode(arguments[0])) if _is_path(arguments[0]) else ""
        if not path.startswith(self._below) or ".probe." in path:  # nothing of it stays on disk
            return
        if module := _writer(sys._getframe(1)):
            self.found.setdefault(module, path)


def _is_path(value):
    return isinstance(value, (str, bytes, os.PathLike))


def is_write(arguments):
    """Whether the arguments of the event `open` open a file for writing."""
    _, mode, flags = arguments
    if isinstance(mode, str):
        return any(letter in mode for letter in "wax+")
    return bool(flags & WRITES)


def _writer(frame):
    """Return our innermost module except the store; None if a test or a model's code writes."""
    while frame:
        path = frame.f_code.co_filename
        if path.startswith(TESTS) or MODELS in path:
            return None
        if path.startswith(PACKAGES) and not path.startswith(STORE):
            return ".".join(Path(path).relative_to(ROOT).with_suffix("").parts)
        frame = frame.f_back
    return None


def unknown(found, kinds):
    """Return the modules of `found` that are in no kind and not in OUTPUTS."""
    known = {*OUTPUTS, *(module for kind in kinds for module in kind.writers)}
    return {module: path for module, path in found.items() if module not in known}
