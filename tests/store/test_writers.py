"""Nothing but the store writes to a disk."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
MOVES = {"fsync", "link", "move", "rename", "renames", "replace", "symlink"}
WRITES = {"NamedTemporaryFile", "copy2", "copyfile", "mkstemp"}
METHODS = {"touch", "write_bytes", "write_text"}  # of a path
FLAGS = ("O_WRONLY", "O_RDWR", "O_CREAT")


def writes(call):
    """Return whether a call moves a file, or opens one for writing, as far as its code shows."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    said = [ast.unparse(one) for one in (*call.args, *(word.value for word in call.keywords))]
    if name == "open":
        modes = [text.strip("'\"") for text in said if set(text) <= set("'\"rwabxt+")]
        to = any(set(mode) & set("wax+") for mode in modes) or any(f in said[-1] for f in FLAGS)
        return to and "os.devnull" not in said
    if name in MOVES:  # of a path, not of a text, a frame or a dataclass
        return ast.unparse(call.func) in (f"os.{name}", f"shutil.{name}") or (
            len(call.args) == 1 and not call.keywords
        )
    return name in WRITES or (name in METHODS and isinstance(call.func, ast.Attribute))


def test_nothing_but_the_store_writes():
    """What is killed in the middle of a write leaves half a file: the store's writes alone do not.

    Others get the file to write to from `new_file`, or a path from `new_folder`.
    """
    found = []
    for package in ("ir_datasets_ext", "pyterrier_scholarly"):
        for path in sorted((ROOT / package).rglob("*.py")):
            calls = ast.walk(ast.parse(path.read_text("utf-8")))
            lines = [c.lineno for c in calls if isinstance(c, ast.Call) and writes(c)]
            found += [(path.relative_to(ROOT).parts[:2], path.name, line) for line in lines]
    assert {parts for parts, _, _ in found} == {("ir_datasets_ext", "store")}, found
    assert {name for _, name, _ in found} >= {"atomic_files.py", "folders.py"}  # where it does
