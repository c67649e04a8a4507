"""The words of a library's papers: models that are fitted once and kept as plain arrays.

    with new_folder("words", {}) as folder:
        fit_paper_words(texts, folder)
    pipeline = one_encoding(PaperWords(Path("words")), encoder)

`PaperWords` stands where `one_encoding` takes a list of texts, and gives the same scores.
`WordEncoder` stands where it takes `LSA` of the texts. Both read a folder when they are first used.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ir_datasets_ext.atomic import new_file

from ..encoders import LSA
from ..encoders.encoder_protocols import Side
from ..recipes.in_context import LSA_DIMENSIONS
from ..transformers.paper_tfidf import TfIdf

if TYPE_CHECKING:
    from sklearn.feature_extraction.text import TfidfVectorizer

WORDS, IDF, COMPONENTS = "words.txt", "idf.npy", "components.npy"  # names of files


def fit_paper_words(texts: Sequence[str], folder: Path) -> None:
    """Fit the words and topics of `one_encoding`'s lexical evidence, and write them."""
    documents = [(text,) for text in texts]
    tfidf = TfIdf.fit(documents)
    components = tfidf.decompose(documents, LSA_DIMENSIONS)
    _write_words(folder, tfidf.words, tfidf.idf, components)


def fit_word_encoder(texts: Sequence[str], folder: Path) -> None:
    """Fit `LSA` on texts, and write it."""
    pipeline: Any = LSA(list(texts)).fit()  # scikit-learn's, of two steps
    tfidf, svd = pipeline.named_steps.values()
    words = tfidf.get_feature_names_out().tolist()
    _write_words(folder, words, tfidf.idf_, svd.components_)


def _write_words(
    folder: Path, words: Sequence[str], idf: np.ndarray, components: np.ndarray
) -> None:
    """Write w words, their idf (w,) and the components (dimensions, w) of a decomposition."""
    with new_file(folder / WORDS) as file:
        file.writelines(f"{word}\n" for word in words)
    for name, array in ((IDF, idf), (COMPONENTS, components)):
        with new_file(folder / name, "wb") as file:
            np.save(file, array)


def _read_words(folder: Path) -> list[str]:
    text = (folder / WORDS).read_text(encoding="utf-8")
    return text.split("\n")[:-1]


@dataclass(frozen=True)
class PaperWords:
    """Words and topics of papers, as `fit_paper_words` wrote them; see `PaperTfIdf`."""

    folder: Path

    def read_tfidf(self) -> TfIdf:
        """Return the weights of words; `PaperTfIdf` calls it when it scores."""
        return self._tfidf

    def read_components(self, dimensions: int) -> np.ndarray:
        """Return the decomposition (dimensions, words); `PaperTfIdf` calls it when it scores."""
        if dimensions != LSA_DIMENSIONS:
            raise ValueError(f"{dimensions} dimensions: expected {LSA_DIMENSIONS}")
        return self._components

    @cached_property
    def _tfidf(self) -> TfIdf:
        return TfIdf(_read_words(self.folder), np.load(self.folder / IDF))

    @cached_property
    def _components(self) -> np.ndarray:
        return np.load(self.folder / COMPONENTS)

    def __repr__(self) -> str:
        return f"PaperWords({self.folder.name!r})"


@dataclass(frozen=True)
class WordEncoder:
    """The encoder `LSA` of a library's papers, as `fit_word_encoder` wrote it."""

    folder: Path

    def encode(self, texts: list[str], side: Side) -> np.ndarray:
        """Return embeddings (n, d); zero for a text without any word of the library."""
        return self._vectorizer.transform(texts) @ self._components.T

    @cached_property
    def _vectorizer(self) -> "TfidfVectorizer":
        from sklearn.feature_extraction.text import TfidfVectorizer

        vectorizer = TfidfVectorizer(sublinear_tf=True, vocabulary=_read_words(self.folder))
        vectorizer.idf_ = np.load(self.folder / IDF)
        return vectorizer

    @cached_property
    def _components(self) -> np.ndarray:
        return np.load(self.folder / COMPONENTS)

    def __repr__(self) -> str:
        return "LSA(<papers of the library>)"
