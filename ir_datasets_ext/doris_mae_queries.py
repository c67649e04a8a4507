"""DORIS-MAE's queries and their judgements, derived from the release in several ways.

::

    for judged in derive_complex_queries(contents, "test"):
        print(judged.query.query, judged.aspects, judged.totals)

Each way is a function from the release's `Contents` and a part ("dev", "test", or "" for all
queries) to the queries with their candidates and judgements. DERIVATIONS has them by the dataset's
id.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, combinations
from statistics import median_low
from typing import Annotated, Any, NamedTuple, Tuple

from ir_datasets.formats import TrecQrel
from msgspec import Meta, Struct, convert, field
from msgspec.structs import replace

from .warn_once import warn_once

#: 0-based numbers of the test queries; all others are for development
TEST_NUMBERS = frozenset((1, 8, 10, 16, 23, 28, 33, 37, 44, 46, *range(50, 100)))
#: abstracts of more than 512 tokens: they never count as relevant, but stay in the ideal ranking
TOO_LONG = frozenset(("28674", "205580", "346695", "346826", "346836"))
#: Section of people's judgements -> number of annotators. `Test_set` has 250 pairs. Its layout is
#: that of the paper's appendix A.4, unverified, because the list is empty in the file that we have.
#: The 90 pairs with which the prompt was developed are not in the release (A.3: they are in the
#: authors' repository). `Dev_set` is our name for a list of the same layout, read if a file has one
PEOPLE = {"Test_set": 3, "Dev_set": 2}

#: meaning of relevance as a total
TOTAL_DEFS = {
    0: "the abstract meets none of the query's aspects and sub-aspects",
    1: "1 or more: the sum of the scores (0 to 2) of the query's |Q| aspects and sub-aspects. An "
    "abstract is relevant if its total is |Q| or more. The qrels' iteration column has |Q|, with a "
    "minus sign for an abstract that never counts as relevant",
}
#: meaning of relevance as a single score; ChatGPT's reply for 1 was DISPUTE or AGREE
SCORE_DEFS = {
    2: "the abstract directly answers all key components of the aspect",
    1: "the abstract answers some key components of the aspect, or can be adapted to do so",
    0: "the abstract is unrelated to the aspect, or of no help with its key components",
}


# --- what the release has beside its corpus; all ids are texts -----------------------------------

Score = Annotated[int, Meta(ge=0, le=2)]


class ReleaseQuery(Struct):
    """A query of the release; its id is its 0-based number there.

    pool: the candidates' doc_ids, each once.
    aspects: by the aspect's id, its sub-aspects' ids.
    aspects_of_sentence: by sentence, the ids of the aspects that it is about.
    sentences_of_aspect: the release's inverse mapping, which may differ from it.
    idea_from: doc_ids of the abstracts that inspired it.
    """

    text: str = field(name="query_text")
    query_type: str | None
    pool: list[Any] = field(name="candidate_pool")
    aspects: dict[str, list[str]]
    aspects_of_sentence: dict[str, Any] = field(name="sent2aspect_id")
    sentences_of_aspect: dict[str, Any] = field(name="aspect_id2sent")
    idea_from: Any = None

    def __post_init__(self) -> None:
        """Make texts of ids that are numbers, and lists of single values."""
        self.pool = list(dict.fromkeys(map(str, self.pool)))
        self.idea_from = _list_texts(self.idea_from)
        for mapping in (self.aspects_of_sentence, self.sentences_of_aspect):
            for key, value in mapping.items():
                mapping[key] = _list_texts(value)

    def list_aspect_ids(self) -> list[str]:
        """Return the ids of its aspects and sub-aspects, each once: as many as |Q|."""
        return list(dict.fromkeys(chain(self.aspects, *self.aspects.values())))

    def narrow(self, aspect_ids: tuple[str, ...]) -> "ReleaseQuery":
        """Return a query of some of the aspects: its text is the sentences about these alone.

        The text has the sentences of the first aspect, then those of the second one, and so on;
        each sentence once.
        """
        lists_of_sentences = [self.sentences_of_aspect[aspect_id] for aspect_id in aspect_ids]
        sentences = list(dict.fromkeys(chain.from_iterable(lists_of_sentences)))
        return replace(
            self,
            text=" ".join(sentences),
            aspects=_select(self.aspects, aspect_ids),
            aspects_of_sentence=_select(self.aspects_of_sentence, sentences),
            sentences_of_aspect=_select(self.sentences_of_aspect, aspect_ids),
        )


def _list_texts(value: Any) -> list[str]:
    """Return ids or sentences as a list of texts.

    The paper describes one value, the file has a list; None and "" are none.
    """
    if isinstance(value, list):
        return list(map(str, value))
    return [str(value)] if value else []


def _select(lists_by_key: dict[str, list[str]], keys: Collection[str]) -> dict[str, list[str]]:
    """Return the entries of these keys, in the mapping's order."""
    return {key: values for key, values in lists_by_key.items() if key in keys}


