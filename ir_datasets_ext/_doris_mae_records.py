"""What a document, a query and an aspect of DORIS-MAE hold."""

from typing import NamedTuple, Tuple

# Tuple[...] and no postponed annotations: ir_datasets' exporters and PyTerrier's text_loader read
# the annotations themselves and know these alone.


class DorisMaeDoc(NamedTuple):
    """A paper of the corpus.

    doc_id: the release's abstract_id.
    text: the abstract (original_abstract); the paper's systems were given it alone.
    categories: arXiv's.
    citations: what the paper cites (outgoing_citations), by the release's ids, in the corpus or
        not; `citations` of the dataset gives those that are, by doc_id.
    """

    doc_id: str
    title: str
    text: str
    url: str
    categories: Tuple[str, ...]
    citations: Tuple[str, ...]

    def default_text(self):
        """Return title and abstract."""
        return f"{self.title} {self.text}" if self.title else self.text


class DorisMaeQuery(NamedTuple):
    """A complex query, or a sub-query of some of its aspects.

    query_id: the 0-based index in the release; of a sub-query, this and its aspects' ids, joined by
        underscores.
    query_type: ML, NLP, CV, AI or Composite; empty where the release has none.
    aspects: their texts; aspect_ids: their ids, as in doris-mae/aspects.
    sub_aspects and sub_aspect_ids: those of all aspects in turn. sub_aspect_of: for each, the
        0-based position in `aspects` of the aspect it belongs to. One that belongs to several
        stands there once for each, and counts once in |Q|.
    """

    query_id: str
    query: str
    query_type: str
    aspects: Tuple[str, ...]
    aspect_ids: Tuple[str, ...]
    sub_aspects: Tuple[str, ...]
    sub_aspect_ids: Tuple[str, ...]
    sub_aspect_of: Tuple[int, ...]

    def default_text(self):
        """Return the query's text."""
        return self.query


class DorisMaeAspect(NamedTuple):
    """An aspect or sub-aspect as a query of its own.

    query_id: the release's aspect id.
    used_by: ids of the complex queries that have it, as in doris-mae.
    """

    query_id: str
    query: str
    used_by: Tuple[str, ...]

    def default_text(self):
        """Return the aspect's text."""
        return self.query
