"""Few modules write to a disk: the one atomic write, and those that write to its new paths."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
MOVES = {"fsync", "link", "move", "rename", "renames", "replace", "symlink"}
WRITES = {"NamedTemporaryFile", "copy2", "copyfile", "mkstemp"}
METHODS = {"touch", "write_bytes", "write_text"}  # of a path
WRITERS = {f"ir_datasets_ext/{name}.py" for name in ("atomic", "files", "writing")}
WRITERS.add("pyterrier_scholarly/entries.py")
FLAGS = ("O_WRONLY", "O_RDWR", "O_CREAT")


def writes(call):
    """Return whether a call moves a file, or opens one for writing, as far as its code shows."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    said = [ast.unparse(one) for one in (*call.args, *(word.value for word in call.keywords))]
    if name == "open":
        modes = [text.strip("'\"") for text in said if set(text) <= set("'\"rwabxt+")]
        to = any(set(mode) & set("wax+") for mode in modes) or any(
            f in text for f in FLAGS for text in said[-1:]
        )
        return to and "os.devnull" not in said
    if name in MOVES:  # of a path, not of a text, a frame or a dataclass
        return ast.unparse(call.func) in (f"os.{name}", f"shutil.{name}") or (
            len(call.args) == 1 and not call.keywords
        )
    return name in WRITES or (name in METHODS and isinstance(call.func, ast.Attribute))


def test_only_few_modules_write():
    """What is killed in the middle of a write leaves half a file, but for `new_file`, `replacing`.

    Others get the file to write to, or a path, from these.
    """
    found = set()
    for package in ("ir_datasets_ext", "pyterrier_scholarly"):
        for path in sorted((ROOT / package).rglob("*.py")):
            calls = ast.walk(ast.parse(path.read_text("utf-8")))
            if any(writes(call) for call in calls if isinstance(call, ast.Call)):
                found.add(path.relative_to(ROOT).as_posix())
    assert found <= WRITERS
