"""How the pipeline of a named system is built: a table of forms, which systems' rows name.

    form = FORMS["fabs_tfidf"]
    form.build_pipeline("csfcube/all", Pool("csfcube/all"), encoder=None, scoring={})

A form's pipeline is ``candidates >> steps >> scorer``. `form_steps` makes the steps. Below are the
functions that make scorers, and then the table, which names them. All scorers are made from a
dataset, an encoder and the row's `scoring`, so each function ignores what it does not need.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import pandas as pd
import pyterrier as pt

from ..chat.client_protocol import ChatLike
from ..datasets import DatasetLike, collection, irds
from ..encoders import EncoderLike
from ..transformers import (
    BM25Retriever,
    BM25Score,
    CrossEncoderScore,
    FacetQuery,
    ListwiseRerank,
    OneHop,
    PlainText,
    SentenceMaxSim,
    SentenceTransport,
    TextRetriever,
    TextSimilarity,
    TfIdfScore,
)
from ..transformers.step import Step
from . import in_context
from .form_steps import (
    add_candidate_texts,
    add_candidate_texts_and_query_sentences,
    add_facet_sentences,
    add_sentences,
    add_sentences_but_long,
    add_sentences_without_titles,
    add_sentences_without_titles_but_long,
    add_texts_and_query_sentences,
    add_texts_but_long,
    keep_first_candidates,
)

SHOWN_TO_LANGUAGE_MODELS = ("title", "text")  # fields of documents

#: a function from a dataset to the steps that add what a scorer reads
MakeSteps: TypeAlias = Callable[[DatasetLike], pt.Transformer]
#: a function from a dataset, an encoder and a row's `scoring` to a scorer
MakeScorer: TypeAlias = Callable[..., pt.Transformer]


class Form(NamedTuple):
    """A pipeline's parts: ``candidates >> steps(dataset) >> scorer(dataset, encoder, …)``.

    scorer: makes the scorer.
    steps: makes the steps that add what the scorer reads; None for no steps.
    searches: whether the scorer searches the collection, with or without candidates.
    shows: whether the scorer shows progress, if its argument `verbose` is True.
    """

    scorer: MakeScorer
    steps: MakeSteps | None = None
    searches: bool = False
    shows: bool = False

    def build_pipeline(
        self,
        dataset: DatasetLike,
        candidates: pt.Transformer | None,
        encoder: EncoderLike | None,
        scoring: Mapping[str, Any],
    ) -> pt.Transformer:
        """Return the pipeline; without candidates (None) it takes results."""
        parts: list[pt.Transformer] = []
        if candidates is not None and not self.searches:
            parts.append(candidates)
        if self.steps is not None:
            parts.append(self.steps(dataset))
        parts.append(self.scorer(dataset, encoder, **scoring))

        pipeline = parts[0]
        for part in parts[1:]:
            pipeline = pipeline >> part
        return pipeline


@dataclass(eq=False, repr=False)
class LoadTexts(Step):
    """Add fields of documents to results, by PyTerrier's own text loader.

    A step of its own, because that loader prints as an address and equals no other.
    """

    dataset: DatasetLike
    fields: tuple[str, ...]

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        """Add a column for each field."""
        dataset_id = irds(self.dataset).dataset_id()
        dataset: Any = pt.get_dataset(f"irds:{dataset_id}")
        return dataset.text_loader(list(self.fields)).transform(results)


# Scorers, from a dataset, an encoder and a row's `scoring`


def _score_by_tfidf(dataset: DatasetLike, encoder: None, **scoring: Any) -> pt.Transformer:
    """Score by tf-idf, with the words of the dataset's documents."""
    return TfIdfScore(dataset, **scoring)


def _score_by_tfidf_of_pool(dataset: DatasetLike, encoder: None, **scoring: Any) -> pt.Transformer:
    """Score by tf-idf, with the words of a query's candidates."""
    return TfIdfScore(fitted_on="pool", **scoring)


def _score_by_bm25(dataset: DatasetLike, encoder: None, **scoring: Any) -> pt.Transformer:
    """Score by BM25, with the words of the dataset's documents."""
    return BM25Score(dataset, **scoring)


def _score_by_bm25_of_pool(dataset: DatasetLike, encoder: None, **scoring: Any) -> pt.Transformer:
    """Score by BM25, with the words of a query's candidates."""
    return BM25Score(fitted_on="pool", words="tokens", **scoring)


def _retrieve_by_bm25(dataset: DatasetLike, encoder: None, **scoring: Any) -> pt.Transformer:
    """Search the dataset by BM25."""
    return BM25Retriever(dataset, **scoring)


def _retrieve_by_embeddings(
    dataset: DatasetLike, encoder: EncoderLike, **scoring: Any
) -> pt.Transformer:
    """Search the dataset by embeddings of texts, or re-rank candidates by them."""
    return TextRetriever(encoder, dataset=dataset, **scoring)


