"""Which records are of one paper, and what becomes of them: each is named."""

import pytest

from pyterrier_scholarly.papers import PaperRecord
from pyterrier_scholarly.papers.paper_merging import merge_papers
from pyterrier_scholarly.papers.same_papers import contradict


def record(paper_id="", title="On pruning old oaks", **fields):
    """A record of 2019 with an abstract."""
    made = PaperRecord(paper_id, title, fields.pop("abstract", "We prune."), place=f"at {paper_id}")
    return made._replace(**{"year": 2019, **fields})


def merge(*records, present=()):
    """The ids after merging, and what was said."""
    merged = merge_papers(list(present), records)
    assert not merged.unread
    said = [f"{remark.place}: {remark.reason}" for remark in merged.counts.remarks]
    return [paper.paper_id for paper in merged.records], said


ONE, TWO = {"doi": "10.1000/one"}, {"doi": "10.1000/two"}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({**ONE, "title": "Other words"}, {**ONE, "year": 2020}),
        ({}, {}),
        ({}, {"title": "On Prüning old: oaks!"}),
        ({"authors": ("Ann Oak", "Bo Elm")}, {"authors": ("Oak A.",)}),
        ({"venue": "J. Old Trees"}, {"venue": "Journal of Old Trees"}),
        ({"venue": "arXiv"}, {"venue": "Trees"}),
        (ONE, {}),
    ],
)
def test_the_same_paper(first, second):
    """By DOI, else by title and year if authors and venue do not contradict; it is named."""
    ids, said = merge(record("a", **first), record("b", **second))
    assert ids == ["a"]
    reason = "by its DOI" if first.get("doi") == second.get("doi", "") else "by title and year"
    assert said == [f"at b: b is the same paper as a, {reason}"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (ONE, TWO),
        ({"authors": ("Ann Oak",)}, {"authors": ("Bo Elm",)}),
        ({"venue": "Journal of Trees"}, {"venue": "Journal of Birds"}),
        ({"year": 2018}, {}),
        *(
            ({"title": title}, {"title": title})
            for title in ("Editorial", "On oaks", "In this issue")
        ),
    ],
)
def test_two_papers(first, second):
    """Two DOIs, contradicting authors or venues, and titles that many papers have."""
    assert merge(record("a", **first), record("b", **second)) == (["a", "b"], [])


@pytest.mark.parametrize(
    "other", [TWO, {"title": "Fish of deep seas", "authors": ("Bo Cod",)}, {"title": "Fish"}]
)
def test_a_key_alone_replaces_nothing(other):
    """In a file or a library, another paper with a key that is taken gets an id of its own."""
    first = record("a", **({} if "title" in other else ONE), authors=("Ann Oak",))
    other = record("a", **other)
    for ids, said in (merge(first, other), merge(other, present=[first])):
        assert len(ids) == 2 and ids[0] == "a"
        assert said == [f"at a: its id a is that of another paper: it is called {ids[1]}"]
    library = merge_papers([], [first, other]).records
    again = merge_papers(library, [first, other])
    assert again.records == library and again.counts.unchanged == 2


def test_records_of_the_library_are_replaced_by_their_key():
    """With another abstract or a corrected title; what a duplicate adds is kept."""
    present = record("a", authors=("Ann Oak",))
    for changes in ({"abstract": "We do not."}, {"title": "On pruning older oaks"}):
        corrected = present._replace(**changes)
        merged = merge_papers([present], [corrected])
        assert merged.records == [corrected] and merged.counts.changed == 1
    merged = merge_papers([], [record("a", abstract=""), record("b", **ONE)])
    assert merged.records == [record("a", **ONE)]
    # the third has another DOI than the paper that the first two are
    assert merge(record("a"), record("b", **ONE), record("c", **TWO))[0] == ["a", "c"]


def test_generic_titles_without_ids():
    """Such papers are told apart by their authors or abstracts, also when they come again."""
    source = [record("", "Editorial", abstract=text) for text in ("One.", "Two.", "One.")]
    merged = merge_papers([], source)
    assert [paper.paper_id for paper in merged.records] == ["editorial-2019", "editorial-2019-2"]
    again = merge_papers(merged.records, source)
    assert (again.counts.unchanged, again.counts.added, again.counts.duplicates) == (2, 0, 1)


@pytest.mark.parametrize(
    ("names", "others", "expected"),
    [
        (("Gabriel García Márquez",), ("García G.",), False),
        (("Wei Li",), ("Li Wei",), False),
        (("Jane Smith",), ("Jane Doe",), True),
        (("Bo Oak, Jr.",), ("Ann Elm", "B. Oak"), False),
        ((), ("Ann Elm",), False),
    ],
)
def test_names(names, others, expected):
    """Family names count, in whichever order a service writes them."""
    assert contradict(record(authors=names), record(authors=others)) == expected
