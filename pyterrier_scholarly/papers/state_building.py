"""Build the state of a library: do what is new, and reuse what an earlier state has.

    folder = build_state(records, Path("my-library"), settings, earlier=None)
    state = LibraryState(folder, load_encoder)

Its steps are: split and label abstracts (`abstract_splitting`), fit words (`word_model`), encode
sentences (`resumable_vectors`), and write all of it into a new folder. What the long steps have
done is kept in the library's folder `work`, so a killed build is resumed.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from hashlib import blake2b
from json import dumps
from pathlib import Path
from typing import TypeAlias

import numpy as np

from ir_datasets_ext.atomic import new_file, remove

from ..encoders import as_passage_encoder
from ..fingerprint import fingerprint
from ..folders import MANIFEST, new_folder, read_folder
from ..progress import progress
from .abstract_splitting import identify_splitter, split_and_label
from .build_settings import BuildSettings
from .library_folder import STATES, WORK
from .library_state import (
    DOCS,
    ENCODER_FOLDER,
    FORMAT,
    WORDS_FOLDER,
    LibraryState,
)
from .paper_record import PaperRecord
from .paper_store import PaperDoc, write_papers
from .resumable_vectors import ResumableVectors, encode_documents
from .vector_writing import write_vectors
from .word_model import WordEncoder, fit_paper_words, fit_word_encoder

#: from documents to an (s, d) array for each, of its s sentences
ReadVectors: TypeAlias = Callable[[Sequence[PaperDoc]], list[np.ndarray]]


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
        earlier: the state before, whose sentences and embeddings are reused; None if there is none.
    """
    work = library / WORK
    documents = split_and_label(records, work, settings.verbose, earlier)
    state_folder = library / STATES / name_state(documents, settings.encoder_identity)
    if state_folder.exists():  # a state of equal content
        return state_folder

    texts = [f"{document.title} {document.text}" for document in documents]
    words_folder = fit_once(work, WORDS_FOLDER, fit_paper_words, texts, settings.verbose)
    fit_folders = {WORDS_FOLDER: words_folder}
    if settings.encoder is None:
        encoder_folder = fit_once(work, ENCODER_FOLDER, fit_word_encoder, texts, settings.verbose)
        fit_folders[ENCODER_FOLDER] = encoder_folder
        read_vectors = _encode_by_words(encoder_folder)
    else:
        vectors = ResumableVectors(work, settings, earlier)
        vectors.encode_missing(documents)
        read_vectors = vectors.read

    _write_state(state_folder, documents, settings, read_vectors, fit_folders)
    return state_folder


def name_state(documents: Sequence[PaperDoc], encoder_identity: str) -> str:
    """Return a name for the state of these papers: equal content has an equal name."""
    digest = blake2b(digest_size=16)
    for document in documents:
        digest.update(dumps(document).encode())
    settings = [FORMAT, encoder_identity, digest.hexdigest()]
    return fingerprint(settings)[:16]


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
        remove(folder)  # if it is damaged
        with progress(f"fitting {name}", verbose=verbose), new_folder(folder, {}) as new:
            fit(texts, new)
    return folder


def _encode_by_words(encoder_folder: Path) -> ReadVectors:
    """Return a function that encodes documents by the words fitted in a folder.

    Their embeddings are not kept in `work`: they change with every paper of the library, and
    encoding by words takes less time than reading from disk.
    """
    word_encoder = as_passage_encoder(WordEncoder(encoder_folder))
    return partial(encode_documents, word_encoder)


def _write_state(
    state_folder: Path,
    documents: Sequence[PaperDoc],
    settings: BuildSettings,
    read_vectors: ReadVectors,
    fit_folders: Mapping[str, Path],
) -> None:
    """Write a state into a new folder, which appears under its name once it is complete.

    Args:
        state_folder: does not exist yet.
        documents: the papers, split and labelled.
        settings: of the build.
        read_vectors: see `ReadVectors`.
        fit_folders: dict from a name in the state to the folder of a fit, which is copied there.
    """
    manifest = {
        "format": FORMAT,
        "encoder": settings.encoder_identity,
        "splitter": identify_splitter(),
        "papers": len(documents),
    }
    state_folder.parent.mkdir(exist_ok=True)
    with new_folder(state_folder, manifest) as folder:
        write_papers(folder / DOCS, documents)
        sentence_count = write_vectors(folder, documents, read_vectors, settings.verbose)
        manifest["sentences"] = sentence_count  # it is written at the end of this block
        for name, fit_folder in fit_folders.items():
            _copy_files(fit_folder, folder / name)


def _copy_files(source: Path, target: Path) -> None:
    """Copy the files of a fit into a state, which has a manifest of its own."""
    target.mkdir()
    for path in sorted(source.iterdir()):
        if path.name != MANIFEST:
            with new_file(target / path.name, "wb") as file:
                file.write(path.read_bytes())
