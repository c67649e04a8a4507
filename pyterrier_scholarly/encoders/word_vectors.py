"""Embeddings learnt from a collection, with texts as sums of words: LSA's and word2vec's.

For example::

    encoder = LSA("csfcube", dimensions=100)
    encoder.encode(["an abstract"], "document")  # (1, 100)
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..arguments import Count, Natural, Repeats, Seed
from ..artifacts import Fitted, FittedArtifact
from .encoder_protocols import Side


@dataclass(eq=False, repr=False)
class LSA(Fitted[Any]):
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

    def fit(self) -> Any:
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

    def encode(self, texts: list[str], side: Side) -> np.ndarray:
        """Return embeddings (n, d); zero for a text without any word of the source."""
        return self.parts().transform(texts)


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

    def fit(self) -> Words:
        """Train word vectors on the source's texts; return them with the words' idf."""
        try:
            from gensim.models import Word2Vec
        except ImportError as error:
            raise ImportError(
                'Word vectors need gensim: run `pip install "pyterrier-scholarly[words]"`.'
            ) from error
        from sklearn.feature_extraction.text import TfidfVectorizer

        texts = self.texts()
        words_of_texts = _SplitTexts(texts, TfidfVectorizer().build_analyzer())
        bag_of_words = 0  # gensim's number for the training that is not skip-gram
        model = Word2Vec(
            sg=bag_of_words,
            vector_size=self.dimensions,
            window=self.window,
            min_count=self.min_count,
            seed=self.seed,
            workers=self.workers,
        )

        model.build_vocab(words_of_texts)
        if not len(model.wv):
            raise ValueError(
                f"No word occurs {self.min_count} times in these {len(texts)} texts. Pass more "
                "texts, or a lower min_count."
            )
        model.train(words_of_texts, total_examples=len(texts), epochs=self.epochs)

        words = model.wv.index_to_key
        tfidf = TfidfVectorizer(vocabulary=words)  # so that idf is in the order of the words
        tfidf.fit(texts)
        return Words(words, model.wv.vectors, idf=tfidf.idf_)

    def encode(self, texts: list[str], side: Side) -> np.ndarray:
        """Return embeddings (n, d) float32; zero for a text without any known word."""
        words = self.parts()
        word_weights = words.counter.transform(texts)  # (texts, words), how often each occurs
        if self.weighted:
            word_weights = word_weights.multiply(words.idf).tocsr()

        totals = np.asarray(word_weights.sum(axis=1))  # (texts, 1)
        divisors = np.where(totals > 0, totals, 1)
        means = word_weights @ words.vectors / divisors
        return means.astype(np.float32)


class _SplitTexts:
    """The texts' words, split at each pass, because they take more memory than the texts."""

    def __init__(self, texts: Sequence[str], split: Callable[[str], list[str]]) -> None:
        self._texts = texts
        self._split = split

    def __iter__(self) -> Iterator[list[str]]:
        return map(self._split, self._texts)
