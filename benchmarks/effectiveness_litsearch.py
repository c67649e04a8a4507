"""Evaluate sentences in context on the available papers of LitSearch, per subset of questions.

    python benchmarks/effectiveness_litsearch.py [--model NAME] [--precision …] [--cache …]

The release comes from $SCHOLARLY_DATA (default ../shared/data), else from ir_datasets. Every
available paper is a candidate of every question. Questions without an available gold paper are
skipped; the table has the number of the others. With a part of the papers, compare the figures
only with each other, not with the paper. For the model see effectiveness.py; nothing was chosen on
these data.
"""

from time import perf_counter

from _common import contextual, options, release

NAME = "litsearch"
SUBSETS = (
    "litsearch",
    "litsearch/inline/broad",
    "litsearch/inline/specific",
    "litsearch/author/broad",
    "litsearch/author/specific",
)


def main():
    """Run the systems and print the table."""
    chosen = options(__doc__.splitlines()[0]).parse_args()
    with release("litsearch"):
        encoder = contextual(chosen)
        start = perf_counter()
        papers, gold = at_hand()
        topics = answerable(gold)
        runs = {name: system(topics) for name, system in systems(encoder, papers, topics).items()}
        table = evaluated(runs, topics, gold)
        took = perf_counter() - start
        print(
            f"{len(papers)} papers, {len(topics)} questions, {encoder.precision_used}, {took:.0f} s"
        )
        print((100 * table).to_string(float_format="{:.2f}".format))


def at_hand():
    """Return the papers' ids and judgements."""
    import pyterrier as pt

    dataset = pt.get_dataset(f"irds:{NAME}")
    papers = [document.doc_id for document in dataset.irds_ref().docs_iter()]
    qrels = dataset.get_qrels()
    return papers, qrels[qrels["docno"].isin(papers)]


def answerable(gold):
    """Return the questions with an available gold paper."""
    import pyterrier as pt

    topics = pt.get_dataset(f"irds:{NAME}").get_topics("query")
    return topics[topics["qid"].isin(gold["qid"])].reset_index(drop=True)


def systems(encoder, papers, topics):
    """Return name -> pipeline from topics to a ranking of all papers."""
    import pandas as pd

    from pyterrier_scholarly.recipes import one_encoding, three_parts
    from pyterrier_scholarly.transformers import (
        FacetQuery,
        PaperLoader,
        PaperSimilarity,
        PaperTfIdf,
        Pool,
        SentenceMaxSim,
    )

    everything = topics[["qid"]].merge(pd.DataFrame({"docno": papers}), how="cross")
    candidates = Pool(everything) >> FacetQuery() >> PaperLoader(NAME)
    scorers = {
        "tf-idf": PaperTfIdf(NAME),
        "whole text": PaperSimilarity(encoder),
        "isolated": SentenceMaxSim(encoder, "sentence", aggregate="mean"),
        "in context": SentenceMaxSim(encoder, "abstract", aggregate="mean"),
        "three parts": three_parts(NAME, encoder),
        "one encoding": one_encoding(NAME, encoder),
    }
    return {name: candidates >> scorer for name, scorer in scorers.items()}


def evaluated(runs, topics, gold):
    """Make a row per measure and system, and a column per subset with its number of questions."""
    import pandas as pd
    import pyterrier as pt

    from pyterrier_scholarly.evaluation import by_subset, official_measures

    perquery = pt.Experiment(runs, topics, gold, official_measures(NAME), perquery=True)
    questions = {}
    for subset in SUBSETS:
        theirs = {
            query.query_id for query in pt.get_dataset(f"irds:{subset}").irds_ref().queries_iter()
        }
        own = [qid for qid in topics["qid"] if qid in theirs]
        if own:
            questions[f"{subset.partition('/')[2] or 'all'} ({len(own)})"] = own
    means = by_subset(perquery, questions)
    order = pd.MultiIndex.from_product([means["measure"].unique(), list(runs)])
    wide = means.pivot(index="subset", columns=["measure", "name"], values="value")
    return wide.reindex(index=list(questions), columns=order).T


if __name__ == "__main__":
    main()
