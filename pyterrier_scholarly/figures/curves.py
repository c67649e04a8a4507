"""Curves: rHSA's histograms and their log division, losses, normalised scores, recall by k."""

from collections.abc import Mapping, Sequence
from itertools import cycle
from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd

from ir_datasets_ext.doris_mae.records import DorisMaeJudgement

from .. import frames
from ..arguments import Count, Positive, check_arguments
from ..datasets import DatasetLike, irds
from ..evaluation import published
from ..settings import dataset_id
from ..stats import Histogram, Slope
from . import BLUE, COLOURS, GREY, VERMILION, Axes, Figure, panels

COLUMN_WIDTH, PAGE_WIDTH = 3.3, 7.0  # inches, of a two-column paper
RHSA_HEIGHT, LEAST_WIDTH = 4.5, 1.4  # inches, of all panels and of one
TEXT, SMALL_TEXT = 8, 7  # points, as a paper's captions


@check_arguments
def plot_normalised_scores(dataset: DatasetLike) -> Figure:
    """Draw the normalised scores of candidates in descending order, per query and per type.

    Left: a line per query, over its pool. Right: a line per type of query, over the candidates of
    all its queries together; the paper does not say how it aggregates them. A score is the total
    over `|Q|`; scores of 1 and above are relevant.

    Args:
        dataset: one of DORIS-MAE's with complex queries: ``"doris-mae"``, ``"doris-mae/dev"``, ….

    Raises:
        ValueError: the queries have no aspects.

    Source: Wang et al. (2023), appendix A.5, Figure 2.
    """
    irds_dataset = irds(dataset)
    if "aspect_ids" not in irds_dataset.queries_cls()._fields:
        raise ValueError(f"{dataset} has no complex queries: pass doris-mae or doris-mae/dev")
    types = {query.query_id: query.query_type for query in irds_dataset.queries_iter()}
    rows = pd.DataFrame(map(DorisMaeJudgement.from_qrel, irds_dataset.qrels_iter()))
    rows = rows.assign(
        type=rows["query_id"].map(types),
        score=rows["total"] / rows["aspects"],
    )
    figure, (axes,) = panels(1, 2, 10, 4, sharey=True)
    colours = dict(zip(sorted(filter(None, rows["type"].unique())), COLOURS)) | {"": GREY}
    for (_, kind), scores in rows.groupby(["query_id", "type"], sort=False)["score"]:
        _draw(axes[0], scores, color=colours[kind], linewidth=0.6)
    for kind, scores in rows.groupby("type", sort=False)["score"]:
        _draw(axes[1], scores, color=colours[kind], label=kind or "type not in the file")
    axes[0].set(ylabel="normalised score", xlabel="candidate of a query", title="Per query")
    axes[1].set(xlabel="candidate of all queries of a type", title="Per type of query")
    for axis in axes:
        axis.axhline(1, color=GREY, linewidth=0.5, linestyle="--")
    axes[1].legend(title="type")
    return figure


def _draw(axis: Axes, scores: pd.Series, **style: Any) -> None:
    axis.plot(np.arange(1, len(scores) + 1), np.sort(scores)[::-1], **style)


@check_arguments
def plot_losses(losses: Mapping[str, Sequence[tuple[int, float]]]) -> Figure:
    """Draw the loss of each training by step, a panel for each model.

    Args:
        losses: dict from a model's name to the `losses` of a `TrainedEncoder`: pairs of a step and
            the mean loss since the previous pair.

    Raises:
        ValueError: there is no model, or a model has no loss.

    Source: Wang et al. (2023), appendix D.1, Figure 3.
    """
    empty = [name for name, pairs in losses.items() if not len(pairs)]
    if empty or not losses:
        raise ValueError(f"no losses of {', '.join(empty) or 'any model'}: pass at least one pair")
    figure, axes = panels(1, len(losses), 4.5 * len(losses), 3.5)
    for axis, (name, pairs) in zip(axes[0], losses.items()):
        steps, values = np.asarray(pairs, dtype=float).T
        axis.plot(steps, values, color=BLUE, marker="." if len(steps) == 1 else None)
        axis.set(title=name, xlabel="step", ylabel="training loss")
        axis.set_ylim(bottom=0)
    return figure


