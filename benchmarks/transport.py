"""OT-ASPIRE's distances over all CSFCube pools, beside one pair at a time.

    python benchmarks/transport.py [--vectors FILE.npy] [--threads N]

One pair at a time means geomloss as the paper's authors call it, where it is installed (it is no
requirement of this package), and `sinkhorn` for a pool of one document. Vectors, one row per
distinct sentence of the collection, sorted, come from FILE, else they are random: 768 dimensions,
about 20 apart, as ASPIRE's are. Their spread decides the number of steps. The collection is looked
for in $SCHOLARLY_DATA (../shared/data by default), else where ir_datasets keeps it. Interleaved;
medians, and the ways must agree to 1e-4. All get one thread unless told otherwise.
"""

import argparse
import tracemalloc
from pathlib import Path
from time import perf_counter

from _running import alternating, clean, csfcube

DIMENSIONS, SPREAD, REPEATS = 768, 0.5, 3


def main():
    """Measure and print."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--vectors", type=Path)
    arguments.add_argument("--threads", type=int, default=1)
    options = arguments.parse_args()
    clean(options.threads)
    with csfcube() as name:
        vectors, pools = collection(name, options.vectors)
        compare(vectors, pools, options.threads)
        large(vectors.shape[1])


def collection(name, file):
    """Vectors of all sentences, and each query's: rows of its sentences and of its documents'."""
    import numpy as np
    import pandas as pd

    from pyterrier_scholarly.datasets import irds
    from pyterrier_scholarly.transformers import FacetQuery, Pool, Sentences

    texts = sorted({text for doc in irds(name).docs_iter() for text in doc.sentences})
    row = {text: number for number, text in enumerate(texts)}
    if file:
        vectors = np.load(file)
    else:
        random = np.random.default_rng(0)
        vectors = SPREAD * random.standard_normal((len(texts), DIMENSIONS), dtype="float32")
    topics = pd.DataFrame({"qid": [query.query_id for query in irds(name).queries_iter()]})
    results = (Pool(name) >> FacetQuery(name) >> Sentences(name))(topics)
    pools = [
        (
            [row[text] for text in pool["query_sentences"].iloc[0]],
            [[row[text] for text in sentences] for sentences in pool["sentences"]],
        )
        for _, pool in results.groupby("qid")
    ]
    print(f"{len(results)} pairs in {len(topics)} pools, {len(texts)} sentences,", end=" ")
    print(f"{vectors.shape[1]} dimensions, {'given' if file else 'random'} vectors\n")
    return vectors, pools


def compare(vectors, pools, threads):
    """Print what each way costs."""
    import numpy as np

    from pyterrier_scholarly.similarity.transport import sinkhorn
    from pyterrier_scholarly.similarity.vectors import l2

    def pooled(function):
        return np.concatenate(
            [
                function(
                    vectors[query], vectors[np.concatenate(documents)], list(map(len, documents))
                )
                for query, documents in pools
            ]
        )

    def alone(distance):
        return np.array(
            [
                distance(vectors[query], vectors[document])
                for query, documents in pools
                for document in documents
            ]
        )

    ways = {
        "one pair at a time, sinkhorn": lambda: alone(lambda q, d: sinkhorn(q, d, [len(d)])[0]),
        "sinkhorn, a pool at a time": lambda: pooled(sinkhorn),
        "cost matrices alone": lambda: pooled(lambda query, rows, _: l2(query, rows).sum(axis=0)),
    }
    ours, solver = pooled(sinkhorn), geomloss_distance(threads)
    if solver:
        ways = {"one pair at a time, geomloss": lambda: alone(solver)} | ways
        # in single precision geomloss' distances of equal sentences are off by up to 0.01, in
        # double by the 0.0001 that it takes for 0
        agreed = alone(lambda query, document: solver(query, document, "float64"))
    else:
        agreed = next(iter(ways.values()))()
    print(f"one pair at a time, in double precision: at most {abs(agreed - ours).max():.1e} apart")
    if not abs(agreed - ours).max() <= 1e-4 + 1e-9:
        raise SystemExit("The two ways disagree: no time is worth printing.")
    print(f"distances from {ours.min():.2f} to {ours.max():.2f}\n")
    seconds, _ = alternating(ways, REPEATS)
    slowest = next(iter(seconds.values()))
    for name, took in seconds.items():
        print(f"{name:44}{took:10.2f} s{slowest / took:9.1f} times faster")


def geomloss_distance(threads):
    """A pair's distance by geomloss, weights as in the authors' code; None where it is missing."""
    try:
        import geomloss
        import torch
    except ImportError:
        print("geomloss is not installed: our own pair by pair is the comparison")
        return None
    torch.set_num_threads(threads)
    solver = geomloss.SamplesLoss("sinkhorn", p=1, blur=0.05, scaling=0.9, debias=False)

    def distance(query, document, dtype="float32"):
        query, document = (torch.from_numpy(side.astype(dtype))[None] for side in (query, document))
        nearness = -torch.cdist(query, document)
        weights = [nearness.max(dim=axis).values.softmax(dim=1) for axis in (2, 1)]
        return solver(weights[0], query, weights[1], document).item()

    return distance


def large(dimensions):
    """Print time and memory for one query with ten thousand candidates, of 7 sentences each."""
    import numpy as np

    from pyterrier_scholarly.similarity.transport import sinkhorn

    random = np.random.default_rng(0)
    query = SPREAD * random.standard_normal((7, dimensions), dtype="float32")
    rows = SPREAD * random.standard_normal((70_000, dimensions), dtype="float32")
    lengths = [7] * 10_000
    start = perf_counter()
    sinkhorn(query, rows, lengths)
    took = perf_counter() - start
    tracemalloc.start()  # numpy reports to it; it costs time, so not while that is taken
    sinkhorn(query, rows, lengths)
    peak = tracemalloc.get_traced_memory()[1]
    print(f"\none query of 7 sentences, 10000 documents of 7: {took:.2f} s, {peak / 2**20:.0f} MB")
    print(f"above the vectors' {rows.nbytes / 2**20:.0f} MB")


if __name__ == "__main__":
    main()
