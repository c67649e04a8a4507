"""Query ids that name a paper and a facet."""

import pytest

from ir_datasets_ext.facets import FACETS, join, split


@pytest.mark.parametrize("facet", FACETS)
@pytest.mark.parametrize("paper", ["388", "a_b", "x_method"])
def test_split_undoes_join(paper, facet):
    """What was joined comes apart again, with underscores in the paper's id as well."""
    assert join(paper, facet) == f"{paper}_{facet}"
    assert split(join(paper, facet)) == (paper, facet)


def test_background_includes_the_objective():
    """The paper's facet background is made of two labels, the others of one."""
    assert FACETS == {
        "background": ("background", "objective"),
        "method": ("method",),
        "result": ("result",),
    }


@pytest.mark.parametrize("query_id", ["388", "388_", "_method", "388_objective", ""])
def test_ids_without_paper_or_facet_are_refused(query_id):
    """The error names the id and the facets there are."""
    with pytest.raises(ValueError, match=f"'{query_id}'.*background, method, result"):
        split(query_id)


def test_unknown_facets_are_refused():
    """The error names the facet and those there are."""
    with pytest.raises(ValueError, match=r"'title'.*background, method, result"):
        join("388", "title")
