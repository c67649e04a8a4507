"""Figures of the papers, drawn with matplotlib, which is imported on the first call.

If it is missing, an ImportError names the command to install it. Each function returns matplotlib's
figure::

    plot_rhsa({"TF-IDF": slope}).savefig("rhsa.pdf")
    save_figure(plot_cutoffs(by_cutoff(runs, "csfcube/all", by="facet"), "page"), "cutoffs.pdf")
"""

from .correlation_points import plot_correlation
from .cutoff_curves import plot_cutoffs
from .facet_scores import plot_facet_scores
from .heat_maps import plot_confusions, plot_facet_grades
from .loss_curves import plot_losses
from .normalised_scores import plot_normalised_scores
from .panels import save_figure
from .query_strips import plot_queries
from .recall_curves import plot_recall
from .rhsa_panels import plot_rhsa
from .stage_flows import plot_stages

__all__ = [
    "plot_confusions",
    "plot_correlation",
    "plot_cutoffs",
    "plot_facet_grades",
    "plot_facet_scores",
    "plot_losses",
    "plot_normalised_scores",
    "plot_queries",
    "plot_recall",
    "plot_rhsa",
    "plot_stages",
    "save_figure",
]
