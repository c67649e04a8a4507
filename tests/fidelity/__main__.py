"""Run every check on the real data and write the page: ``python -m tests.fidelity``."""

import os
import tempfile
from pathlib import Path

from .page import PATH, page


def main():
    """Write the page, with the data of the tests (see CONTRIBUTING)."""
    folder = os.environ.get("SCHOLARLY_DATA") or Path(__file__).parents[3] / "shared" / "data"
    data = Path(folder).resolve().joinpath
    with tempfile.TemporaryDirectory() as home:
        for name in ("csfcube", "litsearch", "doris-mae"):
            copied(data(name), Path(home, name))
        os.environ["IR_DATASETS_HOME"] = home
        from .entries import entries

        PATH.write_text(page(entries(data)), encoding="utf-8")


def copied(source, target):
    """Copy a folder, so that files built from it are written elsewhere."""
    import shutil

    shutil.copytree(source, target)
    for path in [target, *target.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)


if __name__ == "__main__":
    main()
