"""Statistics on arrays of numbers, without data frames, runs or measures.

::

    histogram_slope(similar_distances, random_distances).value
    resample_means(values).std
"""

from .corrections import correct_pvalues
from .histogram import Histogram
from .paired_tests import paired_t, paired_wilcoxon, smallest_difference
from .resampling import Resampled, resample_means
from .score_ranges import distances
from .slope import Slope, histogram_slope, score_slope

__all__ = [
    "Histogram",
    "Resampled",
    "Slope",
    "correct_pvalues",
    "distances",
    "histogram_slope",
    "paired_t",
    "paired_wilcoxon",
    "resample_means",
    "score_slope",
    "smallest_difference",
]
