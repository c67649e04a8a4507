"""Word vectors trained on a collection: CSFCube's cbow200 [Mysore2021, appendix C]."""

from dataclasses import dataclass

import numpy as np

from .. import datasets
from ..fitted import FittedArtifact
from ._word_training import Words, split, trained

TRAINING = ("dimensions", "window", "min_count", "epochs", "seed", "workers")


@dataclass(eq=False, repr=False)
class WordVectors(FittedArtifact):
    """The mean of a text's word vectors, for both sides: word2vec by continuous bag of words.

    The paper's fabs_cbow200 and, `weighted` by tf-idf, its fabs_tfidfcbow200. (It trains on
    800,000 abstracts, and leaves words and weights open; here words are runs of two or more letters
    and digits in lower case, weights those of scikit-learn.) Trained when first needed, on texts
    given here; instances that are equal, but for `weighted` or for subsets of one collection, share
    one training. With one worker the same texts give the same vectors.

    As a PyTerrier artifact it is a folder of plain arrays (no pickle), loaded without gensim::

        WordVectors.train("csfcube", "words")  # trains and writes
        WordVectors("words", weighted=True)  # reads; pt.Artifact.load("words") too

    Args:
        source: a dataset, whose documents' `text` (abstracts) is taken, a list of texts, or a
            folder that `save` wrote, which has settings of its own for all but `weighted`.
        weighted: weight a word by its tf-idf rather than by its frequency in the text.
        dimensions: d of the vectors.
        window: words on each side that predict the one between them.
        min_count: how often a word occurs at least; others have no vector.
        epochs: passes over the texts; a small collection needs more than gensim's five.
        seed: of the random start.
        workers: threads; with more than one, vectors differ from run to run.

    Raises:
        ImportError: (when training) gensim is not installed; names the extra.
        ValueError: (when first needed) no word occurs often enough; a folder that is damaged.
    """

    source: object
    weighted: bool = False
    dimensions: int = 200
    window: int = 5
    min_count: int = 5
    epochs: int = 20
    seed: int = 1
    workers: int = 1

    ARTIFACT_TYPE = "word_vectors"
    WHAT = "word vectors"
    PARTS = Words
    CHOSEN = ("weighted",)
    symmetric = True

    def fit(self):
        """Train on the source."""
        own = isinstance(self.source, (list, tuple))
        texts = self.source if own else list(datasets.texts(self.source).values())
        return trained(texts, **{name: getattr(self, name) for name in TRAINING})

    def encode_queries(self, texts):
        """Vectors (n, d) float32; zero for a text without any known word."""
        from scipy.sparse import csr_matrix

        words = self.parts()
        known = [
            [words.number[word] for word in split(text) if word in words.number] for text in texts
        ]
        places = np.array([number for own in known for number in own], dtype=np.intp)
        weights = (words.idf if self.weighted else np.ones_like(words.idf))[places]
        ends = np.cumsum([0, *map(len, known)])
        of = csr_matrix((weights, places, ends), shape=(len(known), len(words.idf)))
        totals = np.asarray(of.sum(axis=1))
        return (of @ words.vectors / np.where(totals > 0, totals, 1)).astype(np.float32)

    encode_documents = encode_queries
