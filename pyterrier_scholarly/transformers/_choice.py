"""Which paper a query is of, and which sentences it asks with."""

from functools import partial

from ir_datasets_ext.facets import FACETS, split

from .. import datasets, frames
from ..text.contexts import Paper
from ..text.facets import at, facets_in

LABELLED = "FacetQuery(…) >> FacetLabeller() >> FacetQuery(facet='method')"
ADDED = (
    *("query_docno", "facet", "query_sentences", "query_labels", "query"),
    *("query_sentence_ids", *frames.QUERY_PAPER),
)


def choose(qid, docno, facet, positions, title, sentences, labels) -> tuple:
    """The values of ADDED for one query, from the paper that it chooses from.

    Args:
        positions: of the sentences to take (list of int from 0); None or NaN, where a column has
            none for this query, to take those of `facet`.

    Raises:
        ValueError: nothing to choose, a position that is not there.
    """
    try:
        if positions is None or isinstance(positions, float):
            positions = Paper(title, sentences, labels).of_facet(facet)
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
    asked = docno, facet, chosen, kinds, " ".join(chosen)
    return *asked, list(positions), title, sentences, labels


def queries_of(dataset, facet):
    """A function from the id of a query of `dataset` to its paper and facet.

    Where there are no queries it is ``<paper>_<facet>``, or a paper beside a `facet`.
    """
    collection = datasets.irds(dataset)
    by_convention = partial(_by_convention, dataset, facet)
    if not collection.has_queries():
        return by_convention
    try:
        queries = {record.query_id: record for record in collection.queries_iter()}
    except NotImplementedError:  # a bare collection, whose facets have the queries
        return by_convention

    def look_up(qid):
        if qid not in queries:
            raise ValueError(
                f"{qid!r} is no query of {dataset} ({len(queries)} queries, such as "
                f"{frames.some(queries)}). For any paper give a column 'query_docno'; for a "
                "text of your own use FacetQuery without a dataset."
            )
        if not hasattr(queries[qid], "paper_id"):
            raise ValueError(
                f"The queries of {dataset} are no facets of papers: for their text use "
                "FacetQuery without a dataset and a column 'query_text'."
            )
        return queries[qid].paper_id, queries[qid].facet

    return look_up


def _by_convention(dataset, facet, qid):
    try:
        return split(qid)
    except ValueError as error:
        if facet is None:
            raise ValueError(
                f"{dataset} has no queries, so a qid must be <paper>_<facet>, with one of "
                f"the facets {', '.join(FACETS)}; or name one: FacetQuery(…, facet='method'). "
                f"Got {qid!r}."
            ) from error
        return qid, facet
