"""Time max-sim over all CSFCube pools, and a loop over pairs with scikit-learn's cosine.

    python benchmarks/maxsim.py [--vectors FILE.npy] [--threads N]

Embeddings of all-MiniLM-L6-v2 come from FILE (one row per distinct sentence of the collection,
sorted); by default they are random, which costs the same. The collection comes from $SCHOLARLY_DATA
(default ../shared/data), else from ir_datasets. Ways are called in turns; medians. The default is
one BLAS thread: with more, a product waits for its slowest thread, so that other processes on the
machine change the figures.
"""

import argparse
from pathlib import Path

from _running import alternating, clean, csfcube

DIMENSIONS, REPEATS = 384, 7


def main():
    """Measure and print."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--vectors", type=Path)
    arguments.add_argument("--threads", type=int, default=1)
    options = arguments.parse_args()
    clean(options.threads)
    with csfcube() as name:
        compare(*collection(name, options.vectors))


def collection(name, file):
    """Return results with sentences for all 50 queries, and a vector for each sentence."""
    import numpy as np
    import pandas as pd

    from pyterrier_scholarly.datasets import irds
    from pyterrier_scholarly.transformers import FacetQuery, PaperLoader, Pool

    texts = sorted({text for doc in irds(name).docs_iter() for text in doc.sentences})
    if file:
        vectors = np.load(file)
    else:
        vectors = np.random.default_rng(0).normal(size=(len(texts), DIMENSIONS)).astype("float32")
    topics = pd.DataFrame({"qid": [query.query_id for query in irds(name).queries_iter()]})
    results = (Pool(name) >> FacetQuery(name) >> PaperLoader(name))(topics)
    print(f"{len(results)} pairs in {len(topics)} pools, {len(texts)} sentences,", end=" ")
    print(f"{vectors.shape[1]} dimensions, {'given' if file else 'random'} vectors\n")
    return results, texts, vectors


def compare(results, texts, vectors):
    """Print the time of each way, and of growing pools."""
    import numpy as np

    from pyterrier_scholarly.transformers import SentenceMaxSim
    from pyterrier_scholarly.transformers.sentence_maxsim import max_sim

    row = {text: number for number, text in enumerate(texts)}
    scorer = SentenceMaxSim(lambda asked: vectors[[row[text] for text in asked]], batch_size=10**9)

    def pools_of(frame):
        for _, pool in frame.groupby("qid"):
            query_paper, positions = pool[["query_paper", "query_sentence_ids"]].iloc[0]
            query = vectors[[row[text] for text in query_paper.only(positions).sentences]]
            documents = [
                vectors[[row[text] for text in paper.sentences]] for paper in pool["paper"]
            ]
            yield query, documents, np.concatenate(documents), [len(own) for own in documents]

    pools = list(pools_of(results))
    ways = {
        "scikit-learn, pair by pair": lambda: by_pair(pools),
        "max_sim": lambda: by_pool(max_sim, pools),
        "SentenceMaxSim.transform, vectors cached": lambda: scorer.transform(results),
    }
    if not np.allclose(by_pair(pools), by_pool(max_sim, pools), atol=1e-5):
        raise SystemExit("The results of the two ways differ: no times to print.")
    alternating(ways, 1)  # to warm up
    seconds, _ = alternating(ways, REPEATS)
    slowest = next(iter(seconds.values()))
    for name, took in seconds.items():
        print(f"{name:44}{1000 * took:10.1f} ms{slowest / took:9.1f} times faster")

    print("\npool size, max_sim over 50 queries:")
    sizes = {
        size: list(pools_of(results.sample(frac=1, random_state=0).groupby("qid").head(size)))
        for size in (10, 20, 40, 80)
    }
    ways = {size: lambda kept=kept: by_pool(max_sim, kept) for size, kept in sizes.items()}
    alternating(ways, 1)
    grown, _ = alternating(ways, REPEATS)
    for size, took in grown.items():
        print(f"{size:44}{1000 * took:10.1f} ms{1e6 * took / 50 / size:9.1f} µs per pair")


def by_pair(pools):
    """Compute the maximum of scikit-learn's cosines, one call per query and candidate."""
    from sklearn.metrics.pairwise import cosine_similarity

    return [
        cosine_similarity(query, document).max()
        for query, documents, _, _ in pools
        for document in documents
    ]


def by_pool(max_sim, pools):
    """Score with our function, one call per query."""
    return [score for query, _, rows, lengths in pools for score in max_sim(query, rows, lengths)]


if __name__ == "__main__":
    main()
