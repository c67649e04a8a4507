"""DORIS-MAE's queries and their judgements, derived from the release in several ways.

::

    source = Source(contents, "test", path)
    for judged in derive_complex_queries(source):
        print(judged.query.query, judged.aspects, judged.totals)

Each way is a function from a `Source` to its queries, with their candidates and judgements.
"""

from collections.abc import Iterable, Iterator
from itertools import combinations
from pathlib import Path
from statistics import median_low
from typing import TYPE_CHECKING, NamedTuple

from ir_datasets_ext.doris_mae.records import (
    DorisMaeAspect,
    DorisMaeQuery,
    DorisMaeSentence,
    JudgedQuery,
)
from ir_datasets_ext.store import warn_once
from ir_datasets_ext.typed_records import reading_error

if TYPE_CHECKING:
    from ir_datasets_ext.doris_mae.contents import Contents, ReleaseQuery

#: 0-based numbers of the test queries; all others are for development
TEST_NUMBERS = frozenset((1, 8, 10, 16, 23, 28, 33, 37, 44, 46, *range(50, 100)))


class Source(NamedTuple):
    """What queries are derived from.

    contents: of the release.
    part: "dev", "test", or None for all queries.
    file: the release's, for errors.
    """

    contents: "Contents"
    part: str | None
    file: Path


def derive_complex_queries(source: Source) -> list[JudgedQuery]:
    """Return the queries as they were written."""
    return [
        _judge_query(source.contents, query_id, query)
        for query_id, query in _choose_queries(source)
    ]


def derive_aspect_queries(source: Source) -> list[JudgedQuery]:
    """Return the queries as the texts of their aspects, without sub-aspects, joined by a blank."""
    judged_queries = []
    for query_id, query in _choose_queries(source):
        aspect_texts = _look_up_texts(source.contents, query.aspects)
        reworded_query = query.reword(" ".join(aspect_texts))
        judged_queries.append(_judge_query(source.contents, query_id, reworded_query))
    return judged_queries


def derive_subqueries(aspect_count: int, source: Source) -> list[JudgedQuery]:
    """Return every combination of so many aspects of a query, with its sentences about them.

    The text has each sentence once, joined by a blank. A combination is left out if its sentences
    are about other aspects too, or if an aspect has no sentences in the release. The pool is the
    whole query's. Totals are over these aspects and their sub-aspects.
    """
    judged_queries = []
    for query_id, query in _choose_queries(source):
        mapped_ids = [
            aspect_id for aspect_id in query.aspects if aspect_id in query.sentences_of_aspect
        ]
        for aspect_ids in combinations(mapped_ids, aspect_count):
            subquery = query.narrow(aspect_ids)
            if subquery.count_mentioned_aspects() > aspect_count:
                continue
            subquery_id = "_".join((query_id, *aspect_ids))
            judged_queries.append(_judge_query(source.contents, subquery_id, subquery))
    return judged_queries


def derive_aspects(source: Source) -> list[JudgedQuery]:
    """Return each aspect and sub-aspect as a query, with ChatGPT's scores as its judgements.

    Its pool joins the pools of the queries that have the aspect. Of the release (no part), all
    aspects and all of their scores are returned. Of a part, only aspects of its queries, and only
    scores of documents in the pool.
    """
    is_part = source.part is not None
    judged_queries = []
    for aspect in list_aspects(source):
        ids_of_queries = aspect.used_by  # of the part, or of the release
        if is_part and not ids_of_queries:
            continue

        pool = _join_pools(source.contents, ids_of_queries)
        scores = _find_highest_scores(source.contents, aspect.query_id)
        if is_part:
            pool_ids = frozenset(pool)
            scores = {doc_id: score for doc_id, score in scores.items() if doc_id in pool_ids}
        judged_queries.append(_judge_aspect(aspect, pool, scores))
    return judged_queries


