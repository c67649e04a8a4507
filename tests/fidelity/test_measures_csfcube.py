"""The collection's own figures: SPECTER's rankings give what the authors' script prints."""

import json

import ir_measures
import pandas as pd
import pytest

#: the script's name of a measure -> ours
NAMES = {
    "precision-at-full-recall (called R-Precision by the script)": "PLastRel(rel=2)",
    "P@20": "P(rel=2)@20",
    "R@20": "R(rel=2)@20",
    "nDCG": "NDCG(discount='csfcube')",
    "nDCG@20": "NDCG(discount='csfcube')@20",
    "nDCG%20": "NDCG%20",
}


def read(path):
    """A JSON file."""
    return json.loads(path.read_text(encoding="utf-8"))


def judged(folder, facet):
    """Qrels from the release's file, without the query paper that is its own candidate."""
    rows = [
        (query, candidate, relevance)
        for query, pool in read(folder / f"test-pid2anns-csfcube-{facet}.json").items()
        for candidate, relevance in zip(pool["cands"], pool["relevance_adju"])
        if candidate != query
    ]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance"])


def ranked(folder, facet):
    """The authors' run: the script goes by the order of the candidates alone."""
    name = f"test-pid2pool-csfcube-specter-{facet}-ranked.json"
    rows = [
        (query, candidate, -place)
        for query, candidates in read(folder / "sample_ranked_pools" / name).items()
        for place, (candidate, _) in enumerate(candidates)
    ]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])


@pytest.mark.parametrize("facet", ["background", "result"])
def test_every_figure_of_the_collections_script(data, facet):
    """All six measures, dev and test, to the four decimals printed."""
    folder = data("csfcube")
    measures = [ir_measures.parse_measure(text) for text in NAMES.values()]
    values = {
        (metric.measure, metric.query_id): metric.value
        for metric in ir_measures.iter_calc(measures, judged(folder, facet), ranked(folder, facet))
    }
    splits = read(folder / "evaluation_splits.json")[facet]

    def mean(measure, part):
        queries = [name.rpartition("_")[0] for name in splits[part]]
        return sum(values[measure, query] for query in queries) / len(queries)

    figures = {
        "dev": {m: mean(m, "fold1_dev") for m in measures},
        "test": {m: (mean(m, "fold1_test") + mean(m, "fold2_test")) / 2 for m in measures},
    }
    expected = read(folder / "reference-metrics.json")["facets"][facet]
    assert {
        split: {name: round(figures[split][m], 4) for name, m in zip(NAMES, measures)}
        for split in figures
    } == expected
