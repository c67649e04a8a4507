"""Which questions a dataset of LitSearch holds: by source, by specificity, by quality."""

from dataclasses import dataclass
from itertools import product
from typing import Tuple

from ir_datasets_ext._litsearch_release import Release

#: where questions are from -> the release's query_set
SOURCES = {
    "inline": ("inline_acl", "inline_nonacl"),
    "author": ("manual_acl", "manual_iclr"),
    "inline-acl": ("inline_acl",),
    "inline-nonacl": ("inline_nonacl",),
    "author-acl2023": ("manual_acl",),
    "author-iclr2024": ("manual_iclr",),
}
SPECIFICITIES = ("broad", "specific")
QUALITIES = ("quality-1", "quality-2")


def every_subset():
    """Return all combinations, () first: a list of tuples of names, in the order of an id."""
    choices = ((None, *names) for names in (SOURCES, SPECIFICITIES, QUALITIES))
    return [tuple(filter(None, names)) for names in product(*choices)]


def belongs_to(question):
    """Return the names of the subsets that a LitsearchQuery belongs to."""
    sources = {name for name, sets in SOURCES.items() if question.query_set in sets}
    return sources | {question.specificity, f"quality-{question.quality}"}


@dataclass(frozen=True)
class Subset:
    """The questions of one dataset.

    names: of the subsets whose questions it has in common; none for all questions.
    """

    release: Release
    names: Tuple[str, ...] = ()

    def questions(self):
        """Yield (LitsearchQuery, ids of the papers sought), in the release's order."""
        for question, sought in self.release.questions():
            if belongs_to(question).issuperset(self.names):
                yield question, sought

    def count(self, records):
        """Return how many `records()` yields, or None while its file is not downloaded."""
        if not self.release.sources["queries"].present():
            return None
        return sum(1 for _ in records())
