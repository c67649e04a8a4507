"""Rankings around CSFCube's pools: the systems that drew them, and Terrier's BM25 inside them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import pyterrier as pt

from .. import datasets, frames
from ..arguments import Count, check_arguments, one_of
from ..datasets import DatasetLike
from ..encoders import EncoderLike, WholeText, WordVectors, as_encoder, vectors
from ..similarity import SIMILARITIES, similarity_called
from ..transformers import FacetQuery, Pool
from ..transformers.step import Step


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
    kinds = {
        "tfidf": None,
        "cbow200": WordVectors(dataset),
        "tfidfcbow200": WordVectors(dataset, weighted=True),
    }
    systems: dict[str, pt.Transformer] = {
        f"{name}_{kind}": Neighbours(dataset, encoder, template, num_results=num_results)
        for name, template in (("title", "{title}"), ("abs", "{text}"))
        for kind, encoder in kinds.items()
    }
    if specter is not None:
        model = WholeText(specter, pooling="cls") if isinstance(specter, str) else specter
        systems["specter"] = Neighbours(dataset, model, "{title}[SEP]{text}", "l2", num_results)
    return systems


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
            topics = topics.assign(
                query_docno=FacetQuery(self.dataset).transform(topics)["query_docno"]
            )
        compare = similarity_called(self.similarity)
        if topics.empty:
            return frames.ranked(topics.assign(docno=pd.Series([], dtype=object), score=0.0))
        row_of, embeddings = _embedded(self)
        if unknown := [paper for paper in topics["query_docno"] if paper not in row_of]:
            raise ValueError(f"{self.dataset} has no document {frames.some(unknown)}.")
        runs = []
        for place, row in enumerate(topics["query_docno"].map(row_of)):
            scores = compare(embeddings[[row]], embeddings)[0].astype(float)
            papers = pd.DataFrame({"docno": list(row_of), "score": scores}).drop(index=row)
            best = papers.sort_values(["score", "docno"], ascending=False).head(self.num_results)
            runs.append(frames.ranked(topics.iloc[[place]].merge(best, how="cross")))
        return pd.concat(runs, ignore_index=True)


def _embedded(neighbours: Neighbours) -> tuple[dict[str, int], Any]:
    """Return each document's row, and the matrix of all rows; a sparse one for tf-idf."""
    from scipy.sparse import csr_array
    from sklearn.feature_extraction.text import TfidfVectorizer

    records = {record.doc_id: record for record in datasets.irds(neighbours.dataset).docs_iter()}
    texts = [neighbours.document.format(**record._asdict()) for record in records.values()]
    row_of = {doc_id: row for row, doc_id in enumerate(records)}
    if neighbours.encoder is None:
        return row_of, csr_array(TfidfVectorizer().fit_transform(texts))
    return row_of, vectors(neighbours.loaded(as_encoder).encode_documents, texts)


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
    return (
        FacetQuery(dataset)
        >> TerrierBM25(index, num_results)
        >> Pool(dataset).restrict(missing="append")
    )


@dataclass(eq=False, repr=False)
class TerrierBM25(Step):
    """Rank an index's documents by Terrier's BM25; an index on disk stands for its files."""

    index: Any
    num_results: Count

    def transform(self, topics: pd.DataFrame) -> pd.DataFrame:
        """Retrieve documents for each query."""
        return self.held("pipeline", self._pipeline, self.num_results)(topics)

    def _pipeline(self) -> pt.Transformer:
        # Terrier's query parser throws on some characters (`^` in a CSFCube query), hence tokenise.
        return (
            pt.rewrite.tokenise()
            >> pt.terrier.Retriever(self.index, wmodel="BM25", num_results=self.num_results)
            >> pt.rewrite.reset()
        )

    def __fingerprint__(self) -> dict[str, object]:
        """Return the settings, with the folder of an index that Java knows by its file."""
        ref = self.index.getIndexRef() if hasattr(self.index, "getIndexRef") else self.index
        file = Path(ref.toString() if hasattr(ref, "toString") else ref)
        return super().__fingerprint__() | {"index": file.parent if file.is_file() else self.index}
