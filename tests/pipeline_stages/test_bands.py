"""How a box's height is shared among its bands."""

from itertools import pairwise

import pytest

from pyterrier_scholarly.pipeline_stages.flow_bands import LEAST_SLOT, share_lane
from pyterrier_scholarly.pipeline_stages.pipeline_run import Lane


@pytest.mark.parametrize(
    ("lane", "sizes"),
    [
        (Lane(0.0, 1.0), [50, 139, 59, 243]),
        (Lane(0.0, 1.0), [1, 2, 1000]),
        (Lane(0.5, 0.9), [0, 3, 400, 1]),
        (Lane(0.5, 0.6), [5, 1, 1, 1]),
        (Lane(0.0, 1.0), [0, 0]),
    ],
)
def test_parts_are_in_proportion_and_leave_room_for_text(lane, sizes):
    """Heights are proportional to sizes; middles are a line of text apart, inside the lane."""
    parts = share_lane(lane, sizes)
    total = sum(part.height for part in parts)
    assert total <= lane.height + 1e-12
    for part, size in zip(parts, sizes):
        assert part.height * sum(sizes) == pytest.approx(size * total)
        assert lane.top - 1e-12 <= part.top <= part.bottom <= lane.bottom + 1e-12

    middles = [(part.top + part.bottom) / 2 for part in parts]
    least = min(LEAST_SLOT, lane.height / len(sizes))
    assert all(after - before >= least - 1e-12 for before, after in pairwise(middles))


def test_without_small_parts_the_lane_is_full():
    """Where each part has room for its text, the parts touch and fill the lane."""
    parts = share_lane(Lane(0.0, 1.0), [50, 139, 59, 243])
    assert parts[0].top == 0
    assert parts[-1].bottom == pytest.approx(1)
    assert [part.bottom for part in parts[:-1]] == pytest.approx([part.top for part in parts[1:]])
