"""Measure the longest silence of long jobs: on a terminal, and into a pipe.

    python benchmarks/silence.py [JOB …] [--where terminal pipe] [--limit 10]

Each job runs in a process of its own, whose output is watched: on a pseudo-terminal as a person
sees it, and through a pipe as a log has it. Printed: seconds, signs (pieces of output that are not
blank), the longest time without one, and what was shown before it. The script fails if a job fails,
or is silent for longer than the limit. Jobs run on CSFCube, and on generated data of real size.
"""

import argparse
import os
import pty
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter, sleep

from _common import ROOT, minilm
from _running import clean, csfcube

DOCUMENTS, SESSIONS = 64_183, 1_250_000  # LitSearch's papers; five million downloads
WORDS = [f"w{number}" for number in range(20_000)]


def main():
    """Run the jobs, or (with --job) one in this process."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("jobs", nargs="*", metavar="JOB", help=", ".join([*COMMANDS, *JOBS]))
    parser.add_argument("--where", nargs="+", default=["terminal", "pipe"])
    parser.add_argument("--limit", type=float, default=10)
    parser.add_argument("--job", choices=JOBS, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.job:
        return JOBS[chosen.job]()
    clean()
    print(f"{'job':10} {'where':9} {'seconds':>8} {'signs':>6} {'silence':>8}  after")
    with csfcube():
        rows = [row for job in chosen.jobs or [*COMMANDS, *JOBS] for row in measured(job, chosen)]
    return int(any(code or silence > chosen.limit for code, silence in rows))


def measured(job, chosen):
    """Yield a job's exit code and longest silence, for each place."""
    for where in chosen.where:
        with tempfile.TemporaryDirectory() as folder:
            if job in BEFORE:
                subprocess.run(command(BEFORE[job]), cwd=folder, check=True, capture_output=True)
            yield watched(job, where, command(job), folder)


def command(job):
    """Return the words of a job's command."""
    return COMMANDS.get(job) or [sys.executable, __file__, "--job", job]


def watched(job, where, words, folder):
    """Run a command, print its row, and return its exit code and longest silence."""
    reader, writer = pty.openpty() if where == "terminal" else os.pipe()
    own = {"PYTHONPATH": str(ROOT), "SCHOLARLY_CACHE": str(Path(folder, "cache"))}
    start = last = perf_counter()
    process = subprocess.Popen(
        words,
        cwd=folder,
        env=os.environ | own,
        stdin=subprocess.DEVNULL,
        stdout=writer,
        stderr=writer,
    )
    os.close(writer)
    gaps, shown = [], "(start)"
    for piece in pieces(reader):
        now = perf_counter()
        gaps.append((now - last, shown))
        last, shown = now, piece.split("\n")[-1].split("\r")[-1] or piece
    gaps.append((perf_counter() - last, shown))
    code = process.wait()
    gap, before = max(gaps)
    row = f"{job:10} {where:9} {last - start:8.1f} {len(gaps) - 1:6} {gap:8.1f}  {before[:60]}"
    print(row, *([f"(failed: {shown})"] if code else []), flush=True)
    return code, gap


def pieces(reader):
    """Yield each piece of output that is not blank."""
    with open(reader, "rb", buffering=0) as stream:
        while True:
            try:
                piece = stream.read(65536)
            except OSError:  # how a pseudo-terminal ends
                return
            if not piece:
                return
            if text := piece.decode(errors="replace").strip():
                yield text


def papers():
    """Make DOCUMENTS papers of random words."""
    import numpy as np

    draw = np.random.default_rng(0)
    for number in range(DOCUMENTS):
        words = [WORDS[at] for at in np.minimum(draw.zipf(1.3, 150), len(WORDS)) - 1]
        yield {"doc_id": str(number), "title": " ".join(words[:10]), "text": " ".join(words[10:])}


def made():
    """Write a collection of LitSearch's size."""
    from pyterrier_scholarly.collect import write_collection

    queries = [{"query_id": str(n), "query": " ".join(WORDS[20 * n :][:8])} for n in range(597)]
    more = {"description": "Random words.", "licence": "none", "overwrite": True}
    write_collection("random", list(papers()), queries, **more)


