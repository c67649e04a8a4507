"""Time rHSA beside MAP over collections of three sizes, and print how their costs grow.

    python benchmarks/rhsa_map.py [--sizes 2000 8000 32000] [--queries 100] [--repeats 3]

Krstovski, Smith & Kurtz (2016) say that rHSA costs less than MAP, because nothing has to be ranked.
Documents are made of words of 50 topics, and compared by `TfIdfModel`. Three figures are timed,
each from the fitted model to the number:

- MAP: every document is ranked for each query, and average precision is computed;
- rHSA(100q): the judged documents of each query are scored (100 of each, as many as the paper's
  queries have successors at least), and one slope is computed;
- rHSA(pairs): as many similar and random pairs as there are documents, but at least 10,000.

Ways in turns, medians, one thread. Growth is the exponent g of seconds ~ documents^g from one size
to the next: 1 is proportional. The script fails if rHSA(100q) is not cheaper than MAP, or grows
like it, at the largest size.
"""

import argparse
from functools import partial
from math import log

from _running import alternating, clean, print_versions

TOPICS, COMMON, OWN = 50, 20_000, 60  # topics; words that all share, and of each topic
LENGTH, OWN_LENGTH = 120, 20  # words of a document, and those of its topic among them
RELEVANT, OTHERS = 20, 80  # judged documents of a query
FAITHFUL = 0.8  # share of similar pairs and of relevant documents that are of one topic
LEAST_PAIRS = 10_000
WAYS = ("MAP", "rHSA(100q)", "rHSA(pairs)")


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[2_000, 8_000, 32_000])
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    clean(1)
    print_versions("numpy", "scipy", "pandas", "python-terrier", "ir-measures")

    print(f"\nseconds, {options.queries} queries, {RELEVANT + OTHERS} judged documents each")
    print(f"{'documents':>12}" + "".join(f"{way:>14}{'growth':>8}" for way in WAYS))
    before = None
    for size in sorted(options.sizes):
        seconds = measure(size, options.queries, options.repeats)
        print(f"{size:12,}" + cells(seconds, size, before))
        growth = {} if before is None else growths(seconds, size, before)
        before = size, seconds
    if growth and not (seconds["rHSA(100q)"] < seconds["MAP"] and growth["rHSA(100q)"] < 0.5):
        raise SystemExit(f"out of limits: {seconds}, growth {growth}")


def cells(seconds, size, before):
    """Format the seconds of each way, and how they grew since the size before."""
    growth = {} if before is None else growths(seconds, size, before)
    texts = []
    for way in WAYS:
        grown = f"{growth[way]:.2f}" if growth else ""
        texts.append(f"{seconds[way]:14.3f}{grown:>8}")
    return "".join(texts)


def growths(seconds, size, before):
    """Return the exponent of growth of each way since the size before."""
    last_size, last_seconds = before
    return {way: log(seconds[way] / last_seconds[way]) / log(size / last_size) for way in WAYS}


def measure(size, queries, repeats):
    """Return the median seconds of each way over a collection of that size."""
    from pyterrier_scholarly import TfIdfModel

    texts, topic_of = make_documents(size)
    model = TfIdfModel(texts, min_count=1, most_frequent=0, alphabetic=False)
    ids = list(model.documents)
    topics, qrels = make_queries(ids, topic_of, queries)
    pairs = make_pairs(ids, topic_of, max(size, LEAST_PAIRS))
    model.scores(ids[:2], ids[:2])  # fits the model before the first timing

    ways = {
        "MAP": partial(mean_average_precision, model, topics, qrels),
        "rHSA(100q)": partial(slope_of_queries, model, qrels),
        "rHSA(pairs)": partial(slope_of_pairs, model, pairs),
    }
    seconds, values = alternating(ways, repeats)
    if not (0 < values["MAP"] < 1 and min(values["rHSA(100q)"], values["rHSA(pairs)"]) > 0):
        raise SystemExit(f"no figures to compare: {values}")
    return seconds


def make_documents(size):
    """Return texts, and the topic of each: common words, and some of the topic."""
    import numpy as np

    random = np.random.default_rng(0)
    topic_of = random.integers(TOPICS, size=size)
    common = random.zipf(1.2, size=(size, LENGTH - OWN_LENGTH)) % COMMON
    own = random.integers(OWN, size=(size, OWN_LENGTH))
    of_topic = COMMON + topic_of[:, None] * OWN + own
    words = np.concatenate([common, of_topic], axis=1)
    return [" ".join(f"w{word:06}" for word in row) for row in words], topic_of


def make_queries(ids, topic_of, count):
    """Return topics, which are documents, and their judgements."""
    import numpy as np
    import pandas as pd

    random = np.random.default_rng(1)
    asking = random.choice(len(ids), min(count, len(ids)), replace=False)
    rows = []
    for query in asking:
        alike = random.permutation(np.flatnonzero(topic_of == topic_of[query]))
        judged = np.unique(np.append(alike[:RELEVANT], random.integers(len(ids), size=OTHERS)))
        is_alike = topic_of[judged] == topic_of[query]
        is_relevant = is_alike == (random.random(len(judged)) < FAITHFUL)
        for document, relevant in zip(judged, is_relevant):
            if document != query:
                rows.append((ids[query], ids[document], int(relevant)))
    topics = pd.DataFrame({"qid": [ids[query] for query in asking]})
    topics["query_docno"] = topics["qid"]
    return topics, pd.DataFrame(rows, columns=["qid", "docno", "label"])


def make_pairs(ids, topic_of, count):
    """Return similar and random pairs, each two arrays of ids."""
    import numpy as np

    random = np.random.default_rng(2)
    left, right = random.integers(len(ids), size=(2, 4 * TOPICS * count))
    same_topic = np.flatnonzero(topic_of[left] == topic_of[right])[: int(FAITHFUL * count)]
    similar = np.append(same_topic, np.arange(count - len(same_topic)))
    others = np.arange(count, 2 * count)
    names = np.array(ids, dtype=object)
    return [(names[left[rows]], names[right[rows]]) for rows in (similar, others)]


def mean_average_precision(model, topics, qrels):
    """Rank every document for each query; return MAP."""
    import ir_measures
    import pyterrier as pt

    from pyterrier_scholarly import DocumentRetriever

    run = DocumentRetriever(model, num_results=len(model.documents))(topics)
    judged, ranked = pt.model.to_ir_measures(qrels), pt.model.to_ir_measures(run)
    return ir_measures.calc_aggregate([ir_measures.AP], judged, ranked)[ir_measures.AP]


def slope_of_queries(model, qrels):
    """Score the judged documents of each query; return rHSA."""
    import pyterrier as pt

    from pyterrier_scholarly import DocumentSimilarity, rHSA

    candidates = qrels[["qid", "docno"]].assign(query_docno=qrels["qid"])
    run = DocumentSimilarity(model)(candidates)
    return rHSA.calc_aggregate(pt.model.to_ir_measures(qrels), pt.model.to_ir_measures(run))


def slope_of_pairs(model, pairs):
    """Score similar and random pairs; return rHSA."""
    from pyterrier_scholarly.stats import score_slope

    similar, random = (model.scores(left, right) for left, right in pairs)
    return score_slope(similar, random).value


if __name__ == "__main__":
    main()
