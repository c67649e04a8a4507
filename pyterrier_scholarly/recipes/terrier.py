"""Terrier's BM25 over the candidates of CSFCube's queries."""

from ..transformers import FacetQuery, Pool


def terrier_bm25(dataset, index, num_results=100_000):
    """Terrier's BM25 over `index`, restricted to the pool; what it does not retrieve comes last.

    Args:
        dataset: ``"irds:csfcube/method"``, a facet or `all`.
        index: a Terrier index of the dataset's documents, e.g. of
            ``pt.terrier.IterDictIndexer(path).index(dataset.get_corpus_iter())``.
        num_results: documents that Terrier retrieves before the pool restricts them; by default
            more than the collection has, so that no candidate with a query word is cut off.
    """
    import pyterrier as pt

    # Terrier's query parser throws on some characters (`^` in a CSFCube query), hence tokenise.
    query = FacetQuery(dataset) >> pt.rewrite.tokenise()
    retrieve = pt.terrier.Retriever(index, wmodel="BM25", num_results=num_results)
    return query >> retrieve >> pt.rewrite.reset() >> Pool(dataset).restrict(missing="append")
