"""The layout of DORIS-MAE's file (appendix A.4), and its reader; each entry is checked."""

from collections.abc import Collection
from itertools import chain
from typing import Annotated, Dict, List, Tuple

from msgspec import Meta, Struct

from ir_datasets_ext.doris_mae.judged import PEOPLE, Contents, warn_of_unusual
from ir_datasets_ext.doris_mae.papers import JsonFile
from ir_datasets_ext.doris_mae.records import DorisMaeAnnotation, DorisMaeDoc
from ir_datasets_ext.records import check_known, checked, refused

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


def read_contents(file: JsonFile, doc_ids: Collection[str]) -> Contents:
    """Return the release's content beside its corpus, as a dict of JSON's types.

    aspects: texts of aspects and sub-aspects by id. queries: with abstract ids as strings.
    annotations: by aspect id, the abstract ids and their scores, 0 to 2; repeated pairs are kept.
    Test_set, Dev_set: as in the release, checked when they are used; empty if missing.
    Raises ValueError for a wrong value. Warns once of each kind of unusual but valid content.
    """
    offsets = file.offsets((*SECTIONS, *PEOPLE))
    if missing := [section for section in SECTIONS if section not in offsets]:
        raise refused(file.path, missing[0], "", "expected a list or an object, got none")
    whole: Contents = {
        section: checked(file.value(section, offsets[section]), of_type, file.path, section)
        for section, of_type in WHOLE.items()
        if section in offsets
    }
    aspects = whole["aspect_id2aspect"]
    contents = {
        "aspects": aspects,
        "queries": [
            _query(file, f"query {number}", row, aspects, doc_ids)
            for number, row in enumerate(whole["Query"])
        ],
        "annotations": _annotations(file, offsets["Annotation"], aspects, doc_ids),
        **{section: whole.get(section, []) for section in PEOPLE},
    }
    warn_of_unusual(contents, file.path)
    return contents


def _query(
    file: JsonFile, record: str, row: object, aspects: Collection[str], doc_ids: Collection[str]
) -> dict[str, object]:
    entry = checked(row, Query, file.path, record)
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


def _annotations(
    file: JsonFile, start: int, aspects: Collection[str], doc_ids: Collection[str]
) -> dict[str, tuple[list[str], list[int]]]:
    annotations: dict[str, tuple[list[str], list[int]]] = {}
    for number, row in enumerate(file.entries("Annotation", start)):
        record = f"annotation {number}"
        entry = checked(row, Annotation, file.path, record)
        aspect, abstract = str(entry.aspect_id), str(entry.abstract_id)
        check_known(aspect, aspects, ASPECT, file.path, record, "aspect_id")
        check_known(abstract, doc_ids, ABSTRACT, file.path, record, "abstract_id")
        abstracts, scores = annotations.setdefault(aspect, ([], []))
        abstracts.append(abstract)
        scores.append(entry.score)
    return annotations


def _texts(value: Several) -> List[str]:
    """Return ids or sentences, one or several, as a list of texts."""
    return list(map(str, value if isinstance(value, list) else [value] if value else []))


def _lists(mapping: Dict[str, Several] | None) -> dict[str, list[str]]:
    return {key: _texts(values) for key, values in (mapping or {}).items()}
