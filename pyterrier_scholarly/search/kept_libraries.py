"""Keep what was made of the papers of a search: a library in the cache, by content.

    with_words = open_library(records, None, verbose=True)  # builds it
    again = open_library(records, None, verbose=True)  # opens it, also in another process

A library is found by its papers and by what encodes them. So an edited source has another one, and
needs no check. The libraries that were used last are kept, for their owner alone. Builds that were
interrupted count like libraries: the next search of their papers resumes them.
"""

import os
import tempfile
import weakref
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from ir_datasets_ext.atomic import ensure_writable, locked, remove
from ir_datasets_ext.warn_once import warn_once

from ..encoders import Contextual, EncoderLike, VectorCache, as_passage_encoder, is_lsa
from ..fingerprint import Unidentified, fingerprint
from ..folders import Damaged
from ..papers import PaperRecord, Papers
from ..papers.abstract_splitting import identify_splitter
from ..papers.library_folder import CURRENT, writing
from ..papers.library_state import FORMAT
from .kept_sentences import split_abstracts

FOLDER = "searched"  # in the folder of `VectorCache`
MOST_KEPT_LIBRARIES = 8


def open_library(
    records: Sequence[PaperRecord], encoder: EncoderLike | None, verbose: bool
) -> Papers:
    """Return a library of these papers: the cache's, which is built if it is missing.

    A library serves one call only if its encoder cannot be told from others, as a function cannot,
    or if the cache is not writable.
    """
    chosen_encoder = encoder
    if is_lsa(encoder):  # without an encoder, a library has `LSA` of its papers
        chosen_encoder = None
    elif isinstance(encoder, str):  # its embeddings are kept by text, also for other libraries
        chosen_encoder = Contextual(encoder, cache=True, verbose=verbose)

    folder = _name_folder(records, chosen_encoder)
    if folder is None or not _make_library_folder(folder):
        return _build_for_one_call(records, chosen_encoder, verbose)

    library = _open_kept(folder, chosen_encoder)
    if library is None:
        with suppress(FileExistsError):  # another process has built it meanwhile
            _build(folder, records, chosen_encoder, verbose)
        library = Papers(folder, chosen_encoder)

    with suppress(FileNotFoundError):  # another process removed it
        os.utime(folder)  # its time says when it was used last
    _remove_least_recent(folder.parent)
    return library


def _name_folder(records: Sequence[PaperRecord], encoder: EncoderLike | None) -> Path | None:
    """Return the folder of the library; None if the encoder cannot be identified."""
    try:
        identity = "words" if encoder is None else fingerprint(as_passage_encoder(encoder))
    except Unidentified:
        return None
    contents = [list(record._replace(place="")) for record in records]
    name = fingerprint([FORMAT, identify_splitter(), identity, contents])
    return VectorCache().path / FOLDER / name[:32]


def _make_library_folder(folder: Path) -> bool:
    """Make a library's folder, readable for its owner alone; return whether it can be written.

    If it cannot, warn once.
    """
    cache_folder = VectorCache().path
    all_libraries = folder.parent
    try:
        for private_folder in (cache_folder, all_libraries, folder):
            ensure_writable(private_folder, private=True)
    except OSError as error:
        # the words with which `VectorCache` warns of it, so that one warning is shown for both
        cache_name = f"Embedding cache {cache_folder}"
        warn_once(f"{cache_name} is not writable ({error}); continuing without it.", cache_name)
        return False
    return True


def _open_kept(folder: Path, encoder: EncoderLike | None) -> Papers | None:
    """Return the library in a folder; None if there is none.

    A damaged library is removed, with a warning, as if there had been none.
    """
    try:
        return _open_checked(folder, encoder)
    except FileNotFoundError:
        return None
    except (Damaged, ValueError) as error:
        warn_once(f"{error} This was the cache of a search: it is built again now.", str(folder))

    with writing(folder):
        try:
            _open_checked(folder, encoder)  # another process may have built it again meanwhile
        except (FileNotFoundError, Damaged, ValueError):
            remove(folder)
    return None


def _open_checked(folder: Path, encoder: EncoderLike | None) -> Papers:
    """Return the library in a folder, after reading all its papers, so that damage shows here."""
    library = Papers(folder, encoder)
    library.info()
    return library


def _build(
    folder: Path, records: Sequence[PaperRecord], encoder: EncoderLike | None, verbose: bool
) -> Papers:
    """Build a library of papers in a folder; abstracts of earlier searches are not split again."""
    abstracts = [record.abstract for record in records]
    # the sentences stay in memory, where `Papers.build` finds them
    split_abstracts(abstracts, VectorCache(), verbose)

    papers = [_describe_record(record) for record in records]
    return Papers.build(folder, papers, encoder, strict=True, verbose=False)


def _describe_record(record: PaperRecord) -> dict[str, object]:
    """Return a record as a dict, which a library reads."""
    fields = record._asdict()
    del fields["place"]
    return fields


def _build_for_one_call(
    records: Sequence[PaperRecord], encoder: EncoderLike | None, verbose: bool
) -> Papers:
    """Build a library in a temporary folder, which is removed when nobody needs it any more."""
    folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
    papers = _build(Path(folder.name), records, encoder, verbose)
    weakref.finalize(papers, folder.cleanup)
    return papers


def _remove_least_recent(libraries: Path) -> None:
    """Remove all but the MOST_KEPT_LIBRARIES libraries and builds that were used last."""
    for half_removed in libraries.glob(".*.tmp/"):  # by a process that was killed
        remove(half_removed)

    used_at: dict[Path, int] = {}
    for folder in libraries.glob("[!.]*/"):
        with suppress(FileNotFoundError):  # another process removed it
            used_at[folder] = folder.stat().st_mtime_ns

    latest_first = sorted(used_at, key=lambda folder: used_at[folder], reverse=True)
    for folder in latest_first[MOST_KEPT_LIBRARIES:]:
        with suppress(FileNotFoundError):
            _remove_unused(folder, used_at[folder])


def _remove_unused(folder: Path, used_at: int) -> None:
    """Remove a library unless another process may be building it, or has used it since `used_at`.

    used_at: the folder's time (ns), which each use of the library sets.
    """
    if folder.stat().st_mtime_ns != used_at:  # before locking, which changes this time
        return
    with locked(folder / CURRENT, wait=False) as holds_lock:
        is_finished = (folder / CURRENT).exists()
        # whoever builds holds the lock, so none does if we have it; what is finished is only read
        if holds_lock or is_finished:
            remove(folder)
