"""Time `search_papers` over papers of one's own, and the splitting of long texts.

    python benchmarks/search.py [--beside CHECKOUT] [--papers 250 500 1000 2000]

CSFCube's first papers are ranked by the method of one of them, compared by words. Every count of
papers has a new, empty cache. Printed are the seconds of the first query, of the second, which is
another paper, and of the first in the next process; and how many abstracts pySBD split in each.
Then texts of many short sentences are split, of growing length.

With --beside, another checkout runs the same in turns. The script fails if the scores differ by
more than 1e-6.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from _common import ROOT
from _running import clean, csfcube, print_versions

FACET = "method"
SENTENCE = "a. "
LENGTHS = (7_500, 15_000, 30_000, 60_000)
TOLERANCE = 1e-6


def main():
    """Measure this checkout, and perhaps another, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--beside", metavar="CHECKOUT", help="folder of another checkout")
    parser.add_argument("--papers", nargs="+", type=int, default=[250, 500, 1000, 2000])
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        checkout, job, *arguments = options.child
        sys.path.insert(0, checkout)  # before this script's own
        print(json.dumps(JOBS[job](*arguments)))
        return

    clean()
    print_versions("pysbd", "numpy", "pandas", "scikit-learn")
    checkouts = {"this": str(ROOT)}
    if options.beside:
        checkouts["beside"] = str(Path(options.beside).resolve())

    with csfcube(), tempfile.TemporaryDirectory() as folder:
        print_searches(checkouts, options.papers, Path(folder))
        print_splitting(checkouts)


def print_searches(checkouts, counts, folder):
    """Print a line for each count of papers and each checkout."""
    print(f"\n{'papers':>6} {'checkout':9}{'first':>18}{'second':>18}{'next process':>18}")
    for count in counts:
        papers = folder / f"{count}.json"
        papers.write_text(json.dumps(read_papers(count)))

        second_scores = {}
        for name, checkout in checkouts.items():
            cache = folder / f"cache-{count}-{name}"
            first, second = run_child(checkout, cache, "search", papers, "2")
            (next_process,) = run_child(checkout, cache, "search", papers, "1")
            second_scores[name] = second["scores"]
            cells = [
                f"{query['seconds']:8.2f} s {query['split']:5} split"
                for query in (first, second, next_process)
            ]
            print(f"{count:6} {name:9}{' '.join(cells)}", flush=True)
        check_equal(second_scores)


def print_splitting(checkouts):
    """Print a line for each length of text and each checkout."""
    print(f"\n{'characters':>10} {'checkout':9}{'seconds':>9}{'sentences':>11}")
    for length in LENGTHS:
        for name, checkout in checkouts.items():
            result = run_child(checkout, "", "split", str(length))
            print(f"{length:10} {name:9}{result['seconds']:9.2f}{result['sentences']:11}")


def read_papers(count):
    """Return the first of CSFCube's papers, as dicts."""
    from pyterrier_scholarly.datasets import irds

    documents = irds("csfcube").docs_iter()[:count]
    return [{"id": doc.doc_id, "title": doc.title, "abstract": doc.text} for doc in documents]


def run_child(checkout, cache, job, *arguments):
    """Run a job with the package of a checkout in a new process, and return its result."""
    words = [sys.executable, __file__, "--child", checkout, job, *map(str, arguments)]
    places = {"PYTHONPATH": checkout, "SCHOLARLY_CACHE": str(cache)}
    done = subprocess.run(words, env=os.environ | places, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{checkout}: {job} failed:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def check_equal(scores_of):
    """Exit if the checkouts gave a paper different scores."""
    expected = scores_of["this"]
    for name, scores in scores_of.items():
        if scores.keys() != expected.keys():
            raise SystemExit(f"{name}: other papers are ranked.")
        largest = max(abs(scores[docno] - expected[docno]) for docno in expected)
        if largest > TOLERANCE:
            raise SystemExit(f"{name}: scores differ by {largest}.")


def search(papers, queries):
    """Rank the papers by the first ones of them; return seconds, texts split and scores of each."""
    from pysbd.processor import Processor

    from pyterrier_scholarly import search_papers

    texts_split = []
    process = Processor.process

    def counted_process(processor):
        texts_split.append(processor.text)
        return process(processor)

    Processor.process = counted_process

    records = json.loads(Path(papers).read_text())
    results = []
    for record in records[: int(queries)]:
        texts_split.clear()
        start = perf_counter()
        ranking = search_papers(records, record["id"], FACET).ranking
        seconds = perf_counter() - start
        scores = dict(zip(ranking["docno"], ranking["score"]))
        results.append({"seconds": seconds, "split": len(texts_split), "scores": scores})
    return results


def split(length):
    """Split a text of this length; return the seconds and the number of sentences."""
    from pyterrier_scholarly.text import split_sentences

    split_sentences("Load pySBD. Compile its rules.")
    text = (SENTENCE * int(length))[: int(length)]
    start = perf_counter()
    sentences = split_sentences(text)
    return {"seconds": perf_counter() - start, "sentences": len(sentences)}


JOBS = {"search": search, "split": split}


if __name__ == "__main__":
    main()
