"""Topics of whole documents, compared by Jensen-Shannon divergence [Krstovski et al. 2016]."""

from dataclasses import dataclass, field

import numpy as np

from ..similarity.documents import jensen_shannon
from . import _lda
from ._model import DocumentModel, Documents


@dataclass(frozen=True)
class Topics(Documents):
    """Their topics (n, t), the topics' words (t, w) and prior (t,)."""

    topics: np.ndarray
    of_words: np.ndarray
    prior: np.ndarray

    def whole(self) -> bool:
        """Whether all are numbers above 0, and as many as they should be."""
        count = len(self.prior)
        shapes = (self.topics.shape, self.of_words.shape)
        alike = shapes == ((len(self.documents), count), (count, len(self.words)))
        arrays = (self.topics, self.of_words, self.prior)
        numbers = all(np.isfinite(a).all() and (a > 0).all() for a in arrays)
        return bool(alike and numbers and self.index.is_unique)


@dataclass(eq=False, repr=False)
class TopicModel(DocumentModel):
    """Likeness of whole documents' topics: 1 less the Jensen-Shannon divergence to base 2.

    Latent Dirichlet allocation represents a document by a distribution over `topics`. Scores go
    from 0 (no topic in common) to 1 (the same topics); ``1 - scores`` is the paper's divergence,
    the distance that `histogram_slope` takes.

    Fitted when first needed, on title and text of all documents of the collection; instances that
    are equal, but for subsets of one collection, share one fit. As a PyTerrier artifact it is a
    folder of plain files (no pickle), loaded without tomotopy::

        TopicModel.train("csfcube", "lda200", topics=200)  # fits and writes
        TopicModel("lda200")  # reads; pt.Artifact.load("lda200") too

    Fitting is Gibbs sampling by tomotopy (the paper: online variational Bayes by Vowpal Wabbit),
    which learns the topics' prior as well; the topics of a document, as of any other text, are the
    posterior's mean given the words of the topics. With one worker and on one kind of processor the
    same texts give the same topics.

    Args:
        source: a dataset, a list of texts (their ids are "0", "1", …), or a folder that `save`
            wrote, which has settings of its own.
        topics: their number.
        iterations: rounds of sampling.
        seed: of the sampling.
        workers: threads; with more than one, topics differ from run to run.
        min_count, most_frequent, min_length, alphabetic, counted_on: the vocabulary, as for
            `TfIdfModel`.

    Raises:
        ImportError: (when fitting) tomotopy is not installed; names the extra.
        ValueError: (when first needed) no word is left; a folder that is damaged.

    Source: Blei, Ng & Jordan (2003); Krstovski, Smith & Kurtz (2016), whose T is `topics`.
    """

    topics: int = 200
    iterations: int = field(default=200, kw_only=True)
    seed: int = field(default=1, kw_only=True)
    workers: int = field(default=1, kw_only=True)

    ARTIFACT_TYPE = "topic_model"
    WHAT = "topics"
    PARTS = Topics

    def fit(self):
        """Sample topics, then infer the documents'."""
        if not self.topics >= 1:
            raise ValueError(f"topics={self.topics!r}: expected a whole number from 1.")
        documents, words, counts = self._counted()
        of_words, prior = _lda.fit(counts, self.topics, self.iterations, self.seed, self.workers)
        return Topics(documents, words, _lda.topics_of(counts, of_words, prior), of_words, prior)

    def of_documents(self, docnos):
        """The topics of documents of the collection: (n, topics), rows of sum 1."""
        return self.parts().topics[self.rows(docnos)]

    def of_texts(self, texts):
        """The topics of any texts: (n, topics), rows of sum 1; the prior where no word is known."""
        kept = self.parts()
        return _lda.topics_of(self._counts(texts), kept.of_words, kept.prior)

    def compare(self, vectors, pairs):
        """1 less the divergence (k,) of pairs (k, 2): rows of `vectors`, rows of the collection."""
        used, right = np.unique(pairs[:, 1], return_inverse=True)
        pairs = np.stack([pairs[:, 0], right], axis=1)
        return 1 - jensen_shannon(vectors, self.parts().topics[used], pairs)

    def top_words(self, count=10) -> list:
        """The likeliest words of each topic, for people to read: a list of lists."""
        kept = self.parts()
        order = np.argsort(-kept.of_words, axis=1, kind="stable")[:, :count]
        return [[kept.words[place] for place in row] for row in order]