def list_aspects(source: Source) -> list[DorisMaeAspect]:
    """Return all aspects and sub-aspects; `used_by` has the part's queries only."""
    used_by: dict[str, list[str]] = {aspect_id: [] for aspect_id in source.contents.aspects}
    for query_id, query in _choose_queries(source):
        for aspect_id in query.list_aspect_ids():
            used_by[aspect_id].append(query_id)

    return [
        DorisMaeAspect(aspect_id, text, tuple(used_by[aspect_id]))
        for aspect_id, text in source.contents.aspects.items()
    ]


def derive_human_judgements(
    section: str, annotator: int | None, source: Source
) -> list[JudgedQuery]:
    """Return the aspects that people judged as queries, with the judgements of the people.

    section: one of PEOPLE.
    annotator: 1, 2 or 3 for one person's scores; None for the majority's. If all three differ, that
        is the middle one, 1; if two differ, the lower one. So it is the low median in any case.
    source: of all queries; people's judgements have no parts.

    Raises ValueError for an entry that differs from the paper's appendix A.4. Warns about pairs
    without an annotation: their aspect ids may be of another version of the release.
    """
    scores_by_aspect = _read_scores_by_aspect(section, annotator, source)
    _warn_of_unannotated(section, scores_by_aspect, source.contents)

    aspects_by_id = {aspect.query_id: aspect for aspect in list_aspects(source)}
    judged_queries = []
    for aspect_id, score_by_doc in scores_by_aspect.items():
        judged_docs = tuple(score_by_doc)
        # people judged no other documents, so these are the pool
        judged_query = _judge_aspect(aspects_by_id[aspect_id], judged_docs, score_by_doc)
        judged_queries.append(judged_query)
    return judged_queries


def _find_highest_scores(contents: "Contents", aspect_id: str) -> dict[str, int]:
    """Return ChatGPT's score of each document for an aspect; of repeated pairs, the highest."""
    highest_scores: dict[str, int] = {}
    for doc_id, score in contents.find_scores(aspect_id).iter_pairs():
        highest_scores[doc_id] = max(score, highest_scores.get(doc_id, 0))
    return highest_scores


def _judge_aspect(
    aspect: DorisMaeAspect, pool: tuple[str, ...], score_by_doc: dict[str, int]
) -> JudgedQuery:
    """Return an aspect with its judgements: of a single aspect, the total is its score."""
    return JudgedQuery(query=aspect, aspects=1, pool=pool, totals=score_by_doc)


def _read_scores_by_aspect(
    section: str, annotator: int | None, source: Source
) -> dict[str, dict[str, int]]:
    """Return the chosen scores of people, by aspect id and then abstract id, in the file's order.

    Raises ValueError for a pair that is there twice.
    """
    from ir_datasets_ext.doris_mae.release import read_pair_scores

    scores_by_aspect: dict[str, dict[str, int]] = {}
    for pair in read_pair_scores(section, source.contents, source.file):
        score_by_doc = scores_by_aspect.setdefault(pair.aspect_id, {})
        if pair.abstract_id in score_by_doc:
            problem = (
                f"expected each pair once, got aspect {pair.aspect_id} and abstract "
                f"{pair.abstract_id} again"
            )
            raise reading_error(source.file, pair.record, "", problem)
        score_by_doc[pair.abstract_id] = _choose_score(pair.scores, annotator)
    return scores_by_aspect


def _choose_score(scores: list[int], annotator: int | None) -> int:
    """Return one person's score, or the majority's."""
    if annotator is None:
        return median_low(scores)
    return scores[annotator - 1]


def _warn_of_unannotated(
    section: str, scores_by_aspect: dict[str, dict[str, int]], contents: "Contents"
) -> None:
    """Warn of pairs that people judged, but that are not among the annotations."""
    pair_count = 0
    unannotated_count = 0
    for aspect_id, score_by_doc in scores_by_aspect.items():
        annotated_ids = frozenset(contents.find_scores(aspect_id).abstract_ids)
        pair_count += len(score_by_doc)
        unannotated_count += sum(1 for doc_id in score_by_doc if doc_id not in annotated_ids)

    if unannotated_count > 0:
        warn_once(
            f"{unannotated_count} of the {pair_count} pairs of {section} are not among the "
            "annotations, from which they were drawn: are their aspect ids of another version? "
            "Compare doris-mae/human with doris-mae/v0/human"
        )


