"""How a final grade follows from those of the annotators.

>>> find_ruling(2, [2, 3])
<Ruling.ONE_KEPT: 'one_kept'>
>>> find_ruling(1, [2, 2])
<Ruling.CHANGED: 'changed'>
"""

from collections.abc import Sequence
from enum import Enum

import pandas as pd


class Ruling(Enum):
    """How a final grade follows from those of several annotators."""

    AGREED = "agreed"  # all annotators, and the final grade
    ONE_KEPT = "one_kept"  # annotators differ, the final grade is one of theirs
    OVERRULED = "overruled"  # annotators differ, the final grade is none of theirs
    CHANGED = "changed"  # annotators agree, the final grade differs


def find_ruling(final_grade: float, grades: Sequence[float]) -> Ruling | None:
    """Return the ruling; None if a grade is missing (NaN), or if there is nobody to agree."""
    has_missing = pd.isna([final_grade, *grades]).any()
    if len(grades) < 2 or has_missing:
        return None

    has_agreed = len(set(grades)) == 1
    is_kept = final_grade in grades
    if has_agreed:
        return Ruling.AGREED if is_kept else Ruling.CHANGED
    return Ruling.ONE_KEPT if is_kept else Ruling.OVERRULED
