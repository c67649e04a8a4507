"""Pools: CSFCube's rule on its own release, both rules by hand, bad input."""

import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly.collect import make_pools
from pyterrier_scholarly.datasets import irds

METHODS = {
    *(f"{part}_{kind}" for part in ("abs", "title") for kind in ("tfidf", "cbow200")),
    *("abs_tfidfcbow200", "title_tfidfcbow200", "specter"),
}


def run(**ranked):
    """A run from qid to documents, best first; an id is a letter."""
    rows = [(qid, doc, -n) for qid, docs in ranked.items() for n, doc in enumerate(docs)]
    return pd.DataFrame(rows, columns=["qid", "docno", "score"])


@pytest.fixture
def released(csfcube_home):
    """Query paper → its pool, (document, sources) in the release's order."""
    pools = {}
    for entry in irds("csfcube").pool_sources_iter():
        pools.setdefault(entry.paper_id, []).append((entry.doc_id, entry.sources))
    return pools


def cited(entries):
    """Return the number of cited papers."""
    return sum("cited" in sources for _, sources in entries)


def turns(entries):
    """Return the systems in the order of their blocks; the first source drew the candidate."""
    return list(dict.fromkeys(names[0] for _, names in entries[cited(entries) :]))


def test_the_released_pools_are_cited_papers_and_seven_equal_blocks(released):
    """In 34 of 34, cited papers come first, then a block of each method, of 33 (7) or 12 (27)."""
    sizes = []
    for entries in released.values():
        first = cited(entries)
        drew = [names[0] for _, names in entries[first:]]
        assert all("cited" in names for _, names in entries[:first])
        assert set(drew) == METHODS
        (k,) = {drew.count(method) for method in METHODS}
        assert drew == [method for method in turns(entries) for _ in range(k)]
        assert len(entries) == first + 7 * k
        sizes.append(k)
    assert len(sizes) == 34 and sorted(sizes) == [12] * 27 + [33] * 7
    every = [entry for entries in released.values() for entry in entries]
    assert (cited(every), len(every)) == (638, 4523)


def test_two_pooled_papers_are_judged_nowhere(released):
    """41022419 and 5111924, both drawn by abs_tfidf: two of each of the 50 pools."""
    ratings = {}
    for rating in irds("csfcube/all").ratings_iter():
        ratings.setdefault(rating.query_id, set()).add(rating.doc_id)
    judged = set().union(*ratings.values())
    pooled = {doc for entries in released.values() for doc, _ in entries}
    assert pooled - judged == {"41022419", "5111924"}
    for query, rated in ratings.items():
        assert len(released[query.rsplit("_", 1)[0]]) == len(rated) + 2
    assert len(ratings) == 50
    drew = {
        names[0]
        for entries in released.values()
        for doc, names in entries
        if doc in ("41022419", "5111924") and "cited" not in names
    }
    assert drew == {"abs_tfidf"}


