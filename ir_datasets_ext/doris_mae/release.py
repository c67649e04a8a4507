"""The layout of DORIS-MAE's file (appendix A.4), and its reader; each entry is checked."""

import warnings
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Annotated, Dict, List, Tuple

from msgspec import Meta, Struct

from ir_datasets_ext.doris_mae.json_file import JsonFile
from ir_datasets_ext.doris_mae.records import PEOPLE, Contents, DorisMaeAnnotation, DorisMaeDoc
from ir_datasets_ext.typed_records import check_known, convert, reading_error

SECTIONS = ("aspect_id2aspect", "Query", "Annotation")
WHOLE: dict = {"aspect_id2aspect": Dict[str, str], "Query": list, **dict.fromkeys(PEOPLE, list)}
ABSTRACT, ASPECT = "an abstract_id of Corpus", "an id of aspect_id2aspect"
Id = int | str
Score = Annotated[int, Meta(ge=0, le=2)]
Several = List[Id] | int | str | None  # the paper describes one value, the file has a list


class Paper(Struct):
    """An entry of Corpus."""

    abstract_id: Id
    title: str | None
    original_abstract: str | None
    url: str | None
    categories: Tuple[str, ...] | str | None
    outgoing_citations: List[Id] | None
    masked_abstract: str | None = None
    primary_category: str | None = None
    ss_id: str | None = None
    incoming_citations: List[Id] | None = None

    def record(self) -> DorisMaeDoc:
        """Return the paper as DorisMaeDoc."""
        categories = self.categories or ()
        return DorisMaeDoc(  # by position, which saves a tenth of a second
            str(self.abstract_id),
            self.title or "",
            self.original_abstract or "",
            self.url or "",
            tuple(categories.split()) if isinstance(categories, str) else categories,
            tuple(map(str, self.outgoing_citations or ())),
            self.masked_abstract or "",
            self.primary_category or "",
            self.ss_id or "",
            tuple(map(str, self.incoming_citations or ())),
        )


class Query(Struct):
    """An entry of Query."""

    query_text: str
    query_type: str | None
    candidate_pool: List[Id]
    aspects: Dict[str, List[str]]
    sent2aspect_id: Dict[str, Several] | None
    aspect_id2sent: Dict[str, Several] | None
    idea_from: Several = None


class Annotation(Struct):
    """An entry of Annotation: ChatGPT's judgement of a pair."""

    aspect_id: Id
    abstract_id: Id
    score: Score
    gpt_response: str | None = None

    def record(self) -> DorisMaeAnnotation:
        """Return the annotation as DorisMaeAnnotation."""
        return DorisMaeAnnotation(
            str(self.aspect_id), str(self.abstract_id), self.gpt_response or "", self.score
        )


class HumanScores(Struct):
    """An entry of Test_set or Dev_set: people's scores of a pair."""

    aspect_id: Id
    abstract_id: Id
    human_annotation: List[Score] | Dict[str, Score]


@dataclass(frozen=True)
class Sections:
    """What the file has beside its corpus, except for the annotations, which are too many.

    contents: without `annotations`. annotations_start: the first byte of theirs in the file.
    """

    contents: Contents
    annotations_start: int


class Corpus:
    """The papers of a release's file, as DorisMaeDoc; they are read once, as they are iterated.

    ss_ids: Semantic Scholar's ids ("" if missing) by doc_id, of the papers that were read.
    """

    def __init__(self, file: JsonFile) -> None:
        self.file = file
        self.ss_ids: dict[str, str] = {}

    def __iter__(self) -> Iterator[DorisMaeDoc]:
        for number, entry in enumerate(self.file.entries("Corpus")):
            record = f"entry {number} of Corpus"
            doc = convert(entry, Paper, self.file.path, record).record()
            if doc.doc_id in self.ss_ids:
                what = f"expected each id once, got {doc.doc_id} again"
                raise reading_error(self.file.path, record, "abstract_id", what)
            self.ss_ids[doc.doc_id] = doc.ss_id
            yield doc


