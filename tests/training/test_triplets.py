"""Triplets of a graph of six papers, by hand."""

from collections import Counter
from itertools import islice

import numpy as np
import pytest

from pyterrier_scholarly.training import DEFINITIONS, CitationTriplets, Triplet
from pyterrier_scholarly.training.triplets import mixed

PAPERS = list("abcdef")
#: a cites b and c; b cites c and d; c cites itself and a (a loop); d cites e; e and f cite nothing
CITES = {"a": ["b", "c"], "b": ["c", "d"], "c": ["c", "a"], "d": ["e"], "e": []}


def relations(definition, cites=CITES, papers=PAPERS):
    """Related papers and hard negatives of each paper, as strings."""
    triplets = CitationTriplets(cites, papers, definition=definition)
    return {paper: tuple("".join(own) for own in triplets.related(paper)) for paper in papers}


def test_specters_relations_by_hand():
    """Cited: related. Cited by a cited paper, and not by the paper itself: a hard negative."""
    assert relations("specter") == {
        "a": ("bc", "d"),  # through c it would be a again
        "b": ("cd", "ae"),
        "c": ("a", "b"),  # not c itself, of its own loop
        "d": ("e", ""),
        "e": ("", ""),
        "f": ("", ""),
    }


def test_doris_maes_relations_by_hand():
    """Where SPECTER has hard negatives, these are related as well."""
    assert relations("doris-mae") == {
        "a": ("bcd", ""),
        "b": ("cdae", ""),
        "c": ("ab", ""),
        "d": ("e", ""),
        "e": ("", ""),
        "f": ("", ""),
    }


def test_doris_maes_triplets_by_hand():
    """One for each of 3 + 4 + 2 + 1 relations; of b the only unrelated paper is f."""
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
    """Five of each paper that cites: hard negatives first, two where there are two."""
    triplets = CitationTriplets(CITES, PAPERS)
    assert len(triplets) == len(list(triplets)) == 4 * 5
    assert [t.negative for t in triplets.of("a")][:1] == ["d"]
    assert {t.negative for t in triplets.of("a")[1:]} == {"e", "f"}
    assert {t.negative for t in triplets.of("b")[:2]} == {"a", "e"}
    assert [t.negative for t in triplets.of("b")[2:]] == ["f"] * 3
    assert {t.positive for t in triplets.of("b")} == {"c", "d"}
    assert triplets.of("e") == triplets.of("f") == []
    assert len(CitationTriplets(CITES, PAPERS, each=2)) == 4 * 2


def test_no_triplet_is_wrong_whatever_the_loops():
    """In a random graph full of loops positives are related, and negatives are not."""
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
    """Without b and e, a is still led to d by b, which is in the graph; d has nothing left."""
    assert relations("doris-mae", papers=list("acdf")) == {
        "a": ("cd", ""),
        "c": ("a", ""),
        "d": ("", ""),
        "f": ("", ""),
    }


def test_where_all_are_related():
    """No negative is left but hard ones: SPECTER has these alone, DORIS-MAE nothing."""
    cites = {"a": ["b"], "b": ["c"], "c": []}
    assert CitationTriplets(cites, list("abc")).of("a") == [Triplet("a", "b", "c")]
    assert CitationTriplets(cites, list("abc"), definition="doris-mae").of("a") == []


def test_seeds_and_passes():
    """Equal seeds, equal streams; another seed or pass draws anew; each pass has as many."""
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
    """What has neighbours is asked for them."""

    class Graph:
        def neighbours(self, paper):
            return CITES.get(paper, [])

    assert list(CitationTriplets(Graph(), PAPERS)) == list(CitationTriplets(CITES, PAPERS))


def test_mixing_keeps_everything():
    """A buffer changes the order alone, of one it does not; nothing is read ahead of it."""
    drawn = np.random.default_rng(0)
    assert sorted(mixed(range(100), 10, drawn)) == list(range(100))
    assert list(mixed(range(100), 1, drawn)) == list(range(100))
    source = iter(range(100))
    next(mixed(source, 10, drawn))
    assert next(source) == 10


def test_a_graph_without_citations_has_none():
    """Zero triplets, and an endless stream of them ends."""
    none = CitationTriplets({}, PAPERS)
    assert (len(none), list(none), list(none.endless())) == (0, [], [])


@pytest.mark.parametrize(
    "papers, settings, message",
    [
        (PAPERS, {"definition": "mine"}, "choose one of 'specter', 'doris-mae'"),
        (PAPERS, {"each": 0}, "each=0: it must be 1 at least"),
        (["a", "b"], {}, "three papers at least, each once: there are 2"),
        (["a", "b", "c", "a"], {}, "there are 4, of which 3 are different"),
    ],
)
def test_settings_that_make_no_triplets(papers, settings, message):
    """They are named when the triplets are made."""
    with pytest.raises(ValueError, match=message):
        CitationTriplets(CITES, papers, **settings)
