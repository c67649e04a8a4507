"""Time OT-ASPIRE's distances over all CSFCube pools, batched and one pair at a time.

    python benchmarks/transport.py [--vectors FILE.npy] [--threads N]

One pair at a time is our step for pools of one document, and geomloss as the paper's authors call
it, if it is installed (this package does not need it). Vectors come from FILE (one row per distinct
sentence of the collection, sorted). By default they are random: 768 dimensions, about 20 apart,
like ASPIRE's, because the distances determine the number of steps. The collection comes from
$SCHOLARLY_DATA (default ../shared/data), else from ir_datasets. Ways are called in turns; medians.
Results must agree to 1e-4. The default is one thread.
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
    """Return vectors of all sentences; per query, the rows of its sentences and documents."""
    import numpy as np
    import pandas as pd

    from pyterrier_scholarly.datasets import irds
    from pyterrier_scholarly.transformers import FacetQuery, PaperLoader, Pool

    texts = sorted({text for doc in irds(name).docs_iter() for text in doc.sentences})
    row = {text: number for number, text in enumerate(texts)}
    if file:
        vectors = np.load(file)
    else:
        random = np.random.default_rng(0)
        vectors = SPREAD * random.standard_normal((len(texts), DIMENSIONS), dtype="float32")
    topics = pd.DataFrame({"qid": [query.query_id for query in irds(name).queries_iter()]})
    results = (Pool(name) >> FacetQuery(name) >> PaperLoader(name))(topics)
    pools = []
    for _, pool in results.groupby("qid"):
        query_paper, positions = pool[["query_paper", "query_sentence_ids"]].iloc[0]
        query = [row[text] for text in query_paper.only(positions).sentences]
        documents = [[row[text] for text in paper.sentences] for paper in pool["paper"]]
        pools.append((query, documents))
    print(f"{len(results)} pairs in {len(topics)} pools, {len(texts)} sentences,", end=" ")
    print(f"{vectors.shape[1]} dimensions, {'given' if file else 'random'} vectors\n")
    return vectors, pools


def compare(vectors, pools, threads):
    """Print the time of each way."""
    import numpy as np

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
        # geomloss's distances of equal sentences have errors of up to 0.01 in single precision;
        # in double precision they are 0.0001, its minimum
        agreed = alone(lambda query, document: solver(query, document, "float64"))
    else:
        agreed = next(iter(ways.values()))()
    print(f"one pair at a time, in double precision: at most {abs(agreed - ours).max():.1e} apart")
    if not abs(agreed - ours).max() <= 1e-4 + 1e-9:
        raise SystemExit("The results of the two ways differ: no times to print.")
    print(f"distances from {ours.min():.2f} to {ours.max():.2f}\n")
    seconds, _ = alternating(ways, REPEATS)
    slowest = next(iter(seconds.values()))
    for name, took in seconds.items():
        print(f"{name:44}{took:10.2f} s{slowest / took:9.1f} times faster")


def geomloss_distance(threads):
    """Return geomloss's distance of a pair, with the authors' weights; None without geomloss."""
    try:
        import geomloss
        import torch
    except ImportError:
        print("geomloss is missing: comparing with our own code pair by pair")
        return None
    torch.set_num_threads(threads)
    solver = geomloss.SamplesLoss("sinkhorn", p=1, blur=0.05, scaling=0.9, debias=False)

    def distance(query, document, dtype="float32"):
        query, document = (torch.from_numpy(side.astype(dtype))[None] for side in (query, document))
        nearness = -torch.cdist(query, document)
        weights = [nearness.max(dim=axis).values.softmax(dim=1) for axis in (2, 1)]
        return solver(weights[0], query, weights[1], document).item()

    return distance


def sinkhorn(query, rows, lengths):
    """Return the distances of a query to the documents that have these rows."""
    import numpy as np

    from pyterrier_scholarly.transformers import SentenceTransport

    return -SentenceTransport().score(query, rows, np.array(lengths))


def large(dimensions):
    """Print time and memory for one query with ten thousand candidates, of 7 sentences each."""
    import numpy as np

    random = np.random.default_rng(0)
    query = SPREAD * random.standard_normal((7, dimensions), dtype="float32")
    rows = SPREAD * random.standard_normal((70_000, dimensions), dtype="float32")
    lengths = [7] * 10_000
    start = perf_counter()
    sinkhorn(query, rows, lengths)
    took = perf_counter() - start
    tracemalloc.start()  # separate, because tracing numpy costs time
    sinkhorn(query, rows, lengths)
    peak = tracemalloc.get_traced_memory()[1]
    print(f"\none query of 7 sentences, 10000 documents of 7: {took:.2f} s, {peak / 2**20:.0f} MB")
    print(f"above the vectors' {rows.nbytes / 2**20:.0f} MB")


if __name__ == "__main__":
    main()
