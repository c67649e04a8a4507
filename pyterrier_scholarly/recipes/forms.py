"""How the pipeline of a named system is built: `FORMS`, which systems' rows name.

    FORMS["fabs_tfidf"]("csfcube/all", None)   # FacetQuery(…) >> TfIdfScore(…)

A form is a function from a dataset, an encoder and keywords to a pipeline that takes candidates.
The pipeline adds what its scorer reads, then scores. The keywords are a row's `scoring`, and go to
the scorer. In place of an encoder, a form of pairs takes a scorer of pairs, and one that asks a
language model a client.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Literal, TypeAlias

import pandas as pd
import pyterrier as pt

from ir_datasets_ext.doris_mae_queries import TOO_LONG

from ..chat.client_protocol import ChatLike
from ..datasets import DatasetLike, collection, irds
from ..encoders import EncoderLike
from ..step import Step
from ..transformers import (
    BM25Retriever,
    BM25Score,
    CrossEncoderScore,
    FacetQuery,
    ListwiseRerank,
    OneHop,
    PaperLoader,
    PlainText,
    SentenceMaxSim,
    SentenceTransport,
    TextRetriever,
    TextSimilarity,
    TfIdfScore,
)
from .in_context import mean_of_max, one_encoding, six_parts, three_parts

#: abstracts that DORIS-MAE's embedding systems did not rank (its word-based systems did)
TOO_LONG_ABSTRACTS = tuple(sorted(TOO_LONG))
MOST_PAIRS = 100  # candidates of a question that a cross-encoder scores
SHOWN_TO_LANGUAGE_MODELS = ("title", "text")  # fields of documents

#: a function from a dataset, an encoder and a row's `scoring` to a pipeline
Form: TypeAlias = Callable[..., pt.Transformer]
#: forms that search the collection, so they take no candidates
SEARCHING_FORMS = ("bm25",)
#: forms whose scorer has an argument `verbose`
VERBOSE_FORMS = ("bm25", "dense", "listwise", "one_hop")


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


def add_facet_sentences(dataset: DatasetLike) -> pt.Transformer:
    """Add the facet's sentences among those of the query's paper, and whole candidates."""
    return FacetQuery(dataset) >> PaperLoader(dataset)


def add_sentences(dataset: DatasetLike) -> pt.Transformer:
    """Add the sentences of the query's text, and of whole candidates."""
    return FacetQuery() >> PaperLoader(dataset)


def add_sentences_without_titles(dataset: DatasetLike) -> pt.Transformer:
    """Add the sentences of the query's text, and of abstracts without titles."""
    return FacetQuery() >> PaperLoader(dataset, titles=False)


def add_sentences_by_nltk(dataset: DatasetLike, titles: bool) -> pt.Transformer:
    """Add sentences as DORIS-MAE's code splits them, without candidates of too long abstracts.

    Queries are split by pySBD, which splits those of DORIS-MAE as NLTK does.
    """
    loader = PaperLoader(dataset, titles=titles, splitter="nltk")
    return FacetQuery() >> loader >> PlainText(without=TOO_LONG_ABSTRACTS)


def rank_by_language_model(
    dataset: DatasetLike, client: ChatLike, **scoring: Any
) -> pt.Transformer:
    """Show the candidates' texts to a language model, which ranks them."""
    texts = LoadTexts(collection(dataset), SHOWN_TO_LANGUAGE_MODELS)
    return texts >> ListwiseRerank(client, **scoring)


def rank_after_one_hop(
    dataset: DatasetLike, client: ChatLike, order: Literal["paper", "released"], **scoring: Any
) -> pt.Transformer:
    """Add the papers that the first candidates cite, then ask a language model."""
    from ..collect.citations import CitationGraph

    graph = CitationGraph(collection(dataset))
    return OneHop(graph, order=order) >> rank_by_language_model(dataset, client, **scoring)


def rank_sentences(
    add_columns: Callable[[DatasetLike], pt.Transformer],
    make_scorer: Callable[[DatasetLike, EncoderLike], pt.Transformer],
    dataset: DatasetLike,
    encoder: EncoderLike,
) -> pt.Transformer:
    """Add sentences, and score them in context by one of this package's own pipelines."""
    return add_columns(dataset) >> make_scorer(dataset, encoder)


