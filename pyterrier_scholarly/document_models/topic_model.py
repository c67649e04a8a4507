"""Topics of whole documents, compared by Jensen-Shannon divergence [Krstovski et al. 2016].

model = TopicModel("csfcube", topics=100)
model.scores(["1198964"], ["3264891"])  # (1,), from 0 to 1
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..arguments import Count, Repeats, Seed, check_arguments
from ..similarity import jensen_shannon
from .document_model import DocumentModel, Documents, Ids

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

MOST_ROUNDS = 100  # of an inference
SMALLEST_CHANGE = 1e-3  # of words per topic: a smaller mean change ends the inference
SMALLEST_PROBABILITY = 1e-12  # replaces 0
SMALLEST_DIVISOR = 1e-300


@dataclass(frozen=True)
class Topics(Documents):
    """What is fitted for N documents, w words and t topics.

    Attributes:
        topics: (N, t), the distribution of each document over topics.
        of_words: (t, w), the distribution of each topic over words.
        prior: (t,), of the topics.
    """

    topics: np.ndarray
    of_words: np.ndarray
    prior: np.ndarray


@dataclass(eq=False, repr=False)
class TopicModel(DocumentModel[Topics]):
    """Score documents by their topics: 1 minus the Jensen-Shannon divergence to base 2.

    Latent Dirichlet allocation represents a document by a distribution over `topics`. Scores are
    from 0 (no topic in common) to 1 (the same topics). ``1 - scores`` is the paper's divergence,
    the distance for `histogram_slope`.

    Fitted when first needed, on title and text of all documents of the collection, and shared as
    `TfIdfModel` is. As a PyTerrier artifact it is a folder of plain files (no pickle), which loads
    without tomotopy::

        TopicModel.train("csfcube", "lda200", topics=200)  # fits and writes
        TopicModel("lda200")  # reads; pt.Artifact.load("lda200") too

    Fitting is Gibbs sampling by tomotopy (the paper: online variational Bayes by Vowpal Wabbit),
    which learns the topics' prior, too. The topics of a document or any other text are the
    posterior's mean, with the topics' words fixed. With one worker and on one kind of processor,
    the same texts give the same topics.

    Args:
        source: see `TfIdfModel`; a folder has all settings.
        topics: number of topics.
        iterations: rounds of sampling.
        seed: of the sampling.
        workers: threads; with more than one, topics differ from run to run.
        min_count, most_frequent, min_length, alphabetic, counted_on: see `TfIdfModel`.

    Raises:
        ImportError: (when fitting) tomotopy is not installed; names the extra.
        ValueError: (when first needed) no word is left, or the folder is damaged.

    Source: Blei, Ng & Jordan (2003); Krstovski, Smith & Kurtz (2016), whose T is `topics`.
    """

    topics: Count = 200
    iterations: Repeats = field(default=200, kw_only=True)
    seed: Seed = field(default=1, kw_only=True)
    workers: Count = field(default=1, kw_only=True)

    ARTIFACT_TYPE = "topic_model"
    LOWEST_SCORE, HIGHEST_SCORE = 0.0, 1.0  # 1 less a divergence
    WHAT = "topics"
    PARTS = Topics

    def fit(self) -> Topics:
        """Sample topics, then infer the documents' topics."""
        documents, words, counts = self._count_words()
        fitted = fit_topics(counts, self.topics, self.iterations, self.seed, self.workers)
        return Topics(
            documents=documents,
            words=words,
            topics=infer_topics(counts, fitted.of_words, fitted.prior),
            of_words=fitted.of_words,
            prior=fitted.prior,
        )

    def of_documents(self, docnos: Ids) -> np.ndarray:
        """Return the topics of documents of the collection: (n, topics), rows sum to 1."""
        return self.parts().topics[self.rows(docnos)]

    def of_texts(self, texts: Iterable[str]) -> np.ndarray:
        """Return the topics of texts: (n, topics), rows sum to 1; the prior if no word is known."""
        parts = self.parts()
        return infer_topics(self._count_vocabulary(texts), parts.of_words, parts.prior)

    def compare(self, vectors: np.ndarray, pairs: np.ndarray) -> np.ndarray:
        """Return 1 - divergence (k,) of pairs (k, 2): rows of `vectors`, rows of the collection."""
        # only the documents that occur are compared: they are numbered anew
        used_rows, used_numbers = np.unique(pairs[:, 1], return_inverse=True)
        used_pairs = np.stack([pairs[:, 0], used_numbers], axis=1)
        return 1 - jensen_shannon(vectors, self.parts().topics[used_rows], used_pairs)

    @check_arguments
    def top_words(self, count: Count = 10) -> list[list[str]]:
        """Return the most probable words of each topic, for people to read."""
        most_probable_first = np.argsort(-self.parts().of_words, axis=1, kind="stable")
        word_numbers = most_probable_first[:, :count]  # (topics, count)
        return np.array(self.words, dtype=object)[word_numbers].tolist()


