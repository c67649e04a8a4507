"""Figures of the authors' own evaluation script, to all printed decimals."""

import json

import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import NDCG, P, R

from pyterrier_scholarly import PLastRel, fold_mean, read_ranked_pools

#: label in the script's printed output -> measure
MEASURES = {
    "precision-at-full-recall (called R-Precision by the script)": PLastRel(rel=2),
    "P@20": P(rel=2) @ 20,
    "R@20": R(rel=2) @ 20,
    "nDCG": pt.scholarly.NDCG(discount="csfcube"),
    "nDCG@20": pt.scholarly.NDCG(discount="csfcube") @ 20,
    "nDCG%20": NDCG % 20,
}


@pytest.mark.parametrize("facet", ["background", "result"])
def test_specter_equals_the_authors_figures(data, csfcube_home, facet):
    """The authors' SPECTER rankings give what their script prints, dev and test, all decimals."""
    name = f"test-pid2pool-csfcube-specter-{facet}-ranked.json"
    run = read_ranked_pools(data("csfcube", "sample_ranked_pools", name))
    dataset = pt.get_dataset(f"irds:csfcube/{facet}")
    perquery = pt.Experiment(
        {"SPECTER": run},
        dataset.get_topics("query"),
        dataset.get_qrels(),
        list(MEASURES.values()),
        perquery=True,
    )
    means = fold_mean(perquery, dataset)
    printed = json.loads(data("csfcube", "reference-metrics.json").read_text())
    label = {str(measure): label for label, measure in MEASURES.items()}
    rows = means.assign(
        label=means["measure"].map(label), printed=means["value"].map("{:.4f}".format)
    )
    ours = {
        split: dict(zip(part["label"], part["printed"])) for split, part in rows.groupby("split")
    }
    theirs = pd.DataFrame(printed["facets"][facet]).map("{:.4f}".format).to_dict()
    assert ours == theirs
