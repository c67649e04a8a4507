"""CSFCube's facets, and query ids that name a paper and a facet.

::

    join("1198964", "method")   # "1198964_method"
    split("1198964_method")     # ("1198964", "method")
"""

#: facet -> the labels of its sentences (the paper's *background* includes the objective)
FACETS = {
    "background": ("background", "objective"),
    "method": ("method",),
    "result": ("result",),
}


def join(paper: str, facet: str) -> str:
    """Return the query id `<paper>_<facet>`, as the official splits write it.

    Raises ValueError for an unknown facet.
    """
    if facet not in FACETS:
        raise ValueError(f"unknown facet {facet!r}: expected one of {', '.join(FACETS)}")
    return f"{paper}_{facet}"


def split(query_id: str) -> tuple[str, str]:
    """Return (paper, facet) of a query id `<paper>_<facet>`; a paper's id may hold a `_` itself.

    Raises ValueError if the id does not end in `_` and a facet.
    """
    paper, _, facet = query_id.rpartition("_")
    if not paper or facet not in FACETS:
        raise ValueError(
            f"query id {query_id!r} names no paper and facet: expected <paper>_<facet> with a "
            f"facet of {', '.join(FACETS)}, as in 1198964_method"
        )
    return paper, facet
