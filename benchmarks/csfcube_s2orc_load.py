"""Measure time and memory of the first load of CSFCube's 800,000 abstracts, by their number.

``python benchmarks/csfcube_s2orc_load.py`` writes archives in both possible layouts, with random
sentences, to a temporary folder (3 GB of disk with the built files). It loads each in a new process
with the release's small files, and prints seconds and peak resident memory.
"""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from _common import DATA, ROOT

SIZES = (100_000, 200_000, 400_000, 800_000)
SENTENCES, WORDS, VOCABULARY = 8, 18, 20_000
LABELS = ("background", "objective", "method", "result", "other")

LOAD = """
import resource, time, warnings
import ir_datasets, ir_datasets_ext
warnings.simplefilter("ignore")
start = time.perf_counter()
count = ir_datasets.load("csfcube/s2orc/all").docs_count()
first = time.perf_counter() - start
start = time.perf_counter()
ir_datasets.load("csfcube/s2orc").docs_store().get("8781666")
again = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(f"{count:9,} documents: {first:6.1f} s, {peak:5.0f} MB at most; a look-up {again:.2f} s")
"""


def papers(count):
    """Yield `count` papers (id, fields) in the form of the release."""
    dice = random.Random(1)
    letters = "etaoinshrdlucmfwypvbgkqjxz"
    words = ["".join(dice.choices(letters, k=dice.randint(3, 10))) for _ in range(VOCABULARY)]
    sentences = [" ".join(dice.choices(words, k=WORDS)).capitalize() + "." for _ in words]
    for number in range(count):
        abstract = dice.choices(sentences, k=SENTENCES)
        labels = [f"{label}_label" for label in dice.choices(LABELS, k=SENTENCES)]
        metadata = {"year": 2015, "venue": "ArXiv", "authors": ["Ada Lovelace"]}
        fields = {"title": sentences[number % VOCABULARY], "abstract": abstract}
        # larger than the release's ids, whose papers are in another file
        yield str(10**9 + number), {**fields, "pred_labels": labels, "metadata": metadata}


def write(path, count, by_id):
    """Write the archive, JSON lines or one object by id."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as zipped:
        name = "abstracts-preds." + ("json" if by_id else "jsonl")
        with zipped.open(name, "w", force_zip64=True) as file:
            for place, (key, fields) in enumerate(papers(count)):
                if by_id:
                    line = ("{" if place == 0 else ", ") + f'"{key}": {json.dumps(fields)}'
                else:
                    line = json.dumps({"paper_id": key, **fields}) + "\n"
                file.write(line.encode())
            if by_id:
                file.write(b"}")


def main():
    """Load archives of growing size, the largest in both layouts."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for name in ("PYTHONDONTWRITEBYTECODE", "OPENBLAS_CORETYPE"):
        environment.pop(name, None)
    for count, by_id in [*((size, False) for size in SIZES), (SIZES[-1], True)]:
        with tempfile.TemporaryDirectory() as home:
            folder = Path(home, "csfcube")
            folder.mkdir()
            for file in filter(Path.is_file, (DATA / "csfcube").iterdir()):
                shutil.copy(file, folder)
            write(folder / "abstracts-preds.zip", count, by_id)
            size = (folder / "abstracts-preds.zip").stat().st_size / 1e6
            print(f"{'by id' if by_id else 'lines'}, {size:5.0f} MB zipped:", end=" ", flush=True)
            environment["IR_DATASETS_HOME"] = home
            subprocess.run([sys.executable, "-c", LOAD], env=environment, check=True)


if __name__ == "__main__":
    main()
