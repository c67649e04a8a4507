"""Triplets of a graph of six papers, derived by hand."""

from collections import Counter
from itertools import islice

import numpy as np
import pytest

from pyterrier_scholarly.training import DEFINITIONS, CitationTriplets, Triplet
from pyterrier_scholarly.training.triplets import mix

PAPERS = list("abcdef")
#: a cites b and c; b cites c and d; c cites itself and a (a loop); d cites e; e and f cite nothing
CITES = {"a": ["b", "c"], "b": ["c", "d"], "c": ["c", "a"], "d": ["e"], "e": []}


def relations(definition, cites=CITES, papers=PAPERS):
    """Return related papers and hard negatives of each paper, as strings."""
    triplets = CitationTriplets(cites, papers, definition=definition)
    return {paper: tuple("".join(own) for own in triplets.related(paper)) for paper in papers}


def test_specters_relations_by_hand():
    """Cited papers are related; what only these cite is a hard negative."""
    assert relations("specter") == {
        "a": ("bc", "d"),  # through c it would be a again
        "b": ("cd", "ae"),
        "c": ("a", "b"),  # not c itself, of its own loop
        "d": ("e", ""),
        "e": ("", ""),
        "f": ("", ""),
    }


def test_doris_maes_relations_by_hand():
    """SPECTER's hard negatives are related here."""
    assert relations("doris-mae") == {
        "a": ("bcd", ""),
        "b": ("cdae", ""),
        "c": ("ab", ""),
        "d": ("e", ""),
        "e": ("", ""),
        "f": ("", ""),
    }


def test_doris_maes_triplets_by_hand():
    """There is one triplet per relation, 3 + 4 + 2 + 1; b's only unrelated paper is f."""
    triplets = CitationTriplets(CITES, PAPERS, definition="doris-mae")
    found = list(triplets)
    assert len(found) == len(triplets) == 3 + 4 + 2 + 1
    pairs = Counter((anchor, positive) for anchor, positive, _ in found)
    assert pairs == Counter(zip("aaabbbbccd", "bcdcdaeabe"))
    negatives = {anchor: {t.negative for t in found if t.anchor == anchor} for anchor in "abcd"}
    assert negatives["b"] == {"f"}
    assert negatives["a"] == {"e", "f"}  # three relations, two papers left
    assert negatives["c"] <= set("def")
    assert negatives["d"] <= set("abcf")


def test_specters_triplets_by_hand():
    """Each citing paper has five triplets: up to two with hard negatives come first."""
    triplets = CitationTriplets(CITES, PAPERS)
    assert len(triplets) == len(list(triplets)) == 4 * 5
    assert [t.negative for t in triplets.triplets_of("a")][:1] == ["d"]
    assert {t.negative for t in triplets.triplets_of("a")[1:]} == {"e", "f"}
    assert {t.negative for t in triplets.triplets_of("b")[:2]} == {"a", "e"}
    assert [t.negative for t in triplets.triplets_of("b")[2:]] == ["f"] * 3
    assert {t.positive for t in triplets.triplets_of("b")} == {"c", "d"}
    assert triplets.triplets_of("e") == triplets.triplets_of("f") == []
    assert len(CitationTriplets(CITES, PAPERS, each=2)) == 4 * 2


def test_no_triplet_is_wrong_whatever_the_loops():
    """In a random graph with many loops, positives are related and negatives are not."""
    make = np.random.default_rng(0)
    papers = [str(number) for number in range(30)]
    cites = {paper: [*map(str, make.integers(40, size=make.integers(6)))] for paper in papers}
    for definition in DEFINITIONS:
        triplets = CitationTriplets(cites, papers, definition=definition, seed=3)
        for anchor, positive, negative in triplets:
            related = triplets.related(anchor)
            assert positive in related.positive
            assert negative not in {anchor, *related.positive}
            assert {anchor, positive, negative} <= set(papers)
        assert len(list(triplets)) == len(triplets) > 100


def test_papers_outside_take_no_part_but_lead_on():
    """Without the papers b and e, b still connects a to d; d has no relation left."""
    assert relations("doris-mae", papers=list("acdf")) == {
        "a": ("cd", ""),
        "c": ("a", ""),
        "d": ("", ""),
        "f": ("", ""),
    }


def test_where_all_are_related():
    """If only hard negatives are left, SPECTER uses them, and DORIS-MAE has no triplet."""
    cites = {"a": ["b"], "b": ["c"], "c": []}
    assert CitationTriplets(cites, list("abc")).triplets_of("a") == [Triplet("a", "b", "c")]
    assert CitationTriplets(cites, list("abc"), definition="doris-mae").triplets_of("a") == []


def test_seeds_and_passes():
    """Equal seeds give equal streams; another seed or pass draws others, as many."""
    first = CitationTriplets(CITES, PAPERS, seed=1)
    assert list(first) == list(CitationTriplets(CITES, PAPERS, seed=1))
    assert list(first) != list(CitationTriplets(CITES, PAPERS, seed=2))
    assert list(first.epoch(0)) != list(first.epoch(1))
    assert list(islice(first.endless(), 30)) == [*first.epoch(0), *islice(first.epoch(1), 10)]


def test_the_order_of_papers_and_citations_is_nothing():
    """The order of a set differs between processes: triplets do not depend on it."""
    papers = [f"paper {number}" for number in range(50)]
    cites = {paper: papers[place + 1 : place + 9] for place, paper in enumerate(papers)}
    turned = {paper: cited[::-1] for paper, cited in cites.items()}
    ordered = list(CitationTriplets(cites, papers))
    assert list(CitationTriplets(turned, papers[::-1])) == ordered
    assert list(CitationTriplets(cites, set(papers))) == ordered


def test_a_graph_object_is_a_graph():
    """An object with `neighbours` serves as a graph."""

    class Graph:
        def neighbours(self, paper):
            return CITES.get(paper, [])

    assert list(CitationTriplets(Graph(), PAPERS)) == list(CitationTriplets(CITES, PAPERS))


def test_mixing_keeps_everything():
    """A buffer changes only the order, a buffer of 1 nothing; it reads no further than its size."""
    drawn = np.random.default_rng(0)
    assert sorted(mix(range(100), 10, drawn)) == list(range(100))
    assert list(mix(range(100), 1, drawn)) == list(range(100))
    source = iter(range(100))
    next(mix(source, 10, drawn))
    assert next(source) == 10


def test_a_graph_without_citations_has_none():
    """Without citations there are no triplets, and the endless stream ends."""
    none = CitationTriplets({}, PAPERS)
    assert (len(none), list(none), list(none.endless())) == (0, [], [])


@pytest.mark.parametrize(
    "papers, settings, message",
    [
        (PAPERS, {"definition": "mine"}, "expected one of 'specter', 'doris-mae'"),
        (PAPERS, {"each": 0}, "each=0: expected a whole number of at least 1"),
        (["a", "b"], {}, "least three papers, without duplicates: there are 2"),
        (["a", "b", "c", "a"], {}, "there are 4, 3 of them different"),
    ],
)
def test_settings_that_make_no_triplets(papers, settings, message):
    """Malformed settings raise when the triplets are created."""
    with pytest.raises(ValueError, match=message):
        CitationTriplets(CITES, papers, **settings)
