"""Which questions belong to which subsets."""

import pytest

from ir_datasets_ext._litsearch_records import LitsearchQuery
from ir_datasets_ext._litsearch_subsets import QUALITIES, SOURCES, belongs_to, every_subset


@pytest.mark.parametrize(
    ("query_set", "sources"),
    [
        ("inline_acl", {"inline", "inline-acl"}),
        ("inline_nonacl", {"inline", "inline-nonacl"}),
        ("manual_acl", {"author", "author-acl2023"}),
        ("manual_iclr", {"author", "author-iclr2024"}),
        ("of another release", set()),
    ],
)
def test_a_question_belongs_to_its_source_and_what_holds_that(query_set, sources):
    """A set, the half it is of, its specificity, its quality."""
    question = LitsearchQuery("0", "Why?", query_set, "broad", 2)
    assert belongs_to(question) == {*sources, "broad", "quality-2"}


def test_every_combination_is_there_once():
    """All questions first; then none or one name of each kind, in one order."""
    subsets = every_subset()
    assert subsets[0] == ()
    assert len(subsets) == len(set(subsets)) == 63
    assert ("inline", "broad", "quality-2") in subsets
    assert ("quality-1",) in subsets
    assert {names[0] for names in subsets if names} == {*SOURCES, "broad", "specific", *QUALITIES}
