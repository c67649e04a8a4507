"""A state of a library: its papers, and all that was computed from them, in one folder.

    state = LibraryState(Path("my-library/states/0123456789abcdef"))
    state.documents.get("smith2019").sentences
    state.pipeline.transform(candidates)

A state never changes: `state_building` writes a new one next to it. What is large stays on disk
(memory-mapped), so a state opens in a moment, and a removed one can be read by those who have it
open.
"""

from collections.abc import Callable
from functools import cached_property
from pathlib import Path

import numpy as np
import pyterrier as pt

from ..encoders import PassageEncoder, as_passage_encoder
from ..folders import Damaged, read_folder
from ..recipes import one_encoding
from ..typed_records import Json
from .paper_store import PaperStore
from .stored_vectors import StoredVectors
from .word_model import PaperWords, WordEncoder

FORMAT = 2  # of a state's files; increase when they change
DOCS = "docs.sqlite"
VECTORS, LENGTHS, SENTENCE_ENDS, KEYS = (
    *("vectors.npy", "lengths.npy", "sentence_ends.npy", "keys.npy"),
)
WORDS_FOLDER, ENCODER_FOLDER = "words", "encoder"  # of `word_model`


class LibraryState:
    """The papers of one state, their sentences' embeddings, and the pipeline that ranks them.

    load_encoder: returns the encoder that the state was built with, for texts that ask; called only
        if one is encoded. A library by words has its own.

    Raises:
        FileNotFoundError: there is no such state.
        Damaged: a file of it has changed; names it.
    """

    def __init__(self, folder: Path, load_encoder: Callable[[], PassageEncoder]) -> None:
        self.folder = folder
        try:
            self.about: dict[str, Json] = read_folder(folder)
        except Damaged as error:
            raise Damaged(
                f"{error}. Restore {folder} from a copy, or build the library again from its "
                "sources."
            ) from None
        self._load_encoder = load_encoder
        self.documents = PaperStore(folder / DOCS)
        self.vectors = np.load(folder / VECTORS, mmap_mode="r")  # (S, d)
        self.lengths = np.load(folder / LENGTHS)  # (S,)
        self.sentence_ends = np.load(folder / SENTENCE_ENDS)  # (N + 1,)
        self._keys = np.load(folder / KEYS)  # (N, 16)

    @property
    def is_by_words(self) -> bool:
        """Return whether papers are compared by their words, without a neural encoder."""
        return (self.folder / ENCODER_FOLDER).is_dir()

    @cached_property
    def doc_ids(self) -> list[str]:
        """The ids of all papers, in the library's order."""
        return list(self.row_of_id)

    @cached_property
    def row_of_id(self) -> dict[str, int]:
        """From a paper's id to its position, from 0."""
        return {document.doc_id: row for row, document in enumerate(self.documents)}

    @cached_property
    def number_of_key(self) -> dict[bytes, int]:
        """From the hash of a paper's title and sentences to its number, from 0."""
        content = self._keys.tobytes()
        width = self._keys.shape[1]
        keys = [content[start : start + width] for start in range(0, len(content), width)]
        return {key: number for number, key in enumerate(keys)}

    @cached_property
    def encoder(self) -> StoredVectors:
        """The encoder of the pipeline, which reads the sentences of the library from disk."""
        return StoredVectors(
            self.vectors, self.sentence_ends, self.number_of_key, self._load_query_encoder
        )

    @cached_property
    def pipeline(self) -> pt.Transformer:
        """`one_encoding` of the library, from a query's candidates to their ranking."""
        return one_encoding(PaperWords(self.folder / WORDS_FOLDER), self.encoder)

    def _load_query_encoder(self) -> PassageEncoder:
        if self.is_by_words:
            return as_passage_encoder(WordEncoder(self.folder / ENCODER_FOLDER))
        return self._load_encoder()
