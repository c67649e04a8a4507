"""The slope of the log division of two histograms, rHSA [Krstovski, Smith & Kurtz 2016].

From samples to slope: `scaling` makes distances of scores, `histogram` counts, `division` says
where the bins lie and how sure that is, `line` puts a straight line through points with errors in
both coordinates, `fits` chooses bins and weights, `analysis` has the function for users and its
result.
"""

from .analysis import Slope, rhsa
from .histogram import Histogram
from .scaling import distances

__all__ = ["Histogram", "Slope", "distances", "rhsa"]
