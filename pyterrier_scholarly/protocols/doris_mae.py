"""DORIS-MAE [Wang et al. 2023]: paragraph-long needs made of aspects."""

from ._doris_mae_systems import LEFT_OUT, SYSTEMS
from .protocol import Protocol

QUERIES = {"query": "", "aspects": "aspect-queries", "extended-pool": "(extended pools)"}

DORIS_MAE = Protocol(
    "doris-mae",
    "DORIS-MAE",
    subset=lambda row: QUERIES.get(row["queries"], row["queries"]),
    measures={
        "R@5": "DorisR@5",
        "R@20": "DorisR@20",
        "RP": "DorisRprec",
        "NDCG%10": "NDCG(discount='log2',pool='ranked')%10",
        "NDCGexp%10": "NDCG(discount='log2',gain='exp2',pool='ranked')%10",
        "MRR@10": "DorisRR@10",
        "MAP": "DorisAP",
    },
    source="Wang et al. 2023, DORIS-MAE, appendix C",
    shape="doris-mae",
    systems=SYSTEMS,
    left_out=LEFT_OUT,
)
