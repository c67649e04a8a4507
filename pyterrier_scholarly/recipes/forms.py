"""How the pipeline of a named system is built: one flat table of forms."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from operator import rshift
from typing import Any, NamedTuple, TypeAlias

import pandas as pd
import pyterrier as pt

from ir_datasets_ext.doris_mae.records import TOO_LONG

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
    Sentences,
    SentenceTransport,
    TextRetriever,
    TextSimilarity,
    TfIdfScore,
)
from ..transformers.step import Step
from . import in_context

Scorer: TypeAlias = Callable[..., pt.Transformer]
#: abstracts that DORIS-MAE's embedding systems did not rank (its word-based systems did)
LONG = tuple(sorted(TOO_LONG))


@dataclass(eq=False, repr=False)
class LoadTexts(Step):
    """Add fields of documents to results, by PyTerrier's own text loader.

    That prints as an address, and equals no other.
    """

    dataset: DatasetLike
    fields: tuple[str, ...]

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        """Add the columns."""
        dataset: Any = pt.get_dataset(f"irds:{irds(self.dataset).dataset_id()}")
        return dataset.text_loader(list(self.fields)).transform(results)


class Form(NamedTuple):
    """A pipeline's parts: ``candidates >> papers(dataset) >> score(dataset, encoder, …)``.

    score: function from a dataset, an encoder and a row's `scoring` to a scorer.
    papers: function from a dataset to steps that add what the scorer reads; None for no steps.
    searches: whether the scorer searches the collection, with or without candidates.
    shows: whether the scorer itself can show progress, by an argument `verbose`.
    """

    score: Scorer
    papers: Callable[[object], pt.Transformer] | None = None
    searches: bool = False
    shows: bool = False

    def pipeline(
        self,
        dataset: DatasetLike,
        candidates: pt.Transformer | None,
        encoder: EncoderLike,
        **scoring: object,
    ) -> pt.Transformer:
        """Return the pipeline; without candidates (None) it takes results."""
        steps = [] if candidates is None or self.searches else [candidates]
        steps += [] if self.papers is None else [self.papers(dataset)]
        return reduce(rshift, [*steps, self.score(dataset, encoder, **scoring)])


def _facets(dataset: DatasetLike) -> pt.Transformer:
    """The facet's sentences among those of the query's paper, and whole candidates."""
    return FacetQuery(dataset) >> Sentences(dataset)


def _texts(dataset: DatasetLike) -> pt.Transformer:
    """The sentences of the query's text, and of abstracts without titles."""
    return FacetQuery() >> Sentences(dataset, titles=False)


def _questions(dataset: DatasetLike) -> pt.Transformer:
    """The sentences of the query's text, and of whole candidates."""
    return FacetQuery() >> Sentences(dataset)


def _by(scorer: Scorer, **settings: object) -> Scorer:
    """Return a form's `score`: a scorer with an encoder, which the steps before it give texts."""
    return lambda dataset, encoder, **scoring: scorer(encoder, **settings, **scoring)


def _over(scorer: Scorer) -> Scorer:
    """Return a form's `score`: a scorer with an encoder, which reads the dataset's texts."""
    return lambda dataset, encoder, **scoring: scorer(encoder, dataset=dataset, **scoring)


def _bm25(dataset: DatasetLike, encoder: EncoderLike, **scoring: bool) -> pt.Transformer:
    return BM25Score(fitted_on="pool", words="tokens", **scoring)


def _listwise(dataset: DatasetLike, client: ChatLike, **scoring: Any) -> pt.Transformer:
    """Show the candidates' texts to a language model."""
    texts = LoadTexts(collection(dataset), ("title", "text"))
    return texts >> ListwiseRerank(client, **scoring)


def _one_hop(dataset: DatasetLike, client: ChatLike, order: str, **scoring: Any) -> pt.Transformer:
    """Add the papers that the first candidates cite, then rank as `_listwise` does."""
    from ..collect.citations import CitationGraph

    graph = CitationGraph(collection(dataset))
    return OneHop(graph, order=order) >> _listwise(dataset, client, **scoring)


#: name of a form -> its parts; a system's row names its `form` alone
FORMS = {
    "fabs_tfidf": Form(lambda dataset, _: TfIdfScore(dataset), FacetQuery),
    "fabs_bm25": Form(lambda dataset, _: BM25Score(dataset), FacetQuery),
    "facet_text": Form(_over(TextSimilarity), FacetQuery),
    "facet_pairs": Form(_over(CrossEncoderScore), FacetQuery),
    "facet_sentences": Form(_by(SentenceMaxSim), _facets),
    "facet_transport": Form(_by(SentenceTransport, context="abstract"), _facets),
    "facet_in_context": Form(in_context.mean_of_max, _facets),
    "facet_one_encoding": Form(in_context.one_encoding, _facets),
    "facet_six_parts": Form(in_context.six_parts, _facets),
    "pool_tfidf": Form(
        lambda *_: TfIdfScore(fitted_on="pool"),
        lambda dataset: PlainText(dataset, queries=False),
    ),
    "pool_bm25": Form(_bm25, lambda dataset: PlainText(dataset, queries=False)),
    "pool_bm25_sentences": Form(
        _bm25, lambda dataset: FacetQuery() >> PlainText(dataset, queries=False)
    ),
    "text": Form(_by(TextSimilarity), lambda dataset: PlainText(dataset, without=LONG)),
    "sentences": Form(
        _by(SentenceMaxSim), lambda dataset: _questions(dataset) >> PlainText(without=LONG)
    ),
    "transport": Form(
        _by(SentenceTransport, context="abstract"),
        lambda dataset: _texts(dataset) >> PlainText(without=LONG),
    ),
    "pairs": Form(_by(CrossEncoderScore), PlainText),
    "pairs_sentences": Form(
        _by(CrossEncoderScore), lambda dataset: FacetQuery() >> PlainText(dataset)
    ),
    "text_in_context": Form(in_context.mean_of_max, _texts),
    "text_one_encoding": Form(in_context.one_encoding, _texts),
    "text_three_parts": Form(in_context.three_parts, _texts),
    "bm25": Form(
        lambda dataset, _, **more: BM25Retriever(dataset, **more), searches=True, shows=True
    ),
    "dense": Form(_over(TextRetriever), shows=True),
    "listwise": Form(_listwise, shows=True),
    "one_hop": Form(_one_hop, shows=True),
    "question_pairs": Form(_over(CrossEncoderScore), lambda _: pt.RankCutoff(100)),
    "question_sentences": Form(_by(SentenceMaxSim), _questions),
    "question_in_context": Form(in_context.mean_of_max, _questions),
    "question_one_encoding": Form(in_context.one_encoding, _questions),
    "question_three_parts": Form(in_context.three_parts, _questions),
}
