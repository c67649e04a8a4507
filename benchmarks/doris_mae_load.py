"""Measure time and memory of the first load of DORIS-MAE at the release's size.

``python benchmarks/doris_mae_load.py`` writes a file of that size with random words to a temporary
folder (2 GB of disk with the built files), and loads it in new processes. The reference is one pass
of ijson (install it before) over the abstracts that writes ir_datasets' docstore of the same
fields. Then all documents are iterated, a thousand are looked up by id, and the replies of the
annotations are read and parsed (`reread_replies`). Runs alternate, so that a busy machine slows
all; figures are medians. Memory is anonymous memory, without the mapped file.
"""

import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROUNDS = 3
UNSET = ("PYTHONDONTWRITEBYTECODE", "OPENBLAS_CORETYPE")
ABSTRACTS, WORDS, QUERIES, ANNOTATIONS = 363_133, 150, 100, 165_144
NAME = "DORIS-MAE_dataset_v1.json"

TIMED = """
import sys, threading, time
import ir_datasets, ir_datasets_ext
peak = 0
def watch():
    global peak
    while True:
        status = dict(line.split(":", 1) for line in open("/proc/self/status"))
        peak = max(peak, int(status["RssAnon"].split()[0]))
        time.sleep(0.02)
def work():
    {work}
threading.Thread(target=watch, daemon=True).start()
start = time.perf_counter()
work()
print(time.perf_counter() - start, peak / 1024)
"""
REFERENCE = """
    import ijson
    from ir_datasets.indices import PickleLz4FullStore
    from ir_datasets_ext.doris_mae import DorisMaeDoc
    def read():
        with open(sys.argv[1], "rb") as file:
            for paper in ijson.items(file, "Corpus.item"):
                yield DorisMaeDoc(
                    str(paper["abstract_id"]), paper["title"], paper["original_abstract"],
                    paper["url"], tuple(paper["categories"]),
                    tuple(map(str, paper["outgoing_citations"])), paper["masked_abstract"],
                    paper["primary_category"], paper["ss_id"],
                    tuple(map(str, paper["incoming_citations"])),
                )
    PickleLz4FullStore(sys.argv[2], read, DorisMaeDoc, "doc_id", ["doc_id"]).build()
"""
LOAD = """
    dataset = ir_datasets.load("doris-mae")
    assert dataset.docs_count() == 363_133
    assert dataset.qrels_count() == 13_762 and dataset.queries_count() == 100
"""
ITERATE = """
    assert sum(1 for _ in ir_datasets.load("doris-mae").docs_iter()) == 363_133
"""
LOOK_UP = """
    store = ir_datasets.load("doris-mae").docs_store()
    assert all(store.get(str(number)).text for number in range(0, 363_000, 363))
"""
REPLIES = """
    from pyterrier_scholarly.collect import reread_replies
    assert len(reread_replies("doris-mae").frame) == 165_144
"""
#: what is done with the store that the first load has built
WORKS = {
    "opened again": LOAD,
    "iterated": ITERATE,
    "1,000 look-ups": LOOK_UP,
    "replies": REPLIES,
}


def write_release(path):
    """Write a file with the release's structure and size: random words, no citations."""
    dice = random.Random(1)
    letters = "etaoinshrdlucmfwypvbgkqjxz"
    words = ["".join(dice.choices(letters, k=dice.randint(3, 10))) for _ in range(20_000)]

    def text(count):
        return " ".join(dice.choices(words, k=count))

    queries = [_query(number, dice, text) for number in range(QUERIES)]
    aspects = {str(aspect): text(12) for aspect in range(12 * QUERIES)}
    with path.open("w") as file:
        by_text = {aspect: key for key, aspect in aspects.items()}
        head = {"aspect2aspect_id": by_text, "aspect_id2aspect": aspects, "Query": queries}
        file.write(json.dumps(head)[:-1] + ', "Corpus": ')
        _write_list(file, (_abstract(number, dice, text) for number in range(ABSTRACTS)))
        file.write(', "Annotation": ')
        _write_list(file, _annotations(queries, dice, text))
        file.write(', "Test_set": []}')


def _query(number, dice, text):
    mains = range(12 * number, 12 * number + 6)  # each with a sub-aspect
    return {
        "query_text": text(WORDS),
        "query_type": "ML",
        "idea_from": [],
        "candidate_pool": dice.sample(range(ABSTRACTS), 138 if number < 62 else 137),
        "aspects": {str(main): [str(main + 6)] for main in mains},
        "sent2aspect_id": {text(25): [str(main)] for main in mains},
        "aspect_id2sent": {str(main): [text(25)] for main in mains},
    }


def _abstract(number, dice, text):
    abstract = text(WORDS)
    return {
        "original_abstract": abstract,
        "masked_abstract": abstract,
        "title": text(10),
        "url": f"http://arxiv.org/abs/{number:010}",
        "primary_category": "cs.CV",
        "categories": ["cs.CV", "cs.LG"],
        "ss_id": f"{dice.getrandbits(160):040x}",
        "incoming_citations": dice.choices(range(ABSTRACTS), k=4),
        "outgoing_citations": dice.choices(range(ABSTRACTS), k=4),
        "abstract_id": number,
    }


def _annotations(queries, dice, text):
    for query in queries:
        for main, subs in query["aspects"].items():
            for aspect in (main, *subs):
                for abstract in query["candidate_pool"]:
                    yield {
                        "aspect_id": aspect,
                        "abstract_id": abstract,
                        "gpt_response": text(60),
                        "score": dice.choice((0, 1, 2)),
                    }


def _write_list(file, entries):
    for number, entry in enumerate(entries):
        file.write(", " if number else "[")
        json.dump(entry, file)
    file.write("]")


def timed(work, *arguments, **environment):
    """Run `work` in a new process; return (seconds, anonymous MB at most) without imports."""
    code = TIMED.format(work=work.strip())
    env = {key: value for key, value in os.environ.items() if key not in UNSET} | environment
    command = [sys.executable, "-c", code, *map(str, arguments)]
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return tuple(map(float, done.stdout.split()))


def measure(folder):
    """Return lists of (seconds, MB) per task."""
    path = folder / "doris-mae" / NAME
    figures = {name: [] for name in ("reference", "first load", *WORKS)}
    for _ in range(ROUNDS):
        shutil.rmtree(folder / "reference", ignore_errors=True)
        figures["reference"].append(timed(REFERENCE, path, folder / "reference"))
        shutil.rmtree(folder / ".stores", ignore_errors=True)
        for name, work in {"first load": LOAD, **WORKS}.items():
            figures[name].append(timed(work, IR_DATASETS_HOME=str(folder)))
    return figures


def main():
    """Print the table."""
    print(f"unset: {', '.join(UNSET)}; Python {sys.version.split()[0]}; medians of {ROUNDS} runs")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "doris-mae").mkdir()
        write_release(folder / "doris-mae" / NAME)
        size = (folder / "doris-mae" / NAME).stat().st_size
        print(f"{size / 1e6:.0f} MB: {ABSTRACTS} abstracts, {ANNOTATIONS} annotations")
        figures = measure(folder)
    reference = statistics.median(seconds for seconds, _ in figures["reference"])
    for what, runs in figures.items():
        seconds, memory = (statistics.median(column) for column in zip(*runs))
        print(f"{what:22} {seconds:6.2f} s {seconds / reference:5.2f}, {memory:4.0f} MB at most")
    print("limits: 2 times the reference, 300 MB; 0.25 s for the look-ups; opened again in 1 s")


if __name__ == "__main__":
    main()
