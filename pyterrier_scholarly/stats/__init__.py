"""Statistics on arrays of numbers; nothing here knows of frames, runs or measures."""

from .histogram_slope import Histogram, Slope, distances, rhsa
from .paired import paired_t, paired_wilcoxon
from .resampling import Resampled, resample_means

__all__ = [
    "Histogram",
    "Resampled",
    "Slope",
    "distances",
    "paired_t",
    "paired_wilcoxon",
    "resample_means",
    "rhsa",
]
