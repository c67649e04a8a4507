"""Systems of the CSFCube paper [Mysore et al. 2021, section 5 and appendix C].

Every system ranks a query's whole candidate pool. The query is the facet's sentences, a candidate
its whole abstract. Each builder takes the dataset (``"irds:csfcube/method"``, a facet or `all`) and
returns a pipeline to which topics with a `qid` go in.
"""

from ..transformers import (
    FacetQuery,
    OkapiBM25Score,
    PaperContext,
    Pool,
    SentenceMaxSim,
    Sentences,
    TfIdfScore,
)
from .in_context import one_encoding, six_parts


def fabs_tfidf(dataset):
    """Cosine of TF-IDF vectors (scikit-learn), the facet's sentences against the abstract."""
    return _candidates(dataset) >> TfIdfScore(dataset)


def fabs_bm25(dataset):
    """Okapi BM25 (library rank_bm25), the facet's sentences against the abstract."""
    return _candidates(dataset) >> OkapiBM25Score(dataset)


def sentence_maxsim(dataset, encoder=None, aggregate="max"):
    """Maximum cosine over all pairs of facet sentence and candidate sentence (SentBERT, SimCSE).

    Args:
        dataset: see the module.
        encoder: what `SentenceMaxSim` takes, e.g. ``"sentence-transformers/all-mpnet-base-v2"``;
            without one, the light LSA fitted on the dataset's documents.
        aggregate: over the query's sentences: "max" (the paper's), "mean" or "sum".
    """
    score = SentenceMaxSim(encoder, dataset=dataset, aggregate=aggregate)
    return _candidates(dataset) >> Sentences(dataset) >> score


def terrier_bm25(dataset, index, num_results=100_000):
    """Terrier's BM25 over `index`, restricted to the pool; what it does not retrieve comes last.

    Args:
        dataset: see the module.
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


#: name in the paper's Table 3 (or Terrier's own) -> builder
SYSTEMS = {
    "fabs_tfidf": fabs_tfidf,
    "fabs_bm25": fabs_bm25,
    "sentence max-sim": sentence_maxsim,
}

#: name -> builder of a pipeline behind `PaperContext`
IN_CONTEXT = {
    "tit pair - miss + .2 LEX": one_encoding,
    "six - miss + .2 LEX": six_parts,
}


def csfcube_systems(dataset, encoder=None, index=None):
    """Build the systems for one `pt.Experiment`.

    Args:
        dataset: see the module.
        encoder: sentence encoder of the max-sim row, see `sentence_maxsim`; with one, there are two
            rows more, not of the paper: `one_encoding` and `six_parts` (which see, for how their
            figures on this collection are to be taken).
        index: a Terrier index; with one, Terrier's BM25 is a row too.

    Returns:
        Dict from name to pipeline, as `pt.Experiment` takes it.
    """
    systems = {name: build(dataset) for name, build in SYSTEMS.items()}
    if encoder is not None:
        systems["sentence max-sim"] = sentence_maxsim(dataset, encoder)
        for name, build in IN_CONTEXT.items():
            systems[name] = _candidates(dataset) >> PaperContext(dataset) >> build(dataset, encoder)
    if index is not None:
        systems["Terrier BM25"] = terrier_bm25(dataset, index)
    return systems


def _candidates(dataset):
    return Pool(dataset) >> FacetQuery(dataset)
