"""Rankings around CSFCube's pools: the systems that drew them, and Terrier's BM25 inside them.

topics = pt.get_dataset("irds:csfcube/method").get_topics("query")
systems = pool_systems("csfcube/method")
runs = {name: system(topics) for name, system in systems.items()}
pools = make_pools(runs, k=15)
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import pandas as pd
import pyterrier as pt

from .. import frames
from ..arguments import Count, check_arguments, one_of
from ..datasets import DatasetLike, irds
from ..distinct import Distinct
from ..encoders import EncoderLike, WholeText, WordVectors, as_encoder, vectors
from ..similarity import SIMILARITIES, similarity_called
from ..transformers import FacetQuery, Pool
from ..transformers.step import Step

if TYPE_CHECKING:
    from scipy.sparse import csr_array

SPECTER_TEMPLATE = "{title}[SEP]{text}"  # of a paper's text, as SPECTER was trained


@check_arguments
def pool_systems(
    dataset: DatasetLike,
    specter: EncoderLike | None = "allenai/specter",
    num_results: Count = 100,
) -> dict[str, pt.Transformer]:
    """Build the seven systems that drew CSFCube's pools [Mysore et al. 2021, section 3].

    They compare whole papers without facets, in any collection. Title and abstract are compared by
    tf-idf (`title_tfidf`, `abs_tfidf`), by the mean of word vectors (`…_cbow200`), and by their
    mean weighted by tf-idf (`…_tfidfcbow200`); `specter` compares by distance. Each system ranks
    all other papers by their similarity to the query's paper. `make_pools` takes their runs:
    ``{name: system(topics) for name, system in pool_systems(dataset).items()}``.

    Each query is compared with every paper: suited for tens of thousands of papers, not millions.
    The authors' word vectors are of 800,000 abstracts, these (extra `words`) of the collection's.
    The authors' tokens and weights are unknown.

    Args:
        dataset: an id, a PyTerrier or an ir_datasets dataset whose documents have `title`, `text`.
        specter: the model's name on the hub, its folder, or any encoder of whole texts; None for no
            such system.
        num_results: how many papers are returned for a query.

    Returns:
        Dict from the release's name to a pipeline. Its topics name the query's paper in a column
        `query_docno`, or are queries of a dataset whose queries are papers.
    """
    encoder_by_kind = {
        "tfidf": None,
        "cbow200": WordVectors(dataset),
        "tfidfcbow200": WordVectors(dataset, weighted=True),
    }
    template_by_part = {"title": "{title}", "abs": "{text}"}

    systems: dict[str, pt.Transformer] = {}
    for part, template in template_by_part.items():
        for kind, encoder in encoder_by_kind.items():
            system = Neighbours(dataset, encoder, template, num_results=num_results)
            systems[f"{part}_{kind}"] = system

    if specter is not None:
        model = WholeText(specter, pooling="cls") if isinstance(specter, str) else specter
        systems["specter"] = Neighbours(dataset, model, SPECTER_TEMPLATE, "l2", num_results)
    return systems


@check_arguments
def terrier_bm25(
    dataset: DatasetLike, index: object, num_results: Count = 100_000
) -> pt.Transformer:
    """Rank the pool by Terrier's BM25 over `index`; candidates that it does not find come last.

    Args:
        dataset: ``"irds:csfcube/method"``, another facet or `all`.
        index: a Terrier index of the dataset's documents, for example of
            ``pt.terrier.IterDictIndexer(path).index(dataset.get_corpus_iter())``.
        num_results: how many documents Terrier retrieves before the restriction to the pool. The
            default exceeds the collection's size, so that no candidate with a query word is lost.
    """
    pool = Pool(dataset).restrict(missing="append")
    return FacetQuery(dataset) >> TerrierBM25(index, num_results) >> pool


class Embeddings(NamedTuple):
    """The vectors of a collection's papers.

    papers: the papers' ids; the paper with number n has row n of `rows`.
    rows: (papers, dimensions); a sparse array for tf-idf.
    """

    papers: Distinct[str]
    rows: Any


@dataclass(eq=False, repr=False)
class Neighbours(Step):
    """Retrieve the papers of a collection that are most similar to the query's paper.

    Columns in: `qid`, `query_docno` (default: `FacetQuery`'s for queries of the dataset). Columns
    out: the same, `docno`, `score` and `rank`; equal scores by descending `docno`. The paper itself
    is no result.

    Args:
        dataset: an id, a PyTerrier or an ir_datasets dataset.
        encoder: of whole texts; None for tf-idf (scikit-learn's) fitted on the texts.
        document: template of a paper's text, with fields of its record.
        similarity: ``"cosine"``, ``"dot"`` or ``"l2"`` (minus the distance).
        num_results: how many papers for each query.

    Raises:
        ValueError: an unknown similarity, or the query's paper is not among the documents.
    """

    dataset: DatasetLike
    encoder: EncoderLike | None = None
    document: str = "{text}"
    similarity: Annotated[str, one_of(SIMILARITIES)] = "cosine"
    num_results: Count = 100

    def transform(self, topics: pd.DataFrame) -> pd.DataFrame:
        """Rank."""
        topics = frames.check(topics, self, ["qid"], without=["docno"], optional=["query_docno"])
        if "query_docno" not in topics:
            query_papers = FacetQuery(self.dataset).transform(topics)["query_docno"]
            topics = topics.assign(query_docno=query_papers)
        if topics.empty:
            return frames.ranked(topics.assign(docno=pd.Series([], dtype=object), score=0.0))

        embeddings = self._embed_papers()
        query_papers = topics["query_docno"]
        unknown_papers = [paper for paper in query_papers if paper not in embeddings.papers]
        if unknown_papers:
            raise ValueError(f"{self.dataset} has no document {frames.some(unknown_papers)}.")

        rankings = []
        for position, query_paper in enumerate(query_papers):
            topic = topics.iloc[[position]]
            neighbours = self._find_neighbours(query_paper, embeddings)
            rankings.append(frames.ranked(topic.merge(neighbours, how="cross")))
        return pd.concat(rankings, ignore_index=True)

    def _embed_papers(self) -> Embeddings:
        """Embed each paper of the collection."""
        record_by_id = {record.doc_id: record for record in irds(self.dataset).docs_iter()}
        papers = Distinct(record_by_id)
        texts = [self.document.format(**record._asdict()) for record in record_by_id.values()]

        if self.encoder is None:
            return Embeddings(papers, _fit_tfidf(texts))
        encoder = self.loaded(as_encoder)
        return Embeddings(papers, vectors(encoder.encode_documents, texts))

    def _find_neighbours(self, query_paper: str, embeddings: Embeddings) -> pd.DataFrame:
        """Return `docno` and `score` of the papers that are most similar to one, best first."""
        compare = similarity_called(self.similarity)
        query_number = embeddings.papers.number(query_paper)
        query_row = embeddings.rows[[query_number]]  # (1, dimensions)
        scores = compare(query_row, embeddings.rows)[0].astype(float)

        papers = pd.DataFrame({"docno": embeddings.papers.keys, "score": scores})
        other_papers = papers.drop(index=query_number)
        best_first = other_papers.sort_values(["score", "docno"], ascending=False)
        return best_first.head(self.num_results)


def _fit_tfidf(texts: list[str]) -> "csr_array":
    """Return the tf-idf weights of texts, (texts, words)."""
    from scipy.sparse import csr_array
    from sklearn.feature_extraction.text import TfidfVectorizer

    return csr_array(TfidfVectorizer().fit_transform(texts))


@dataclass(eq=False, repr=False)
class TerrierBM25(Step):
    """Rank an index's documents by Terrier's BM25; an index on disk stands for its files."""

    index: Any
    num_results: Count

    def transform(self, topics: pd.DataFrame) -> pd.DataFrame:
        """Retrieve documents for each query."""
        pipeline = self.held("pipeline", self._build_pipeline, self.num_results)
        return pipeline(topics)

    def _build_pipeline(self) -> pt.Transformer:
        """Return Terrier's retriever, with each query as plain words."""
        retriever = pt.terrier.Retriever(self.index, wmodel="BM25", num_results=self.num_results)
        # Terrier's query parser throws on some characters (`^` in a CSFCube query), hence tokenise
        return pt.rewrite.tokenise() >> retriever >> pt.rewrite.reset()

    def __fingerprint__(self) -> dict[str, object]:
        """Return the settings, with the folder of an index that Java knows by its file."""
        settings = super().__fingerprint__()
        reference = self.index
        if hasattr(reference, "getIndexRef"):
            reference = reference.getIndexRef()
        if hasattr(reference, "toString"):  # Java's
            reference = reference.toString()

        index_file = Path(reference)
        settings["index"] = index_file.parent if index_file.is_file() else self.index
        return settings
