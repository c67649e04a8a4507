"""Statistics on arrays of numbers; nothing here knows of frames, runs or measures."""

from .paired import paired_t, paired_wilcoxon
from .resampling import Resampled, resample_means

__all__ = ["Resampled", "paired_t", "paired_wilcoxon", "resample_means"]
