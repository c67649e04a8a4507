"""The ways to ask DORIS-MAE's queries, and what is relevant to them.

Each function below gives a list of `Judged`, from what `Papers.contents` returns. part: "dev",
"test", or None for all queries.
"""

from itertools import chain, combinations, starmap
from typing import Dict, NamedTuple, Tuple

from ir_datasets_ext.doris_mae.records import DorisMaeAspect, DorisMaeQuery, DorisMaeSentence

#: 0-based numbers of the test queries; all others are for development
TEST = frozenset((1, 8, 10, 16, 23, 28, 33, 37, 44, 46, *range(50, 100)))


class Judged(NamedTuple):
    """A query, its candidates and its judgements.

    size: |Q|, how many scores a relevance adds up: of its distinct aspects and sub-aspects.
    pool: doc_ids to be ranked. relevance: by doc_id, in the order of the qrels.
    """

    query: DorisMaeQuery | DorisMaeAspect
    size: int
    pool: Tuple[str, ...]
    relevance: Dict[str, int]


def complex_queries(contents, part):
    """The queries as they were written."""
    return [
        _judged(contents, query_id, query["text"], query)
        for query_id, query in _queries(contents, part)
    ]


def aspect_queries(contents, part):
    """The same queries, as the texts of their aspects (without sub-aspects) joined by a blank."""
    return [
        _judged(contents, query_id, " ".join(_texts(contents, query["aspects"])), query)
        for query_id, query in _queries(contents, part)
    ]


def subqueries(k, contents, part):
    """Every k aspects of a query, in the query's order, and its sentences about them.

    The text has each sentence once, joined by a blank. Left out is a combination whose sentences
    are about other aspects too, and one with an aspect for which the release names no sentences.
    The pool is the whole query's; relevance is over the k aspects and their sub-aspects.
    """
    found = []
    for query_id, query in _queries(contents, part):
        about, sentences = query["aspects_of_sentence"], query["sentences_of_aspect"]
        for chosen in combinations(query["aspects"], k):
            if not all(aspect in sentences for aspect in chosen):
                continue
            text = list(dict.fromkeys(chain.from_iterable(map(sentences.get, chosen))))
            if len(set(chain.from_iterable(about.get(sentence, ()) for sentence in text))) <= k:
                own = {
                    "aspects": {key: query["aspects"][key] for key in chosen},
                    "aspects_of_sentence": _only(text, about),
                    "sentences_of_aspect": _only(chosen, sentences),
                }
                sub_id = "_".join((query_id, *chosen))
                found.append(_judged(contents, sub_id, " ".join(text), {**query, **own}))
    return found


def aspects(contents, part):
    """Aspects and sub-aspects as queries, with the scores of the annotations as they are.

    Of a pair that is annotated more than once, the highest score. The pool is that of the queries
    that have the aspect; in a part, only its queries count, and only what is in their pools.
    """
    found = []
    for query in aspects_as_queries(contents, part).values():
        if part and not query.used_by:
            continue
        pools = (contents["queries"][int(number)]["pool"] for number in query.used_by)
        pool = dict.fromkeys(chain.from_iterable(pools))
        relevance = {}
        for abstract, score in _scores(contents, query.query_id):
            if part is None or abstract in pool:
                relevance[abstract] = max(score, relevance.get(abstract, 0))
        found.append(Judged(query, 1, tuple(pool), relevance))
    return found


def aspects_as_queries(contents, part=None):
    """DorisMaeAspect by id, of all aspects and sub-aspects; only the part's queries use them."""
    used_by = {aspect: () for aspect in contents["aspects"]}
    for query_id, query in _queries(contents, part):
        for aspect in _distinct(query["aspects"]):
            used_by[aspect] += (query_id,)
    return {
        aspect: DorisMaeAspect(aspect, contents["aspects"][aspect], queries)
        for aspect, queries in used_by.items()
    }


def _judged(contents, query_id, text, query):
    aspects = query["aspects"]
    needed = _distinct(aspects)
    total = dict.fromkeys(query["pool"], 0)
    for aspect in needed:
        for abstract, score in _scores(contents, aspect):
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


def _only(keys, mapping):
    """The entries of these keys, in the mapping's order."""
    return {key: values for key, values in mapping.items() if key in keys}


def _pairs(mapping):
    """Yield (key, each of its values); a key without a value with ""."""
    for key, values in mapping.items():
        for value in values or ("",):
            yield key, value


def _queries(contents, part):
    for number, query in enumerate(contents["queries"]):
        if part is None or (part == "test") == (number in TEST):
            yield str(number), query


def _distinct(aspects):
    """The ids of aspects and sub-aspects, each once."""
    return list(dict.fromkeys(chain(aspects, *aspects.values())))


def _scores(contents, aspect):
    """Yield (abstract, score) as often as they are annotated."""
    return zip(*contents["annotations"].get(aspect, ((), ())))


def _texts(contents, aspects):
    return tuple(contents["aspects"][aspect] for aspect in aspects)
