"""Rows that neither a check nor the table of systems speaks of: what is known of them."""

from .statuses import DATA, UNPUBLISHED

#: (collection, table, row), "*" for any, -> status and detail; the first that fits counts
REASONS = {
    ("doris-mae", "16", "*"): (UNPUBLISHED, "over extended pools that are not in the release"),
    ("doris-mae", "*", "random"): (DATA, '``random_baseline("doris-mae")``'),
    ("rhsa", "*", "*"): (
        UNPUBLISHED,
        "over a download log and articles that are not public; ``examples/rhsa_study.ipynb`` does "
        "the same with a made-up log of CSFCube's papers",
    ),
}
