"""All datasets of a small file: totals, |Q|, sub-queries and people's judgements, by hand.

Scores in the file made by hand, per abstract (columns) and aspect or sub-aspect; "." is not scored:

                   7  5  28674  9
    10             2  1  2      .
    11 (of 10)     1  0  2      .
    12 (of 10, 13) 2  0  1      .
    13             0  1  2      .
    14             1  2  .      1
    15             .  1  .      0
    16 (of 15)     .  0  .      2

Query 0 has the aspects 10, 13, 14 and the pool 7, 5, 28674; query 1 has 14, 15 and 9, 5.
"""

import ir_datasets
import pytest

pytestmark = [
    pytest.mark.usefixtures("doris"),
    pytest.mark.filterwarnings("ignore:.*is built again. its files have changed"),
]
ROOT = "doris-mae"
WAYS = ["", "aspect-queries", "aspects", "subqueries-2", "subqueries-3"]
PEOPLE = ["human", *(f"human/annotator-{number}" for number in (1, 2, 3))]
PEOPLE += ["human-dev", "human-dev/annotator-1", "human-dev/annotator-2"]

FULL = {
    ("0", "7"): (2 + 1 + 2 + 0 + 1, "5"),
    ("0", "5"): (1 + 0 + 0 + 1 + 2, "5"),
    ("0", "28674"): (2 + 2 + 1 + 2, "-5"),  # 14 is not scored, and 28674 never relevant
    ("1", "9"): (1 + 0 + 2, "3"),
    ("1", "5"): (2 + 1 + 0, "3"),
}
TWO = {
    ("0_10_13", "7"): (2 + 1 + 2 + 0, "4"),
    ("0_10_13", "5"): (1 + 0 + 0 + 1, "4"),
    ("0_10_13", "28674"): (2 + 2 + 1 + 2, "-4"),
    ("1_14_15", "9"): (1 + 0 + 2, "3"),
    ("1_14_15", "5"): (2 + 1 + 0, "3"),
}


def load(below=""):
    """A dataset of the collection."""
    return ir_datasets.load(f"{ROOT}/{below}".rstrip("/"))


def test_ids():
    """Each way to ask has parts; people's judgements and the first release have none."""
    parts = [f"{way}/{part}".lstrip("/") for way in WAYS for part in ("dev", "test")]
    first = ["v0", "v0/subqueries-2", "v0/human"]
    ids = [dataset_id for dataset_id in ir_datasets.registry if dataset_id.startswith(ROOT)]
    expected = [*WAYS, *parts, *PEOPLE, *first]
    assert sorted(ids) == sorted(f"{ROOT}/{below}".rstrip("/") for below in expected)


@pytest.mark.parametrize("below", [*WAYS, *PEOPLE])
def test_kinds(below):
    """The same kinds of records everywhere; every relevance that occurs is explained."""
    dataset = load(below)
    assert dataset.docs_namespace() == dataset.queries_namespace() == ROOT
    assert dataset.docs_lang() == dataset.queries_lang() == "en"
    assert {type(query) for query in dataset.queries_iter()} == {dataset.queries_cls()}
    assert {type(qrel) for qrel in dataset.qrels_iter()} == {dataset.qrels_cls()}
    assert {candidate.score for candidate in dataset.scoreddocs_iter()} == {0.0}
    assert ir_datasets.docs_parent_id(f"{ROOT}/{below}".rstrip("/")) == ROOT
    assert dataset.documentation()["pretty_name"].startswith("DORIS-MAE")

    is_single_score = below in ("aspects", *PEOPLE)
    found = {qrel.relevance for qrel in dataset.qrels_iter()}
    assert set(dataset.qrels_defs()) == ({0, 1, 2} if is_single_score else {0, 1})
    assert found <= ({0, 1, 2} if is_single_score else set(range(9)))


def test_queries_by_id():
    """Found in any of the ways to ask."""
    assert load().queries_store().get("1").query == "Alpha. Beta."
    assert load("aspects").queries_store().get("12").query == "Twelve."
    with pytest.raises(KeyError, match="2 not found"):
        load().queries_store().get("2")


