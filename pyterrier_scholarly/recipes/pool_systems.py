"""The systems that drew CSFCube's pools: neighbours of whole papers.

topics = pt.get_dataset("irds:csfcube/method").get_topics("query")
systems = pool_systems("csfcube/method")
runs = {name: system(topics) for name, system in systems.items()}
pools = make_pools(runs, k=15)
"""

from typing import Any, Literal

import numpy as np
import pandas as pd
import pyterrier as pt

from ..datasets import DatasetLike, irds
from ..encoders import EncoderLike, SentenceTransformer, WordVectors, as_encoder, vectors
from ..similarity.vectors import SIMILARITIES
from ..step import Count, Step, retrieved, some
from ..transformers import FacetQuery

SPECTER_TEMPLATE = "{title}[SEP]{text}"  # of a paper's text, as SPECTER was trained


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
        model = SentenceTransformer(specter, pooling="cls") if isinstance(specter, str) else specter
        systems["specter"] = Neighbours(dataset, model, SPECTER_TEMPLATE, "l2", num_results)
    return systems


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
    similarity: Literal["cosine", "dot", "l2"] = "cosine"
    num_results: Count = 100

    def transform(self, topics: pd.DataFrame) -> pd.DataFrame:
        """Rank."""
        topics = self.check(topics, ["qid"], without=["docno"])
        if "query_docno" not in topics:  # the topics are queries of the dataset
            facet_queries = FacetQuery(self.dataset).transform(topics)
            topics = topics.assign(query_docno=facet_queries["query_docno"])
        if topics.empty:
            return retrieved(topics, [])

        text_of_paper = {}
        for record in irds(self.dataset).docs_iter():
            text_of_paper[record.doc_id] = self.document.format(**record._asdict())
        # in descending order, which equal scores keep
        papers = pd.Index(sorted(text_of_paper, reverse=True), dtype=object)
        positions = papers.get_indexer(topics["query_docno"])  # -1 for an unknown paper
        if (positions < 0).any():
            unknown_papers = topics["query_docno"][positions < 0]
            raise ValueError(f"{self.dataset} has no document {some(unknown_papers)}.")

        embeddings = self._embed([text_of_paper[paper] for paper in papers])
        compare = SIMILARITIES[self.similarity].compare
        results = []
        for qid, position in zip(topics["qid"], positions):
            scores = compare(embeddings[[position]], embeddings)[0].astype(float)
            # one more, as one of them may be the paper itself
            best = np.argsort(-scores, kind="stable")[: self.num_results + 1]
            neighbours = {"qid": qid, "docno": papers[best], "score": scores[best]}
            results.append(pd.DataFrame(neighbours))
        return retrieved(topics, results, self.num_results, without_self=True)

    def _embed(self, texts: list[str]) -> Any:
        """Return a vector for each text, by the encoder; a sparse array of tf-idf without one."""
        if self.encoder is not None:
            return vectors(self.loaded(as_encoder), texts)

        from scipy.sparse import csr_array
        from sklearn.feature_extraction.text import TfidfVectorizer

        return csr_array(TfidfVectorizer().fit_transform(texts))