@check_arguments
def plot_recall(
    runs: Mapping[str, pd.DataFrame],
    datasets: Sequence[object],
    k: Count = 50,
    relevant: int = 1,
) -> Figure:
    """Draw the recall of runs at 1 to k, a panel for each dataset; crosses are printed figures.

    Recall is a mean over the queries that have relevant documents; a query without results has 0.
    A printed figure (`published`) of a system is drawn if a run has the system's name, as printed.
    LitSearch's Figure 3 is such curves; only its points at 5 and 20 are printed, in its table 3.

    Args:
        runs: dict from a system's name to its results (`qid`, `docno`, `score`), the first k of
            each query at least.
        datasets: ids or dataset objects with the judgements, e.g. the four parts of LitSearch's
            table 3: ``["litsearch/inline/broad", "litsearch/inline/specific", …]``.
        k: largest number of documents.
        relevant: lowest grade of a relevant document.

    Raises:
        ValueError: no run, or no dataset; a run without results for a dataset's queries, or a
            dataset without relevant documents.

    Source: Ajith et al. (2024), Figure 3.
    """
    if not runs or not len(datasets):
        raise ValueError("nothing to draw: pass at least one run and one dataset")
    figure, (axes,) = panels(1, len(datasets), 1 + 3 * len(datasets), 3.5, sharey=True)
    for axis, dataset in zip(axes, datasets):
        printed = _printed_recalls(dataset)
        for (name, run), colour in zip(runs.items(), cycle(COLOURS)):
            values = _recalls(name, run, dataset, k, relevant)
            axis.plot(np.arange(1, k + 1), values, color=colour, label=name)
            points = printed[(printed["system"] == name) & (printed["k"] <= k)]
            axis.plot(points["k"], points["value"], "x", color=colour)
        axis.set(title=dataset_id(dataset) or "", xlabel="k", xlim=(0, k + 1), ylim=(0, 1.02))
    axes[0].set_ylabel("recall at k")
    axes[-1].legend(loc="lower right")
    return figure


def _recalls(
    name: str, run: pd.DataFrame, dataset: DatasetLike, k: int, relevant: int
) -> "np.ndarray[Any, Any]":
    """Return mean recall at 1 to k (k,)."""
    qrels = pd.DataFrame(irds(dataset).qrels_iter())
    wanted = qrels[qrels["relevance"] >= relevant].groupby("query_id")["doc_id"].agg(set)
    if wanted.empty:
        raise ValueError(f"{dataset} has no document of grade {relevant} or more: pass `relevant`")
    own = run[run["qid"].isin(set(wanted.index))]
    if own.empty:
        raise ValueError(f"{name} has no results for the queries of {dataset}: pass its run there")
    found = np.zeros(k)
    for qid, ranked in frames.best_first(own).groupby("qid")["docno"]:
        hits = ranked.iloc[:k].isin(wanted[qid]).to_numpy()
        found[: len(hits)] += hits / len(wanted[qid])
    return found.cumsum() / len(wanted)


def _printed_recalls(dataset: DatasetLike) -> pd.DataFrame:
    """Return the printed recall of a dataset's queries: `system`, `k`, `value`; maybe no row."""
    try:
        figures = published(dataset)
    except ValueError:  # nothing is printed of it
        return pd.DataFrame(columns=["system", "k", "value"])
    _, _, below = (dataset_id(dataset) or "").partition("/")
    figures = figures[figures["subset"] == below]
    cutoffs = figures["measure"].str.extract(r"^R@(\d+)$", expand=False)
    recalls = figures.assign(k=cutoffs).dropna(subset="k").astype({"k": int})
    return recalls[["system", "k", "value"]].drop_duplicates()