class FittedTopics(NamedTuple):
    """What is sampled.

    Attributes:
        of_words: float32 (topics, words), the distribution of each topic over words.
        prior: float64 (topics,).
    """

    of_words: np.ndarray
    prior: np.ndarray


def fit_topics(
    counts: "csr_matrix", topics: Count, iterations: Repeats, seed: Seed, workers: Count
) -> FittedTopics:
    """Sample topics for every word of every document (collapsed Gibbs sampling, by tomotopy).

    counts: sparse (documents, words), whole numbers; others: see `TopicModel`.
    """
    try:
        import tomotopy
    except ImportError as error:
        raise ImportError(
            'Fitting topics needs tomotopy: run `pip install "pyterrier-scholarly[topics]"`.'
        ) from error

    model = tomotopy.LDAModel(k=topics, seed=seed)
    for start, end in pairwise(counts.indptr):  # where a document's entries begin and end
        # each word as often as it occurs
        words = np.repeat(counts.indices[start:end], counts.data[start:end])
        if len(words):
            model.add_doc([str(word) for word in words.tolist()])
    model.train(iterations, workers=workers)

    # tomotopy knows only words that occur, in an order of its own
    used_words = np.array([int(word) for word in model.used_vocabs])
    used_distributions = [model.get_topic_word_dist(topic) for topic in range(topics)]
    of_words = np.full((topics, counts.shape[1]), SMALLEST_PROBABILITY)
    of_words[:, used_words] = used_distributions
    of_words /= of_words.sum(axis=1, keepdims=True)
    return FittedTopics(of_words.astype(np.float32), np.asarray(model.alpha, dtype=float))


def infer_topics(counts: "csr_matrix", of_words: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """Infer the topics of each text: the mean of its variational posterior [Blei et al.].

    Returns float32 (n, topics), rows sum to 1; the prior for a text without words.

    counts: sparse (n, words). of_words, prior: from `fit_topics`.
    """
    topics = np.empty((counts.shape[0], len(prior)), dtype=np.float32)
    topics_of_word = np.ascontiguousarray(of_words.T, dtype=float)  # (words, topics)
    for number, (start, end) in enumerate(pairwise(counts.indptr)):
        words = counts.indices[start:end]
        posterior = _infer_posterior(topics_of_word[words], counts.data[start:end], prior)
        topics[number] = posterior / posterior.sum()
    return topics


def _infer_posterior(
    topics_of_word: np.ndarray, word_counts: np.ndarray, prior: np.ndarray
) -> np.ndarray:
    """Infer how many words of a text are of each topic, added to the prior: (topics,).

    Each round is the variational update of Blei, Ng & Jordan (2003), figure 6. A word w belongs to
    topic t with a probability proportional to p(w | t) * exp(digamma(posterior of t)). The expected
    number of words of each topic, plus the prior, is the new posterior.

    Args:
        topics_of_word: (k, topics), p(w | t) for the k different words of the text.
        word_counts: (k,), how often each occurs.
        prior: (topics,).
    """
    from scipy.special import digamma

    # at first, the words are shared out evenly
    posterior = prior + word_counts.sum() / len(prior)
    for _ in range(MOST_ROUNDS):
        topic_weights = np.exp(digamma(posterior))  # (topics,)

        # a word's probabilities are divided by their sum over topics; (k,)
        divisors = np.maximum(topics_of_word @ topic_weights, SMALLEST_DIVISOR)
        weights_of_words = word_counts / divisors
        # the sum over words of count * p(w | t) * weight of t / divisor; (topics,)
        words_of_topic = topic_weights * (weights_of_words @ topics_of_word)

        new_posterior = prior + words_of_topic
        change = np.abs(new_posterior - posterior).mean()
        posterior = new_posterior
        if change < SMALLEST_CHANGE:
            break
    return posterior