class Contents(Struct, eq=False):
    """The release's content beside its corpus.

    aspects: texts of aspects and sub-aspects, by id.
    queries: in the release's order.
    Test_set, Dev_set: people's scores as released, see `PairEntry`. They are checked when they are
        used, because nobody has seen their layout.
    scores: ChatGPT's, by aspect id: (abstract id, score 0 to 2). A repeated abstract is kept.
    """

    aspects: dict[str, str] = field(name="aspect_id2aspect")
    queries: list[ReleaseQuery] = field(name="Query")
    Test_set: list[Any] = []
    Dev_set: list[Any] = []
    scores: dict[str, list[tuple[str, int]]] = {}

    def look_up_aspects(self, aspect_ids: Iterable[str]) -> tuple[str, ...]:
        """Return the texts of aspects or sub-aspects, in the order of the ids."""
        return tuple(self.aspects[aspect_id] for aspect_id in aspect_ids)

    def iter_queries(self, part: str) -> Iterator[tuple[str, ReleaseQuery]]:
        """Yield the part's queries with their ids, in the release's order."""
        for number, query in enumerate(self.queries):
            part_of_query = "test" if number in TEST_NUMBERS else "dev"
            if part in ("", part_of_query):
                yield str(number), query


# --- the records of the datasets -----------------------------------------------------------------


class DorisMaeSentence(NamedTuple):
    """A sentence of a query, and an aspect that it is about.

    aspect_id: empty for a sentence without an aspect. sentence: empty for an aspect without one.
    """

    sentence: str
    aspect_id: str


class DorisMaeQuery(NamedTuple):
    """A complex query, or a sub-query of some of its aspects.

    query_id: the 0-based index in the release; for a sub-query, this and its aspects' ids, joined
        by underscores.
    query_type: ML, NLP, CV, AI or Composite; empty if missing in the release.
    aspects: their texts; aspect_ids: their ids, as in doris-mae/aspects.
    sub_aspects, sub_aspect_ids: those of all aspects in turn. sub_aspect_of: for each, the
        0-based position of its aspect in `aspects`. A sub-aspect of several aspects is listed for
        each of them, and counts once in `|Q|`.
    idea_from: doc_ids of the abstracts that inspired the query.
    sent2aspect_id: a pair for each sentence and its aspect, in the order of the release's mapping
        of that name; aspect_id2sent: in the order of the inverse mapping. A sub-query has only the
        pairs of its own sentences and aspects.
    """

    query_id: str
    query: str
    query_type: str
    aspects: Tuple[str, ...]
    aspect_ids: Tuple[str, ...]
    sub_aspects: Tuple[str, ...]
    sub_aspect_ids: Tuple[str, ...]
    sub_aspect_of: Tuple[int, ...]
    idea_from: Tuple[str, ...] = ()
    sent2aspect_id: Tuple[DorisMaeSentence, ...] = ()
    aspect_id2sent: Tuple[DorisMaeSentence, ...] = ()

    def default_text(self) -> str:
        """Return the query's text."""
        return self.query


class DorisMaeAspect(NamedTuple):
    """An aspect or sub-aspect as a query of its own.

    query_id: the release's aspect id.
    used_by: ids of the complex queries with this aspect, as in doris-mae.
    """

    query_id: str
    query: str
    used_by: Tuple[str, ...]

    def default_text(self) -> str:
        """Return the aspect's text."""
        return self.query


