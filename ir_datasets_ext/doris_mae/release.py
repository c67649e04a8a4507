"""Read DORIS-MAE's file (its layout is in the paper's appendix A.4), and check each entry.

The file is one large JSON object. Its sections are read in this order, because each one names
ids of those before it, which are checked::

    corpus = Corpus(JsonFile(release.place("v1")))
    for paper in corpus:  # one at a time; the ids are in `corpus.ss_ids` at the end
        ...
    sections = read_sections(corpus.file, corpus.ss_ids)  # aspects, queries, people's scores
    annotations = Annotations(corpus.file, sections, corpus.ss_ids)
    for annotation in annotations:  # one at a time; `annotations.scores_by_aspect` at the end
        ...
    contents = join_contents(sections, annotations.scores_by_aspect)

`StoredRelease` does so when its store is built, and keeps the result. People's scores are checked
later, by `read_pair_scores`, when they are used. All ids become texts.
"""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Annotated, Dict, List, NamedTuple, Tuple

from msgspec import Meta, Struct

from ir_datasets_ext.doris_mae.contents import AspectScores, Contents, ReleaseQuery
from ir_datasets_ext.doris_mae.json_file import JsonFile
from ir_datasets_ext.doris_mae.records import PEOPLE, DorisMaeAnnotation, DorisMaeDoc
from ir_datasets_ext.store import warn_once
from ir_datasets_ext.typed_records import Json, Type, check_known, convert, reading_error

REQUIRED_SECTIONS = ("aspect_id2aspect", "Query", "Annotation")  # besides Corpus
ABSTRACT = "an abstract_id of Corpus"  # what an id is expected to be, for errors
ASPECT = "an id of aspect_id2aspect"
MOST_NAMED_QUERIES = 5  # in a warning

Id = int | str
Score = Annotated[int, Meta(ge=0, le=2)]
Several = List[Id] | int | str | None  # the paper describes one value, the file has a list


