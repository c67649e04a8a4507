"""Time max-sim of a thousand queries with a thousand candidates each, 7 x 7 sentences.

    python benchmarks/scoring.py [--queries Q] [--candidates K] [--dimensions D] [--threads N]

Vectors are random and precomputed. Ways: matrix products only (in blocks of 64 queries, the fastest
way), `max_sim_blocks`, `max_sim` query by query, and the transformer `SentenceMaxSim` on a frame
with these pools. They are called in turns; medians. Memory is numpy's peak above the vectors, and
must be below 1 GB; the time must be below 6 times that of the products. Read the figures as ratios.
"""

import argparse
import tracemalloc

from _running import alternating, clean, print_versions

SENTENCES, BLOCK, REPEATS = 7, 64, 3


def main():
    """Measure and print."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--queries", type=int, default=1_000)
    arguments.add_argument("--candidates", type=int, default=1_000)
    arguments.add_argument("--dimensions", type=int, default=384)
    arguments.add_argument("--threads", default="1")
    options = arguments.parse_args()
    clean(options.threads)
    print_versions("numpy", "pandas", "pyterrier")
    measure(options.queries, options.candidates, options.dimensions)
    print("\ngrowth with the queries:")
    for part in (4, 2, 1):
        grown(options.queries // part, options.candidates, options.dimensions)


def measure(queries, candidates, dimensions):
    """Print time and memory of each way."""
    import numpy as np

    from pyterrier_scholarly.transformers.sentence_maxsim import max_sim, max_sim_blocks

    asked, rows, lengths = made(queries, candidates, dimensions)
    step, frame = as_step(asked, rows)
    ways = {
        "bare matrix products": lambda: products(asked, rows),
        "max_sim_blocks": lambda: max_sim_blocks(asked, rows, lengths, "mean"),
        "max_sim, query by query": lambda: [max_sim(q, rows, lengths, "mean") for q in asked],
        "SentenceMaxSim, frame in, frame out": lambda: step.transform(frame),
    }
    print(f"\n{queries} queries, {candidates} candidates, {dimensions} dimensions")
    seconds, given = alternating(ways, REPEATS)
    blocks, single = (given[name] for name in list(ways)[1:3])
    if not np.allclose(blocks, single, atol=1e-5):
        raise SystemExit("The results of the two ways differ: no times to print.")
    for name, took in seconds.items():
        times = took / seconds["bare matrix products"]
        print(f"{name:40}{took:8.2f} s{times:8.1f} times the products{peak(ways[name]):8.0f} MB")


def grown(queries, candidates, dimensions):
    """Print the time of the blocks."""
    from pyterrier_scholarly.transformers.sentence_maxsim import max_sim_blocks

    asked, rows, lengths = made(queries, candidates, dimensions)
    seconds, _ = alternating({"": lambda: max_sim_blocks(asked, rows, lengths, "mean")}, REPEATS)
    print(f"{queries:8} queries{seconds['']:8.2f} s{1e6 * seconds[''] / queries:8.0f} µs each")


def made(queries, candidates, dimensions):
    """Make vectors of queries and of candidates' sentences, and the candidates' lengths."""
    import numpy as np

    random = np.random.default_rng(0)
    asked = random.standard_normal((queries, SENTENCES, dimensions), dtype="float32")
    rows = random.standard_normal((candidates * SENTENCES, dimensions), dtype="float32")
    return list(asked), rows, [SENTENCES] * candidates


def products(asked, rows):
    """Compute only the products, in blocks of queries."""
    import numpy as np

    for start in range(0, len(asked), BLOCK):
        rows @ np.concatenate(asked[start : start + BLOCK]).T


def as_step(asked, rows):
    """Make the transformer with known vectors, and results of all candidates for all queries."""
    import numpy as np
    import pandas as pd

    from pyterrier_scholarly.paper import Paper
    from pyterrier_scholarly.transformers import SentenceMaxSim

    vector_of = np.concatenate([*asked, rows])
    numbers = np.arange(len(vector_of)).reshape(-1, SENTENCES).tolist()
    papers = [Paper(f"d{own[0]}", "", list(map(str, own))) for own in numbers]
    queries, documents = papers[: len(asked)], papers[len(asked) :]
    frame = pd.DataFrame(
        {
            "qid": np.repeat([f"q{n}" for n in range(len(queries))], len(documents)),
            "docno": np.tile([f"d{n}" for n in range(len(documents))], len(queries)),
            "query_paper": [query for query in queries for _ in documents],
            "query_sentence_ids": [list(range(SENTENCES))] * len(queries) * len(documents),
            "paper": documents * len(queries),
        }
    )
    encode = lambda texts: vector_of[[int(text) for text in texts]]  # noqa: E731
    return SentenceMaxSim(encode, aggregate="mean", batch_size=10**9), frame


def peak(way):
    """Measure numpy's peak in MB, separately, because tracing costs time."""
    tracemalloc.start()
    way()
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found / 2**20


if __name__ == "__main__":
    main()
