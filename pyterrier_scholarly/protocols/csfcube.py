"""CSFCube [Mysore et al. 2021]: papers like this one in their background, method or result."""

from dataclasses import replace

from ._csfcube_systems import LEFT_OUT, SYSTEMS
from .protocol import Protocol

CSFCUBE = Protocol(
    "csfcube",
    "CSFCube",
    subset=lambda row: row["facet"],
    measures={
        "R-Precision": "PLastRel(rel=2)",
        "P@20": "P(rel=2)@20",
        "R@20": "R(rel=2)@20",
        "NDCG%20": "NDCG%20",
        "NDCG%100": "NDCG%100",
        "MAP": "AP(rel=2)",
    },
    shape="csfcube",
    systems=SYSTEMS,
    left_out=LEFT_OUT,
    facets=True,
    remarks={
        "": "The rows of the paper's own tables are not public data here: printed rows are those "
        "of the collection's script and of later papers, in the columns that they report. "
        "R-Precision is the script's: precision at the rank of the last relevant paper.",
    },
    in_sample=("one_encoding", "six_parts"),
)
#: the embedded collection has its shape
MINI = replace(CSFCUBE, collection="scholarly-mini", title="scholarly-mini", printed=False)
