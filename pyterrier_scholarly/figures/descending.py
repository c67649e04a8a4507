"""How fine a collection's relevance is: scores in descending order."""

import numpy as np

from ..datasets import irds
from ._style import COLOURS, GREY, pyplot


def plot_normalised_scores(dataset):
    """Draw the normalised scores of candidates in descending order, per query and per type.

    Left a line per query, over its pool. Right a line per type of query, over the candidates of all
    its queries together; how the paper aggregates them is not printed. A score is the total over
    |Q|, 1 and above is relevant.

    Args:
        dataset: one of DORIS-MAE's with complex queries: ``"doris-mae"``, ``"doris-mae/dev"``, ….

    Returns:
        matplotlib's figure of two panels.

    Raises:
        ImportError: matplotlib is missing; says what to install.
        ValueError: the queries have no aspects.

    Source: Wang et al. (2023), appendix A.5, Figure 2.
    """
    found = irds(dataset)
    if "aspect_ids" not in found.queries_cls()._fields:
        raise ValueError(f"{dataset} has no complex queries: pass doris-mae or doris-mae/dev")
    types = {query.query_id: query.query_type for query in found.queries_iter()}
    queries = {}
    for qrel in found.qrels_iter():
        score = qrel.relevance / abs(int(qrel.iteration))
        queries.setdefault(qrel.query_id, []).append(score)
    together = {}
    for query_id, scores in queries.items():
        together.setdefault(types[query_id], []).extend(scores)
    figure, axes = pyplot().subplots(1, 2, figsize=(10, 4), sharey=True, layout="constrained")
    colours = dict(zip(sorted(filter(None, together)), COLOURS)) | {"": GREY}
    for query_id, scores in queries.items():
        _draw(axes[0], scores, color=colours[types[query_id]], linewidth=0.6)
    for kind, scores in together.items():
        _draw(axes[1], scores, color=colours[kind], label=kind or "type not in the file")
    axes[0].set(ylabel="normalised score", xlabel="candidate of a query", title="Per query")
    axes[1].set(xlabel="candidate of all queries of a type", title="Per type of query")
    for axis in axes:
        axis.axhline(1, color=GREY, linewidth=0.5, linestyle="--")
    axes[1].legend(title="type")
    return figure


def _draw(axis, scores, **style):
    axis.plot(np.arange(1, len(scores) + 1), np.sort(scores)[::-1], **style)
