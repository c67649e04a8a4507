"""DORIS-MAE's queries and their judgements, derived from the release in several ways.

Each way is a function of the release's content (see `Papers.contents`) and a part: "dev", "test",
or None for all queries. It returns a list of `Judged`.
"""

import warnings
from collections.abc import Iterable, Iterator
from itertools import chain, combinations, starmap
from statistics import median_low

from ir_datasets_ext.doris_mae.records import (
    PEOPLE,
    Contents,
    DorisMaeAspect,
    DorisMaeQuery,
    DorisMaeSentence,
    Judged,
)
from ir_datasets_ext.typed_records import Json, check_known, convert, reading_error

#: 0-based numbers of the test queries; all others are for development
TEST = frozenset((1, 8, 10, 16, 23, 28, 33, 37, 44, 46, *range(50, 100)))


def complex_queries(contents: Contents, part: str | None) -> list[Judged]:
    """Return the queries as they were written."""
    return [
        _judged(contents, query_id, query["text"], query)
        for query_id, query in _queries(contents, part)
    ]


def aspect_queries(contents: Contents, part: str | None) -> list[Judged]:
    """Return the queries as the texts of their aspects, without sub-aspects, joined by a blank."""
    return [
        _judged(contents, query_id, " ".join(_texts(contents, query["aspects"])), query)
        for query_id, query in _queries(contents, part)
    ]


def subqueries(k: int, contents: Contents, part: str | None) -> list[Judged]:
    """Return every combination of k aspects of a query, with its sentences about them.

    The text has each sentence once, joined by a blank. A combination is left out if its sentences
    are about other aspects too, or if an aspect has no sentences in the release. The pool is the
    whole query's. Relevance is over the k aspects and their sub-aspects.
    """
    judged = []
    for query_id, query in _queries(contents, part):
        about, sentences = query["aspects_of_sentence"], query["sentences_of_aspect"]
        for chosen in combinations(filter(sentences.__contains__, query["aspects"]), k):
            text = list(dict.fromkeys(chain.from_iterable(map(sentences.get, chosen))))
            if len(set(chain.from_iterable(about.get(sentence, ()) for sentence in text))) <= k:
                own = {
                    **query,
                    "aspects": {key: query["aspects"][key] for key in chosen},
                    "aspects_of_sentence": _only(text, about),
                    "sentences_of_aspect": _only(chosen, sentences),
                }
                judged.append(_judged(contents, "_".join((query_id, *chosen)), " ".join(text), own))
    return judged


def aspects(contents: Contents, part: str | None) -> list[Judged]:
    """Return aspects and sub-aspects as queries, with the scores of the annotations.

    The highest score of a pair counts. The pool joins those of the queries with the aspect. In a
    part, only its queries and the documents in their pools count.
    """
    judged = []
    for query in aspects_as_queries(contents, part).values():
        if part and not query.used_by:
            continue
        pool = dict.fromkeys(
            abstract
            for number in query.used_by
            for abstract in contents["queries"][int(number)]["pool"]
        )
        relevance: dict[str, int] = {}
        for abstract, score in _scores(contents, query.query_id):
            if part is None or abstract in pool:
                relevance[abstract] = max(score, relevance.get(abstract, 0))
        judged.append(Judged(query, 1, tuple(pool), relevance))
    return judged


def aspects_as_queries(contents: Contents, part: str | None = None) -> dict[str, DorisMaeAspect]:
    """Return all aspects and sub-aspects by id; `used_by` has the part's queries only."""
    used_by: dict[str, tuple[str, ...]] = {aspect: () for aspect in contents["aspects"]}
    for query_id, query in _queries(contents, part):
        for aspect in _distinct(query["aspects"]):
            used_by[aspect] += (query_id,)
    return {
        aspect: DorisMaeAspect(aspect, contents["aspects"][aspect], queries)
        for aspect, queries in used_by.items()
    }


