"""Systems of the DORIS-MAE paper [Wang et al. 2023] that need no trained weights of their own.

Every system ranks a query's whole candidate pool, abstract text alone, without titles. Word weights
of the paper's own come from the pool, as in the paper.
"""

from ..datasets import irds
from ..transformers import (
    ContextMaxSim,
    FacetQuery,
    PaperContext,
    Pool,
    SentenceMaxSim,
    Sentences,
)
from ._forms import pool_bm25, pool_tfidf
from .in_context import three_parts


def doris_mae_systems(dataset, encoder=None, terrier=False, in_context=True):
    """Build the systems for one `pt.Experiment`.

    Args:
        dataset: ``"irds:doris-mae/dev"`` or another part of it with queries and pools.
        encoder: sentence encoder of the max-sim row (what `SentenceMaxSim` takes); without one, the
            light LSA fitted on the dataset's abstracts.
        terrier: add Terrier's own BM25 over the pools' abstracts (`pt.text.scorer`, needs Java);
            its word statistics are those of all candidates that are scored together.
        in_context: with an encoder, add two rows that are not of the paper, in which query and
            abstract are each read as a whole (which takes several times as long to encode).

    Returns:
        Dict from name to pipeline: "BM25", "TF-IDF", "sentence max-sim" (mean over the query's
        sentences of the best match, the paper's eq. 4); "in context" (the same,
        with sentences in the context of their text) and "three parts" (`three_parts`, which has
        that, isolated sentences and tf-idf of the whole collection); and "Terrier BM25".
    """
    pool = Pool(dataset)
    score = SentenceMaxSim(encoder, dataset=dataset, aggregate="mean")
    sentences = pool >> FacetQuery() >> Sentences(dataset)
    systems = {
        "BM25": pool_bm25(dataset, pool, None),
        "TF-IDF": pool_tfidf(dataset, pool, None),
        "sentence max-sim": sentences >> score,
    }
    if in_context and encoder is not None:
        papers = sentences >> PaperContext()  # not of the dataset: without titles
        systems["in context"] = papers >> ContextMaxSim(encoder, "abstract")
        systems["three parts"] = papers >> three_parts(dataset, encoder)
    if terrier:
        systems["Terrier BM25"] = _terrier_bm25(dataset, pool)
    return systems


def _terrier_bm25(dataset, pool):
    import pyterrier as pt

    text = pt.get_dataset(f"irds:{irds(dataset).dataset_id()}").text_loader(["text"])
    scorer = pt.text.scorer(body_attr="text", wmodel="BM25")
    return pool >> text >> pt.rewrite.tokenise() >> scorer >> pt.rewrite.reset()
