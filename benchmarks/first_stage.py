"""Measure time and memory of a first stage by sentences, on generated collections of growing size.

    python benchmarks/first_stage.py [SENTENCES …] [--queries 50] [--retriever np|torch]

The default sizes are 10,000, 100,000 and 1,000,000 sentences: random directions of 384 dimensions,
eight per document. A query has three sentences near those of one document, which should be ranked
first ("first": how often it is). Each size runs in its own process. Memory is the peak of the
process minus imports. It includes the memory-mapped file of the index, which the system can free.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import _common  # noqa: F401 (the package beside the script)
import numpy as np

SIZES = (10_000, 100_000, 1_000_000)
DIMENSIONS, PER_DOCUMENT, PER_QUERY, NOISE = 384, 8, 3, 0.5


def main():
    """Run every size, or one size in a process."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sentences", type=int, nargs="*", default=SIZES)
    parser.add_argument("--queries", type=int, default=50)
    parser.add_argument("--retriever", choices=("np", "torch"), default="np")
    chosen = parser.parse_args()
    if len(chosen.sentences) == 1:
        measure(chosen.sentences[0], chosen.queries, chosen.retriever)
        return
    print("sentences  index s  file MB  search s  first  memory MB", flush=True)
    for size in chosen.sentences:
        arguments = [str(size), "--queries", str(chosen.queries), "--retriever", chosen.retriever]
        subprocess.run([sys.executable, __file__, *arguments], check=True)


def measure(size, queries, retriever):
    """Index and search `size` sentences; print a row."""
    from pyterrier_dr import FlexIndex

    from pyterrier_scholarly.transformers import SentenceRetriever

    before = peak()
    asked = np.random.default_rng(1).choice(size // PER_DOCUMENT, queries, replace=False)
    with tempfile.TemporaryDirectory() as folder:
        index = FlexIndex(str(Path(folder, "sentences.flex")), verbose=False)
        start = perf_counter()
        index.index(sentences(size))
        indexed = perf_counter() - start
        start = perf_counter()
        search = getattr(index, f"{retriever}_retriever")(num_results=1000)
        found = SentenceRetriever(search, Given(size))(topics(asked))
        searched = perf_counter() - start
        top = found[found["rank"] == 0].set_index("qid")["docno"]
        first = np.mean([top[str(document)] == f"d{document}" for document in asked])
    file = size * DIMENSIONS * 4 / 2**20
    memory = peak() - before
    print(
        f"{size:9,d}  {indexed:7.1f}  {file:7.0f}  {searched:8.2f}  {first:5.2f}  {memory:9.0f}",
        flush=True,
    )


def peak():
    """Return the peak memory of this process, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def sentences(size):
    """Yield records in the form of `SentenceVectors`."""
    for document in range(size // PER_DOCUMENT):
        for number, vector in enumerate(directions(document)):
            yield {"docno": f"d{document}#{number}", "doc_vec": vector}


def directions(seed, near=None):
    """Draw unit vectors (n, DIMENSIONS), at random or near others."""
    random = np.random.default_rng(seed)
    rows = random.standard_normal((PER_DOCUMENT if near is None else len(near), DIMENSIONS))
    if near is not None:
        rows = near + NOISE * rows / np.sqrt(DIMENSIONS)
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def topics(documents):
    """Make topics in the form of `FacetQuery`; their sentences name a near document."""
    import pandas as pd

    from pyterrier_scholarly.transformers import FacetQuery

    texts = [[f"{document} {number}" for number in range(PER_QUERY)] for document in documents]
    frame = pd.DataFrame({"qid": [str(d) for d in documents], "query_sentences": texts})
    return FacetQuery()(frame)


class Given:
    """A passage encoder with the vectors of `topics`."""

    def __init__(self, size):
        self.size = size

    def encode_passages(self, passages):
        """Return the whole (not used here) and the parts: a title and a sentence."""
        made = []
        for _, sentence in passages:
            document, number = map(int, sentence.split())
            near = directions(document)[number : number + 1]
            made.append(np.repeat(directions(self.size + number, near), 3, axis=0))
        return made


if __name__ == "__main__":
    main()
