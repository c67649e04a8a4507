"""Encode the sentences of a library with a neural encoder, so that a killed build is resumed.

    vectors = ResumableVectors(Path("my-library/work"), settings, earlier=None)
    vectors.encode_missing(documents)
    (rows,) = vectors.read(documents[:1])  # an (s, d) array of its s sentences

Embeddings are those of an earlier state, else of the folder `work`, else they are encoded, in
chunks. A finished chunk is kept in `work`, so a killed build loses one chunk at most.
"""

import time
from collections.abc import Sequence
from pathlib import Path
from secrets import token_hex

import numpy as np

from ..encoders import PassageEncoder, sentence_vectors
from ..entries import Entries
from ..fingerprint import fingerprint
from ..paper import Paper
from ..progress import progress
from .build_settings import UNIDENTIFIED, BuildSettings
from .library_state import LibraryState
from .long_work import announce_encoding
from .paper_store import PaperDoc
from .stored_vectors import STORED_CONTEXT, hash_paper

ENCODED_TOGETHER = 256  # papers; what a killed build loses
TIMED_PAPERS = 64  # are encoded first, to estimate the time of the others


def encode_documents(encoder: PassageEncoder, documents: Sequence[PaperDoc]) -> list[np.ndarray]:
    """Return an (s, d) array for each document of s sentences, each read after its title."""
    papers = [Paper.from_record(document) for document in documents]
    return sentence_vectors(encoder, papers, STORED_CONTEXT, scaled=False)


class ResumableVectors:
    """The embeddings of papers' sentences: of an earlier state, or kept in `work`.

    Args:
        work: folder where a build keeps what it has done.
        settings: with an encoder.
        earlier: the state before; None if there is none.
    """

    def __init__(self, work: Path, settings: BuildSettings, earlier: LibraryState | None) -> None:
        # a library by words has no encoder: `build_state` encodes its sentences anew each time
        assert settings.encoder is not None
        self._settings = settings
        self._encoder = settings.encoder

        # embeddings of another encoder cannot be reused
        self._earlier = None
        if earlier is not None and earlier.about["encoder"] == settings.encoder_identity:
            self._earlier = earlier

        entries_identity = _identify_entries(settings.encoder_identity)
        self._entries = Entries(work / "embeddings" / entries_identity[:32])

    def encode_missing(self, documents: Sequence[PaperDoc]) -> None:
        """Encode what neither the earlier state nor an interrupted build has, chunk by chunk.

        Raises:
            PlanRefused: it would take very long, and somebody does not want to wait.
        """
        missing = self._find_missing(documents)
        if not missing:
            return

        start = time.monotonic()
        timed = missing[:TIMED_PAPERS]
        self._encode_chunk(timed)
        seconds_per_paper = (time.monotonic() - start) / len(timed)

        remaining = missing[TIMED_PAPERS:]
        verbose = self._settings.verbose
        announce_encoding(
            len(documents), len(remaining), seconds_per_paper, verbose, self._settings.confirm
        )
        with progress("encoding", len(remaining), "paper", verbose) as bar:
            for first in range(0, len(remaining), ENCODED_TOGETHER):
                chunk = remaining[first : first + ENCODED_TOGETHER]
                self._encode_chunk(chunk)
                bar.update(len(chunk))

    def read(self, documents: Sequence[PaperDoc]) -> list[np.ndarray]:
        """Return an (s, d) float32 array for each of some documents, which are all encoded."""
        keys = [hash_paper(document.title, document.sentences) for document in documents]
        stored = self._entries.get_many(key for key in keys if not self._is_earlier(key))

        arrays = []
        for key, document in zip(keys, documents):
            if self._is_earlier(key):
                arrays.append(self._read_earlier(key))
            else:
                numbers = np.frombuffer(stored[key], dtype="<f4")
                arrays.append(numbers.reshape(len(document.sentences), -1))
        return arrays

    def _find_missing(self, documents: Sequence[PaperDoc]) -> list[PaperDoc]:
        """Return those documents, each content once, whose embeddings are nowhere."""
        document_of_key: dict[bytes, PaperDoc] = {}
        for document in documents:
            key = hash_paper(document.title, document.sentences)
            if not self._is_earlier(key):
                document_of_key.setdefault(key, document)

        missing = []
        keys = list(document_of_key)
        for first in range(0, len(keys), ENCODED_TOGETHER):  # values take memory
            chunk = keys[first : first + ENCODED_TOGETHER]
            stored = self._entries.get_many(chunk)
            missing += [document_of_key[key] for key in chunk if key not in stored]
        return missing

    def _encode_chunk(self, documents: Sequence[PaperDoc]) -> None:
        """Encode some documents, and keep their embeddings in `work`."""
        arrays = encode_documents(self._encoder, documents)
        contents = {}
        for document, array in zip(documents, arrays):
            key = hash_paper(document.title, document.sentences)
            contents[key] = np.ascontiguousarray(array, dtype="<f4").tobytes()
        self._entries.put_many(contents)

    def _is_earlier(self, key: bytes) -> bool:
        """Return whether the earlier state has a paper's embeddings. key: `hash_paper`'s."""
        return self._earlier is not None and key in self._earlier.number_of_key

    def _read_earlier(self, key: bytes) -> np.ndarray:
        """Return the (s, d) embeddings of a paper that the earlier state has."""
        assert self._earlier is not None  # see `_is_earlier`
        paper_number = self._earlier.number_of_key[key]
        # a paper's sentences begin where those of the paper before it end
        start, end = self._earlier.sentence_ends[paper_number : paper_number + 2]
        return np.asarray(self._earlier.vectors[start:end])


def _identify_entries(encoder_identity: str) -> str:
    """Return what embeddings in `work` are stored under, in hexadecimal digits.

    It is the encoder's identity; a random one for an object that cannot be identified, because
    another object may have written what is there.
    """
    if encoder_identity == UNIDENTIFIED:
        return fingerprint([encoder_identity, token_hex(16)])
    return encoder_identity
