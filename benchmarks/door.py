"""What the check of a frame costs beside a max-sim whose vectors are all known.

    python benchmarks/door.py [--queries Q] [--candidates C] [--repeats R]

Made-up documents of 8 sentences, queries of 3, vectors of 384 float32 that the encoder has at once:
the cheapest max-sim there is. Lists are shared by the rows of a query or document, as of our
transformers, or each row has arrays of its own, as of Parquet. Medians, in turns, one thread.
"""

import argparse
import statistics
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
    import numpy as np

    results = made(options.queries, options.candidates)
    print(f"\n{len(results):,} rows of {options.queries:,} queries")
    columns = ["query_sentences", "sentences"]
    own = results.assign(
        **{name: [np.array(row, dtype=object) for row in results[name]] for name in columns}
    )
    for name, frame in (("shared lists", results), ("own arrays", own)):
        compare(name, frame, options.repeats)


def made(queries, candidates):
    """Results with the sentences of both sides."""
    import numpy as np
    import pandas as pd

    random = np.random.default_rng(0)
    numbers = [random.choice(DOCUMENTS, candidates, replace=False) for _ in range(queries)]
    documents = [sentences("d", number, OF_DOCUMENT) for number in range(DOCUMENTS)]
    asked = [sentences("q", number, OF_QUERY) for number in range(queries)]
    parts = [
        pd.DataFrame(
            {
                "qid": str(query),
                "docno": chosen.astype(str),
                "query_sentences": [asked[query]] * candidates,
                "sentences": [documents[number] for number in chosen],
            }
        )
        for query, chosen in enumerate(numbers)
    ]
    return pd.concat(parts, ignore_index=True)


def sentences(side, number, count):
    """Distinct texts as long as sentences are."""
    return [f"{side}{number} {place} " + "of a length that is usual " * 5 for place in range(count)]


def compare(name, results, repeats):
    """Print the seconds of the door, of all of the transformer, and their ratio."""
    import numpy as np

    from pyterrier_scholarly import frames
    from pyterrier_scholarly.transformers import SentenceMaxSim

    known = np.random.default_rng(0).normal(size=(2**18, DIMENSIONS)).astype("float32")
    scorer = SentenceMaxSim(lambda texts: known[: len(texts)], batch_size=10**9, aggregate="mean")
    needed = ["qid", "docno", "query_sentences", "sentences"]
    took = {"door": [], "all": []}
    calls = {"door": lambda rows: frames.check(rows, scorer, needed), "all": scorer}
    for _ in range(repeats):
        for kind, call in calls.items():
            start = perf_counter()
            call(results)
            took[kind].append(perf_counter() - start)
    door, whole = (statistics.median(seconds) for seconds in took.values())
    print(f"{name:14}door {door:.3f} s   max-sim {whole:.3f} s   ratio {door / whole:.1%}")


if __name__ == "__main__":
    main()
