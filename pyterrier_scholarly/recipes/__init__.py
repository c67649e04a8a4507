"""The papers' systems as pipelines, from topics to a ranking of the candidates."""

from .._java import terrier_at_hand
from .forms import FORMS
from .in_context import lexical_evidence, one_encoding, six_parts, three_parts
from .named_systems import systems
from .pool_systems import pool_systems
from .terrier_pools import terrier_bm25
from .weighted import scored_parts, weight_grid

__all__ = [
    "FORMS",
    "lexical_evidence",
    "one_encoding",
    "pool_systems",
    "scored_parts",
    "six_parts",
    "systems",
    "terrier_at_hand",
    "terrier_bm25",
    "three_parts",
    "weight_grid",
]
