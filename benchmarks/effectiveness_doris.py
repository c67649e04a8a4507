"""Evaluate sentences in context on DORIS-MAE's 40 development queries, by its seven measures.

    python benchmarks/effectiveness_doris.py [--model NAME_OR_FOLDER] [--precision …] [--cache …]

The release comes from $SCHOLARLY_DATA (default ../shared/data), with published rankings in its
folder `rankings`, else from ir_datasets. Every system ranks the available pools. With subsampled
pools, compare the figures only with each other, not with the paper. For the model see
effectiveness.py. The weights of the three parts were not chosen on these data.
"""

import json
from time import perf_counter

from _common import DATA, contextual, options, release

NAME = "doris-mae/dev"


def main():
    """Run the systems and print the table."""
    chosen = options(__doc__.splitlines()[0]).parse_args()
    with release("doris-mae"):
        encoder = contextual(chosen)
        start = perf_counter()
        table = evaluated({**published_rankings(), **systems(encoder)})
        took = perf_counter() - start
        print(f"{NAME}, {encoder.precision_used}, {took:.0f} s, percent [95 % interval]")
        print(table.to_string())


def published_rankings():
    """Return name -> ranking, from files of the release: ``{query: abstracts, best first}``."""
    import pandas as pd
    import pyterrier as pt

    def run(path):
        rankings = json.loads(path.read_text(encoding="utf-8"))
        rows = [
            (query, str(abstract), -float(rank), rank)
            for query, abstracts in rankings.items()
            for rank, abstract in enumerate(abstracts)
        ]
        frame = pd.DataFrame(rows, columns=["qid", "docno", "score", "rank"])
        return pt.Transformer.from_df(frame)

    paths = sorted((DATA / "doris-mae" / "rankings").glob("*.json"))
    return {f"{path.stem.split('.')[0]} (published)": run(path) for path in paths}


def systems(encoder):
    """Return name -> pipeline."""
    from pyterrier_scholarly import systems as named_systems
    from pyterrier_scholarly.transformers import (
        FacetQuery,
        PaperLoader,
        Pool,
        SentenceMaxSim,
    )

    papers = Pool(NAME) >> FacetQuery() >> PaperLoader(NAME, titles=False)
    return {
        "isolated": papers >> SentenceMaxSim(encoder, "sentence", aggregate="mean"),
        **named_systems(NAME, encoder)[["tf_idf", "in_context", "three_parts"]],
    }


def evaluated(named):
    """Make a row per system, and a column per measure: percent with a 95 % bootstrap interval."""
    import pyterrier as pt

    from pyterrier_scholarly import bootstrap
    from pyterrier_scholarly.evaluation import official_measures

    dataset = pt.get_dataset(f"irds:{NAME}")
    topics, qrels = dataset.get_topics("query"), dataset.get_qrels()
    perquery = pt.Experiment(named, topics, qrels, official_measures(NAME), perquery=True)
    means = bootstrap(perquery)

    percent = 100 * means[["value", "low", "high"]]
    cells = [f"{value:.2f} [{low:.1f}, {high:.1f}]" for value, low, high in percent.to_numpy()]
    wide = means.assign(cell=cells).pivot(index="name", columns="measure", values="cell")
    return wide.loc[list(named), list(SHORT)].rename(columns=SHORT)


#: measure -> its name in the paper
SHORT = {
    "DorisR@5": "R@5",
    "DorisR@20": "R@20",
    "DorisRprec": "RP",
    "DorisNDCG%10": "NDCG10%",
    "DorisNDCGexp%10": "NDCGexp10%",
    "DorisRR@10": "MRR@10",
    "DorisAP": "MAP",
}


if __name__ == "__main__":
    main()
