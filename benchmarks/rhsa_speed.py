"""Time histograms, divergences and sparse cosines of pairs, for growing numbers of pairs.

    python benchmarks/rhsa_speed.py [--repeats N]

Histograms (100 bins, equal numbers of similar and random distances) are compared with
`numpy.histogram`, which only counts. Divergences of pairs of documents (200 topics) are compared
with a loop over `scipy.spatial.distance.jensenshannon`, timed on a thousand pairs and extrapolated.
Cosines of tf-idf vectors, from document ids as in `TfIdfModel`, are compared with scipy's row-wise
product, for all pairs at once and 20,000 at a time. Ways in turns, medians, one thread. The script
fails if a ratio at a million pairs is out of its limit.
"""

import argparse
from functools import partial

from _running import alternating, clean

SIZES = (1_000, 10_000, 100_000, 1_000_000)
BINS, TOPICS, DOCUMENTS, LOOPED = 100, 200, 5_000, 1_000
WORDS, LENGTH, ROWS = 16_000, 150, 20_000  # words in total, per document; pairs at a time


def main():
    """Measure and print."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--repeats", type=int, default=5)
    repeats = arguments.parse_args().repeats
    clean(1)
    slower = histograms(repeats)
    faster = divergences(repeats)
    longer = cosines(max(3, repeats // 2))
    if slower > 2 or faster < 40 or longer >= 3:
        raise SystemExit(
            f"out of limits: {slower:.2f} (at most 2), {faster:.0f} (at least 40), "
            f"{longer:.2f} (under 3)"
        )


def histograms(repeats):
    """Print a row per size; return the time relative to numpy for the largest size."""
    import numpy as np

    from pyterrier_scholarly.stats import Histogram

    def numpys(pairs):
        return [np.histogram(values, BINS, (0, 1))[0] for values in pairs]

    def ours(pairs):
        return [Histogram(BINS).add(values).counts for values in pairs]

    random = np.random.default_rng(0)
    print(f"\nhistograms, {BINS} bins: seconds\n{'pairs':>17}{'numpy':>10}{'ours':>10}{'ratio':>8}")
    for size in SIZES:
        pairs = random.exponential(0.05, size) % 1, random.random(size)
        agree(np.array_equal(numpys(pairs), ours(pairs)))
        theirs, own = timed((numpys, ours), pairs, repeats * 5)
        print(f"{size:8} +{size:8}{theirs:10.5f}{own:10.5f}{own / theirs:8.2f}")
    return own / theirs


def divergences(repeats):
    """Print a row per size; return the speed relative to the loop for the largest size."""
    import numpy as np
    from scipy.spatial.distance import jensenshannon

    from pyterrier_scholarly.similarity import jensen_shannon

    def loop(pairs):
        return np.array([jensenshannon(rows[i], rows[j], 2) ** 2 for i, j in pairs[:LOOPED]])

    def ours(pairs):
        return jensen_shannon(rows, rows, pairs)

    random = np.random.default_rng(0)
    rows = random.dirichlet(np.full(TOPICS, 0.1), DOCUMENTS)
    print(f"\ndivergences, {TOPICS} topics, {DOCUMENTS} documents: seconds")
    print(f"{'pairs':>17}{'loop':>10}{'ours':>10}{'faster':>8}")
    for size in SIZES:
        pairs = random.integers(DOCUMENTS, size=(size, 2))
        agree(np.allclose(loop(pairs), ours(pairs)[:LOOPED], rtol=0, atol=1e-12))
        theirs, own = timed((loop, ours), pairs, repeats)
        theirs *= size / LOOPED
        print(f"{size:17}{theirs:10.3f}{own:10.4f}{theirs / own:8.1f}")
    return theirs / own


def cosines(repeats):
    """Print a row per size; return the time relative to the faster product."""
    import numpy as np

    from pyterrier_scholarly import TfIdfModel

    def at_once(pairs):
        return np.asarray(rows[pairs[:, 0]].multiply(rows[pairs[:, 1]]).sum(axis=1)).ravel()

    def in_chunks(pairs):
        return np.concatenate([at_once(pairs[i : i + ROWS]) for i in range(0, len(pairs), ROWS)])

    def ours(pairs):
        return model.scores(ids[pairs[:, 0]], ids[pairs[:, 1]])

    random = np.random.default_rng(0)
    names = np.array([f"w{number:05}" for number in range(WORDS)])
    often = 1 / np.arange(1, WORDS + 1)
    drawn = random.choice(names, (DOCUMENTS, LENGTH), p=often / often.sum())
    model = TfIdfModel([" ".join(text) for text in drawn], alphabetic=False)
    rows, ids = model.parts().matrix, np.array(model.documents, dtype=object)
    terms = rows.nnz / DOCUMENTS
    print(f"\ncosines, {DOCUMENTS} documents of {terms:.0f} of {rows.shape[1]} words: seconds")
    print(f"{'pairs':>17}{'at once':>10}{'in chunks':>10}{'ours':>10}{'ratio':>8}")
    for size in SIZES:
        pairs = random.integers(DOCUMENTS, size=(size, 2))
        agree(np.allclose(at_once(pairs), ours(pairs), rtol=0, atol=1e-12))
        whole, cut, own = timed((at_once, in_chunks, ours), pairs, repeats)
        ratio = own / min(whole, cut)
        print(f"{size:17}{whole:10.4f}{cut:10.4f}{own:10.4f}{ratio:8.2f}")
    return ratio


def agree(equal):
    """Fail if the results of two ways differ."""
    if not equal:
        raise SystemExit("The results of the two ways differ: no times to print.")


def timed(ways, pairs, repeats):
    """Call the ways in turns; return the median seconds of each."""
    seconds, _ = alternating({way: partial(way, pairs) for way in ways}, repeats)
    return seconds.values()


if __name__ == "__main__":
    main()
