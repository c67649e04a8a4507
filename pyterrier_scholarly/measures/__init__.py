"""Measures that collections of scientific papers define, registered in ir_measures on import.

The installed package's start-up hook imports them whenever ir_measures is imported. Then
``NDCG%20`` works in `ir_measures.parse_measure`, in the ``ir_measures`` command and among the
`eval_metrics` of `pt.Experiment`. ``NDCG % 20`` works with the `NDCG` of ir_measures. The names of
ir_measures keep their meaning. To add a measure, write a module here and add it to `MEASURES`.
"""

import warnings
from collections.abc import Sequence

from ir_measures import measures as _host

from . import _grammar
from ._base import RankedMeasure
from ._value import Value
from .csfcube import NDCG, PLastRel
from .doris import DorisAP, DorisR, DorisRprec, DorisRR
from .histogram_slope import rHSA

__all__ = ["NDCG", "DorisAP", "DorisR", "DorisRR", "DorisRprec", "PLastRel", "Value", "rHSA"]

#: what is registered, under the measures' own names
MEASURES = (NDCG, PLastRel, DorisR, DorisRprec, DorisRR, DorisAP, rHSA)


def _register(measures: Sequence[RankedMeasure]) -> None:
    """Register what ir_measures lacks, and extend its parsers; a second call changes nothing."""
    ours = {m.__name__: _host.registry.get(m.__name__, m) for m in measures}
    taken = [m for m in measures if type(ours[m.__name__]).__module__ != type(m).__module__]
    for measure in taken:
        del ours[measure.__name__]
    for name in ours.keys() - _host.registry.keys():
        _host.register(ours[name])
    if taken:
        warnings.warn(
            f"ir_measures already has {', '.join(m.__name__ for m in taken)} from another package, "
            f"and keeps it. Import ours from {__name__}; strings name the other one",
            stacklevel=3,
        )
    _grammar.install(ours, NDCG)


_register(MEASURES)
