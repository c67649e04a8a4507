"""Embeddings learnt from a collection, with texts as sums of words: LSA's and word2vec's.

For example::

    encoder = LSA("csfcube", dimensions=100)
    encoder.encode_documents(["an abstract"])  # (1, 100)
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from ..arguments import Count, Natural, Repeats, Seed
from ..artifact_files import are_numbers
from ..artifacts import Fitted, FittedArtifact

#: settings that gensim has by the same names
GENSIM_SETTINGS = ("window", "min_count", "seed", "workers")


class TextsToVectors(Protocol):
    """What `LSA` needs of scikit-learn's pipeline."""

    def transform(self, texts: Sequence[str]) -> np.ndarray:
        """Return embeddings (n, d)."""


@dataclass(eq=False, repr=False)
class LSA(Fitted[TextsToVectors]):
    """TF-IDF followed by a truncated singular value decomposition (scikit-learn), for both sides.

    Fitted when first needed, on `source`. Instances share one fit if they are equal, or differ only
    in the subset of one collection.

    Args:
        source: a dataset, for its documents' `text` (abstracts), or a list of texts.
        dimensions: d of the embeddings; fewer if there are fewer texts or words.

    Raises:
        ValueError: (when fitting) the texts have fewer than two different words.
    """

    dimensions: Count = 100

    symmetric = True

    def fit(self) -> TextsToVectors:
        """Return scikit-learn's pipeline."""
        from sklearn.decomposition import TruncatedSVD
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.pipeline import make_pipeline

        texts = self.texts()
        tfidf = TfidfVectorizer(sublinear_tf=True)
        try:
            weights = tfidf.fit_transform(texts)  # (texts, words)
            dimensions = min(self.dimensions, *weights.shape)
            svd = TruncatedSVD(dimensions, random_state=0).fit(weights)
        except ValueError as error:
            raise ValueError(
                f"LSA cannot be fitted on {len(texts)} texts: {error}. Pass texts with at "
                "least two different words."
            ) from error
        return make_pipeline(tfidf, svd)

    def encode_queries(self, texts: list[str]) -> np.ndarray:
        """Return embeddings (n, d); zero for a text without any word of the source."""
        return self.parts().transform(texts)

    encode_documents = encode_queries


@dataclass(frozen=True)
class Words:
    """Words, the most frequent first, their embeddings (w, d) and idf (w,)."""

    words: list
    vectors: np.ndarray
    idf: np.ndarray

    @cached_property
    def counter(self) -> Any:
        """Scikit-learn's vectorizer, which counts the words in texts, sparse (n, w)."""
        from sklearn.feature_extraction.text import CountVectorizer

        return CountVectorizer(vocabulary=self.words)

    def is_consistent(self) -> bool:
        """Return whether each word has an embedding of numbers and an idf."""
        count = len(set(self.words))
        has_words = count == len(self.words) and self.idf.shape == (count,)
        has_vectors = self.vectors.ndim == 2 and self.vectors.shape[0] == count
        return has_words and has_vectors and are_numbers("f", self.vectors, self.idf)


@dataclass(eq=False, repr=False)
class WordVectors(FittedArtifact[Words]):
    """The mean of a text's word vectors, for both sides: word2vec by continuous bag of words.

    The paper's fabs_cbow200 and, `weighted` by tf-idf, its fabs_tfidfcbow200. (The paper trains on
    800,000 abstracts, and does not define words and weights. Here words are runs of two or more
    letters and digits in lower case, and weights are scikit-learn's.) Trained when first needed,
    once for instances that are equal, or differ only in `weighted` or in the collection's subset.

    As a PyTerrier artifact it is a folder of plain arrays (no pickle), loaded without gensim:
    ``WordVectors.train("csfcube", "words")`` trains and writes; ``WordVectors("words",
    weighted=True)`` reads, as ``pt.Artifact.load("words")`` does.

    Args:
        source: as for `LSA`, or a folder that `save` wrote, with settings for all but `weighted`.
        weighted: weight a word by its tf-idf instead of its frequency in the text.
        dimensions: d of the embeddings.
        window: words on each side that predict the word between them.
        min_count: how often a word must occur; rarer words have no embedding.
        epochs: passes over the texts; a small collection needs more than gensim's default, five.
        seed, workers: of the random start; threads, of which more than one differ from run to run.

    Raises:
        ImportError: (when training) gensim is not installed; names the extra.
        ValueError: (when first needed) no word occurs often enough, or the folder is damaged.
    """

    weighted: bool = False
    dimensions: Count = 200
    window: Count = 5
    min_count: Natural = 5
    epochs: Repeats = 20
    seed: Seed = 1
    workers: Count = 1

    ARTIFACT_TYPE = "word_vectors"
    WHAT = "word vectors"
    PARTS = Words
    UNFITTED_SETTINGS = ("weighted",)
    symmetric = True

    def fit(self) -> Words:
        """Train word vectors on the source's texts; return them with the words' idf."""
        word_model_class = _import_word2vec()
        from sklearn.feature_extraction.text import TfidfVectorizer

        texts = self.texts()
        split_text = TfidfVectorizer().build_analyzer()
        vectors = self._train_vectors(word_model_class, _SplitTexts(texts, split_text), len(texts))

        words = vectors.index_to_key
        tfidf = TfidfVectorizer(vocabulary=words)  # so that idf is in the order of the words
        tfidf.fit(texts)
        return Words(words, vectors.vectors, idf=tfidf.idf_)

    def _train_vectors(
        self, word_model_class: Any, sentences: "_SplitTexts", text_count: int
    ) -> Any:
        """Train a model of word2vec; return gensim's vectors, with their words.

        Args:
            word_model_class: gensim's `Word2Vec`.
            sentences: the words of each text.
            text_count: number of the texts.

        Raises:
            ValueError: no word occurs often enough.
        """
        settings = {name: getattr(self, name) for name in GENSIM_SETTINGS}
        bag_of_words = 0  # gensim's number for the training that is not skip-gram
        model = word_model_class(sg=bag_of_words, vector_size=self.dimensions, **settings)

        model.build_vocab(sentences)
        if not len(model.wv):
            raise ValueError(
                f"No word occurs {self.min_count} times in these {text_count} texts. Pass more "
                "texts, or a lower min_count."
            )
        model.train(sentences, total_examples=text_count, epochs=self.epochs)
        return model.wv

    def encode_queries(self, texts: list[str]) -> np.ndarray:
        """Return embeddings (n, d) float32; zero for a text without any known word."""
        words = self.parts()
        word_weights = words.counter.transform(texts)  # (texts, words), how often each occurs
        if self.weighted:
            word_weights = word_weights.multiply(words.idf).tocsr()

        totals = np.asarray(word_weights.sum(axis=1))  # (texts, 1)
        divisors = np.where(totals > 0, totals, 1)
        means = word_weights @ words.vectors / divisors
        return means.astype(np.float32)

    encode_documents = encode_queries


def _import_word2vec() -> Any:
    """Return gensim's class `Word2Vec`; ImportError, naming the extra, if it is missing."""
    try:
        from gensim.models import Word2Vec
    except ImportError as error:
        raise ImportError(
            'Word vectors need gensim: run `pip install "pyterrier-scholarly[words]"`.'
        ) from error
    return Word2Vec


class _SplitTexts:
    """The texts' words, split at each pass, because they take more memory than the texts."""

    def __init__(self, texts: Sequence[str], split: Callable[[str], list[str]]) -> None:
        self._texts = texts
        self._split = split

    def __iter__(self) -> Iterator[list[str]]:
        return map(self._split, self._texts)
