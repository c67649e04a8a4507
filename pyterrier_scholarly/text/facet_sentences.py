"""Find the sentences of a facet by their labels, and the facets of a text.

    >>> labels = ["background", "objective", "method"]
    >>> positions_of("background", labels)
    [0, 1]
    >>> facets_in(labels)
    ['background', 'method']

A sentence has one label: background, objective, method, result, other, or "" for none. A facet is
one of CSFCube's (*background* has the labels background and objective [Mysore2021]) or any single
label. The empty facet is the whole text. Positions of sentences count from 0.
"""

from collections.abc import Iterable, Sequence

from ir_datasets_ext.facets import FACETS


def labels_of(facet: str) -> tuple[str, ...]:
    """Return the sentence labels of a facet."""
    return FACETS.get(facet, (facet,))


def positions_of(facet: str, labels: Iterable[str]) -> list[int]:
    """Find the positions of a facet's sentences; all positions for the empty facet."""
    if not facet:
        return [position for position, _ in enumerate(labels)]

    facet_labels = labels_of(facet)
    return [position for position, label in enumerate(labels) if label in facet_labels]


def facets_in(labels: Iterable[str]) -> list[str]:
    """List the facets of a text with these sentence labels, and its labels that are in no facet."""
    present_labels = set(labels) - {""}  # a sentence without a label has the blank one

    present_facets: list[str] = []
    further_labels = set(present_labels)
    for facet, facet_labels in FACETS.items():
        if not present_labels.isdisjoint(facet_labels):
            present_facets.append(facet)
            further_labels.difference_update(facet_labels)
    return present_facets + sorted(further_labels)


def describe_missing_facet(facet: str, labels: Sequence[str]) -> str:
    """Say that no sentence of a text is of a facet, and of which facets its sentences are.

    >>> describe_missing_facet("result", ["background", "method"])
    "has no sentence of facet 'result', only of background, method"
    >>> describe_missing_facet("result", [""])
    "has no sentence of facet 'result': its one sentence has no label"
    """
    problem = f"has no sentence of facet {facet!r}"
    other_facets = facets_in(labels)
    if other_facets:
        return f"{problem}, only of {', '.join(other_facets)}"
    if not labels:
        return f"{problem}: it has no sentences"
    if len(labels) == 1:
        return f"{problem}: its one sentence has no label"
    return f"{problem}: its {len(labels)} sentences have no labels"


def select_sentences(
    sentences: Sequence[str], labels: Sequence[str], positions: Sequence[int]
) -> tuple[list[str], list[str]]:
    """Select the sentences at `positions` and their labels, in that order.

    Raises:
        ValueError: a position is outside the text.
    """
    outside = [position for position in positions if position not in range(len(sentences))]
    if outside:
        raise ValueError(
            f"no sentence at {outside}: there are {len(sentences)}; pass positions from 0."
        )

    chosen_sentences = [sentences[position] for position in positions]
    chosen_labels = [labels[position] for position in positions]
    return chosen_sentences, chosen_labels
