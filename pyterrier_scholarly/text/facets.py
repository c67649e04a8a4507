"""Find the sentences of a facet.

A sentence has one label: background, objective, method, result, other, or "" for none. A facet is
one of CSFCube's (*background* has the labels background and objective [Mysore2021]) or any single
label. The empty facet is the whole text.
"""

from collections.abc import Iterable, Sequence

from ir_datasets_ext.facets import FACETS


def labels_of(facet: str) -> tuple[str, ...]:
    """Return the sentence labels of a facet."""
    return FACETS.get(facet, (facet,))


def positions_of(facet: str, labels: Iterable[str]) -> list[int]:
    """Find the positions, from 0, of a facet's sentences; all positions for the empty facet."""
    wanted = labels_of(facet)
    return [position for position, label in enumerate(labels) if not facet or label in wanted]


def of_facet(
    sentences: Sequence[str], labels: Sequence[str], facet: str
) -> tuple[list[str], list[str]]:
    """Select the sentences of a facet and their labels, in order; all for the empty facet.

    Raises:
        ValueError: the number of labels is not the number of sentences.
    """
    if isinstance(labels, (str, float)) or len(labels) != len(sentences):
        raise ValueError(f"{len(sentences)} sentences need as many labels, not {labels!r}.")
    return at(sentences, labels, positions_of(facet, labels))


def at(
    sentences: Sequence[str], labels: Sequence[str], positions: Sequence[int]
) -> tuple[list[str], list[str]]:
    """Select the sentences at `positions` (from 0) and their labels, in that order.

    Raises:
        ValueError: a position is outside the text.
    """
    outside = [position for position in positions if position not in range(len(sentences))]
    if outside:
        raise ValueError(
            f"no sentence at {outside}: there are {len(sentences)}; pass positions from 0."
        )
    return [sentences[p] for p in positions], [labels[p] for p in positions]


def facets_in(labels: Iterable[str]) -> list[str]:
    """List the facets of a text with these sentence labels, and its labels that are in no facet."""
    present = set(labels)
    facets = [facet for facet, parts in FACETS.items() if set(parts) & present]
    covered = {label for facet in facets for label in FACETS[facet]}
    return facets + sorted(present - covered - {""})