class DorisMaeJudgement(NamedTuple):
    """What a query's candidate is worth.

    total: the sum of the scores, 0 to 2, of the query's aspects and sub-aspects.
    aspects: `|Q|`, the number of these distinct aspects and sub-aspects.
    never_relevant: whether the abstract is in TOO_LONG, and so never counts as relevant.
    """

    query_id: str
    doc_id: str
    total: int
    aspects: int
    never_relevant: bool

    @property
    def is_relevant(self) -> bool:
        """Whether the total reaches `|Q|`, for an abstract that may count as relevant."""
        return self.total >= self.aspects and not self.never_relevant

    def to_qrel(self) -> TrecQrel:
        """Return the judgement in TREC's form, which has four columns.

        Its `iteration` is `|Q|`, with a minus sign if the abstract never counts as relevant.
        """
        signed_aspects = -self.aspects if self.never_relevant else self.aspects
        return TrecQrel(self.query_id, self.doc_id, self.total, str(signed_aspects))

    @classmethod
    def from_qrel(cls, qrel: TrecQrel) -> "DorisMaeJudgement":
        """Return the judgement that `to_qrel` has written in TREC's form."""
        signed_aspects = int(qrel.iteration)
        is_too_long = signed_aspects < 0
        return cls(qrel.query_id, qrel.doc_id, qrel.relevance, abs(signed_aspects), is_too_long)


class JudgedQuery(NamedTuple):
    """A query, its candidates and its judgements.

    aspects: |Q|, the number of its distinct aspects and sub-aspects, whose scores a total adds up.
    pool: doc_ids to rank. totals: by doc_id, in the order of the qrels.
    """

    query: DorisMaeQuery | DorisMaeAspect
    aspects: int
    pool: Collection[str]
    totals: dict[str, int]


# --- the derivations: complex queries ------------------------------------------------------------


def derive_complex_queries(contents: Contents, part: str) -> Iterator[JudgedQuery]:
    """Yield the queries as they were written."""
    for query_id, query in contents.iter_queries(part):
        yield _judge_query(contents, query_id, query)


def derive_aspect_queries(contents: Contents, part: str) -> Iterator[JudgedQuery]:
    """Yield the queries as the texts of their aspects, without sub-aspects, joined by a blank."""
    for query_id, query in contents.iter_queries(part):
        text = " ".join(contents.look_up_aspects(query.aspects))
        yield _judge_query(contents, query_id, replace(query, text=text))


def derive_subqueries(aspect_count: int, contents: Contents, part: str) -> Iterator[JudgedQuery]:
    """Yield every combination of so many aspects of a query, with its sentences about them.

    The text has each sentence once, joined by a blank. A combination is left out if its sentences
    are about other aspects too, or if an aspect has no sentences in the release. The pool is the
    whole query's. Totals are over these aspects and their sub-aspects.
    """
    for query_id, query in contents.iter_queries(part):
        mapped_ids = [id_ for id_ in query.aspects if id_ in query.sentences_of_aspect]
        for aspect_ids in combinations(mapped_ids, aspect_count):
            subquery = query.narrow(aspect_ids)
            # its sentences may be about other aspects, too
            mentioned_ids = set(chain.from_iterable(subquery.aspects_of_sentence.values()))
            if len(mentioned_ids) <= aspect_count:
                subquery_id = "_".join((query_id, *aspect_ids))
                yield _judge_query(contents, subquery_id, subquery)


def _judge_query(contents: Contents, query_id: str, query: ReleaseQuery) -> JudgedQuery:
    """Return a query with its judgements: the scores of its aspects and sub-aspects, added up."""
    aspect_ids = query.list_aspect_ids()
    totals = dict.fromkeys(query.pool, 0)  # a pair without a score adds nothing
    for aspect_id in aspect_ids:
        for doc_id, score in contents.scores.get(aspect_id, ()):
            if doc_id in totals:
                totals[doc_id] += score
    record = _make_query(contents, query_id, query)
    return JudgedQuery(record, len(aspect_ids), query.pool, totals)


