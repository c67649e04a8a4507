"""Check that a change of the code changes no figure: export all outputs, change, compare.

    SCHOLARLY_DATA=… python -m tests.net export before     # into a folder that git ignores
    SCHOLARLY_DATA=… python -m tests.net compare before    # scores to 1e-6, ranks and texts equal

It runs all named systems of the papers (with tiny random models, stored in the folder, instead of
the papers'), our systems with all-MiniLM-L6-v2 on `scholarly-mini` and on a query of DORIS-MAE,
every measure on random rankings, `explain`, tables and pages.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("SCHOLARLY_DATA") or HERE.parent / "shared" / "data")


def main():
    """Export or compare; the exit status is 1 after a difference."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("act", choices=["export", "compare"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", help="only parts whose name begins like this")
    options = parser.parse_args()
    options.folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        prepare(Path(home))
        from .comparing import differences
        from .outputs import outputs

        file, wrong = options.folder / "outputs.json", 0
        known = json.loads(file.read_text()) if file.exists() else {}
        for name, found in outputs(options.folder.resolve(), options.only or ""):
            if options.act == "export":
                known[name] = found
                file.write_text(json.dumps(known))
                print("exported", name, flush=True)
                continue
            unlike = differences(known.get(name), json.loads(json.dumps(found)))
            wrong += bool(unlike)
            print("DIFFERS" if unlike else "equal", name, *unlike[:5], flush=True)
    sys.exit(bool(wrong))


def prepare(home):
    """Set up a home of ir_datasets with all real files, no network, one thread."""
    for collection in ("csfcube", "doris-mae", "litsearch"):
        shutil.copytree(DATA / collection, home / collection)
    os.environ |= {"IR_DATASETS_HOME": str(home), "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}


if __name__ == "__main__":
    main()
