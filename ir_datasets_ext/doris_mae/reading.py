"""The layout of DORIS-MAE's file (appendix A.4), and its reader; each entry is checked."""

import warnings
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Annotated, Any, Dict, List, Tuple

from msgspec import Meta, Struct

from ir_datasets_ext.doris_mae.papers import JsonFile
from ir_datasets_ext.doris_mae.records import DorisMaeAnnotation, DorisMaeDoc
from ir_datasets_ext.records import checked, refused

SECTIONS = ("aspect_id2aspect", "Query", "Annotation")
HUMAN = ("Test_set", "Dev_set")  #: optional
ABSTRACT, ASPECT = "an abstract_id of Corpus", "an id of aspect_id2aspect"

Id = int | str
Score = Annotated[int, Meta(ge=0, le=2)]
#: the paper describes one value, the file has a list
Several = List[Id] | int | str | None


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
        pair = str(self.aspect_id), str(self.abstract_id)
        return DorisMaeAnnotation(*pair, self.gpt_response or "", self.score)


class HumanScores(Struct):
    """An entry of Test_set or Dev_set: people's scores of a pair."""

    aspect_id: Id
    abstract_id: Id
    human_annotation: List[Score] | Dict[str, Score]


def read_contents(file: JsonFile, doc_ids: Collection[str]) -> dict[str, Any]:
    """Return the release's content beside its corpus, as a dict of JSON's types.

    aspects: texts of aspects and sub-aspects by id.
    queries: as in the release, but with abstract ids as strings.
    annotations: per aspect id, a list of abstract ids and a list of their scores, 0 to 2. A pair
        that is annotated more than once is there as often.
    Test_set, Dev_set: as in the release, checked when they are used; empty if missing.

    Raises ValueError that names the wrong value, the expectation and the remedy. Warns once of each
    kind of unusual but valid content.
    """
    contents = _Reader(file, doc_ids).read()
    for remark in _remarks(contents):
        warnings.warn(f"{file.path}: {remark}", stacklevel=2)
    return contents


class _Reader:
    def __init__(self, file: JsonFile, doc_ids: Collection[str]) -> None:
        self.file, self.doc_ids = file, doc_ids
        self.offsets = file.offsets((*SECTIONS, *HUMAN))

    def read(self) -> dict[str, Any]:
        for section in SECTIONS:
            if section not in self.offsets:
                raise refused(self.file.path, section, "", "expected a list or an object, got none")
        self.aspects = self.small("aspect_id2aspect", Dict[str, str])
        queries = enumerate(self.small("Query", list))
        human = {name: self.small(name, list) if name in self.offsets else [] for name in HUMAN}
        return {
            "aspects": self.aspects,
            "queries": [self.query(f"query {number}", entry) for number, entry in queries],
            "annotations": self.annotations(),
            **human,
        }

    def small(self, section: str, of_type: Any) -> Any:
        value = self.file.value(section, self.offsets[section])
        return checked(value, of_type, self.file.path, section)

    def query(self, record: str, row: object) -> dict[str, Any]:
        entry = checked(row, Query, self.file.path, record)
        pool = list(dict.fromkeys(map(str, entry.candidate_pool)))
        for abstract in pool:
            check_id(abstract, self.doc_ids, ABSTRACT, self.file.path, record, "candidate_pool")
        for aspect, subs in entry.aspects.items():
            for each in (aspect, *subs):
                check_id(each, self.aspects, ASPECT, self.file.path, record, "aspects")
        return {
            "text": entry.query_text,
            "type": entry.query_type or "",
            "pool": pool,
            "idea_from": _texts(entry.idea_from),
            "aspects": entry.aspects,
            "aspects_of_sentence": _lists(entry.sent2aspect_id),
            "sentences_of_aspect": _lists(entry.aspect_id2sent),
        }

    def annotations(self) -> dict[str, tuple[list[str], list[int]]]:
        annotations: dict[str, tuple[list[str], list[int]]] = {}
        path, start = self.file.path, self.offsets["Annotation"]
        for number, row in enumerate(self.file.entries("Annotation", start)):
            record = f"annotation {number}"
            entry = checked(row, Annotation, path, record)
            aspect, abstract = str(entry.aspect_id), str(entry.abstract_id)
            check_id(aspect, self.aspects, ASPECT, path, record, "aspect_id")
            check_id(abstract, self.doc_ids, ABSTRACT, path, record, "abstract_id")
            abstracts, scores = annotations.setdefault(aspect, ([], []))
            abstracts.append(abstract)
            scores.append(entry.score)
        return annotations


def check_id(
    value: str, known: Collection[str], what: str, file: Path, record: str, field: str
) -> None:
    """Raise ValueError unless an id is among the known ones; `what` describes these."""
    if value not in known:
        raise refused(file, record, field, f"expected {what}, got {value!r}")


def _texts(value: Several) -> List[str]:
    """Return ids or sentences, one or several, as a list of texts."""
    return list(map(str, value if isinstance(value, list) else [value] if value else []))


def _lists(mapping: Dict[str, Several] | None) -> dict[str, list[str]]:
    return {key: _texts(values) for key, values in (mapping or {}).items()}


def _remarks(contents: dict[str, Any]) -> Iterator[str]:
    annotated = [abstracts for abstracts, _ in contents["annotations"].values()]
    if repeated := sum(len(abstracts) - len(set(abstracts)) for abstracts in annotated):
        yield (
            f"{repeated} annotations repeat a pair of aspect and abstract: their scores add up, as "
            "in the authors' code"
        )
    queries = contents["queries"]
    empty = [str(number) for number, query in enumerate(queries) if not query["pool"]]
    if empty:
        named = ", ".join(empty[:5]) + (" ..." if len(empty) > 5 else "")
        yield (
            f"{len(empty)} of {len(queries)} queries have an empty candidate pool, so neither "
            f"qrels nor scoreddocs: {named}"
        )
    unmapped = sum(not query["sentences_of_aspect"] for query in queries)
    if unmapped:
        yield (
            f"{unmapped} of {len(queries)} queries do not map their sentences to aspects, so they "
            "have no sub-queries"
        )
