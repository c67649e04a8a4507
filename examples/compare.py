"""Compare faceted systems on each facet of a collection in CSFCube's shape.

    python examples/compare.py                        # the embedded collection, seconds
    python examples/compare.py csfcube                # CSFCube, downloaded at first use
    python examples/compare.py csfcube --encoder sentence-transformers/all-MiniLM-L6-v2

Prints one `pt.Experiment` table per facet, then the official test figures (mean of two folds).
"""

import argparse
import tempfile

import pandas as pd
import pyterrier as pt
from ir_measures import AP, P

from pyterrier_scholarly import LSA, NDCG, by_subset, fold_mean, systems
from pyterrier_scholarly.recipes import terrier_at_hand, terrier_bm25

KEYS = ["fabs_tfidf", "fabs_bm25", "sentence_maxsim"]
IN_CONTEXT = ["one_encoding", "six_parts"]  # with an encoder
MEASURES = [NDCG % 20, AP(rel=2), P(rel=2) @ 20]


def terrier_index(dataset, folder):
    """Index title and text with Terrier; None if Terrier needs the network to start."""
    if not terrier_at_hand():
        print("No Terrier BM25 row. It needs Java, and Terrier's jar:")
        print("run `python -m pyterrier_scholarly._java` once, with network.")
        return None
    pt.java.mavenresolver.offline()
    indexer = pt.terrier.IterDictIndexer(folder, text_attrs=["title", "text"])
    return indexer.index(dataset.get_corpus_iter(verbose=False))


def main(argv=None):
    """Run the comparison; see the module."""
    parser = argparse.ArgumentParser(description="Compare faceted systems on each facet.")
    parser.add_argument("collection", nargs="?", default="scholarly-mini")
    parser.add_argument("--encoder", help="a sentence-transformers model for the max-sim row")
    args = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder:
        index = terrier_index(pt.get_dataset(f"irds:{args.collection}"), folder)
        dataset = pt.get_dataset(f"irds:{args.collection}/all")
        keys = KEYS + (IN_CONTEXT if args.encoder else [])
        compared = systems(dataset, args.encoder or LSA(dataset))[keys]
        if index is not None:
            compared["terrier_bm25"] = terrier_bm25(dataset, index)
        averages, perquery = pt.Experiment(
            compared,
            dataset.get_topics("query"),
            dataset.get_qrels(),
            MEASURES,
            perquery="both",
        )
    print(f"{args.collection}/all, mean over all queries\n{averages.round(4).to_string()}\n")
    tables = [fold_mean(perquery, dataset).assign(subset="all"), by_subset(perquery, dataset)]
    rows = pd.concat(tables).query("split == 'test' and measure == 'NDCG%20'")
    wide = rows.pivot_table("value", "name", "subset", sort=False).loc[list(compared)]
    print(f"{args.collection}, NDCG%20 on test (mean of two folds)\n{wide.round(4).to_string()}")


if __name__ == "__main__":
    main()