def judged(below):
    """Relevance and iteration by query and abstract."""
    return {
        (query_id, doc_id): (relevance, iteration)
        for query_id, doc_id, relevance, iteration in load(below).qrels_iter()
    }


@pytest.mark.parametrize(
    ("below", "expected"),
    [
        ("", FULL),
        ("aspect-queries", FULL),
        ("dev", {pair: values for pair, values in FULL.items() if pair[0] == "0"}),
        ("test", {pair: values for pair, values in FULL.items() if pair[0] == "1"}),
        ("subqueries-2", TWO),
        ("subqueries-2/dev", {pair: values for pair, values in TWO.items() if pair[0][0] == "0"}),
        ("subqueries-2/test", {pair: values for pair, values in TWO.items() if pair[0][0] == "1"}),
        (
            "subqueries-3",
            {("0_10_13_14", doc): FULL["0", doc] for doc in ("7", "5", "28674")},
        ),
    ],
)
def test_totals_and_sizes(below, expected):
    """A sub-aspect of two aspects counts once, in the total and in |Q|; the pool is whole."""
    assert judged(below) == expected
    assert [(c.query_id, c.doc_id) for c in load(below).scoreddocs_iter()] == list(expected)
    assert load(below).qrels_count() == load(below).scoreddocs_count() == len(expected)


@pytest.mark.parametrize("below", ["", "subqueries-2", "aspects", "human"])
def test_judgements_say_what_trec_s_column_has_no_field_for(below):
    """Each has its total and |Q|; the qrels are the same, with |Q| and a sign in `iteration`."""
    judgements = list(load(below).judgements_iter())
    assert {type(one) for one in judgements} == {load(below).judgements_cls()}
    signed = [f"{'-' if one.never_relevant else ''}{one.aspects}" for one in judgements]
    qrels = list(load(below).qrels_iter())
    assert qrels == [
        (one.query_id, one.doc_id, one.total, iteration)
        for one, iteration in zip(judgements, signed, strict=True)
    ]
    assert [load(below).judgements_cls().from_qrel(qrel) for qrel in qrels] == judgements
    assert load(below).judgements_count() == len(judgements) > 0


def test_relevant_is_who_reaches_the_number_of_aspects():
    """Of the five candidates two reach |Q|; 28674 does so, too, but never counts."""
    found = {(one.query_id, one.doc_id): one.is_relevant for one in load().judgements_iter()}
    assert found == {
        ("0", "7"): 2 + 1 + 2 + 0 + 1 >= 5,
        ("0", "5"): 1 + 0 + 0 + 1 + 2 >= 5,
        ("0", "28674"): False,
        ("1", "9"): 1 + 0 + 2 >= 3,
        ("1", "5"): 2 + 1 + 0 >= 3,
    }


def test_queries_are_derived_once(doris):
    """The same objects until the file changes, then new ones; neither call reads it again."""
    dataset = load("subqueries-2")
    first = list(dataset.queries_iter())
    assert all(one is other for one, other in zip(first, dataset.queries_iter(), strict=True))
    doris.content["aspect_id2aspect"]["10"] = "Another."
    doris.write()
    assert next(dataset.queries_iter()).aspects[0] == "Another."


def test_a_query():
    """The record has the text, the type, the aspects and whose each sub-aspect is."""
    query = next(load().queries_iter())
    assert query == (
        "0",
        "First. Second. Third. Fourth.",
        "ML",
        ("Ten.", "Thirteen.", "Fourteen."),
        ("10", "13", "14"),
        ("Eleven.", "Twelve.", "Twelve."),
        ("11", "12", "12"),
        (0, 0, 1),
        ("7",),
        (
            ("First.", "10"),
            ("Second.", "10"),
            ("Second.", "13"),
            ("Third.", "14"),
            ("Fourth.", "13"),
        ),
        (
            ("First.", "10"),
            ("Second.", "10"),
            ("Second.", "13"),
            ("Fourth.", "13"),
            ("Third.", "14"),
        ),
    )
    assert query.default_text() == query.query