def _make_query(contents: Contents, query_id: str, query: ReleaseQuery) -> DorisMaeQuery:
    """Return the record of a query that users read, in which mappings of the release are flat.

    A query with the aspects {"7": ["8", "9"], "5": ["6"]} has the aspect ids 7 and 5, the
    sub-aspect ids 8, 9 and 6, and `sub_aspect_of` 0, 0 and 1.
    """
    sub_aspect_ids: list[str] = []
    sub_aspect_of: list[int] = []
    for position, ids_below_aspect in enumerate(query.aspects.values()):
        sub_aspect_ids += ids_below_aspect
        sub_aspect_of += [position] * len(ids_below_aspect)

    pairs_by_sentence = [
        DorisMaeSentence(sentence, aspect_id)
        for sentence, aspect_id in _flatten(query.aspects_of_sentence)
    ]
    pairs_by_aspect = [
        DorisMaeSentence(sentence, aspect_id)
        for aspect_id, sentence in _flatten(query.sentences_of_aspect)
    ]
    return DorisMaeQuery(
        query_id=query_id,
        query=query.text,
        query_type=query.query_type or "",
        aspects=contents.look_up_aspects(query.aspects),
        aspect_ids=tuple(query.aspects),
        sub_aspects=contents.look_up_aspects(sub_aspect_ids),
        sub_aspect_ids=tuple(sub_aspect_ids),
        sub_aspect_of=tuple(sub_aspect_of),
        idea_from=tuple(query.idea_from),
        sent2aspect_id=tuple(pairs_by_sentence),
        aspect_id2sent=tuple(pairs_by_aspect),
    )


def _flatten(mapping: dict[str, list[str]]) -> Iterator[tuple[str, str]]:
    """Yield (key, value) for each value of a key, (key, "") for a key without values.

    {"a": ["1", "2"], "b": []} gives ("a", "1"), ("a", "2"), ("b", "").
    """
    for key, values in mapping.items():
        for value in values or [""]:
            yield key, value


# --- the derivations: aspects --------------------------------------------------------------------


def derive_aspects(contents: Contents, part: str) -> Iterator[JudgedQuery]:
    """Yield each aspect and sub-aspect as a query, with ChatGPT's scores as its judgements.

    Its pool joins the pools of the queries that have the aspect. Of the release (no part), all
    aspects and all of their scores are returned. Of a part, only aspects of its queries, and only
    scores of documents in the pool.
    """
    for aspect in list_aspects(contents, part):
        if part and not aspect.used_by:
            continue
        pools = [contents.queries[int(query_id)].pool for query_id in aspect.used_by]
        pool = dict.fromkeys(chain.from_iterable(pools))  # each document once

        highest_scores: dict[str, int] = {}  # a pair may be repeated
        for doc_id, score in contents.scores.get(aspect.query_id, ()):
            if not part or doc_id in pool:
                highest_scores[doc_id] = max(score, highest_scores.get(doc_id, 0))
        # of a single aspect, the total is its score
        yield JudgedQuery(aspect, 1, pool, highest_scores)


def list_aspects(contents: Contents, part: str = "") -> list[DorisMaeAspect]:
    """Return all aspects and sub-aspects; `used_by` has the part's queries only."""
    used_by: dict[str, list[str]] = {aspect_id: [] for aspect_id in contents.aspects}
    for query_id, query in contents.iter_queries(part):
        for aspect_id in query.list_aspect_ids():
            used_by[aspect_id].append(query_id)
    return [
        DorisMaeAspect(aspect_id, text, tuple(used_by[aspect_id]))
        for aspect_id, text in contents.aspects.items()
    ]


class PairEntry(Struct):
    """An entry of Test_set or Dev_set: people's scores of an aspect and an abstract."""

    aspect_id: int | str
    abstract_id: int | str
    human_annotation: list[Score] | dict[str, Score]


