"""Time the whole CSFCube experiment, 50 queries, with all embeddings from the cache on disk.

    python benchmarks/cached.py [--real] [--cache FOLDER] [--model NAME_OR_FOLDER] [--repeats R]

Times `pt.Experiment` in new processes, after imports, systems in turns. Prints medians, and the
times for fewer queries. The cache is filled first, with random embeddings of the correct shapes,
which cost the same to read. --real encodes instead (a quarter of an hour on two cores); --cache
stores these embeddings for the next run.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from time import perf_counter

from _common import minilm
from _running import clean, csfcube, print_versions

SYSTEMS = ("isolated, maximum of all pairs", "one_encoding", "six_parts")
QUERIES = (12, 25, 50)


def main():
    """Fill the cache, measure in new processes, and print."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--real", action="store_true")
    arguments.add_argument("--cache")
    arguments.add_argument("--model")
    arguments.add_argument("--repeats", type=int, default=3)
    arguments.add_argument("--run", nargs=3, help=argparse.SUPPRESS)  # system, queries, cache
    options = arguments.parse_args()
    if options.run:
        system, queries, cache = options.run
        print(timed(system, int(queries), cache, options.model))
        return
    clean()
    print_versions("numpy", "pandas", "torch", "sentence-transformers")
    options.model = options.model or minilm()
    with csfcube() as name, tempfile.TemporaryDirectory() as folder:
        cache = options.cache or folder
        fill(name, cache, options)
        for system in SYSTEMS:
            seconds = [measured(system, count, cache, options) for count in QUERIES]
            shown = "   ".join(f"{n}: {took:.2f} s" for n, took in zip(QUERIES, seconds))
            print(f"{system:36}queries {shown}")


def fill(name, cache, options):
    """Store all embeddings in the cache."""
    import numpy as np

    random = np.random.default_rng(0)
    for system in SYSTEMS:
        pipeline, encoder = built(name, system, cache, options.model)
        if not options.real:
            # replaces the model only; the rest of the encoder runs
            # `encode_in_batches` encodes texts, `_encode_passages` passages
            encoder.encode_in_batches = encoder._encode_passages = lambda keys, part: (
                (key, random.standard_normal(shape_of(key), dtype="float32")) for key in keys
            )
        start = perf_counter()
        experiment(name, pipeline, max(QUERIES))
        print(f"{system:36}filled in {perf_counter() - start:.0f} s")
    from pyterrier_scholarly.encoders import VectorCache

    print(f"{VectorCache(cache).bytes / 2**20:.0f} MB in the cache\n")


def shape_of(key):
    """Return the shape of an array: of a text, or of a passage, the whole and each text."""
    return (1, 384) if isinstance(key, str) else (1 + len(key), 384)


def measured(system, queries, cache, options):
    """Return the median seconds of new processes."""
    command = [sys.executable, __file__, "--model", options.model, "--run", system, str(queries)]
    said = [
        subprocess.run([*command, cache], capture_output=True, text=True, check=True).stdout
        for _ in range(options.repeats)
    ]
    return statistics.median(float(text.split()[-1]) for text in said)


def timed(system, queries, cache, model):
    """Return the seconds of one experiment in this process, after imports."""
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    import sentence_transformers  # noqa: F401
    import sklearn.decomposition  # noqa: F401

    from pyterrier_scholarly import evaluation, recipes  # noqa: F401

    pipeline, _ = built("csfcube/all", system, cache, model)
    start = perf_counter()
    experiment("csfcube/all", pipeline, queries)
    return perf_counter() - start


def built(name, system, cache, model):
    """Make a pipeline and its encoder."""
    from pyterrier_scholarly import systems
    from pyterrier_scholarly.encoders import Contextual, SentenceTransformer

    if "isolated" in system:
        encoder = SentenceTransformer(model, cache=cache)
        return systems(name, encoder)["sentence_maxsim"], encoder
    encoder = Contextual(model, cache=cache)
    return systems(name, encoder)[system], encoder


def experiment(name, pipeline, queries):
    """Compute NDCG%20 of the first queries."""
    import pyterrier as pt

    from pyterrier_scholarly import NDCG

    dataset = pt.get_dataset(f"irds:{name}")
    topics = dataset.get_topics("query").head(queries)
    return pt.Experiment([pipeline], topics, dataset.get_qrels(), [NDCG % 20])


if __name__ == "__main__":
    main()