def test_the_idea_and_sentences_about_nothing(doris):
    """One abstract id serves as a list of one; no sentence and no aspect is lost."""
    doris.content["Query"][1] |= {"idea_from": 9, "aspect_id2sent": {"14": [], "15": ["Beta."]}}
    doris.content["Query"][1]["sent2aspect_id"]["Alpha."] = []
    doris.write()
    *_, query = load().queries_iter()
    assert query.idea_from == ("9",)
    assert query.sent2aspect_id == (("Alpha.", ""), ("Beta.", "15"))
    assert query.aspect_id2sent == (("", "14"), ("Beta.", "15"))


def test_aspect_queries():
    """The aspects' texts in order, without sub-aspects; all else is the query's."""
    assert [q.query for q in load("aspect-queries").queries_iter()] == [
        "Ten. Thirteen. Fourteen.",
        "Fourteen. Fifteen.",
    ]
    pairs = zip(load("aspect-queries").queries_iter(), load().queries_iter(), strict=True)
    assert all(a._replace(query=b.query) == b for a, b in pairs)


def test_subqueries_of_two():
    """Sentences of the aspects in turn, each once; those of 10 and 14 are about 13 as well."""
    queries = {query.query_id: query for query in load("subqueries-2").queries_iter()}
    assert {query_id: query.query for query_id, query in queries.items()} == {
        "0_10_13": "First. Second. Fourth.",
        "1_14_15": "Alpha. Beta.",
    }
    assert queries["0_10_13"].aspect_ids == ("10", "13")
    assert queries["0_10_13"].sub_aspect_ids == ("11", "12", "12")
    assert queries["0_10_13"].sub_aspect_of == (0, 0, 1)
    assert queries["1_14_15"].query_type == "Composite"
    own = [("First.", "10"), ("Second.", "10"), ("Second.", "13"), ("Fourth.", "13")]
    assert list(queries["0_10_13"].sent2aspect_id) == own  # as in the authors' code
    assert list(queries["0_10_13"].aspect_id2sent) == own


def test_a_subquery_of_all_aspects_has_the_query_s_judgements():
    """Three of three: only the sentences' order is another."""
    (query,) = load("subqueries-3").queries_iter()
    assert query.query == "First. Second. Fourth. Third."


def test_an_aspect_without_sentences_is_in_no_subquery(doris):
    """Left out, where the release does not say where the query speaks of it."""
    del doris.content["Query"][0]["aspect_id2sent"]["13"]
    doris.write()
    assert [query.query_id for query in load("subqueries-2").queries_iter()] == ["1_14_15"]


def test_aspects():
    """Every aspect and sub-aspect once, the scores as they are, and the pools of its queries."""
    queries = {query.query_id: query for query in load("aspects").queries_iter()}
    assert list(queries) == ["10", "11", "12", "13", "14", "15", "16"]
    assert queries["14"] == ("14", "Fourteen.", ("0", "1"))
    assert queries["16"].used_by == ("1",)
    assert queries["12"].default_text() == "Twelve."
    scores = judged("aspects")
    assert len(scores) == 5 + 5 + 4 + 3 + 2  # of 7, 5 (of query 0), 28674, 9, 5 (of query 1)
    assert {pair[1]: value for pair, value in scores.items() if pair[0] == "14"} == {
        "7": (1, "1"),
        "5": (2, "1"),
        "9": (1, "1"),
    }
    assert scores["13", "28674"] == (2, "-1")
    pool = [c.doc_id for c in load("aspects").scoreddocs_iter() if c.query_id == "14"]
    assert pool == ["7", "5", "28674", "9"]


def test_a_part_s_aspects():
    """A part has its queries' aspects, with what is in their pools alone."""
    assert [q.query_id for q in load("aspects/test").queries_iter()] == ["14", "15", "16"]
    assert {q.used_by for q in load("aspects/test").queries_iter()} == {("1",)}
    assert {pair: value for pair, value in judged("aspects/test").items() if pair[0] == "14"} == {
        ("14", "5"): (2, "1"),
        ("14", "9"): (1, "1"),
    }
    pools = {(c.query_id, c.doc_id) for c in load("aspects/test").scoreddocs_iter()}
    assert pools == {(aspect, doc) for aspect in ("14", "15", "16") for doc in ("9", "5")}