def _choose_queries(source: Source) -> "Iterator[tuple[str, ReleaseQuery]]":
    """Yield the part's queries with their ids, in the release's order."""
    for number, query in enumerate(source.contents.queries):
        part_of_query = "test" if number in TEST_NUMBERS else "dev"
        if source.part in (None, part_of_query):
            yield str(number), query


def _judge_query(contents: "Contents", query_id: str, query: "ReleaseQuery") -> JudgedQuery:
    """Return a query with its judgements: the scores of its aspects and sub-aspects, added up."""
    aspect_ids = query.list_aspect_ids()
    totals = dict.fromkeys(query.pool, 0)  # a pair without a score adds nothing
    for aspect_id in aspect_ids:
        for doc_id, score in contents.find_scores(aspect_id).iter_pairs():
            if doc_id in totals:
                totals[doc_id] += score

    return JudgedQuery(
        query=_make_query(contents, query_id, query),
        aspects=len(aspect_ids),
        pool=tuple(query.pool),
        totals=totals,
    )


def _make_query(contents: "Contents", query_id: str, query: "ReleaseQuery") -> DorisMaeQuery:
    """Return the record of a query that users read.

    In it, mappings of the release are flat: a query with the aspects {"7": ["8", "9"], "5": ["6"]}
    has the aspect ids 7 and 5, the sub-aspect ids 8, 9 and 6, and `sub_aspect_of` 0, 0 and 1.
    """
    sub_aspect_ids: list[str] = []
    sub_aspect_of: list[int] = []  # for each sub-aspect, the position of its aspect
    for aspect_position, ids_below_aspect in enumerate(query.aspects.values()):
        sub_aspect_ids += ids_below_aspect
        sub_aspect_of += [aspect_position] * len(ids_below_aspect)

    aspects_of_sentences = []
    for sentence, aspect_id in _iter_pairs(query.aspects_of_sentence):
        aspects_of_sentences.append(DorisMaeSentence(sentence=sentence, aspect_id=aspect_id))

    # the release's own inverse mapping, which may differ from the other
    sentences_of_aspects = []
    for aspect_id, sentence in _iter_pairs(query.sentences_of_aspect):
        sentences_of_aspects.append(DorisMaeSentence(sentence=sentence, aspect_id=aspect_id))

    return DorisMaeQuery(
        query_id=query_id,
        query=query.text,
        query_type=query.query_type,
        aspects=_look_up_texts(contents, query.aspects),
        aspect_ids=tuple(query.aspects),
        sub_aspects=_look_up_texts(contents, sub_aspect_ids),
        sub_aspect_ids=tuple(sub_aspect_ids),
        sub_aspect_of=tuple(sub_aspect_of),
        idea_from=tuple(query.idea_from),
        sent2aspect_id=tuple(aspects_of_sentences),
        aspect_id2sent=tuple(sentences_of_aspects),
    )


def _iter_pairs(mapping: dict[str, list[str]]) -> Iterator[tuple[str, str]]:
    """Yield (key, value) for each value of a key, (key, "") for a key without values.

    {"a": ["1", "2"], "b": []} gives ("a", "1"), ("a", "2"), ("b", "").
    """
    for key, values in mapping.items():
        for value in values or [""]:
            yield key, value


def _look_up_texts(contents: "Contents", aspect_ids: Iterable[str]) -> tuple[str, ...]:
    """Return the texts of aspects or sub-aspects, in the order of the ids."""
    return tuple(contents.aspects[aspect_id] for aspect_id in aspect_ids)


def _join_pools(contents: "Contents", query_ids: Iterable[str]) -> tuple[str, ...]:
    """Return the documents of some queries' pools, each once, in the order of the pools."""
    doc_ids: list[str] = []
    for query_id in query_ids:
        doc_ids += contents.queries[int(query_id)].pool  # an id is the query's number
    return tuple(dict.fromkeys(doc_ids))