#: name of a form -> its function
FORMS: dict[str, Form] = {
    #
    # --- queries are facets of papers ---
    #
    # by words, with the statistics of the dataset's documents
    "fabs_tfidf": lambda data, _, **scoring: FacetQuery(data) >> TfIdfScore(data, **scoring),
    "fabs_bm25": lambda data, _, **scoring: FacetQuery(data) >> BM25Score(data, **scoring),
    # whole texts, of the query's paper and of candidates
    "facet_text": lambda data, encoder, **scoring: (
        FacetQuery(data) >> TextSimilarity(encoder, dataset=data, **scoring)
    ),
    # pairs of the facet's text and a candidate's, by a cross-encoder
    "facet_pairs": lambda data, encoder, **scoring: (
        FacetQuery(data) >> CrossEncoderScore(encoder, dataset=data, **scoring)
    ),
    # the facet's sentences, by their best matches among a candidate's
    "facet_sentences": lambda data, encoder, **scoring: (
        add_facet_sentences(data) >> SentenceMaxSim(encoder, **scoring)
    ),
    # the facet's sentences, each read in its abstract, by optimal transport
    "facet_transport": lambda data, encoder, **scoring: (
        add_facet_sentences(data) >> SentenceTransport(encoder, context="abstract", **scoring)
    ),
    #
    # --- queries are texts, candidates are a pool ---
    #
    # by words, with the statistics of a query's candidates
    "pool_tfidf": lambda data, _, **scoring: (
        PlainText(data, queries=False) >> TfIdfScore(fitted_on="pool", **scoring)
    ),
    "pool_bm25": lambda data, _, **scoring: (
        PlainText(data, queries=False) >> BM25Score(fitted_on="pool", words="tokens", **scoring)
    ),
    # whole texts, without candidates of too long abstracts
    "text": lambda data, encoder, **scoring: (
        PlainText(data, without=TOO_LONG_ABSTRACTS) >> TextSimilarity(encoder, **scoring)
    ),
    # sentences, by their best matches
    "sentences": lambda data, encoder, **scoring: (
        add_sentences_by_nltk(data, titles=True) >> SentenceMaxSim(encoder, **scoring)
    ),
    # sentences without titles, each read in its abstract, by optimal transport
    "transport": lambda data, encoder, **scoring: (
        add_sentences_by_nltk(data, titles=False)
        >> SentenceTransport(encoder, context="abstract", **scoring)
    ),
    # pairs of two texts, by a cross-encoder
    "pairs": lambda data, encoder, **scoring: (
        PlainText(data) >> CrossEncoderScore(encoder, **scoring)
    ),
    # the same two, after the query's sentences were added
    "pool_bm25_sentences": lambda data, _, **scoring: (
        FacetQuery() >> FORMS["pool_bm25"](data, _, **scoring)
    ),
    "pairs_sentences": lambda data, encoder, **scoring: (
        FacetQuery() >> FORMS["pairs"](data, encoder, **scoring)
    ),
    #
    # --- queries are questions to a whole collection ---
    #
    "bm25": lambda data, _, **scoring: BM25Retriever(data, **scoring),
    # embeddings of texts, of all documents or of candidates
    "dense": lambda data, encoder, **scoring: TextRetriever(encoder, dataset=data, **scoring),
    "listwise": rank_by_language_model,
    "one_hop": rank_after_one_hop,
    # pairs of the question and each of the first candidates, by a cross-encoder
    "question_pairs": lambda data, encoder, **scoring: (
        pt.RankCutoff(MOST_PAIRS) >> CrossEncoderScore(encoder, dataset=data, **scoring)
    ),
    # the question's sentences, by their best matches among a candidate's
    "question_sentences": lambda data, encoder, **scoring: (
        add_sentences(data) >> SentenceMaxSim(encoder, **scoring)
    ),
    #
    # --- this package's own pipelines, for each kind of query ---
    #
    "facet_in_context": partial(rank_sentences, add_facet_sentences, mean_of_max),
    "facet_one_encoding": partial(rank_sentences, add_facet_sentences, one_encoding),
    "facet_six_parts": partial(rank_sentences, add_facet_sentences, six_parts),
    "text_in_context": partial(rank_sentences, add_sentences_without_titles, mean_of_max),
    "text_one_encoding": partial(rank_sentences, add_sentences_without_titles, one_encoding),
    "text_three_parts": partial(rank_sentences, add_sentences_without_titles, three_parts),
    "question_in_context": partial(rank_sentences, add_sentences, mean_of_max),
    "question_one_encoding": partial(rank_sentences, add_sentences, one_encoding),
    "question_three_parts": partial(rank_sentences, add_sentences, three_parts),
}