def _score_texts(dataset: DatasetLike, encoder: EncoderLike, **scoring: Any) -> pt.Transformer:
    """Compare whole texts, which the steps have added."""
    return TextSimilarity(encoder, **scoring)


def _score_texts_of_dataset(
    dataset: DatasetLike, encoder: EncoderLike, **scoring: Any
) -> pt.Transformer:
    """Compare whole texts, and read those of the dataset."""
    return TextSimilarity(encoder, dataset=dataset, **scoring)


def _score_pairs(dataset: DatasetLike, encoder: EncoderLike, **scoring: Any) -> pt.Transformer:
    """Score pairs of texts, which the steps have added, by a cross-encoder."""
    return CrossEncoderScore(encoder, **scoring)


def _score_pairs_of_dataset(
    dataset: DatasetLike, encoder: EncoderLike, **scoring: Any
) -> pt.Transformer:
    """Score pairs of texts by a cross-encoder, and read those of the dataset."""
    return CrossEncoderScore(encoder, dataset=dataset, **scoring)


def _score_by_max_sim(dataset: DatasetLike, encoder: EncoderLike, **scoring: Any) -> pt.Transformer:
    """Compare sentences by their best matches."""
    return SentenceMaxSim(encoder, **scoring)


def _score_by_transport(
    dataset: DatasetLike, encoder: EncoderLike, **scoring: Any
) -> pt.Transformer:
    """Compare sentences, each read in its abstract, by optimal transport."""
    return SentenceTransport(encoder, context="abstract", **scoring)


def _ask_language_model(dataset: DatasetLike, client: ChatLike, **scoring: Any) -> pt.Transformer:
    """Show the candidates' texts to a language model, which ranks them."""
    texts = LoadTexts(collection(dataset), SHOWN_TO_LANGUAGE_MODELS)
    return texts >> ListwiseRerank(client, **scoring)


def _ask_after_one_hop(
    dataset: DatasetLike, client: ChatLike, order: str, **scoring: Any
) -> pt.Transformer:
    """Add the papers that the first candidates cite, then ask a language model."""
    from ..collect.citations import CitationGraph

    graph = CitationGraph(collection(dataset))
    return OneHop(graph, order=order) >> _ask_language_model(dataset, client, **scoring)


#: name of a form -> its parts; a system's row names its `form` alone
FORMS = {
    # queries are facets of papers
    "fabs_tfidf": Form(_score_by_tfidf, FacetQuery),
    "fabs_bm25": Form(_score_by_bm25, FacetQuery),
    "facet_text": Form(_score_texts_of_dataset, FacetQuery),
    "facet_pairs": Form(_score_pairs_of_dataset, FacetQuery),
    "facet_sentences": Form(_score_by_max_sim, add_facet_sentences),
    "facet_transport": Form(_score_by_transport, add_facet_sentences),
    "facet_in_context": Form(in_context.mean_of_max, add_facet_sentences),
    "facet_one_encoding": Form(in_context.one_encoding, add_facet_sentences),
    "facet_six_parts": Form(in_context.six_parts, add_facet_sentences),
    # queries are texts, candidates are a pool
    "pool_tfidf": Form(_score_by_tfidf_of_pool, add_candidate_texts),
    "pool_bm25": Form(_score_by_bm25_of_pool, add_candidate_texts),
    "pool_bm25_sentences": Form(_score_by_bm25_of_pool, add_candidate_texts_and_query_sentences),
    "text": Form(_score_texts, add_texts_but_long),
    "sentences": Form(_score_by_max_sim, add_sentences_but_long),
    "transport": Form(_score_by_transport, add_sentences_without_titles_but_long),
    "pairs": Form(_score_pairs, PlainText),
    "pairs_sentences": Form(_score_pairs, add_texts_and_query_sentences),
    "text_in_context": Form(in_context.mean_of_max, add_sentences_without_titles),
    "text_one_encoding": Form(in_context.one_encoding, add_sentences_without_titles),
    "text_three_parts": Form(in_context.three_parts, add_sentences_without_titles),
    # queries are questions to a whole collection
    "bm25": Form(_retrieve_by_bm25, searches=True, shows=True),
    "dense": Form(_retrieve_by_embeddings, shows=True),
    "listwise": Form(_ask_language_model, shows=True),
    "one_hop": Form(_ask_after_one_hop, shows=True),
    "question_pairs": Form(_score_pairs_of_dataset, keep_first_candidates),
    "question_sentences": Form(_score_by_max_sim, add_sentences),
    "question_in_context": Form(in_context.mean_of_max, add_sentences),
    "question_one_encoding": Form(in_context.one_encoding, add_sentences),
    "question_three_parts": Form(in_context.three_parts, add_sentences),
}
