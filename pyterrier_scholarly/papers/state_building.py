"""Build the state of a library: split, label, encode and fit what is new, and reuse the rest.

Each long step works in chunks. A finished chunk is kept in the library's folder `work` by the hash
of its content, so a killed build loses one chunk at most. When the state is complete, `work` is
removed. What an earlier state has is read from there.
"""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from json import dumps, loads
from pathlib import Path
from secrets import token_hex
from typing import NamedTuple

import numpy as np
import pandas as pd

from ir_datasets_ext.docstore import write_documents
from ir_datasets_ext.store import Entries, fingerprint, new_file, new_folder, read_folder

from ..encoders import PassageEncoder, as_passage_encoder, sentence_vectors
from ..progress import progress, say
from ..text import split_sentences
from ..text.contexts import Paper
from ..text.sentence_splitter import splitter_settings
from ..transformers import FacetLabeller
from .library_state import (
    DOCS,
    ENCODER_FOLDER,
    FORMAT,
    KEYS,
    LENGTHS,
    SENTENCE_ENDS,
    VECTORS,
    WORDS_FOLDER,
    LibraryState,
    PaperDoc,
)
from .paper_record import PaperRecord
from .stored_vectors import STORED_CONTEXT, hash_paper
from .word_model import WordEncoder, fit_paper_words, fit_word_encoder

SPLIT_TOGETHER = 500  # abstracts, about two seconds
ENCODED_TOGETHER = 256  # papers; what a killed build loses
TIMED_PAPERS = 64  # are encoded first, to estimate the time of the others
LONG_WORK = 3_600  # seconds, from which on somebody at a terminal is asked first
SAID_WORK = 60  # seconds, from which on the plan is said
BY_WORDS_IDENTITY = fingerprint("words")  # of a library without an encoder
#: of an object whose embeddings cannot be told from another's: an interrupted build is not resumed
UNIDENTIFIED = fingerprint("unidentified")


class PlanRefused(RuntimeError):
    """Somebody at a terminal did not want to wait; what is done so far is kept."""


@dataclass
class BuildSettings:
    """How a state is built.

    Attributes:
        encoder: what encodes sentences; None for the papers' own words.
        encoder_identity: a text that changes with the embeddings.
        verbose: show progress.
        confirm: called with the plan of work that takes more than LONG_WORK; whether to go on.
    """

    encoder: PassageEncoder | None
    encoder_identity: str
    verbose: bool
    confirm: Callable[[str], bool]


class SplitAbstract(NamedTuple):
    """The sentences of an abstract, and one label for each."""

    sentences: tuple[str, ...]
    labels: tuple[str, ...]


def build_state(
    records: Sequence[PaperRecord],
    library: Path,
    settings: BuildSettings,
    earlier: LibraryState | None,
) -> Path:
    """Build a state of `records`, and return its folder.

    Args:
        records: all papers, with ids; one or more.
        library: the library's folder, which this process has locked.
        settings: how to build.
        earlier: the state before, whose sentences and embeddings are reused.
    """
    work = library / "work"
    documents = split_and_label(records, work, settings.verbose, earlier)
    name = name_state(documents, settings.encoder_identity)
    state_folder = library / "states" / name
    if state_folder.exists():
        return state_folder

    texts = [f"{document.title} {document.text}" for document in documents]
    words_folder = fit_once(work, WORDS_FOLDER, fit_paper_words, texts, settings.verbose)
    encoder = settings.encoder
    encoder_folder = None
    reusable = earlier
    if encoder is None:
        encoder_folder = fit_once(work, ENCODER_FOLDER, fit_word_encoder, texts, settings.verbose)
        encoder = as_passage_encoder(WordEncoder(encoder_folder))
        reusable = None  # embeddings by words change with every paper

    vectors = SentenceVectorsInWork(work, encoder, settings, reusable)
    vectors.encode_missing(documents)

    state_folder.parent.mkdir(exist_ok=True)
    about = {
        "format": FORMAT,
        "encoder": settings.encoder_identity,
        "splitter": identify_splitter(),
        "papers": len(documents),
    }
    with new_folder(state_folder, about) as folder:
        write_documents(folder / DOCS, documents, PaperDoc)
        about["sentences"] = write_vectors(folder, documents, vectors, settings.verbose)
        _copy_files(words_folder, folder / WORDS_FOLDER)
        if encoder_folder is not None:
            _copy_files(encoder_folder, folder / ENCODER_FOLDER)
    return state_folder


def name_state(documents: Sequence[PaperDoc], encoder_identity: str) -> str:
    """Return a name for the state of these papers: equal content has an equal name."""
    digest = blake2b(digest_size=16)
    for document in documents:
        digest.update(dumps(document).encode())
    settings = [FORMAT, encoder_identity, digest.hexdigest()]
    return fingerprint(settings)[:16]


# Sentences and labels


