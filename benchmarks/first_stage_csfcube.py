"""Measure the recall of a first stage over CSFCube's 4,205 abstracts.

    python benchmarks/first_stage_csfcube.py [--model NAME_OR_FOLDER] [--precision …] [--cache …]

Every sentence is indexed after its title. Recall is of papers with relevance 2 or more, in percent,
the mean over all queries. NDCG%20 (test) is over the pools' papers only, in the order of the first
stage; missed papers are last. For the model see effectiveness.py.
"""

import tempfile
from time import perf_counter

from _common import contextual, options, release

NAME = "csfcube/all"
FOUND = (100, 1_000, 10_000, None)  # retrieved sentences per sentence of the query; None for all


def main():
    """Index, search, and print a row per number of retrieved sentences."""
    chosen = options(__doc__.splitlines()[0]).parse_args()
    with release("csfcube"), tempfile.TemporaryDirectory() as folder:
        encoder = contextual(chosen)
        index = indexed(encoder, f"{folder}/sentences.flex")
        print(f"{len(index)} sentences, {encoder.precision_used}")
        print(evaluated(index, encoder).to_string(float_format="{:.2f}".format))


def indexed(encoder, path):
    """Make a FlexIndex of all sentences."""
    import pyterrier as pt
    from pyterrier_dr import FlexIndex

    from pyterrier_scholarly.transformers import SentenceVectors

    index = FlexIndex(path, verbose=False)
    documents = pt.get_dataset("irds:csfcube").get_corpus_iter(verbose=False)
    (SentenceVectors(encoder) >> index.indexer()).index(documents)
    return index


def evaluated(index, encoder):
    """Compute seconds, recall and NDCG%20, a row per number of retrieved sentences."""
    import pandas as pd
    import pyterrier as pt
    from ir_measures import R

    from pyterrier_scholarly import NDCG, fold_mean
    from pyterrier_scholarly.transformers import FacetQuery, Pool, SentenceRetriever

    dataset = pt.get_dataset(f"irds:{NAME}")
    topics, qrels = dataset.get_topics("query"), dataset.get_qrels()
    query, rows = FacetQuery(NAME), {}
    for number in FOUND:
        retriever = index.np_retriever(num_results=number or len(index))
        start = perf_counter()
        run = (query >> SentenceRetriever(retriever, encoder, num_results=5_000))(topics)
        took = perf_counter() - start
        recall = pt.Evaluate(run, qrels, [R(rel=2) @ 100, R(rel=2) @ 1000])
        pools = Pool(NAME).restrict(missing="append")(run)
        perquery = pt.Experiment([pools], topics, qrels, [NDCG % 20], ["first"], perquery=True)
        test = fold_mean(perquery, NAME).query("split == 'test'")["value"].iloc[0]
        percent = {str(name): 100 * value for name, value in {**recall, NDCG % 20: test}.items()}
        rows[number or "all"] = {"seconds": took, **percent}
    return pd.DataFrame(rows).T.rename_axis("sentences")


if __name__ == "__main__":
    main()
