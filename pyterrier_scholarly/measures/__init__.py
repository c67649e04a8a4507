"""Measures that collections of scientific papers define, registered in ir_measures on import.

`pyterrier_scholarly.registration` imports them as soon as ir_measures is imported. Then ``NDCG%20``
works in `ir_measures.parse_measure`, in the ``ir_measures`` command and among the `eval_metrics` of
`pt.Experiment`, which then also reads the strings of ir_measures (``nDCG@10``)::

    pt.Experiment(systems, topics, qrels, ["NDCG%20", "nDCG@10"])

``NDCG % 20`` works with the `NDCG` of ir_measures. The names of ir_measures keep their meaning. To
add a measure, write a module here and add it to `MEASURES`.
"""

from ._hosts import extend_hosts
from ._value import Value
from .doris import DorisAP, DorisR, DorisRprec, DorisRR
from .histogram_slope import rHSA
from .last_relevant import PLastRel
from .ndcg import NDCG, SHORT_NAMES

__all__ = ["NDCG", "DorisAP", "DorisR", "DorisRR", "DorisRprec", "PLastRel", "Value", "rHSA"]

#: what is registered, under the measures' own names, beside the short names of `ndcg`
MEASURES = (NDCG, PLastRel, DorisR, DorisRprec, DorisRR, DorisAP, rHSA)

extend_hosts(
    {measure.NAME: measure for measure in MEASURES}
    | {name: NDCG(**params) for name, params in SHORT_NAMES.items()}
)