def derive_human_judgements(
    section: str, annotator: int | None, contents: Contents, part: str = ""
) -> Iterator[JudgedQuery]:
    """Yield the aspects that people judged as queries, with the judgements of the people.

    section: one of PEOPLE.
    annotator: 1, 2 or 3 for one person's scores; None for the majority's. If all three differ, that
        is the middle one, 1; if two differ, the lower one. So it is the low median in any case.

    Raises ValueError for an entry that differs from the paper's appendix A.4. Warns about pairs
    without an annotation: their aspect ids may be of another version of the release.
    """
    totals_by_aspect: dict[str, dict[str, int]] = {}
    unannotated_count = 0
    pairs = convert(getattr(contents, section), list[PairEntry])
    for number, pair in enumerate(pairs):
        aspect_id = str(pair.aspect_id)
        doc_id = str(pair.abstract_id)
        scores = pair.human_annotation
        if isinstance(scores, dict):  # by annotator
            scores = list(scores.values())
        totals = totals_by_aspect.setdefault(aspect_id, {})
        if len(scores) != PEOPLE[section] or doc_id in totals:
            raise ValueError(
                f"entry {number} of {section}: expected {PEOPLE[section]} scores of each pair, got "
                f"{scores} of aspect {aspect_id} and abstract {doc_id}"
            )
        totals[doc_id] = median_low(scores) if annotator is None else scores[annotator - 1]
        unannotated_count += doc_id not in dict(contents.scores.get(aspect_id, ()))

    if unannotated_count > 0:
        warn_once(
            f"{unannotated_count} of the {len(pairs)} pairs of {section} are not among the "
            "annotations, from which they were drawn: are their aspect ids of another version? "
            "Compare doris-mae/human with doris-mae/v0/human"
        )

    aspect_by_id = {aspect.query_id: aspect for aspect in list_aspects(contents)}
    for aspect_id, totals in totals_by_aspect.items():
        # people judged no other documents, so these are the pool
        yield JudgedQuery(aspect_by_id[aspect_id], 1, totals, totals)


# --- which datasets there are --------------------------------------------------------------------


class Derivation(NamedTuple):
    """How the queries and judgements of a dataset are derived from the release.

    derive: a function from the release's contents and a part to the judged queries.
    cls: of the queries.
    definitions: of relevance, by grade.
    made_from: what of the release's file they are made from, for errors.
    parts: of the queries; there is a dataset for each.
    """

    derive: Callable[[Contents, str], Iterator[JudgedQuery]]
    cls: type
    definitions: dict[int, str]
    made_from: str
    parts: Sequence[str] = ("", "dev", "test")


POOLS = "queries of this part with candidate pools"
MAPS = (
    "queries that map sentences to {} aspects or more (sent2aspect_id, aspect_id2sent), with "
    "candidate pools"
)


def _derive_subqueries_of(aspect_count: int) -> Derivation:
    derive = partial(derive_subqueries, aspect_count)
    return Derivation(derive, DorisMaeQuery, TOTAL_DEFS, MAPS.format(aspect_count))


def _derive_human(section: str, annotator: int | None = None) -> Derivation:
    derive = partial(derive_human_judgements, section, annotator)
    return Derivation(
        derive, DorisMaeAspect, SCORE_DEFS, f"people's judgements ({section})", parts=("",)
    )


#: id below the collection's -> how its queries are derived
DERIVATIONS = {
    "": Derivation(derive_complex_queries, DorisMaeQuery, TOTAL_DEFS, POOLS),
    "aspect-queries": Derivation(derive_aspect_queries, DorisMaeQuery, TOTAL_DEFS, POOLS),
    "subqueries-2": _derive_subqueries_of(2),
    "subqueries-3": _derive_subqueries_of(3),
    "aspects": Derivation(derive_aspects, DorisMaeAspect, SCORE_DEFS, POOLS),
    "human": _derive_human("Test_set"),
    "human/annotator-1": _derive_human("Test_set", 1),
    "human/annotator-2": _derive_human("Test_set", 2),
    "human/annotator-3": _derive_human("Test_set", 3),
    "human-dev": _derive_human("Dev_set"),
    "human-dev/annotator-1": _derive_human("Dev_set", 1),
    "human-dev/annotator-2": _derive_human("Dev_set", 2),
}
#: ids below the first release's, of 50 queries: those of the paper's first version
IN_V0 = ("", "subqueries-2", "human")
