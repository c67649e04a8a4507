"""Figures of the papers, drawn with matplotlib, which is imported on the first call.

If it is missing, an ImportError names the command to install it.
"""

from .curves import plot_losses, plot_normalised_scores, plot_rhsa
from .heat_maps import plot_confusions, plot_facet_grades
from .points import plot_correlation, plot_facet_scores

__all__ = [
    "plot_confusions",
    "plot_correlation",
    "plot_facet_grades",
    "plot_facet_scores",
    "plot_losses",
    "plot_normalised_scores",
    "plot_rhsa",
]
