"""Reasons for rows without a check and without a system."""

from .statuses import DATA, UNPUBLISHED

#: (collection, table, row), "*" for any, -> status and detail; the first match is used
REASONS = {
    ("doris-mae", "16", "*"): (UNPUBLISHED, "over extended pools that are not in the release"),
    ("doris-mae", "*", "random"): (DATA, '``random_baseline("doris-mae")``'),
    ("rhsa", "*", "*"): (
        UNPUBLISHED,
        "over a download log and articles that are not public; ``examples/rhsa_study.ipynb`` does "
        "the same with a made-up log of CSFCube's papers",
    ),
}