def test_an_annotation_of_no_pool_is_of_the_aspects_alone(doris):
    """Straight from the annotations: a pair outside all pools has a score, but adds to no total."""
    pair = {"aspect_id": "16", "abstract_id": 7, "gpt_response": "", "score": 2}
    doris.content["Annotation"].append(pair)
    doris.write()
    assert judged("aspects")["16", "7"] == (2, "1")
    assert ("16", "7") not in judged("aspects/test")
    assert judged("") == FULL


def test_test_queries_are_sixty_of_a_hundred(doris):
    """Ten of the first fifty, and the other fifty; all else is for development."""
    doris.content["Query"] *= 50
    doris.write()
    test, dev = ([int(q.query_id) for q in load(part).queries_iter()] for part in ("test", "dev"))
    assert test == [1, 8, 10, 16, 23, 28, 33, 37, 44, 46, *range(50, 100)]
    assert sorted(test + dev) == list(range(100))


PAIRS = [("10", "7"), ("10", "5"), ("16", "9")]


@pytest.mark.parametrize(
    ("below", "scores"),
    [
        ("human", (2, 1, 0)),  # of 2 2 1 two say 2; 2 0 1 all differ, so the middle; 0 1 0
        ("human/annotator-1", (2, 2, 0)),
        ("human/annotator-2", (2, 0, 1)),
        ("human/annotator-3", (1, 1, 0)),
    ],
)
def test_people_s_scores(below, scores):
    """What two of three say, or the middle; or what one says. The pool is what was judged."""
    expected = {pair: (score, "1") for pair, score in zip(PAIRS, scores)}
    assert judged(below) == expected
    assert [(c.query_id, c.doc_id) for c in load(below).scoreddocs_iter()] == PAIRS
    queries = list(load(below).queries_iter())
    assert queries == [("10", "Ten.", ("0",)), ("16", "Sixteen.", ("1",))]


def test_people_s_scores_in_a_list(doris):
    """The scores may be in a list, too. Two people judged the pairs of development."""
    doris.content["Test_set"][0]["human_annotation"] = [0, 2, 2]
    doris.write()
    assert judged("human")["10", "7"] == (2, "1")
    assert judged("human/annotator-1")["10", "7"] == (0, "1")
    assert judged("human-dev") == {("10", "7"): (1, "1"), ("16", "9"): (2, "1")}  # of 2 1 the lower
    assert judged("human-dev/annotator-1")["10", "7"] == (2, "1")


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"human_annotation": [1, 1]}, "entry 1 of Test_set: expected 3 scores of each pair, got"),
        ({"human_annotation": [0, 1, 3]}, r"Expected `int` <= 2 - at `\$\[1\].human_annotation"),
        ({"human_annotation": None}, "Expected `object | array`, got `null`"),
        ({"aspect_id": "10", "abstract_id": 7}, "expected 3 scores of each pair, got .* of aspect"),
    ],
)
def test_people_s_scores_of_another_layout(doris, fields, problem):
    """Nobody has seen the real layout: an error for those who use them, and for nobody else."""
    doris.content["Test_set"][1].update(fields)
    doris.write()
    with pytest.raises(ValueError, match=f"v1.json: .*{problem}"):
        judged("human")
    assert judged("dev")


@pytest.mark.parametrize(("section", "below"), [("Test_set", "human"), ("Dev_set", "human-dev")])
def test_missing_scores_of_people_are_an_error(doris, section, below):
    """A file without the section, or with an empty one, says so; it has all other judgements."""
    for change in (lambda content: content.update({section: []}), lambda c: c.pop(section)):
        change(doris.content)
        doris.write()
        for kind in ("queries", "qrels", "scoreddocs"):
            with pytest.raises(ValueError, match=rf"expected people's judgements \({section}\)"):
                list(getattr(load(below), f"{kind}_iter")())
        assert judged("dev")


def test_aspect_ids_of_another_version_are_noticed(doris):
    """All pairs were drawn from the annotations: any that is not among them is warned of."""
    doris.content["Test_set"][0]["aspect_id"] = "15"
    doris.write()
    with pytest.warns(UserWarning, match="1 of the 3 pairs of Test_set are not among the annot"):
        judged("human")