def test_the_rule_gives_the_released_pools_back(released):
    """From rankings as the release tells of them, in its order of turns: every pool, row by row.

    A method ranks what earlier methods drew and it lists too (which it skips), then what it drew,
    then what later ones drew.
    """
    for paper, entries in released.items():
        methods, first = turns(entries), cited(entries)
        rank = {method: n for n, method in enumerate(methods)}
        runs = {}
        for method in methods:
            own = [
                (rank[names[0]], n, doc)
                for n, (doc, names) in enumerate(entries[first:])
                if method in names
            ]
            runs[method] = run(**{paper: [doc for _, _, doc in sorted(own)]})
        papers = pd.DataFrame({"qid": paper, "docno": [doc for doc, _ in entries[:first]]})
        found = make_pools(runs, (len(entries) - first) // 7, first=papers, order={paper: methods})
        assert found["docno"].tolist() == [doc for doc, _ in entries]
        drew = [names[0] for names in found["sources"][first:]]
        assert drew == [names[0] for _, names in entries[first:]]
        assert set(found["sources"][:first].str[0]) == {"cited"}


def test_depth_by_hand():
    """With c cited, x draws a b; y skips c and a, and draws d e."""
    runs = {"x": run(q="abf"), "y": run(q="cadef")}
    found = make_pools(runs, 2, first=run(q="c"), order={"q": ["x", "y"]})
    assert found["docno"].tolist() == ["c", "a", "b", "d", "e"]
    assert found["sources"].tolist() == [("cited", "y"), ("x", "y"), ("x",), ("y",), ("y",)]
    assert set(found["qid"]) == {"q"}


def test_union_by_hand():
    """First ranks come before second ranks; a shared document is pooled once, with both sources."""
    runs = {"x": run(q="abf"), "y": run(q="bcf")}
    found = make_pools(runs, 2, rule="union", order={"q": ["y", "x"]})
    assert found["docno"].tolist() == ["b", "a", "c"]
    assert found["sources"].tolist() == [("y", "x"), ("x",), ("y",)]


@pytest.mark.parametrize("rule", ["depth", "union"])
def test_a_source_is_named_once(rule):
    """Each source is named once, even if another pool had it from the same system."""
    runs = {"x": run(q="ab"), "y": run(q="ba")}
    first = make_pools({"x": runs["x"]}, 1)
    found = make_pools(runs, 1, first=first, rule=rule, order={"q": ["x", "y"]})
    assert found["docno"].tolist() == ["a", "b"]
    assert found["sources"].str[0].tolist()[0] == "x"
    assert all(len(set(names)) == len(names) for names in found["sources"])


@pytest.mark.parametrize("rule", ["depth", "union"])
def test_the_order_of_turns_is_seeded_for_each_query(rule):
    """Equal seeds give equal pools, whatever other queries there are; others differ."""
    letters = "abcdefgh"
    runs = {name: run(**dict.fromkeys(map(str, range(20)), name)) for name in letters}
    found = make_pools(runs, 1, rule=rule, seed=3)
    again = make_pools(dict(reversed(runs.items())), 1, rule=rule, seed=3)
    assert found.equals(again)
    orders = {"".join(rows["docno"]) for _, rows in found.groupby("qid")}
    assert len(orders) > 15 and all(sorted(order) == list(letters) for order in orders)
    alone = make_pools({name: r[r["qid"] == "7"] for name, r in runs.items()}, 1, rule=rule, seed=3)
    assert alone["docno"].tolist() == found[found["qid"] == "7"]["docno"].tolist()
    assert not make_pools(runs, 1, rule=rule, seed=4).equals(found)


def test_depth_has_k_for_each_system_and_no_doubles():
    """Whatever the rankings, each draws k, and the pool is the cited papers and 7 k."""
    import random

    shuffled = random.Random(0)
    docs = [f"d{n}" for n in range(200)]
    runs = {
        name: run(q=shuffled.sample(docs, 200), p=shuffled.sample(docs, 200)) for name in METHODS
    }
    first = run(q=docs[:9], p=docs[50:51])
    found = make_pools(runs, 12, first=first)
    assert not found.duplicated(["qid", "docno"]).any()
    for qid, size in (("q", 9), ("p", 1)):
        drew = found[found["qid"] == qid]["sources"].str[0]
        assert drew.value_counts().to_dict() == {"cited": size, **dict.fromkeys(METHODS, 12)}


def test_the_query_paper_is_kept_out():
    """A barred document is never pooled, and each system still draws k."""
    found = make_pools({"x": run(q="qab")}, 2, first=run(q="q"), without=run(q="q"))
    assert found["docno"].tolist() == ["a", "b"]


def test_a_run_that_is_too_short_is_told():
    """A short run is pooled, and a warning names the numbers."""
    short = "x ranks 1 documents for query q .* fewer than k = 2"
    with pytest.warns(UserWarning, match=short) as told:
        found = make_pools({"x": run(q="ca")}, 2, first=run(q="c"))
    assert found["docno"].tolist() == ["c", "a"]
    assert [warning.filename for warning in told] == [__file__]  # it says where the pool is made


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"runs": {}, "k": 2}, "nothing to pool: the runs are empty"),
        ({"runs": {"x": run()}, "k": 2}, "nothing to pool"),
        ({"runs": {"x": run(q="a")}, "k": 1, "without": run(q="a")}, "pool of query q is empty"),
        ({"runs": {"x": run(q="a")}, "k": 0}, "k=0: expected a whole number of at least 1"),
        ({"runs": {"x": run(q="a")}, "k": 1.5}, "k=1.5: expected a whole number"),
        ({"runs": {"x": run(q="a")}, "k": 1, "rule": "all"}, "expected one of 'depth', 'union'"),
        ({"runs": {"x": run(q="aa")}, "k": 1}, "Duplicate qid docno: q a"),
        ({"runs": {"x": run(q="a").assign(score=float("nan"))}, "k": 1}, "finite numbers"),
        ({"runs": {"x": run(q="a")}, "k": 1, "order": {"q": ["y"]}}, "expected each of x once"),
        ({"runs": {"cited": run(q="a")}, "k": 1}, "give it another name"),
    ],
)
@pytest.mark.filterwarnings("ignore:x ranks")
def test_bad_input(arguments, said):
    """The error names the value, what was expected, and the remedy."""
    with pytest.raises(ValueError, match=said):
        make_pools(**arguments)


def test_a_run_without_scores():
    """The error names the run and the column."""
    with pytest.raises(pt.validate.InputValidationError, match=r"run 'x'.*'score'"):
        make_pools({"x": run(q="a").drop(columns="score")}, 1)


@pytest.mark.parametrize("argument", ["first", "without"])
@pytest.mark.parametrize("missing", ["qid", "docno"])
def test_a_frame_without_a_column(argument, missing):
    """The error names the argument and the column."""
    frame = run(q="c").drop(columns=missing)
    with pytest.raises(pt.validate.InputValidationError, match=missing) as caught:
        make_pools({"x": run(q="ab")}, 1, **{argument: frame})
    assert f"make_pools({argument}=…)" in str(caught.value)


def test_sources_that_are_no_names_are_refused():
    """A text would be pooled as its letters."""
    first = run(q="c").assign(sources="cited")
    with pytest.raises(ValueError, match="Column 'sources' must hold a list"):
        make_pools({"x": run(q="ab")}, 1, first=first)
