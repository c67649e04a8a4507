"""Measure LitSearch's table 3 with a dense system, on a generated release, with a resume.

    python benchmarks/dense_retrieval.py [PAPERS …] [--dimensions 64] [--questions 597]

The default sizes are 4,000, 16,000 and the release's 64,183 papers; a tenth of them have duplicate
texts. The encoder is a tiny random BERT with this number of dimensions (E5-large-v2 has 1,024). For
each size `reproduce("litsearch", ["e5_large_v2"], table=3)` runs in three processes: one is killed
(SIGKILL) with half of the embeddings on disk, one resumes, one finds all embeddings. "encoded" is
the number of texts that a process stored. "search" is a second search in the last process, from
memory; numpy searches all embeddings with one product and argpartition. "same" is the share of
results in both. Memory is the peak of a process minus imports and model. Times are wall-clock and
processor seconds.
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
    """Measure every size, or run one of the processes."""
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
    """Write papers and questions to the release's paths."""
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
    """Save a random BERT of one layer; tokens are pairs of letters."""
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
    """Start a process that makes the table."""
    home = {**os.environ, "IR_DATASETS_HOME": str(folder)}
    command = [sys.executable, "-W", "ignore", __file__, "--run", str(folder)]
    quiet = {"stderr": subprocess.DEVNULL, "stdout": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, env=home, **quiet)


def killed(folder, limit):
    """Kill a process when this many bytes of embeddings are on disk."""
    from pyterrier_scholarly.encoders import VectorCache

    process, cache = started(folder), VectorCache(folder / "vectors")
    while cache.bytes < limit and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    kept = f"{cache.bytes / 2**20:.1f} MB of vectors"
    print(f"  killed   at {kept} (exit status {process.returncode})", flush=True)


def table(folder):
    """Make the table, print time and memory, then search with numpy only."""
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
    encoder.encode(["the"], "query")  # loads the model
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
    """Search all embeddings at once; return the time and the results."""
    import pandas as pd

    from pyterrier_scholarly.datasets import irds

    papers = irds("litsearch").docs_iter()
    ids = {f"Title: {paper.title}\nAbstract: {paper.text}": paper.doc_id for paper in papers}
    sides = encoder.encode(topics["query"].tolist(), "query"), encoder.encode(list(ids), "document")
    sides = [side.astype(np.float16).astype(np.float32) for side in sides]

    def search():
        asked, texts = (side / np.linalg.norm(side, axis=1, keepdims=True) for side in sides)
        return np.argpartition(asked @ texts.T, -FOUND, axis=1)[:, -FOUND:]

    seconds, best = timed(search)
    docnos = np.array(list(ids.values()), dtype=object)[best].ravel()
    return seconds, pd.DataFrame({"qid": topics["qid"].repeat(FOUND), "docno": docnos})


def timed(way):
    """Call; return wall-clock and processor seconds as a text, and the result."""
    clock, processors = time.perf_counter(), time.process_time()
    given = way()
    spent = time.perf_counter() - clock, time.process_time() - processors
    return "{:.1f} s ({:.1f} cpu)".format(*spent), given


def peak():
    """Return the peak memory of this process, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
