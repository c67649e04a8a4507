"""Retrieve the papers of a collection that are most similar to a paper.

title_neighbours = Neighbours("csfcube", document="{title}", num_results=10)  # by tf-idf
title_neighbours(pd.DataFrame({"qid": ["1"], "query_docno": ["9999"]}))       # of paper 9999
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import pandas as pd

from .. import frames
from ..arguments import Count, one_of
from ..datasets import DatasetLike, irds
from ..distinct import Distinct
from ..encoders import EncoderLike, as_encoder, vectors
from ..similarity import SIMILARITIES, similarity_called
from ..transformers import FacetQuery
from ..transformers.step import Step

if TYPE_CHECKING:
    from scipy.sparse import csr_array


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
        if "query_docno" not in topics:  # the topics are queries of the dataset
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

    def _embed_papers(self) -> "Embeddings":
        """Return a vector for each paper of the collection: by the encoder, or of tf-idf."""
        text_by_id = {}
        for record in irds(self.dataset).docs_iter():
            text_by_id[record.doc_id] = self.document.format(**record._asdict())

        papers = Distinct(text_by_id)  # numbers the ids in the order of the texts
        texts = list(text_by_id.values())
        if self.encoder is None:
            return Embeddings(papers, _fit_tfidf(texts))
        encoder = self.loaded(as_encoder)
        return Embeddings(papers, vectors(encoder.encode_documents, texts))

    def _find_neighbours(self, query_paper: str, embeddings: "Embeddings") -> pd.DataFrame:
        """Return `docno` and `score` of the papers that are most similar to one, best first."""
        compare = similarity_called(self.similarity)
        query_number = embeddings.papers.number(query_paper)
        query_row = embeddings.rows[[query_number]]  # (1, dimensions)
        scores = compare(query_row, embeddings.rows)[0].astype(float)

        papers = pd.DataFrame({"docno": embeddings.papers.keys, "score": scores})
        other_papers = papers.drop(index=query_number)
        best_first = other_papers.sort_values(["score", "docno"], ascending=False)
        return best_first.head(self.num_results)


class Embeddings(NamedTuple):
    """The vectors of a collection's papers.

    papers: the papers' ids; the paper with number n has row n of `rows`.
    rows: (papers, dimensions); a sparse array for tf-idf.
    """

    papers: Distinct[str]
    rows: Any


def _fit_tfidf(texts: list[str]) -> "csr_array":
    """Return the tf-idf weights of texts, (texts, words)."""
    from scipy.sparse import csr_array
    from sklearn.feature_extraction.text import TfidfVectorizer

    return csr_array(TfidfVectorizer().fit_transform(texts))