# --- the layout: an entry of each section ------------------------------------------------------


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

    def to_record(self) -> DorisMaeDoc:
        """Return the paper as DorisMaeDoc."""
        categories = self.categories or ()
        if isinstance(categories, str):
            categories = tuple(categories.split())

        return DorisMaeDoc(  # by position, which saves a tenth of a second
            str(self.abstract_id),
            self.title or "",
            self.original_abstract or "",
            self.url or "",
            categories,
            _convert_ids(self.outgoing_citations),
            self.masked_abstract or "",
            self.primary_category or "",
            self.ss_id or "",
            _convert_ids(self.incoming_citations),
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

    def to_record(self) -> ReleaseQuery:
        """Return the query with all ids as texts."""
        pool = [str(doc_id) for doc_id in self.candidate_pool]
        return ReleaseQuery(
            text=self.query_text,
            query_type=self.query_type or "",
            pool=list(dict.fromkeys(pool)),
            idea_from=_list_texts(self.idea_from),
            aspects=self.aspects,
            aspects_of_sentence=_list_texts_by_key(self.sent2aspect_id),
            sentences_of_aspect=_list_texts_by_key(self.aspect_id2sent),
        )


class Annotation(Struct):
    """An entry of Annotation: ChatGPT's judgement of a pair."""

    aspect_id: Id
    abstract_id: Id
    score: Score
    gpt_response: str | None = None

    def to_record(self) -> DorisMaeAnnotation:
        """Return the annotation as DorisMaeAnnotation."""
        return DorisMaeAnnotation(
            str(self.aspect_id), str(self.abstract_id), self.gpt_response or "", self.score
        )


class HumanScores(Struct):
    """An entry of Test_set or Dev_set: people's scores of a pair."""

    aspect_id: Id
    abstract_id: Id
    human_annotation: List[Score] | Dict[str, Score]

    def list_scores(self) -> list[int]:
        """Return the scores, one of each person."""
        if isinstance(self.human_annotation, dict):
            return list(self.human_annotation.values())
        return self.human_annotation


# --- the readers, in the order of their calls --------------------------------------------------


class Sections(NamedTuple):
    """What the file has beside its corpus, except for the annotations, which are too many.

    annotations_start: position of their first byte in the file. The rest is as in `Contents`.
    """

    aspects: Dict[str, str]
    queries: List[ReleaseQuery]
    test_set: List[Json]
    dev_set: List[Json]
    annotations_start: int


class PairScores(NamedTuple):
    """People's scores of a pair, in the order of the people. record: its place in the file."""

    aspect_id: str
    abstract_id: str
    scores: List[int]
    record: str


class Corpus:
    """The papers of a release's file, as DorisMaeDoc; they are read once, as they are iterated.

    ss_ids: Semantic Scholar's ids ("" if missing) by doc_id, of the papers that were read.
    """

    def __init__(self, file: JsonFile) -> None:
        self.file = file
        self.ss_ids: dict[str, str] = {}

    def __iter__(self) -> Iterator[DorisMaeDoc]:
        """Yield the papers in the file's order, and note each one's Semantic Scholar id.

        Raises:
            ValueError: a duplicate id, or an entry that is no paper.
        """
        for number, entry in enumerate(self.file.entries("Corpus")):
            record = f"entry {number} of Corpus"
            doc = convert(entry, Paper, self.file.path, record).to_record()
            if doc.doc_id in self.ss_ids:
                problem = f"expected each id once, got {doc.doc_id} again"
                raise reading_error(self.file.path, record, "abstract_id", problem)
            self.ss_ids[doc.doc_id] = doc.ss_id
            yield doc


def read_sections(file: JsonFile, doc_ids: Collection[str]) -> Sections:
    """Return the file's aspects, queries and people's scores, and where its annotations begin.

    doc_ids: of the corpus. Raises ValueError for a missing section or a wrong value.
    """
    starts = file.find_keys((*REQUIRED_SECTIONS, *PEOPLE))  # first byte of each section
    for section in REQUIRED_SECTIONS:
        if section not in starts:
            problem = "expected a list or an object, got none"
            raise reading_error(file.path, section, "", problem)

    aspects = _read_section(file, "aspect_id2aspect", starts, Dict[str, str])
    query_entries = _read_section(file, "Query", starts, list)
    queries = [
        _read_query(file, number, entry, aspects, doc_ids)
        for number, entry in enumerate(query_entries)
    ]

    # a file need not have scores by people; without them, both sections are empty
    entries_by_people: dict[str, list[Json]] = {"Test_set": [], "Dev_set": []}
    for section in entries_by_people:
        if section in starts:
            entries_by_people[section] = _read_section(file, section, starts, list)

    return Sections(
        aspects=aspects,
        queries=queries,
        test_set=entries_by_people["Test_set"],
        dev_set=entries_by_people["Dev_set"],
        annotations_start=starts["Annotation"],
    )


class Annotations:
    """ChatGPT's annotations of a release's file, which are read once, as they are iterated.

    scores_by_aspect: the scores of the annotations that were read, by aspect id in their order.
    """

    def __init__(self, file: JsonFile, sections: Sections, doc_ids: Collection[str]) -> None:
        self.scores_by_aspect: dict[str, AspectScores] = {}
        self._file = file
        self._sections = sections
        self._doc_ids = doc_ids  # of the corpus

    def __iter__(self) -> Iterator[DorisMaeAnnotation]:
        """Yield the annotations in the file's order, and note each one's score.

        Raises ValueError for a wrong value.
        """
        path = self._file.path
        aspects = self._sections.aspects
        doc_ids = self._doc_ids

        entries = self._file.entries("Annotation", self._sections.annotations_start)
        for number, entry in enumerate(entries):
            record = f"annotation {number}"
            annotation = convert(entry, Annotation, path, record).to_record()
            check_known(annotation.aspect_id, aspects, ASPECT, path, record, "aspect_id")
            check_known(annotation.abstract_id, doc_ids, ABSTRACT, path, record, "abstract_id")
            self._note_score(annotation)
            yield annotation

    def _note_score(self, annotation: DorisMaeAnnotation) -> None:
        """Add the annotation's score to those of its aspect."""
        aspect_scores = self.scores_by_aspect.get(annotation.aspect_id)
        if aspect_scores is None:
            aspect_scores = AspectScores([], [])
            self.scores_by_aspect[annotation.aspect_id] = aspect_scores
        aspect_scores.abstract_ids.append(annotation.abstract_id)
        aspect_scores.scores.append(annotation.score)


def join_contents(sections: Sections, scores_by_aspect: dict[str, AspectScores]) -> Contents:
    """Return the file's content beside its corpus."""
    return Contents(
        aspects=sections.aspects,
        queries=sections.queries,
        test_set=sections.test_set,
        dev_set=sections.dev_set,
        annotations=scores_by_aspect,
    )


def read_pair_scores(section: str, contents: Contents, file: Path) -> Iterator[PairScores]:
    """Yield people's scores of a section; raise ValueError for an entry of another layout.

    section: one of PEOPLE. file: the release's, for errors.
    """
    person_count = PEOPLE[section]
    for number, entry in enumerate(contents.list_people_entries(section)):
        record = f"entry {number} of {section}"
        pair = convert(entry, HumanScores, file, record)
        aspect_id = str(pair.aspect_id)
        scores = pair.list_scores()
        if len(scores) != person_count:
            problem = f"expected {person_count} scores, got {pair.human_annotation}"
            raise reading_error(file, record, "human_annotation", problem)
        check_known(aspect_id, contents.aspects, ASPECT, file, record, "aspect_id")
        yield PairScores(aspect_id, str(pair.abstract_id), scores, record)


def warn_of_unusual(contents: Contents, path: Path) -> None:
    """Warn once of each kind of unusual but valid content of the release's file."""
    repeated_count = _count_repeated_pairs(contents)
    if repeated_count > 0:
        warn_once(
            f"{path}: {repeated_count} annotations repeat a pair of aspect and abstract: their "
            "scores add up, as in the authors' code"
        )

    query_count = len(contents.queries)
    empty_ids = [str(number) for number, query in enumerate(contents.queries) if not query.pool]
    if empty_ids:
        named_ids = ", ".join(empty_ids[:MOST_NAMED_QUERIES])
        dots = " ..." if len(empty_ids) > MOST_NAMED_QUERIES else ""
        warn_once(
            f"{path}: {len(empty_ids)} of {query_count} queries have an empty candidate pool, so "
            f"neither qrels nor scoreddocs: {named_ids}{dots}"
        )

    unmapped_queries = [query for query in contents.queries if not query.sentences_of_aspect]
    if unmapped_queries:
        warn_once(
            f"{path}: {len(unmapped_queries)} of {query_count} queries do not map their sentences "
            "to aspects, so they have no sub-queries"
        )


# --- their helpers -----------------------------------------------------------------------------


def _read_section(
    file: JsonFile, section: str, starts: Dict[str, int], of_type: type[Type]
) -> Type:
    """Return a whole section, checked by type.

    starts: position of the first byte of each section in the file.
    """
    value = file.read_value(section, starts[section])
    return convert(value, of_type, file.path, section)


def _read_query(
    file: JsonFile,
    number: int,
    entry: Json,
    aspects: Collection[str],
    doc_ids: Collection[str],
) -> ReleaseQuery:
    """Return an entry of Query; raise ValueError for a wrong value or an unknown id."""
    record = f"query {number}"
    query = convert(entry, Query, file.path, record).to_record()
    for doc_id in query.pool:
        check_known(doc_id, doc_ids, ABSTRACT, file.path, record, "candidate_pool")
    for aspect_id in query.list_aspect_ids():
        check_known(aspect_id, aspects, ASPECT, file.path, record, "aspects")
    return query


def _count_repeated_pairs(contents: Contents) -> int:
    """Return how many annotations have the aspect and the abstract of an earlier one."""
    repeated_count = 0
    for aspect_scores in contents.annotations.values():
        abstract_ids = aspect_scores.abstract_ids
        repeated_count += len(abstract_ids) - len(set(abstract_ids))
    return repeated_count


def _convert_ids(ids: List[Id] | None) -> tuple[str, ...]:
    """Return the ids of papers as texts; none if the file has none."""
    present_ids = ids or []
    return tuple([str(paper_id) for paper_id in present_ids])


def _list_texts(value: Several) -> list[str]:
    """Return ids or sentences, one or several, as a list of texts."""
    if isinstance(value, list):
        return [str(item) for item in value]
    return [str(value)] if value else []


def _list_texts_by_key(mapping: Dict[str, Several] | None) -> dict[str, list[str]]:
    """Return the mapping with each value as a list of texts; an empty one if it is missing."""
    return {key: _list_texts(value) for key, value in (mapping or {}).items()}
