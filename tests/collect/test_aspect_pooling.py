"""Pools by aspects: DORIS-MAE's rule on small rankings."""

import pandas as pd
import pytest

from pyterrier_scholarly.collect import aspect_pool, make_pools


def run(**ranked):
    """A run from qid to documents, best first; an id is a letter."""
    rows = [(qid, doc, -n) for qid, docs in ranked.items() for n, doc in enumerate(docs)]
    return pd.DataFrame(rows, columns=["qid", "docno", "score"])


def test_the_three_kinds_by_hand():
    """One by the query; b, found for two aspects, before c, the first for one; one per aspect."""
    found = aspect_pool(
        {"x": run(q="ad")},
        {"x": run(one="cb", two="db")},
        {"q": ["one", "two"]},
        query_k=1,
        aspects_k=1,
        aspect_k=1,
        least=0,
    )
    assert found["docno"].tolist() == ["a", "b", "c", "d"]
    assert found["sources"].tolist() == [("x",)] * 4


def test_reciprocal_ranks_break_ties():
    """Of two found for both aspects, 1/1 + 1/3 is more than 1/2 + 1/2."""
    runs = {"x": run(one="abc", two="cba")}
    found = aspect_pool({}, runs, {"q": ["one", "two"]}, aspects_k=3, aspect_k=0, least=0)
    assert found["docno"].tolist() == ["a", "c", "b"]


def test_sources_are_all_systems_that_gave_it():
    """Each name once, however often it gave the document."""
    systems = {"x": run(q="ab"), "y": run(q="ba")}
    found = aspect_pool(systems, {"y": run(one="a")}, {"q": ["one"]}, query_k=1, least=0)
    assert dict(zip(found["docno"], found["sources"])) == {"a": ("x", "y"), "b": ("y",)}


def test_only_what_may_be_kept_comes_in():
    """`keep` drops a paper of another category, and the next one is pooled."""
    found = aspect_pool(
        {"x": run(q="abc")}, {}, {"q": []}, keep=lambda qid, doc: doc != "a", query_k=1, least=0
    )
    assert found["docno"].tolist() == ["b"]


def test_a_small_pool_is_grown_as_far_as_the_runs_reach():
    """A small pool grows to `least`, or to the end of the runs if they are too short."""
    arguments = {"by_query": {"x": run(q="abcdefgh")}, "by_aspect": {}, "aspects": {"q": []}}
    assert len(aspect_pool(**arguments, query_k=2, least=5)) == 5
    assert len(aspect_pool(**arguments, query_k=2, least=80)) == 8


@pytest.mark.parametrize(
    ("least", "added"),
    [
        (4, ""),
        (5, "q"),
        (6, "q bnv"),
        (8, "q bnv"),
        (9, "q bnv r"),
        (10, "q bnv r cow"),
        (12, "q bnv r cow"),
        (13, "q bnv r cow"),  # the runs have no more
    ],
)
def test_a_pool_grows_as_in_the_released_code(least, added):
    """One more by all aspects and by the query in turn, and for each of two aspects at each second.

    The query's own list is a b c; p q r are found for both aspects, m n o for one, u v w for the
    other. The pool begins with the first of each list: a, p, m and u.
    """
    found = aspect_pool(
        {"x": run(q="abc")},
        {"x": run(one="mnopqr", two="uvwpqr")},
        {"q": ["one", "two"]},
        query_k=1,
        aspects_k=1,
        aspect_k=1,
        least=least,
    )
    assert set(found["docno"]) == set("apmu" + added) - {" "}


def test_another_system_adds_to_a_pool():
    """A pool is the `first` of the next, with its sources: 20 by ada-002 come after it."""
    core = aspect_pool({"x": run(q="ab")}, {}, {"q": []}, least=0)
    found = make_pools({"ada-002": run(q="bc")}, 1, first=core)
    assert found["docno"].tolist() == ["a", "b", "c"]
    assert found["sources"].tolist() == [("x",), ("x", "ada-002"), ("ada-002",)]


def test_an_empty_pool_is_told():
    """The error names the query and its aspects."""
    with pytest.raises(ValueError, match=r"pool of query q is empty.*\(one\)"):
        aspect_pool({"x": run(p="a")}, {}, {"q": ["one"]})
