"""Measures that collections of scientific papers define, registered in ir_measures on import.

The installed package's start-up hook imports them whenever ir_measures is imported. Then
``NDCG%20`` works in `ir_measures.parse_measure`, in the ``ir_measures`` command and among the
`eval_metrics` of `pt.Experiment`, which then also reads the strings of ir_measures (``nDCG@10``)::

    pt.Experiment(systems, topics, qrels, ["NDCG%20", "nDCG@10"])

``NDCG % 20`` works with the `NDCG` of ir_measures. The names of ir_measures keep their meaning. To
add a measure, write a module here and add it to `MEASURES`.
"""

import warnings

from ir_measures.measures import registry as _registry

from . import _parsers
from ._value import Value
from .doris import DorisAP, DorisR, DorisRprec, DorisRR
from .histogram_slope import rHSA
from .last_relevant import PLastRel
from .ndcg import NDCG, SHORT_NAMES

__all__ = ["NDCG", "DorisAP", "DorisR", "DorisRR", "DorisRprec", "PLastRel", "Value", "rHSA"]

#: what is registered, under the measures' own names
MEASURES = (NDCG, PLastRel, DorisR, DorisRprec, DorisRR, DorisAP, rHSA)


def _register() -> None:
    """Register our measures in ir_measures, and extend its parsers.

    A name that ir_measures has already keeps its measure, so a second call changes nothing.
    """
    measure_by_name = {measure.NAME: measure for measure in MEASURES} | SHORT_NAMES
    for name, measure in measure_by_name.items():
        _registry.setdefault(name, measure)

    taken_names = []
    for name, measure in measure_by_name.items():
        # after a reload of our modules, our measures of before are registered: other objects, but
        # of the same modules
        registered_module = type(_registry[name]).__module__
        if registered_module != type(measure).__module__:
            taken_names.append(name)
    if taken_names:
        warnings.warn(
            f"ir_measures already has {', '.join(taken_names)} from another package, and keeps it. "
            f"Import ours from {__name__}; strings name the other one",
            stacklevel=3,
        )
    _parsers.install()


_register()
