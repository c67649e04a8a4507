"""Reasons for rows without a check and without a system."""

from .statuses import DATA, UNLOADED, UNPUBLISHED

#: (collection, table, row), "*" for any, -> status and detail; the first match is used
REASONS = {
    ("doris-mae", "16", "*"): (UNPUBLISHED, "over extended pools that are not in the release"),
    ("doris-mae", "11", "random"): (DATA, '``random_baseline("doris-mae")``'),
    ("doris-mae", "12", "random"): (DATA, '``random_baseline("doris-mae")``'),
    ("doris-mae", "13", "random"): (DATA, '``random_baseline("doris-mae/aspect-queries")``'),
    ("doris-mae", "14", "random"): (DATA, '``random_baseline("doris-mae/test")``'),
    ("doris-mae", "15", "random"): (DATA, '``random_baseline("doris-mae/subqueries-2")``'),
    ("csfcube", "*", "aspire-biencoder-compsci-spec-full"): (
        UNLOADED,
        "a zip file with a scalar mix of all layers; an encoder that applies it runs under a name "
        'of its own: ``reproduce("csfcube", models={"spec-full": encoder})``',
    ),
    ("rhsa", "*", "*"): (
        UNPUBLISHED,
        "over a download log and articles that are not public; ``examples/rhsa_study.ipynb`` does "
        "the same with a made-up log of CSFCube's papers",
    ),
}
