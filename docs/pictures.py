"""Draw a light and a dark picture of each figure function; the build redraws outdated ones."""

from collections import namedtuple
from pathlib import Path
from types import SimpleNamespace

import matplotlib
import numpy as np
import pyterrier as pt
from matplotlib import pyplot as plt

from pyterrier_scholarly import (
    LSA,
    BM25Retriever,
    BM25Score,
    FacetQuery,
    TfIdfScore,
    figures,
    stages,
    statistics,
    systems,
)
from pyterrier_scholarly.collect import agreement, single_ratings
from pyterrier_scholarly.evaluation import by_cutoff, by_query
from pyterrier_scholarly.stats import distances, histogram_slope

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "pyterrier_scholarly" / "pt_docs" / "images"
SOURCES = [*sorted((ROOT / "pyterrier_scholarly" / "figures").glob("*.py")), Path(__file__)]
#: ending of a picture's name -> matplotlib's style, and the site's background
FORMS = {"": ("default", "#ffffff"), "-dark": ("dark_background", "#131416")}
#: functions of `figures` that draw
NAMES = [name for name in figures.__all__ if name.startswith("plot_")]
SHARP = 300  # dots per inch of the heat maps, which are pixels inside of an SVG


def draw():
    """Draw all pictures, unless all are there and younger than the code."""
    paths = [IMAGES / f"{name}{form}.svg" for name in NAMES for form in FORMS]
    changed = max(path.stat().st_mtime for path in SOURCES)
    if all(path.exists() and path.stat().st_mtime > changed for path in paths):
        return

    matplotlib.use("Agg")
    shown = data()
    for form, (style, background) in FORMS.items():
        with plt.style.context([style, {"axes.facecolor": background}]):
            for name in NAMES:
                figure = getattr(figures, name)(*shown[name])
                path = IMAGES / f"{name}{form}.svg"
                figure.savefig(path, facecolor=background, dpi=SHARP)
                plt.close(figure)


def data():
    """Return the arguments of each function."""
    dataset = pt.get_dataset("irds:scholarly-mini/all")
    topics, qrels = dataset.get_topics("query"), dataset.get_qrels()
    named = systems(dataset, LSA(dataset))
    chosen = named[["fabs_tfidf", "fabs_bm25", "sentence_maxsim", "one_encoding", "six_parts"]]
    perquery = pt.Experiment(chosen, topics, qrels, ["NDCG%20", "map"], perquery=True)
    means = perquery.groupby(["name", "measure"])["value"].mean().unstack().reset_index()
    pair = perquery[perquery["name"].isin(["fabs_tfidf", "one_encoding"])]
    rated = agreement(single_ratings(dataset), "reference", (0, 1, 2, 3))
    runs = {name: chosen[name](topics) for name in ("fabs_tfidf", "one_encoding")}
    slopes = {name: slope(run, qrels) for name, run in runs.items()}
    steps = np.arange(10, 510, 10)
    return {
        "plot_confusions": (rated,),
        "plot_correlation": (means, "map", "NDCG%20"),
        "plot_cutoffs": (by_cutoff(runs, dataset, by="facet"), "page"),
        "plot_facet_grades": (statistics(dataset)["facets"],),
        "plot_facet_scores": (pair, "NDCG%20"),
        "plot_losses": ({"made-up losses": [*zip(steps, 0.1 + np.exp(-steps / 120))]},),
        "plot_normalised_scores": (aspects(qrels),),
        "plot_queries": (by_query(perquery, dataset, by="facet"),),
        "plot_recall": (runs, ["scholarly-mini/all"], 20, 2),
        "plot_rhsa": (slopes, 7),
        "plot_stages": (staged(topics, qrels), None, 7),
    }


def staged(topics, qrels):
    """Return the stages of a retriever, a cut-off, and a sum of two re-rankers."""
    retrieve = FacetQuery("scholarly-mini/all") >> BM25Retriever("scholarly-mini", num_results=40)
    rerank = BM25Score("scholarly-mini/all") + 5 * TfIdfScore("scholarly-mini/all")
    return stages(retrieve % 20 >> rerank, topics, qrels, ["NDCG%20"])


def slope(run, qrels):
    """Return the slope of a run's relevant documents against its other judged ones."""
    judged = run.merge(qrels, on=["qid", "docno"])
    scores, relevant = judged["score"].to_numpy(), judged["label"].to_numpy() >= 2
    return histogram_slope(*distances(scores[relevant], scores), bins=12)


def aspects(qrels):
    """Return mini in the shape of DORIS-MAE: queries are papers, their aspects the facets."""
    query = namedtuple("Query", "query_id query_type aspect_ids")
    parts = qrels["qid"].str.split("_", expand=True)
    asked = parts.groupby(0)[1].agg(set).map(sorted)
    totals = qrels.assign(paper=parts[0]).groupby(["paper", "docno"])["label"].sum()
    rows = [(paper, docno, total, len(asked[paper])) for (paper, docno), total in totals.items()]
    qrel = namedtuple("Qrel", "query_id doc_id relevance iteration")
    own = SimpleNamespace(
        queries_cls=lambda: query,
        queries_iter=lambda: [query(one, " and ".join(ids), ids) for one, ids in asked.items()],
        qrels_iter=lambda: map(qrel, *zip(*rows)),
    )
    return SimpleNamespace(irds_ref=lambda: own)
