"""Ranking by a model that reads query and document together."""

from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from .. import frames
from ..encoders import as_pair_scorer, pair_scores
from . import _templates
from .step import Step


@dataclass(eq=False, repr=False)
class CrossEncoderScore(Step):
    """Scores documents by a cross-encoder, which reads the query's and the document's text as one.

    What texts are is said by two templates, as `TextSimilarity` has them. With `sentences`, each
    sentence of the query is paired with the whole document, and the score is the mean: the way in
    which DORIS-MAE ran RocketQA-v2 [Wang2023].

    Columns in: `qid`, `docno`, and the templates' fields, see `TextSimilarity`; with `sentences`,
    `query_sentences` in the place of those of `query`. Columns out: the same and `score`, as the
    model gives it (of `encoders.CrossEncoder` a logit, of any size), and `rank`, rows by query and
    rank.

    Each distinct pair of texts is scored once per call, however many rows share it.

    Args:
        scorer: a sentence-transformers CrossEncoder or its name, `encoders.CrossEncoder` (for
            precision, device, length, batches), or a function from a list of pairs of texts to
            numbers, such as ``lambda pairs: list(rocketqa_model.matching(*zip(*pairs)))``.
        dataset: an id, a PyTerrier or an ir_datasets dataset, or None.
        query: template of a query's text.
        document: template of a document's text.
        sentences: pair the query's sentences, not its text.
        verbose: show progress.

    Raises:
        ValueError: a template without a field or with one that documents do not have, texts that
            are NaN, a query (or sentence of one) without text, NaN from a broken model, a model
            that gives several numbers for a pair; names rows or texts.
        OSError: there is no such model; says what to download.
    """

    scorer: object
    dataset: object = field(default=None, kw_only=True)
    query: str = field(default="{query}", kw_only=True)
    document: str = field(default="{title} {text}", kw_only=True)
    sentences: bool = field(default=False, kw_only=True)
    verbose: bool = field(default=False, compare=False, repr=False, kw_only=True)

    def transform(self, results):
        """Score and rank."""
        results, asked, documents = self._sides(results)
        pairs = [[(text, own) for text in texts] for texts, own in zip(asked, documents)]
        scores = np.zeros(len(results))
        if pairs:
            score = self.loaded(as_pair_scorer, "scorer", verbose=self.verbose)
            found = pair_scores(score, list(chain.from_iterable(pairs)))
            sizes = np.array([len(own) for own in pairs])
            scores = np.add.reduceat(found, np.cumsum(sizes) - sizes) / sizes
        return frames.ranked(results.assign(score=scores))

    def _sides(self, results):
        """The frame, checked; for each row the texts that ask, and the document's."""
        if not self.sentences:
            results, queries, documents = _templates.both(results, self)
            return results, [[query] for query in queries], documents
        given = _templates.fields(self.document) if self.dataset is None else []
        remedy = "Put FacetQuery(…) before it for query_sentences."
        needed = ["qid", "docno", "query_sentences", *given]
        results = frames.check(results, self, needed, remedy=remedy)
        asked = list(results["query_sentences"])
        return results, asked, _templates.of_documents(results, self)
