"""Statistics on arrays of numbers; nothing here knows of frames, runs or measures."""

from .histogram_slope import KRSTOVSKI_2016, Histogram, Slope, distances, rhsa
from .paired import paired_t, paired_wilcoxon
from .resampling import Resampled, resample_means

__all__ = [
    "KRSTOVSKI_2016",
    "Histogram",
    "Resampled",
    "Slope",
    "distances",
    "paired_t",
    "paired_wilcoxon",
    "resample_means",
    "rhsa",
]
