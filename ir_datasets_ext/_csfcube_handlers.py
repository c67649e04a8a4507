"""The queries, judgements and candidates of a selection of query-facet pairs."""

from ir_datasets.formats import (
    BaseQrels,
    BaseQueries,
    BaseScoredDocs,
    GenericQrel,
    GenericScoredDoc,
)

from ir_datasets_ext._csfcube_records import CsfcubeQuery
from ir_datasets_ext._handlers import QueryStore
from ir_datasets_ext.facets import FACETS

#: facet -> its grades [Mysore2021, section 4]. The paper prints those of *method*; the others are
#: its general rule (structure and relations: 2 or 3, attributes and features: 0 or 1) on what a
#: facet is. The release's ann_guidelines.pdf goes through all, with examples.
QREL_DEFS = {
    "all": {
        3: "near identical: alike in the facet's structure and in its details",
        2: "similar: alike in structure, and comparable in details",
        1: "related: alike in details alone, in a part, or on a higher level of description",
        0: "unrelated",
    },
    "background": {
        3: "near identical: the same problem or question, its motivation alike in detail",
        2: "similar: problems of like structure, whose details can be compared",
        1: "related: alike in the topic, in a part of the problem, or on a higher level",
        0: "unrelated",
    },
    "method": {
        3: "near identical: the mechanisms are alike, and so are the objects that they handle",
        2: "similar: the mechanisms are alike, the details can merely be compared",
        1: "related: the details are alike but the mechanisms only on a high level; or small parts "
        "of the mechanisms are; or one abstract is too coarse to say more",
        0: "unrelated",
    },
    "result": {
        3: "near identical: the same finding or conclusion, alike in detail",
        2: "similar: findings of like structure, whose details can be compared",
        1: "related: alike in what was measured, in a part of the findings, or on a higher level",
        0: "unrelated",
    },
}


class FacetQueries(BaseQueries):
    """The queries of a selection: their papers' sentences of the facet."""

    def __init__(self, selection, docs):
        self._selection = selection
        self._docs = docs

    def queries_iter(self):
        """Yield CsfcubeQuery in the order of the annotation files."""
        judged = list(self._selection.judged())
        papers = self._docs.docs_store().get_many({pair.paper for pair in judged})
        described = self._selection.release.query_papers()
        for query_id, paper, facet, _ in judged:
            if paper not in papers:
                raise self._selection.refused(
                    f"annotations/{facet}", f"query paper {paper}", "expected one of the documents"
                )
            doc = papers[paper]
            year, kind = described.get((paper, facet), (doc.year, ""))
            sentences = tuple(
                sentence
                for sentence, label in zip(doc.sentences, doc.labels)
                if label in FACETS[facet]
            )
            query = " ".join(sentences)
            yield CsfcubeQuery(query_id, query, paper, facet, doc.title, year, kind, sentences)

    def queries_count(self):
        """Return the number of queries, or None while their files are not downloaded."""
        return self._selection.count(self._selection.judged)

    def queries_store(self):
        """Return the queries for look-ups by id."""
        return QueryStore(self.queries_iter())

    def queries_cls(self):
        """Return CsfcubeQuery."""
        return CsfcubeQuery

    def queries_namespace(self):
        """Return the collection's name."""
        return self._selection.release.name

    def queries_lang(self):
        """Return "en"."""
        return "en"


class NoQueries(FacetQueries):
    """Stands where queries would be in the bare collection, to say which facets there are."""

    def __init__(self, selection, docs, dataset_id):
        super().__init__(selection, docs)
        self._id = dataset_id

    def queries_iter(self):
        """Raise NotImplementedError, which lists the datasets that have queries."""
        name = self._id
        ids = ", ".join(f"{name}/{facet}" for facet in (*FACETS, "all"))
        raise NotImplementedError(f"{name} has no queries of its own, its facets have: use {ids}")

    def queries_count(self):
        """Return None."""
        return None


class FacetQrels(BaseQrels):
    """The adjudicated judgements of a selection."""

    def __init__(self, selection):
        self._selection = selection

    def qrels_iter(self):
        """Yield GenericQrel in the order of the annotation files, relevance from 0 to 3."""
        for query_id, candidate, relevance in self._selection.candidates():
            yield GenericQrel(query_id, candidate, relevance)

    def qrels_count(self):
        """Return the number of judgements, or None while their files are not downloaded."""
        return self._selection.count(self._selection.candidates)

    def qrels_defs(self):
        """Return what the grades mean for the facet; for `all`, what they have in common."""
        return QREL_DEFS[self._selection.facet]


class FacetCandidates(BaseScoredDocs):
    """The judged candidates of a selection, to be re-ranked."""

    def __init__(self, selection):
        self._selection = selection

    def scoreddocs_iter(self):
        """Yield GenericScoredDoc with score 0.0, one for each judgement."""
        for query_id, candidate, _ in self._selection.candidates():
            yield GenericScoredDoc(query_id, candidate, 0.0)

    def scoreddocs_count(self):
        """Return the number of candidates, or None while their files are not downloaded."""
        return self._selection.count(self._selection.candidates)
