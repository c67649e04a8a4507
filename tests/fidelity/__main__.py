"""Run every check on the real data, and write the page: ``python -m tests.fidelity``.

``python -m tests.fidelity --add report.json`` puts a report of somebody else on it, too.
"""

import argparse
import os
import shutil
import tempfile
from pathlib import Path


def main():
    """Write the page and ``verified.csv``, with the data of the tests (see CONTRIBUTING)."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--add", metavar="FILE", help="a report to put on the page")
    options = parser.parse_args()

    folder = os.environ.get("SCHOLARLY_DATA") or Path(__file__).parents[3] / "shared" / "data"
    with tempfile.TemporaryDirectory() as home:
        for name in ("csfcube", "litsearch", "doris-mae"):
            copy(Path(folder, name), Path(home, name))
        os.environ["IR_DATASETS_HOME"] = home
        from .making import add_report, check_all, make_files

        reports = check_all(Path(home, "verified"), verbose=True)
        if options.add:
            own = [outcome for report in reports.values() for outcome in report.outcomes]
            for row in add_report(options.add, own=own):
                doubt = row.doubt or "no doubt was found"
                print(f"{row.outcome.table}:{row.outcome.row}: {doubt}")
        for path, text in make_files(reports).items():
            path.write_text(text, encoding="utf-8")


def copy(source, target):
    """Copy a folder, so that files built from it are written elsewhere."""
    shutil.copytree(source, target)
    for path in [target, *target.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)


if __name__ == "__main__":
    main()
