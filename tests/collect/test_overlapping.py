"""The filter by words of titles."""

import pandas as pd
import pytest

from pyterrier_scholarly.collect import drop_overlapping

PAPERS = pd.DataFrame({"doc_id": ["a", "b"], "title": ["pruned trees", "all of it"]})


def asked(*rows):
    """Questions as (query, papers, source)."""
    frame = pd.DataFrame(rows, columns=["query", "doc_ids", "source"])
    return frame.assign(query_id=[f"q{n}" for n in range(len(frame))])


def test_what_is_above_its_limit_goes():
    """3 of 10 words stay for the ACL, 4 of 10 go; of others 1 of 10 stays and 2 of 10 go."""
    ten = "1 2 3 4 5 6 7"
    papers = pd.DataFrame({"doc_id": ["a"], "title": ["w x y z"]})
    rows = [
        (f"{ten} w x y", ["a"], "inline-acl"),
        (f"{ten[2:]} w x y z", ["a"], "inline-acl"),
        (f"{ten} 8 9 w", ["a"], "inline-nonacl"),
        (f"{ten} 8 w x", ["a"], "inline-nonacl"),
    ]
    kept = drop_overlapping(asked(*rows), papers)
    assert kept["query_id"].tolist() == ["q0", "q2"]
    assert kept["overlap"].tolist() == [3 / 10, 1 / 10]
    assert drop_overlapping(asked(*rows), papers, limit=0.25)["query_id"].tolist() == ["q2", "q3"]


def test_the_overlap_is_the_mean_over_papers():
    """2 of 2 words in one title, none in the other: 1/2."""
    one = asked(("pruned trees", ["a", "b"], "inline-acl"))
    assert drop_overlapping(one, PAPERS).empty
    assert drop_overlapping(one, PAPERS, limit=0.5)["overlap"].tolist() == [0.5]


def test_no_questions():
    """Zero rows in, zero rows out, with the new column."""
    out = drop_overlapping(asked(), PAPERS)
    assert len(out) == 0
    assert "overlap" in out.columns


@pytest.mark.parametrize(
    "row, limit, message",
    [
        (("a tree", ["a"], "web"), {"acl": 0.3}, "q0 have a source without a limit.*'acl'"),
        (("a tree", ["z"], "acl"), 0.3, "'q0' names z, without a title in `papers`"),
        (("a tree", [], "acl"), 0.3, "'doc_ids' must hold a list.*query_id q0"),
        ((" ", ["a"], "acl"), 0.3, "'query' must hold a text that is not empty.*query_id q0"),
        (("a tree", ["a"], "acl"), 30, r"in 0\.\.1"),
    ],
)
def test_what_cannot_be_filtered(row, limit, message):
    """The error names the question and the remedy."""
    with pytest.raises(ValueError, match=message):
        drop_overlapping(asked(row), PAPERS, limit)
