"""Which sentences of a paper tell of a facet.

Labels are one of background, objective, method, result, other per sentence, or "" for none. A facet
is one of CSFCube's (*background* is made of the labels background and objective [Mysore2021]) or
any single label; the empty facet is the whole text.
"""

from ir_datasets_ext.facets import FACETS


def labels_of(facet) -> tuple:
    """The sentence labels that make up a facet."""
    return FACETS.get(facet, (facet,))


def of_facet(sentences, labels, facet) -> tuple[list, list]:
    """The sentences of `facet` and their labels, in order; all for the empty facet.

    Raises:
        ValueError: there is not one label per sentence.
    """
    if isinstance(labels, (str, float)) or len(labels) != len(sentences):
        raise ValueError(f"{len(sentences)} sentences need as many labels, not {labels!r}.")
    wanted = labels_of(facet)
    places = [place for place, label in enumerate(labels) if not facet or label in wanted]
    return at(sentences, labels, places)


def at(sentences, labels, positions) -> tuple[list, list]:
    """The sentences at `positions` (from 0) and their labels, in that order.

    Raises:
        ValueError: a position that is not there.
    """
    outside = [place for place in positions if place not in range(len(sentences))]
    if outside:
        raise ValueError(f"no sentence at {outside}: there are {len(sentences)}, counted from 0.")
    return [sentences[place] for place in positions], [labels[place] for place in positions]


def facets_in(labels) -> list:
    """The facets that text with these sentence labels has, single labels where they are in none."""
    named = [facet for facet, parts in FACETS.items() if set(parts) & set(labels)]
    covered = {label for facet in named for label in FACETS[facet]}
    return named + sorted(set(labels) - covered - {""})