def split_and_label(
    records: Sequence[PaperRecord], work: Path, verbose: bool, earlier: LibraryState | None
) -> list[PaperDoc]:
    """Return the records as documents with sentences and labels; each new abstract is split once.

    A paper without an abstract has its title as its only sentence, without a label.
    """
    identity = identify_splitter()
    entries = Entries(work / "sentences" / identity[:32], binding=bytes.fromhex(identity))
    split_of_abstract = {}
    if earlier is not None and earlier.about["splitter"] == identity:
        for document in earlier.documents:
            split_of_abstract[document.text] = SplitAbstract(document.sentences, document.labels)

    abstracts = dict.fromkeys(record.abstract for record in records if record.abstract)
    new_abstracts = [abstract for abstract in abstracts if abstract not in split_of_abstract]
    key_of_abstract = {abstract: _hash_text(abstract) for abstract in new_abstracts}
    stored = entries.get_many(key_of_abstract.values())
    for abstract, key in key_of_abstract.items():
        if key in stored:
            sentences, labels = loads(stored[key])
            split_of_abstract[abstract] = SplitAbstract(tuple(sentences), tuple(labels))

    missing = [abstract for abstract in new_abstracts if abstract not in split_of_abstract]
    with progress("splitting", len(missing), "abstract", verbose) as bar:
        for start in range(0, len(missing), SPLIT_TOGETHER):
            chunk = missing[start : start + SPLIT_TOGETHER]
            splits = _split_chunk(chunk)
            contents = {
                key_of_abstract[abstract]: dumps(split).encode()
                for abstract, split in zip(chunk, splits)
            }
            entries.put_many(contents)
            split_of_abstract.update(zip(chunk, splits))
            bar.update(len(chunk))
    return [_make_document(record, split_of_abstract) for record in records]


def identify_splitter() -> str:
    """Return a text that changes with what splits and labels."""
    return fingerprint([splitter_settings(), FacetLabeller()])


def _split_chunk(abstracts: Sequence[str]) -> list[SplitAbstract]:
    """Split and label some abstracts."""
    sentences = [split_sentences(abstract) for abstract in abstracts]
    labelled = FacetLabeller().transform(pd.DataFrame({"sentences": sentences}))
    return [
        SplitAbstract(tuple(abstract_sentences), tuple(labels))
        for abstract_sentences, labels in zip(sentences, labelled["labels"])
    ]


def _make_document(record: PaperRecord, split_of_abstract: dict[str, SplitAbstract]) -> PaperDoc:
    """Return a record as a document."""
    if record.abstract:
        split = split_of_abstract[record.abstract]
    else:
        split = SplitAbstract((record.title,), ("",))
    return PaperDoc(
        doc_id=record.paper_id,
        title=record.title,
        text=record.abstract,
        sentences=split.sentences,
        labels=split.labels,
        year="" if record.year is None else str(record.year),
        doi=record.doi,
        authors=record.authors,
        venue=record.venue,
        url=record.url,
    )


def _hash_text(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=16).digest()


# Words


def fit_once(
    work: Path,
    name: str,
    fit: Callable[[Sequence[str], Path], None],
    texts: Sequence[str],
    verbose: bool,
) -> Path:
    """Fit words on texts unless an interrupted build has done so; return the folder of the fit."""
    digest = fingerprint([name, texts])[:16]
    folder = work / f"{name}-{digest}"
    try:
        read_folder(folder)
    except (FileNotFoundError, ValueError):
        with (
            progress(f"fitting {name}", verbose=verbose),
            new_folder(folder, {}, replace=True) as new,
        ):
            fit(texts, new)
    return folder


def _copy_files(source: Path, target: Path) -> None:
    """Copy the files of a fit into a state, which has a manifest of its own."""
    target.mkdir()
    for path in sorted(source.iterdir()):
        if path.name != "manifest.json":
            with new_file(target / path.name, "wb") as file:
                file.write(path.read_bytes())


# Embeddings