def log():
    """Write a download log."""
    from pyterrier_scholarly.logs import synthetic_log

    synthetic_log(90_395, 900, sessions=SESSIONS).write("log.parquet", numbers=True)


def systems():
    """Rank CSFCube by two systems in an experiment, as Python code does."""
    import pyterrier as pt

    import pyterrier_scholarly as ps

    data = pt.get_dataset("irds:csfcube/all")
    named = ps.systems("csfcube", encoder=minilm())[["one_encoding", "sentence_maxsim"]]
    pt.Experiment([*named.values()], data.get_topics(), data.get_qrels(), ["ndcg_cut_20"])


def okapi():
    """Rank the made collection's questions by LitSearch's BM25."""
    import pandas as pd

    import pyterrier_scholarly as ps
    from pyterrier_scholarly.datasets import irds

    queries = irds("made/random").queries_iter()
    topics = pd.DataFrame([{"qid": query.query_id, "query": query.query} for query in queries])
    ps.systems("made/random", protocol="litsearch")["bm25"](topics)


def terrier():
    """Index the made collection, and retrieve from it by Terrier's BM25."""
    import pyterrier as pt

    data = pt.get_dataset("irds:made/random")
    index = pt.terrier.IterDictIndexer(str(Path("index").resolve())).index(data.get_corpus_iter())
    pt.terrier.Retriever(index, wmodel="BM25", verbose=True)(data.get_topics())


def bert():
    """Make a tiny model."""
    from training import tiny_bert

    tiny_bert(Path("bert"))


def training():
    """Train it."""
    from training import CITES, PAPERS

    from pyterrier_scholarly.training import CitationTriplets, TrainingSettings, train_encoder

    texts = {paper: f"a model of {paper}" for paper in PAPERS}
    triplets, settings = CitationTriplets(CITES, PAPERS), TrainingSettings(batch_size=8)
    train_encoder("bert", triplets, texts, "trained", settings, steps=100)


def judging():
    """Judge pairs by a model that takes its time."""
    import pandas as pd

    from pyterrier_scholarly.collect import judge

    def answer(messages):
        sleep(12)
        return "AGREE"

    pairs = pd.DataFrame({"qid": "q", "query": "of words", "docno": [str(n) for n in range(24)]})
    judge(pairs.assign(text="An abstract."), answer)


def own():
    """Search 500 of CSFCube's papers as one's own, and explain."""
    from pyterrier_scholarly import search_papers
    from pyterrier_scholarly.datasets import irds

    papers = [doc._asdict() for doc in irds("csfcube").docs_iter()[:500]]
    search_papers(papers, papers[0]["doc_id"], "method", minilm()).explain().to_html("why.html")


RUN = [sys.executable, "-c", "import sys, pyterrier_scholarly.cli as c; sys.exit(c.main())"]
SYSTEMS = ["fabs_tfidf", "fabs_bm25", "one_encoding", "six_parts", "sentence_maxsim"]
COMMANDS = {
    "reproduce": [*RUN, "reproduce", "csfcube", "--encoder", minilm(), "--systems", *SYSTEMS],
    "explain": [
        *(*RUN, "explain", "csfcube/method", "six_parts", "1791179", "34254969"),
        *("--encoder", minilm()),
    ],
    "mine-log": [*RUN, "mine-log", "log.parquet", "mined", "--overwrite"],
    "export": [sys.executable, "-m", "ir_datasets", "export", "csfcube/all", "docs"],
}
JOBS = {
    "systems": systems,
    "made": made,
    "okapi": okapi,
    "terrier": terrier,
    "training": training,
    "judge": judging,
    "own": own,
    "log": log,
    "bert": bert,
}
#: job -> the job before it, whose output is not watched
BEFORE = {
    "training": "bert",
    "mine-log": "log",
    "okapi": "made",
    "dense": "made",
    "terrier": "made",
}


if __name__ == "__main__":
    sys.exit(main())
