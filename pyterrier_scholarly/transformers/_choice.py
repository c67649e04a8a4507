"""Choosing the sentences that a query asks with."""

from ir_datasets_ext.facets import FACETS

from ..text.facets import at, facets_in, of_facet

LABELLED = "FacetQuery(…) >> FacetLabeller() >> FacetQuery(facet='method')"
ADDED = ("query_docno", "facet", "query_sentences", "query_labels", "query")


def choose(qid, docno, facet, positions, sentences, labels) -> tuple:
    """The values of ADDED for one query, from the text that it chooses from.

    Args:
        positions: of the sentences to take (list of int from 0); None or NaN, where a column has
            none for this query, to take those of `facet`.

    Raises:
        ValueError: nothing to choose, a position that is not there, labels that do not fit.
    """
    try:
        if positions is None or isinstance(positions, float):
            chosen, kinds = of_facet(sentences, labels, facet)
        else:
            chosen, kinds = at(sentences, labels, positions)
    except ValueError as error:
        raise ValueError(f"Query {qid} ({docno or 'a text of its own'}): {error}") from error
    if not chosen:
        there = ", ".join(facets_in(labels)) or "none"
        unlabelled = len(sentences) > 0 and not any(labels)
        remedy = f"To label them: {LABELLED}." if unlabelled else ""
        raise ValueError(
            f"Query {qid} ({docno or 'a text of its own'}) has no sentence of facet {facet!r}. "
            f"Facets of its {len(sentences)} sentences: {there}. "
            f"Facets are {', '.join(FACETS)}, or any single sentence label. {remedy}".rstrip()
        )
    return docno, facet, chosen, kinds, " ".join(chosen)