class SentenceVectorsInWork:
    """The embeddings of papers' sentences: of an earlier state, else of `work`, else encoded."""

    def __init__(
        self,
        work: Path,
        encoder: PassageEncoder,
        settings: BuildSettings,
        earlier: LibraryState | None,
    ) -> None:
        self._encoder = encoder
        self._settings = settings
        self._earlier = None
        if earlier is not None and earlier.about["encoder"] == settings.encoder_identity:
            self._earlier = earlier

        identity = settings.encoder_identity
        if identity == UNIDENTIFIED:  # another object may have written what is in `work`
            identity = fingerprint([identity, token_hex(16)])
        self._entries = Entries(
            work / "embeddings" / identity[:32], binding=bytes.fromhex(identity)
        )
        self._is_kept = settings.encoder is not None  # embeddings by words cost less than a disk

    def encode_missing(self, documents: Sequence[PaperDoc]) -> None:
        """Encode what neither the earlier state nor an interrupted build has, chunk by chunk."""
        if not self._is_kept:
            return

        missing = self._find_missing(documents)
        if not missing:
            return

        start = time.monotonic()
        timed = missing[:TIMED_PAPERS]
        self._encode_chunk(timed)
        seconds_per_paper = (time.monotonic() - start) / len(timed)
        rest = missing[TIMED_PAPERS:]
        self._say_plan(len(documents), rest, seconds_per_paper)

        with progress("encoding", len(rest), "paper", self._settings.verbose) as bar:
            for first in range(0, len(rest), ENCODED_TOGETHER):
                chunk = rest[first : first + ENCODED_TOGETHER]
                self._encode_chunk(chunk)
                bar.update(len(chunk))

    def read(self, documents: Sequence[PaperDoc]) -> list[np.ndarray]:
        """Return an (s, d) float32 array for each of some documents."""
        if not self._is_kept:
            return self._compute(documents)

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
        arrays = self._compute(documents)
        contents = {}
        for document, array in zip(documents, arrays):
            key = hash_paper(document.title, document.sentences)
            contents[key] = np.ascontiguousarray(array, dtype="<f4").tobytes()
        self._entries.put_many(contents)

    def _compute(self, documents: Sequence[PaperDoc]) -> list[np.ndarray]:
        papers = [
            Paper(document.title, document.sentences, document.labels) for document in documents
        ]
        return sentence_vectors(self._encoder, papers, STORED_CONTEXT, scaled=False)

    def _is_earlier(self, key: bytes) -> bool:
        return self._earlier is not None and key in self._earlier.row_of_key

    def _read_earlier(self, key: bytes) -> np.ndarray:
        assert self._earlier is not None
        row = self._earlier.row_of_key[key]
        first, end = self._earlier.sentence_ends[row : row + 2]
        return np.asarray(self._earlier.vectors[first:end])

    def _say_plan(
        self, paper_count: int, rest: Sequence[PaperDoc], seconds_per_paper: float
    ) -> None:
        """Say how long encoding will take, and ask before very long work."""
        seconds = seconds_per_paper * len(rest)
        if seconds < SAID_WORK:
            return

        present_share = 1 - len(rest) / paper_count
        plan = (
            f"{len(rest):,} papers are to be encoded, about {describe_time(seconds)}; "
            f"{present_share:.0%} are there already. Interrupted, the same call resumes."
        )
        if self._settings.verbose:
            say(plan)
        if seconds > LONG_WORK and not self._settings.confirm(plan):
            raise PlanRefused("Nothing was changed; what was encoded so far is kept.")


def write_vectors(
    folder: Path, documents: Sequence[PaperDoc], vectors: SentenceVectorsInWork, verbose: bool
) -> int:
    """Write the embeddings of all sentences, and what finds them; return how many sentences."""
    sentence_counts = [len(document.sentences) for document in documents]
    sentence_ends = np.cumsum([0, *sentence_counts])
    sentence_count = int(sentence_ends[-1])
    keys = b"".join(hash_paper(document.title, document.sentences) for document in documents)
    lengths = np.empty(sentence_count, dtype=np.float32)

    with progress("collecting", len(documents), "paper", verbose) as bar:
        with new_file(folder / VECTORS, "wb") as file:
            is_first = True
            for chunk, rows in _read_in_chunks(documents, vectors):
                if is_first:
                    header = {
                        "descr": "<f4",
                        "fortran_order": False,
                        "shape": (sentence_count, rows.shape[1]),
                    }
                    np.lib.format.write_array_header_2_0(file, header)
                    is_first = False
                file.write(np.ascontiguousarray(rows, dtype="<f4").tobytes())
                chunk_lengths = np.linalg.norm(rows, axis=1)
                lengths[chunk.start : chunk.stop] = chunk_lengths
                bar.update(chunk.paper_count)

    arrays = {
        SENTENCE_ENDS: sentence_ends,
        LENGTHS: lengths,
        KEYS: np.frombuffer(keys, dtype=np.uint8).reshape(len(documents), -1),
    }
    for name, array in arrays.items():
        with new_file(folder / name, "wb") as file:
            np.save(file, array)
    return sentence_count


class SentenceChunk(NamedTuple):
    """Some papers that are written together: the first and the last of their sentences."""

    start: int
    stop: int
    paper_count: int


def _read_in_chunks(
    documents: Sequence[PaperDoc], vectors: SentenceVectorsInWork
) -> Iterator[tuple[SentenceChunk, np.ndarray]]:
    """Yield the rows of some papers after the other."""
    start = 0
    for first in range(0, len(documents), ENCODED_TOGETHER):
        chunk = documents[first : first + ENCODED_TOGETHER]
        rows = np.concatenate(vectors.read(chunk))
        yield SentenceChunk(start, start + len(rows), len(chunk)), rows
        start += len(rows)


def describe_time(seconds: float) -> str:
    """Return a time for people: "40 minutes", "2.5 hours"."""
    if seconds < 90:
        return f"{seconds:.0f} seconds"
    minutes = seconds / 60
    return f"{minutes:.0f} minutes" if minutes < 90 else f"{minutes / 60:.1f} hours"


def ask_at_terminal(plan: str) -> bool:
    """Ask whoever sits at a terminal; nobody there means yes."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return True
    print(f"{plan} Go on? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
