"""CSFCube's facets, and the query ids that name a paper and a facet together."""

#: facet -> the sentence labels it is made of (the paper's *background* includes the objective)
FACETS = {
    "background": ("background", "objective"),
    "method": ("method",),
    "result": ("result",),
}


def join(paper, facet):
    """Return the query id `<paper>_<facet>`, as the official splits write it.

    Raises ValueError for an unknown facet.
    """
    if facet not in FACETS:
        raise ValueError(f"unknown facet {facet!r}: expected one of {', '.join(FACETS)}")
    return f"{paper}_{facet}"


def split(query_id):
    """Return (paper, facet) of a query id `<paper>_<facet>`; a paper's id may hold a `_` itself.

    Raises ValueError where the id has no `_` or ends in no facet.
    """
    paper, _, facet = query_id.rpartition("_")
    if not paper or facet not in FACETS:
        raise ValueError(
            f"query id {query_id!r} names no paper and facet: expected <paper>_<facet> with a "
            f"facet of {', '.join(FACETS)}, as in 1198964_method"
        )
    return paper, facet
