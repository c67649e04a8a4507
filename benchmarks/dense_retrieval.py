"""LitSearch's table 3 with a dense system, from a made-up release: time, memory, a resume.

    python benchmarks/dense_retrieval.py [PAPERS …] [--dimensions 64] [--questions 597]

Without numbers, 4,000, 16,000 and the release's 64,183 papers, of which a tenth has the text of
another, under a tiny random BERT of so many dimensions (E5-large-v2 has 1,024). For each size
`reproduce("litsearch", ["e5_large_v2"], table=3)` runs in processes of its own: one that is killed
(SIGKILL) when half of the vectors are on disk, one that is resumed, one that finds all of them.
"encoded" are the texts that a process gave to the cache. "search" is a second one in the last
process, from the encoder's memory, beside numpy alone: all vectors as one matrix, one product,
argpartition; "same" is the share of results that both have. Memory is a process's peak above what
imports and the model took. Times are by the clock, and of processors, which other work on the
machine does not change.
"""

import argparse
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import _common  # noqa: F401 (the package beside the script)
import numpy as np
from _running import clean, print_versions

SIZES = (4_000, 16_000, 64_183)
KEY, FOUND = "e5_large_v2", 200
SETS = ("inline_acl", "inline_nonacl", "manual_acl", "manual_iclr")
LETTERS = "abcdefghijklmnopqrstuvwxyz"
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS = [one + other for one in LETTERS for other in LETTERS]


def main():
    """Measure every size; or be one of the processes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("papers", type=int, nargs="*", default=SIZES)
    parser.add_argument("--dimensions", type=int, default=64)
    parser.add_argument("--questions", type=int, default=597)
    parser.add_argument("--run", help=argparse.SUPPRESS)  # the folder
    chosen = parser.parse_args()
    if chosen.run:
        table(Path(chosen.run))
        return
    clean()
    print_versions("numpy", "torch", "sentence-transformers")
    for count in chosen.papers:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            release(folder / "litsearch", count, chosen.questions)
            model(folder / "model", chosen.dimensions)
            print(f"\n{count:,} papers, {chosen.dimensions} dimensions", flush=True)
            killed(folder, count * chosen.dimensions * 4 / 2)
            for what in ("resumed", "again"):
                print(f"  {what:8}", started(folder).communicate()[0].strip(), flush=True)


def release(folder, count, questions):
    """Write papers and questions under the release's paths."""
    from pyarrow import Table, parquet

    random = np.random.default_rng(0)
    words = random.choice(WORDS, (count, 24))
    words[9::10] = words[8:-1:10]
    papers = [
        {"corpusid": n, "title": " ".join(w[:6]), "abstract": " ".join(w[6:]), "citations": []}
        for n, w in enumerate(words)
    ]
    asked = [
        {
            "query_set": SETS[n % 4],
            "query": " ".join(random.choice(WORDS, 12)),
            "specificity": n // 4 % 2,
            "quality": 1 + n // 8 % 2,
            "corpusids": [int(random.integers(count))],
        }
        for n in range(questions)
    ]
    files = {f"corpus_clean/full-0000{n}-of-00006.parquet": papers[n::6] for n in range(6)}
    files["query/full-00000-of-00001.parquet"] = asked
    for name, rows in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        parquet.write_table(Table.from_pylist(rows), folder / name)


def model(folder, dimensions):
    """Save a random BERT of one layer, whose tokens are pairs of letters."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    number = {word: n for n, word in enumerate([*SPECIAL, *WORDS])}
    size = {"hidden_size": dimensions, "num_hidden_layers": 1, "intermediate_size": dimensions}
    BertModel(BertConfig(vocab_size=len(number), num_attention_heads=4, **size)).save_pretrained(
        folder
    )
    made = Tokenizer(models.WordLevel(number, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[(name, number[name]) for name in SPECIAL]
    )
    names = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    PreTrainedTokenizerFast(tokenizer_object=made, **names).save_pretrained(folder)


def started(folder):
    """A process that makes the table."""
    home = {**os.environ, "IR_DATASETS_HOME": str(folder)}
    command = [sys.executable, "-W", "ignore", __file__, "--run", str(folder)]
    quiet = {"stderr": subprocess.DEVNULL, "stdout": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, env=home, **quiet)


def killed(folder, limit):
    """Kill a process when so many bytes of vectors are there."""
    from pyterrier_scholarly.encoders import VectorCache

    process, cache = started(folder), VectorCache(folder / "vectors")
    while cache.bytes < limit and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    kept = f"{cache.bytes / 2**20:.1f} MB of vectors"
    print(f"  killed   at {kept} (exit status {process.returncode})", flush=True)


def table(folder):
    """In a process: make the table, print what it took, then search by numpy alone."""
    import pandas as pd
    import pyterrier as pt

    from pyterrier_scholarly import TextRetriever, reproduce, systems
    from pyterrier_scholarly.encoders import VectorCache

    class Counting(VectorCache):
        encoded = 0

        def put_many(self, settings, made):
            self.encoded += len(made) * (settings["side"] == "document")
            super().put_many(settings, made)

    options = {"models": {KEY: str(folder / "model")}, "cache": Counting(folder / "vectors")}
    encoder = systems("litsearch", **options).encoder(KEY)
    encoder.encode_queries(["the"])  # loads the model
    before = peak()
    took, _ = timed(lambda: reproduce("litsearch", [KEY], table=3, **options))
    memory = peak() - before
    said = f"encoded {options['cache'].encoded:6,d}  table {took}  memory {memory:5.0f} MB"
    if options["cache"].encoded:
        print(said)
        return
    topics = pt.get_dataset("irds:litsearch").get_topics("query")
    retriever = systems("litsearch", **options)[KEY]
    assert isinstance(retriever, TextRetriever)
    searched, run = timed(lambda: retriever(topics))
    seconds, found = by_numpy(encoder, topics)
    same = pd.merge(run, found, on=["qid", "docno"])
    share = len(same) / len(run)
    print(f"{said}  search {searched}  numpy {seconds}  same {share:.4f}")


def by_numpy(encoder, topics):
    """Time of a search in all vectors at once, and what it finds."""
    import pandas as pd

    from pyterrier_scholarly.datasets import irds

    papers = irds("litsearch").docs_iter()
    ids = {f"Title: {paper.title}\nAbstract: {paper.text}": paper.doc_id for paper in papers}
    sides = encoder.encode_queries(topics["query"].tolist()), encoder.encode_documents(list(ids))
    sides = [side.astype(np.float16).astype(np.float32) for side in sides]

    def search():
        asked, texts = (side / np.linalg.norm(side, axis=1, keepdims=True) for side in sides)
        return np.argpartition(asked @ texts.T, -FOUND, axis=1)[:, -FOUND:]

    seconds, best = timed(search)
    docnos = np.array(list(ids.values()), dtype=object)[best].ravel()
    return seconds, pd.DataFrame({"qid": topics["qid"].repeat(FOUND), "docno": docnos})


def timed(way):
    """Seconds of a call by the clock and of processors, as a text, and what it gave."""
    clock, processors = time.perf_counter(), time.process_time()
    given = way()
    spent = time.perf_counter() - clock, time.process_time() - processors
    return "{:.1f} s ({:.1f} cpu)".format(*spent), given


def peak():
    """Most memory that this process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
