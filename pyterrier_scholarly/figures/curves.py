"""Curves of DORIS-MAE's paper: scores in descending order, and losses during training."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..datasets import irds
from .style import BLUE, COLOURS, GREY, Axes, Figure, pyplot


def plot_normalised_scores(dataset: object) -> Figure:
    """Draw the normalised scores of candidates in descending order, per query and per type.

    Left: a line per query, over its pool. Right: a line per type of query, over the candidates of
    all its queries together; the paper does not say how it aggregates them. A score is the total
    over `|Q|`; scores of 1 and above are relevant.

    Args:
        dataset: one of DORIS-MAE's with complex queries: ``"doris-mae"``, ``"doris-mae/dev"``, ….

    Returns:
        matplotlib's figure of two panels.

    Raises:
        ImportError: matplotlib is missing; the message names the command to install it.
        ValueError: the queries have no aspects.

    Source: Wang et al. (2023), appendix A.5, Figure 2.
    """
    irds_dataset = irds(dataset)
    if "aspect_ids" not in irds_dataset.queries_cls()._fields:
        raise ValueError(f"{dataset} has no complex queries: pass doris-mae or doris-mae/dev")
    types = {query.query_id: query.query_type for query in irds_dataset.queries_iter()}
    of_query: dict[str, list[float]] = {}
    for qrel in irds_dataset.qrels_iter():
        score = qrel.relevance / abs(int(qrel.iteration))
        of_query.setdefault(qrel.query_id, []).append(score)
    of_type: dict[str, list[float]] = {}
    for query_id, scores in of_query.items():
        of_type.setdefault(types[query_id], []).extend(scores)
    figure, axes = pyplot().subplots(1, 2, figsize=(10, 4), sharey=True, layout="constrained")
    colours = dict(zip(sorted(filter(None, of_type)), COLOURS)) | {"": GREY}
    for query_id, scores in of_query.items():
        _draw(axes[0], scores, color=colours[types[query_id]], linewidth=0.6)
    for kind, scores in of_type.items():
        _draw(axes[1], scores, color=colours[kind], label=kind or "type not in the file")
    axes[0].set(ylabel="normalised score", xlabel="candidate of a query", title="Per query")
    axes[1].set(xlabel="candidate of all queries of a type", title="Per type of query")
    for axis in axes:
        axis.axhline(1, color=GREY, linewidth=0.5, linestyle="--")
    axes[1].legend(title="type")
    return figure


def _draw(axis: Axes, scores: Sequence[float], **style: Any) -> None:
    axis.plot(np.arange(1, len(scores) + 1), np.sort(scores)[::-1], **style)


def plot_losses(losses: Mapping[str, Sequence[tuple[int, float]]]) -> Figure:
    """Draw the loss of each training by step, a panel for each model.

    Args:
        losses: dict from a model's name to the `losses` of a `TrainedEncoder`: pairs of a step and
            the mean loss since the previous pair.

    Returns:
        matplotlib's figure.

    Raises:
        ImportError: matplotlib is missing; the message names the command to install it.
        ValueError: there is no model, or a model has no loss.

    Source: Wang et al. (2023), appendix D.1, Figure 3.
    """
    empty = [name for name, pairs in losses.items() if not len(pairs)]
    if empty or not losses:
        raise ValueError(f"no losses of {', '.join(empty) or 'any model'}: pass at least one pair")
    size = (4.5 * len(losses), 3.5)
    figure, axes = pyplot().subplots(
        1, len(losses), figsize=size, squeeze=False, layout="constrained"
    )
    for axis, (name, pairs) in zip(axes[0], losses.items()):
        steps, values = np.asarray(pairs, dtype=float).T
        axis.plot(steps, values, color=BLUE, marker="." if len(steps) == 1 else None)
        axis.set(title=name, xlabel="step", ylabel="training loss")
        axis.set_ylim(bottom=0)
    return figure