def read_sections(file: JsonFile, doc_ids: Collection[str]) -> Sections:
    """Return what the file has beside its corpus and its annotations.

    doc_ids: of the corpus. Raises ValueError for a missing section or a wrong value.
    """
    starts = file.offsets((*SECTIONS, *PEOPLE))
    for section in SECTIONS:
        if section not in starts:
            raise reading_error(file.path, section, "", "expected a list or an object, got none")

    values: Contents = {}
    for section, of_type in WHOLE.items():
        if section in starts:
            value = file.value(section, starts[section])
            values[section] = convert(value, of_type, file.path, section)

    aspects = values["aspect_id2aspect"]
    queries = [
        _read_query(file, f"query {number}", row, aspects, doc_ids)
        for number, row in enumerate(values["Query"])
    ]
    people = {section: values.get(section, []) for section in PEOPLE}
    contents = {"aspects": aspects, "queries": queries, **people}
    return Sections(contents, starts["Annotation"])


def read_annotations(
    file: JsonFile, sections: Sections, doc_ids: Collection[str]
) -> Iterator[DorisMaeAnnotation]:
    """Yield the annotations in the file's order; raise ValueError for a wrong value."""
    aspects = sections.contents["aspects"]
    for number, row in enumerate(file.entries("Annotation", sections.annotations_start)):
        record = f"annotation {number}"
        annotation = convert(row, Annotation, file.path, record).record()
        check_known(annotation.aspect_id, aspects, ASPECT, file.path, record, "aspect_id")
        check_known(annotation.abstract_id, doc_ids, ABSTRACT, file.path, record, "abstract_id")
        yield annotation


def group_scores(
    annotations: Iterable[DorisMaeAnnotation],
) -> dict[str, tuple[list[str], list[int]]]:
    """Return the abstract ids and the scores of each aspect, in the order of the annotations."""
    grouped: dict[str, tuple[list[str], list[int]]] = {}
    for annotation in annotations:
        abstracts, scores = grouped.setdefault(annotation.aspect_id, ([], []))
        abstracts.append(annotation.abstract_id)
        scores.append(annotation.score)
    return grouped


def warn_of_unusual(contents: Contents, path: Path) -> None:
    """Warn once of each kind of unusual but valid content of the release's file."""
    annotated = [abstracts for abstracts, _ in contents["annotations"].values()]
    if repeated := sum(len(abstracts) - len(set(abstracts)) for abstracts in annotated):
        warnings.warn(
            f"{path}: {repeated} annotations repeat a pair of aspect and abstract: their scores "
            "add up, as in the authors' code",
            stacklevel=3,
        )
    queries = contents["queries"]
    if empty := [str(number) for number, query in enumerate(queries) if not query["pool"]]:
        warnings.warn(
            f"{path}: {len(empty)} of {len(queries)} queries have an empty candidate pool, so "
            f"neither qrels nor scoreddocs: {', '.join(empty[:5])}{' ...' if empty[5:] else ''}",
            stacklevel=3,
        )
    if unmapped := sum(not query["sentences_of_aspect"] for query in queries):
        warnings.warn(
            f"{path}: {unmapped} of {len(queries)} queries do not map their sentences to aspects, "
            "so they have no sub-queries",
            stacklevel=3,
        )


def _read_query(
    file: JsonFile, record: str, row: object, aspects: Collection[str], doc_ids: Collection[str]
) -> dict[str, object]:
    entry = convert(row, Query, file.path, record)
    pool = list(dict.fromkeys(map(str, entry.candidate_pool)))
    for abstract in pool:
        check_known(abstract, doc_ids, ABSTRACT, file.path, record, "candidate_pool")
    for aspect in chain(entry.aspects, *entry.aspects.values()):
        check_known(aspect, aspects, ASPECT, file.path, record, "aspects")
    return {
        "text": entry.query_text,
        "type": entry.query_type or "",
        "pool": pool,
        "idea_from": _texts(entry.idea_from),
        "aspects": entry.aspects,
        "aspects_of_sentence": _lists(entry.sent2aspect_id),
        "sentences_of_aspect": _lists(entry.aspect_id2sent),
    }


def _texts(value: Several) -> List[str]:
    """Return ids or sentences, one or several, as a list of texts."""
    return list(map(str, value if isinstance(value, list) else [value] if value else []))


def _lists(mapping: Dict[str, Several] | None) -> dict[str, list[str]]:
    return {key: _texts(values) for key, values in (mapping or {}).items()}
