"""Rankings around CSFCube's pools: the systems that drew them, and Terrier's BM25 inside them."""

from dataclasses import dataclass

import pandas as pd
import pyterrier as pt

from .. import datasets, frames
from ..encoders import WholeText, WordVectors, as_encoder, vectors
from ..similarity.maxsim import similarity_called
from ..transformers import FacetQuery, Pool
from ..transformers.step import Step

TITLE, ABSTRACT, BOTH = "{title}", "{text}", "{title}[SEP]{text}"


def pool_systems(dataset, specter="allenai/specter", num_results=100):
    """Build the seven systems that CSFCube's pools were drawn by, for any collection of papers.

    Title and abstract, each by tf-idf (`title_tfidf`, `abs_tfidf`), by the mean of word vectors
    (`…_cbow200`) and by their mean weighted by tf-idf (`…_tfidfcbow200`); and `specter`, by
    distance. Each ranks all other papers of the collection by their likeness to the query's paper:
    ``{name: system(topics) for name, system in pool_systems(dataset).items()}`` are runs for
    `make_pools`. Each query is compared with every paper: for tens of thousands of papers, not for
    millions. The authors' word vectors are of 800,000 abstracts, these of the collection's own
    (extra `words`); their tokens and weights are not known.

    Args:
        dataset: an id, a PyTerrier or an ir_datasets dataset whose documents have `title`, `text`.
        specter: the model's name on the hub, its folder, or any encoder of whole texts; None leaves
            it out.
        num_results: how many papers are returned for a query.

    Returns:
        Dict from the release's name to a pipeline. Topics name the query's paper in a column
        `query_docno`; or they are queries of a dataset whose queries are papers.
    """
    words = WordVectors(dataset), WordVectors(dataset, weighted=True)
    systems = {}
    for name, template in (("title", TITLE), ("abs", ABSTRACT)):
        for kind, encoder in zip(("tfidf", "cbow200", "tfidfcbow200"), (None, *words)):
            systems[f"{name}_{kind}"] = Neighbours(
                dataset, encoder, template, "cosine", num_results
            )
    if specter is not None:
        model = WholeText(specter, pooling="cls") if isinstance(specter, str) else specter
        systems["specter"] = Neighbours(dataset, model, BOTH, "l2", num_results)
    return {name: _QueryPaper(dataset) >> system for name, system in systems.items()}


@dataclass(eq=False, repr=False)
class _QueryPaper(Step):
    """Adds `query_docno` to topics that are queries of the dataset and do not have it."""

    dataset: object

    def transform(self, topics):
        """Add the column."""
        topics = frames.check(topics, self, ["qid"])
        if "query_docno" in topics:
            return topics
        return topics.assign(query_docno=FacetQuery(self.dataset)(topics)["query_docno"])


@dataclass(eq=False, repr=False)
class Neighbours(Step):
    """The papers of a collection that are most like the query's paper, which is one of them.

    Columns in: `qid`, `query_docno`. Columns out: the same, `docno`, `score` and `rank`; equal
    scores by descending `docno`. A paper is no neighbour of itself.

    Args:
        dataset: an id, a PyTerrier or an ir_datasets dataset.
        encoder: of whole texts; None for tf-idf (scikit-learn's) fitted on the texts.
        document: template of a paper's text, with fields of its record.
        similarity: ``"cosine"``, ``"dot"`` or ``"l2"`` (minus the distance).
        num_results: how many papers of each query.

    Raises:
        ValueError: an unknown similarity, or the query's paper is not among the documents.
    """

    dataset: object
    encoder: object = None
    document: str = ABSTRACT
    similarity: str = "cosine"
    num_results: int = 100

    def transform(self, topics):
        """Rank."""
        topics = frames.check(topics, self, ["qid", "query_docno"], without=["docno"])
        of, _ = similarity_called(self.similarity)
        empty = topics.head(0).assign(docno=pd.Series([], dtype=object), score=0.0)
        found = [frames.ranked(empty)]
        if len(topics):
            docnos, rows = _matrix(self)
            unknown = topics["query_docno"][~topics["query_docno"].isin(docnos)]
            if len(unknown):
                raise ValueError(f"{self.dataset} has no document {frames.some(unknown)}.")
            found += [
                self._of_query(topics.iloc[[n]], docnos, rows, of) for n in range(len(topics))
            ]
        return pd.concat(found[1:] or found, ignore_index=True)

    def _of_query(self, topic, docnos, rows, of):
        own = docnos[topic["query_docno"].iloc[0]]
        scores = of(rows[[own]], rows)[0].astype(float)
        papers = pd.DataFrame({"docno": list(docnos), "score": scores}).drop(index=own)
        best = papers.sort_values(["score", "docno"], ascending=False).head(self.num_results)
        return frames.ranked(topic.merge(best, how="cross"))


def _matrix(neighbours):
    """Row of each document, and all rows, sparse of tf-idf."""
    from scipy.sparse import csr_array
    from sklearn.feature_extraction.text import TfidfVectorizer

    records = {record.doc_id: record for record in datasets.irds(neighbours.dataset).docs_iter()}
    texts = [neighbours.document.format(**record._asdict()) for record in records.values()]
    docnos = {doc_id: row for row, doc_id in enumerate(records)}
    if neighbours.encoder is None:
        return docnos, csr_array(TfidfVectorizer().fit_transform(texts))
    return docnos, vectors(neighbours.loaded(as_encoder).encode_documents, texts)


def terrier_bm25(dataset: object, index: object, num_results: int = 100_000) -> pt.Transformer:
    """Rank the pool by Terrier's BM25 over `index`; candidates that it does not find come last.

    Args:
        dataset: ``"irds:csfcube/method"``, another facet or `all`.
        index: a Terrier index of the dataset's documents, for example of
            ``pt.terrier.IterDictIndexer(path).index(dataset.get_corpus_iter())``.
        num_results: how many documents Terrier retrieves before the restriction to the pool. The
            default exceeds the collection's size, so that no candidate with a query word is lost.
    """
    # Terrier's query parser throws on some characters (`^` in a CSFCube query), hence tokenise.
    query = FacetQuery(dataset) >> pt.rewrite.tokenise()
    retrieve = pt.terrier.Retriever(index, wmodel="BM25", num_results=num_results)
    return query >> retrieve >> pt.rewrite.reset() >> Pool(dataset).restrict(missing="append")
