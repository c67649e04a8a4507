"""Statistics on arrays of numbers, without data frames, runs or measures."""

from .histogram import Histogram
from .inference import Resampled, paired_t, paired_wilcoxon, resample_means
from .slope import Slope, distances, histogram_slope, score_slope

__all__ = [
    "Histogram",
    "Resampled",
    "Slope",
    "distances",
    "histogram_slope",
    "paired_t",
    "paired_wilcoxon",
    "resample_means",
    "score_slope",
]