def human(
    section: str, annotator: int | None, contents: Contents, part: str | None = None
) -> list[Judged]:
    """Return the aspects that people judged, with their judgements; the pool is what they judged.

    Three people judged the 250 pairs of `Test_set`. Its layout is that of the paper's appendix A.4,
    unverified, because the list is empty in the file that we have. Two people judged the 90 pairs
    with which the prompt was developed. The release leaves these out (A.3: they are in the authors'
    repository); `Dev_set` is our name for a list of the same layout, read if a file has one.

    section: one of PEOPLE.
    annotator: 1, 2 or 3 for one person's scores; None for the majority's. If all three differ, that
        is the middle one, 1; if two differ, the lower one. So it is the low median in any case.
    part: only None.

    Raises ValueError for an entry that differs from the paper's appendix A.4. Warns about pairs
    without an annotation: their aspect ids may be of another version of the release.
    """
    unannotated, judged = 0, dict[str, dict[str, int]]()
    for number, entry in enumerate(contents[section]):
        aspect, abstract, scores = _pair(section, number, entry, contents)
        relevance = judged.setdefault(aspect, {})
        if abstract in relevance:
            what = f"expected each pair once, got aspect {aspect} and abstract {abstract} again"
            raise reading_error(contents["file"], f"entry {number} of {section}", "", what)
        relevance[abstract] = scores[annotator - 1] if annotator else median_low(scores)
        unannotated += abstract not in contents["annotations"].get(aspect, ((), ()))[0]
    if unannotated:
        warnings.warn(
            f"{unannotated} of the {len(contents[section])} pairs of {section} are not among the "
            "annotations, from which they were drawn: are their aspect ids of another version? "
            "Compare doris-mae/human with doris-mae/v0/human",
            stacklevel=2,
        )
    queries = aspects_as_queries(contents)
    return [Judged(queries[one], 1, tuple(found), found) for one, found in judged.items()]


def _pair(section: str, number: int, entry: object, contents: Contents) -> tuple[str, str, list]:
    from ir_datasets_ext.doris_mae.release import ASPECT, HumanScores

    file, record = contents["file"], f"entry {number} of {section}"
    pair = convert(entry, HumanScores, file, record)
    aspect, abstract, scores = str(pair.aspect_id), str(pair.abstract_id), pair.human_annotation
    if len(scores) != PEOPLE[section]:
        raise reading_error(
            file, record, "human_annotation", f"expected {PEOPLE[section]} scores, got {scores}"
        )
    check_known(aspect, contents["aspects"], ASPECT, file, record, "aspect_id")
    return aspect, abstract, list(scores.values() if isinstance(scores, dict) else scores)


def _judged(contents: Contents, query_id: str, text: str, query: dict[str, Json]) -> Judged:
    aspects = query["aspects"]
    needed = _distinct(aspects)
    total = dict.fromkeys(query["pool"], 0)
    for abstract, score in chain.from_iterable(_scores(contents, aspect) for aspect in needed):
        if abstract in total:
            total[abstract] += score
    subs = [(at, sub) for at, subs in enumerate(aspects.values()) for sub in subs]
    record = DorisMaeQuery(
        query_id=query_id,
        query=text,
        query_type=query["type"],
        aspects=_texts(contents, aspects),
        aspect_ids=tuple(aspects),
        sub_aspects=_texts(contents, (sub for _, sub in subs)),
        sub_aspect_ids=tuple(sub for _, sub in subs),
        sub_aspect_of=tuple(at for at, _ in subs),
        idea_from=tuple(query["idea_from"]),
        sent2aspect_id=tuple(starmap(DorisMaeSentence, _pairs(query["aspects_of_sentence"]))),
        aspect_id2sent=tuple(
            DorisMaeSentence(sentence, aspect)
            for aspect, sentence in _pairs(query["sentences_of_aspect"])
        ),
    )
    return Judged(record, len(needed), tuple(query["pool"]), total)


def _only(keys: Iterable[str], mapping: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return the entries of these keys, in the mapping's order."""
    return {key: values for key, values in mapping.items() if key in keys}


def _pairs(mapping: dict[str, list[str]]) -> Iterator[tuple[str, str]]:
    """Yield (key, value) for each value of a key, (key, "") for a key without values."""
    return ((key, value) for key, values in mapping.items() for value in values or ("",))


def _queries(contents: Contents, part: str | None) -> Iterator[tuple[str, dict[str, Json]]]:
    for number, query in enumerate(contents["queries"]):
        if part is None or (part == "test") == (number in TEST):
            yield str(number), query


def _distinct(aspects: dict[str, list[str]]) -> list[str]:
    """Return the ids of aspects and sub-aspects, each once."""
    return list(dict.fromkeys(chain(aspects, *aspects.values())))


def _scores(contents: Contents, aspect: str) -> Iterator[tuple[str, int]]:
    """Yield (abstract, score) of each annotation of an aspect."""
    return zip(*contents["annotations"].get(aspect, ((), ())))


def _texts(contents: Contents, aspects: Iterable[str]) -> tuple[str, ...]:
    return tuple(contents["aspects"][aspect] for aspect in aspects)
