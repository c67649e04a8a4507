"""Train and evaluate the facet model of the package.

    python benchmarks/facet_labels.py [--write] [--sizes N …]

Training uses CSAbstruct's train and dev parts ($SCHOLARLY_DATA/csabstruct), with labels weighted by
their published confidence. Evaluation uses its test part and CSFCube's 34 query papers, whose
labels are hand-corrected. Neither is used for training, but both were seen while the settings were
chosen, so the figures are not blind. Printed: accuracy with five labels, and with background and
objective merged; in brackets the 95 % interval of 2,000 bootstraps over abstracts. --write replaces
the model of the package. Equal versions of numpy, scipy and scikit-learn give equal bytes; without
--write the script compares them. Forty seconds on one core.
"""

import argparse
import tempfile
from pathlib import Path
from shutil import copyfile
from time import perf_counter

import numpy as np
import pandas as pd
from _common import DATA
from _running import clean, csfcube, print_versions

from pyterrier_scholarly.folders import write_manifest

RESAMPLES = 2000
FILES = ("pt_meta.json", "terms.txt", "arrays.npz")


def main():
    """Train, measure and print."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--write", action="store_true")
    arguments.add_argument("--sizes", type=int, nargs="*", default=[100_000, 20_000, 10_000, 5_000])
    options = arguments.parse_args()
    clean(threads=1)
    print_versions("numpy", "scipy", "scikit-learn", "pandas")
    from pyterrier_scholarly import FacetLabeller
    from pyterrier_scholarly.transformers.facet_labeller import SHIPPED, TERMS

    learned = pd.concat([part("train"), part("dev")])
    tests = {"CSAbstruct, test": part("test"), "CSFCube, query papers": query_papers()}
    print(f"trained on {len(learned)} abstracts, {sum(map(len, learned['labels']))} sentences")
    for size in dict.fromkeys([*options.sizes, TERMS]):
        with tempfile.TemporaryDirectory() as scratch:
            start = perf_counter()
            labeller = FacetLabeller.train(learned, Path(scratch, "model"), size)
            print(f"\n{size:,} terms at most: {perf_counter() - start:.0f} s of training")
            describe(labeller, tests)
            if size == TERMS:
                compare(labeller.path, SHIPPED, options.write)
    print("\nthe shipped model")
    describe(FacetLabeller(), tests)
    speed(FacetLabeller(), tests["CSAbstruct, test"])


def part(name):
    """Read a part of CSAbstruct: a row per abstract."""
    read = pd.read_json(DATA / "csabstruct" / f"{name}.jsonl", lines=True)
    return read.rename(columns={"confs": "weights"})[["sentences", "labels", "weights"]]


def query_papers():
    """Read the papers of CSFCube's queries."""
    from pyterrier_scholarly.datasets import documents, irds

    with csfcube() as name:
        papers = sorted({query.paper_id for query in irds(name).queries_iter()})
        return pd.DataFrame(documents(name, papers).values())


def describe(labeller, tests):
    """Print bytes, accuracies and their intervals."""
    from pyterrier_scholarly.paper import Paper
    from pyterrier_scholarly.transformers.facet_labeller import SHIPPED

    folder = SHIPPED if labeller.source is None else labeller.path
    print(f"  {sum((folder / name).stat().st_size for name in FILES):,} bytes")
    for name, rows in tests.items():
        papers = [Paper("", "", sentences) for sentences in rows["sentences"]]
        found = [paper.labels for paper in labeller.label(papers)]
        five, four = (accuracy(rows["labels"], found, merged) for merged in (False, True))
        print(f"  {name}: {five}, merged {four}")


def accuracy(labels, found, merged):
    """Compute the share of correctly labelled sentences, with its interval."""
    right = [same(one, two, merged) for one, two in zip(labels, found)]
    sums, sizes = np.array([sum(own) for own in right]), np.array([len(own) for own in right])
    drawn = np.random.default_rng(0).integers(len(right), size=(RESAMPLES, len(right)))
    shares = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    low, high = np.quantile(shares, [0.025, 0.975])
    return f"{sum(sums) / sum(sizes):.3f} [{low:.3f}, {high:.3f}] of {sum(sizes)} sentences"


def same(labels, found, merged):
    """Compare labels, sentence by sentence."""
    names = {"objective": "background"} if merged else {}
    return [names.get(one, one) == names.get(two, two) for one, two in zip(labels, found)]


def compare(trained, shipped, replace):
    """Print which files differ from those in the package, or replace them."""
    for name in FILES:
        old = (shipped / name).read_bytes() if (shipped / name).exists() else b""
        equal = (trained / name).read_bytes() == old
        if replace and not equal:
            copyfile(trained / name, shipped / name)
        state = "as shipped" if equal else "replaced" if replace else "differs from the shipped one"
        print(f"  {name}: {state}")
    if replace:
        write_manifest(shipped, {})


def speed(labeller, rows):
    """Print abstracts per second, without duplicates."""
    from pyterrier_scholarly.paper import Paper

    many = [
        Paper("", "", [f"{text} {number}" for text in sentences])
        for number in range(10)
        for sentences in rows["sentences"]
    ]
    start = perf_counter()
    labeller.label(many)
    taken = perf_counter() - start
    total = sum(len(paper.sentences) for paper in many)
    print(f"  {len(many) / taken:,.0f} abstracts per second ({total / taken:,.0f} sentences)")


if __name__ == "__main__":
    main()
