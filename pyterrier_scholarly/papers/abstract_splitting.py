"""Split the abstracts of a library into sentences, and label these with facets: each abstract once.

    documents = split_and_label(records, Path("my-library/work"), verbose=False, earlier=None)
    documents[0].sentences, documents[0].labels

New abstracts are split in chunks. A finished chunk is kept in the folder `work` by the hashes of
its abstracts, so a killed build splits them no more. An earlier state has its own.
"""

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from json import dumps, loads
from pathlib import Path

from ..entries import Entries
from ..fingerprint import fingerprint
from ..paper import Paper
from ..progress import progress
from ..text.sentence_splitter import splitter_settings
from ..transformers import FacetLabeller
from .library_state import LibraryState
from .paper_record import PaperRecord
from .paper_store import PaperDoc

SPLIT_TOGETHER = 500  # abstracts, about two seconds


def split_and_label(
    records: Sequence[PaperRecord], work: Path, verbose: bool, earlier: LibraryState | None
) -> list[PaperDoc]:
    """Return the records as documents with sentences and labels.

    A paper without an abstract has its title as its only sentence, without a label.

    Args:
        records: with ids.
        work: folder where a build keeps what it has done.
        verbose: show progress.
        earlier: the state before, whose sentences are reused; None if there is none.
    """
    split_of_abstract = _read_earlier_splits(earlier)
    abstracts = dict.fromkeys(record.abstract for record in records if record.abstract)
    new_abstracts = [abstract for abstract in abstracts if abstract not in split_of_abstract]

    entries = Entries(work / "sentences" / identify_splitter()[:32])
    split_of_abstract.update(_read_stored_splits(new_abstracts, entries))

    missing = [abstract for abstract in new_abstracts if abstract not in split_of_abstract]
    split_of_abstract.update(_split_missing(missing, entries, verbose))
    return [_make_document(record, split_of_abstract) for record in records]


def identify_splitter() -> str:
    """Return a text that changes with what splits and labels."""
    return fingerprint([splitter_settings(), FacetLabeller()])


def _read_earlier_splits(earlier: LibraryState | None) -> dict[str, Paper]:
    """Return the abstracts of a state, split, if the same splitter made them."""
    if earlier is None or earlier.about["splitter"] != identify_splitter():
        return {}
    return {
        document.text: Paper("", "", document.sentences, document.labels)
        for document in earlier.documents
    }


def _read_stored_splits(abstracts: Sequence[str], entries: Entries) -> dict[str, Paper]:
    """Return those abstracts that an interrupted build has split, with their sentences."""
    key_of_abstract = {abstract: _hash_text(abstract) for abstract in abstracts}
    stored = entries.get_many(key_of_abstract.values())

    split_of_abstract = {}
    for abstract, key in key_of_abstract.items():
        if key in stored:
            sentences, labels = loads(stored[key])
            split_of_abstract[abstract] = Paper("", "", sentences, labels)
    return split_of_abstract


def _split_missing(abstracts: Sequence[str], entries: Entries, verbose: bool) -> dict[str, Paper]:
    """Split and label abstracts, and keep them chunk by chunk."""
    split_of_abstract: dict[str, Paper] = {}
    with progress("splitting", len(abstracts), "abstract", verbose) as bar:
        for start in range(0, len(abstracts), SPLIT_TOGETHER):
            chunk = abstracts[start : start + SPLIT_TOGETHER]
            papers = FacetLabeller().label(Paper.from_text("", "", text) for text in chunk)
            contents = {}
            for abstract, paper in zip(chunk, papers):
                contents[_hash_text(abstract)] = dumps([paper.sentences, paper.labels]).encode()
                split_of_abstract[abstract] = paper
            entries.put_many(contents)
            bar.update(len(chunk))
    return split_of_abstract


def _make_document(record: PaperRecord, split_of_abstract: Mapping[str, Paper]) -> PaperDoc:
    """Return a record as a document."""
    if record.abstract:
        split = split_of_abstract[record.abstract]
    else:
        split = Paper("", "", (record.title,))

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
