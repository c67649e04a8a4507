"""Join frames of single facets into one of all facets, and split it again.

    run = to_all({"background": background_run, "method": method_run})  # qid: "10014168_method"
    from_all(run)["method"]                                             # qid: "10014168"

Conventions: in `csfcube/method` a query's id is its paper's; in `csfcube/all` it is
``<paper>_<facet>``, as in the official splits.
"""

from collections.abc import Mapping

import pandas as pd

from ir_datasets_ext import facets

from .. import frames
from ..arguments import check_arguments


@check_arguments
def to_all(frame_by_facet: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Join frames of single facets into one of the `all` subset, with ``<paper>_<facet>`` as `qid`.

    Args:
        frame_by_facet: dict from facet ("background", "method", "result") to a frame with `qid`,
            the query paper (a run, topics, qrels or per-query values).
    """
    if not frame_by_facet:
        raise ValueError("frame_by_facet={}: expected a frame for one facet or more.")
    renamed_frames = []
    for facet, frame in frame_by_facet.items():
        frame = frames.check(frame, f"to_all, frame of {facet!r}", ["qid"], keys=[])
        query_ids = [facets.join(paper, facet) for paper in frame["qid"]]
        renamed_frames.append(frame.assign(qid=query_ids))

    return pd.concat(renamed_frames, ignore_index=True)


@check_arguments
def from_all(frame: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Split a frame of the `all` subset by facet, with the paper as `qid`.

    ValueError for a query id that is not ``<paper>_<facet>``.
    """
    frame = frames.check(frame, "from_all", ["qid"], keys=[])

    papers = []
    facet_of_row = []
    for query_id in frame["qid"]:
        paper, facet = facets.split(query_id)
        papers.append(paper)
        facet_of_row.append(facet)
    renamed_frame = frame.assign(qid=papers)
    row_facets = pd.Series(facet_of_row, index=frame.index, dtype=object)

    frame_by_facet = {}
    for facet in facets.FACETS:
        rows = renamed_frame[row_facets == facet]
        if len(rows):
            frame_by_facet[facet] = rows.reset_index(drop=True)
    return frame_by_facet