@check_arguments
def plot_rhsa(slopes: Slope | Mapping[str, Slope], width: Positive | None = None) -> Figure:
    """Draw the three panels of the paper's Figures 1 and 2, a column for each system.

    From top to bottom: the histograms of the similar pairs (C) and of the random pairs (R), with
    logarithmic counts; then their log division with error bars and line, under its slope. Bins not
    used for the line are hollow, without bars. The line ends at the outermost bins used. Panels of
    a row share their axes, so that slopes can be compared by eye.

    Args:
        slopes: a `Slope` from `histogram_slope`, or a dict from names of systems to theirs.
        width: of the figure in inches; None for a column of a two-column paper (3.3), from the
            third system on for its page (7), and more for more than five.

    Returns:
        matplotlib's figure; ``.savefig("rhsa.pdf")`` writes it.

    Raises:
        ValueError: the dict is empty.

    Source: Krstovski, Smith & Kurtz (2016), Figures 1 and 2.
    """
    slopes = {"": slopes} if isinstance(slopes, Slope) else slopes
    if not slopes:
        raise ValueError("no slope to draw: pass a Slope, or a dict of at least one")
    if width is None:
        width = COLUMN_WIDTH if len(slopes) <= 2 else max(PAGE_WIDTH, LEAST_WIDTH * len(slopes))
    figure, axes = panels(3, len(slopes), width, RHSA_HEIGHT, sharex="col", sharey="row")
    for (name, slope), column in zip(slopes.items(), axes.T):
        similar_axis, random_axis, division_axis = column
        _draw_histogram(similar_axis, slope.similar, BLUE)
        _draw_histogram(random_axis, slope.random, VERMILION)
        _draw_division(division_axis, slope)
        similar_axis.set_title(fill(name, 24), size=TEXT)
        division_axis.set_title(_describe_slope(slope), size=SMALL_TEXT)  # where no line can be
        division_axis.set_xlabel("distance", size=TEXT)

    for row, side in zip(axes, ("similar", "random")):
        most = max(getattr(slope, side).counts.max() for slope in slopes.values())
        row[0].set_yscale("log")
        row[0].set_ylim(0.5, 2 * max(most, 1))  # from 0.5, so that a single pair is visible
    for row, label in zip(axes, ("similar pairs C", "random pairs R", "log C - log R")):
        row[0].set_ylabel(label, size=TEXT)
    for axis in axes.flat:
        axis.tick_params(labelsize=SMALL_TEXT)
    return figure


def _describe_slope(slope: Slope) -> str:
    """Say the slope with its error and chi², or why there is none."""
    if slope.reason:
        return fill(f"rHSA 0: {slope.reason}", 28)
    return f"rHSA {slope.value:.2f} ± {slope.error:.2f}\nχ²/dof {slope.reduced_chi2:.2f}"


def _draw_histogram(axis: Axes, histogram: Histogram, colour: str) -> None:
    edges = np.linspace(histogram.low, histogram.high, histogram.bins + 1)
    axis.stairs(histogram.counts, edges, fill=True, color=colour)


def _draw_division(axis: Axes, slope: Slope) -> None:
    points, used = slope.points, slope.used
    unused = (slope.similar.counts + slope.random.counts > 0) & ~used
    # if a histogram is empty, half a count added to both gives a log division to draw
    half = np.log((slope.similar.counts + 0.5) / (slope.random.counts + 0.5))
    y = np.where(np.isfinite(points["y"]), points["y"], half)[unused]
    axis.plot(points["x"][unused], y, "o", markersize=2, markerfacecolor="none", color=GREY)
    x, y, y_error, x_error = (points[name][used] for name in ("x", "y", "y_error", "x_error"))
    ink = axis.xaxis.label.get_color()  # of the style: black, or white on a dark ground
    axis.errorbar(x, y, y_error, x_error, fmt="o", markersize=2, linewidth=0.8, color=ink)
    axis.axhline(0, color=GREY, linewidth=0.5)
    if not slope.reason:
        ends = np.array([x.min(), x.max()])
        line = slope.intercept + slope.sign * slope.value * ends
        axis.plot(ends, line, color=BLUE, linewidth=1.2, zorder=3)  # above the points
