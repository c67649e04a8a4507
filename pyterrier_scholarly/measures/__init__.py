"""Measures that collections of scientific papers define, registered in ir_measures on import.

After the import (by the installed package's start-up hook, whenever ir_measures is imported)
``NDCG%20`` works in `ir_measures.parse_measure`, in the ``ir_measures`` command and among the
`eval_metrics` of `pt.Experiment`, and ``NDCG % 20`` with the `NDCG` of ir_measures, whose own names
keep their meaning. To add a measure: a module here, and its place in `MEASURES`.
"""

import warnings

from ir_measures import measures as _host

from . import _grammar
from ._value import Value
from .doris_ap import DorisAP
from .doris_recall import DorisR, DorisRprec
from .doris_rr import DorisRR
from .histogram_slope import rHSA
from .last_relevant import PLastRel
from .ndcg import NDCG

__all__ = ["NDCG", "DorisAP", "DorisR", "DorisRR", "DorisRprec", "PLastRel", "Value", "rHSA"]

#: what is registered, under the measures' own names
MEASURES = (NDCG, PLastRel, DorisR, DorisRprec, DorisRR, DorisAP, rHSA)


def _register(measures):
    """Register what ir_measures lacks, and tell its parsers about that; twice is harmless."""
    ours = {m.__name__: _host.registry.get(m.__name__, m) for m in measures}
    taken = [m for m in measures if type(ours[m.__name__]).__module__ != type(m).__module__]
    for measure in taken:
        del ours[measure.__name__]
    for name in ours.keys() - _host.registry.keys():
        _host.register(ours[name])
    if taken:
        warnings.warn(
            f"ir_measures already has {', '.join(m.__name__ for m in taken)} from elsewhere, which "
            f"stays; ours can be had from {__name__} but not by that name",
            stacklevel=3,
        )
    _grammar.install(ours, NDCG)


_register(MEASURES)
