"""Compare the time of checking a frame with that of max-sim for known embeddings.

    python benchmarks/door.py [--queries Q] [--candidates C] [--repeats R]

Documents have 8 sentences, queries 3; the encoder returns 384 known float32 numbers, so max-sim is
as cheap as possible. Rows of a query or document share papers, as from our transformers, or each
has its own. Medians, in turns, one thread.
"""

import argparse
import statistics
from dataclasses import replace
from time import perf_counter

from _running import clean, print_versions

DOCUMENTS, OF_DOCUMENT, OF_QUERY, DIMENSIONS = 20_000, 8, 3, 384


def main():
    """Measure and print."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--queries", type=int, default=1_000)
    arguments.add_argument("--candidates", type=int, default=100)
    arguments.add_argument("--repeats", type=int, default=3)
    options = arguments.parse_args()
    clean()
    print_versions("numpy", "pandas")

    results = made(options.queries, options.candidates)
    print(f"\n{len(results):,} rows of {options.queries:,} queries")
    columns = ["query_paper", "paper"]
    own = results.assign(**{name: [replace(paper) for paper in results[name]] for name in columns})
    for name, frame in (("shared papers", results), ("own papers", own)):
        compare(name, frame, options.repeats)


def made(queries, candidates):
    """Make results with the sentences of both sides."""
    import numpy as np
    import pandas as pd

    from pyterrier_scholarly.paper import Paper

    random = np.random.default_rng(0)
    numbers = [random.choice(DOCUMENTS, candidates, replace=False) for _ in range(queries)]
    documents = [
        Paper(str(number), "", sentences("d", number, OF_DOCUMENT)) for number in range(DOCUMENTS)
    ]
    asked = [Paper("", "", sentences("q", number, OF_QUERY)) for number in range(queries)]
    parts = [
        pd.DataFrame(
            {
                "qid": str(query),
                "docno": chosen.astype(str),
                "query_paper": [asked[query]] * candidates,
                "query_sentence_ids": [list(range(OF_QUERY))] * candidates,
                "paper": [documents[number] for number in chosen],
            }
        )
        for query, chosen in enumerate(numbers)
    ]
    return pd.concat(parts, ignore_index=True)


def sentences(side, number, count):
    """Make distinct texts with the length of sentences."""
    return [f"{side}{number} {place} " + "of a length that is usual " * 5 for place in range(count)]


def compare(name, results, repeats):
    """Print the seconds of the check, of the whole transformer, and their ratio."""
    import numpy as np

    from pyterrier_scholarly.transformers import SentenceMaxSim

    known = np.random.default_rng(0).normal(size=(2**18, DIMENSIONS)).astype("float32")
    scorer = SentenceMaxSim(lambda texts: known[: len(texts)], batch_size=10**9, aggregate="mean")
    needed = ["qid", "docno", "query_paper", "query_sentence_ids", "paper"]
    took = {"door": [], "all": []}
    calls = {"door": lambda rows: scorer.check(rows, needed), "all": scorer}
    for _ in range(repeats):
        for kind, call in calls.items():
            start = perf_counter()
            call(results)
            took[kind].append(perf_counter() - start)
    door, whole = (statistics.median(seconds) for seconds in took.values())
    print(f"{name:14}check {door:.3f} s   max-sim {whole:.3f} s   ratio {door / whole:.1%}")


if __name__ == "__main__":
    main()
