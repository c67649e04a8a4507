"""Figures of the papers, drawn with matplotlib, which is loaded when one is drawn."""

from .confusions import plot_confusions
from .descending import plot_normalised_scores
from .facets import plot_facet_grades, plot_facet_scores
from .losses import plot_losses
from .scatter import plot_correlation
from .slopes import plot_rhsa

__all__ = [
    "plot_confusions",
    "plot_correlation",
    "plot_facet_grades",
    "plot_facet_scores",
    "plot_losses",
    "plot_normalised_scores",
    "plot_rhsa",
]
