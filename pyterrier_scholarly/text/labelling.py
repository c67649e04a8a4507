"""Which facet each sentence of an abstract is of: a linear model, and the best sequence.

Conventions: *abstracts* are lists of lists of sentences; a *row* is one sentence of any of them, in
order; t terms, l labels. A term is a word or two neighbouring words, in lower case. A row's terms
weigh (1 + ln count) · idf, scaled to length 1; its score for a label is linear in its own terms, in
those of the sentence before and of the one behind, and in its place.
"""

import re
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np

WORD = re.compile(r"\w+|%")
NEIGHBOUR = 0.5  # weight of the sentences before and behind, in units of the sentence's own terms
PLACES = 6  # how many numbers say where in its abstract a sentence stands


class LabelModel(NamedTuple):
    """What labels sentences; `FacetLabeller` reads and writes it.

    labels: l names; number: from each term to its row below; idf (t,);
    weights (3, t, l), of a term in the sentence itself, before it, and behind it; places
    (PLACES, l); bias (l,); start (l,), of a label at the beginning; steps (l, l), of one label
    (row) before another (column). The last three are in units of log probability.
    """

    labels: tuple
    number: dict
    idf: np.ndarray
    weights: np.ndarray
    places: np.ndarray
    bias: np.ndarray
    start: np.ndarray
    steps: np.ndarray


def terms(sentence) -> list:
    """Words, then pairs of neighbouring words, in lower case.

    >>> terms("We prune trees.")
    ['we', 'prune', 'trees', 'we prune', 'prune trees']
    """
    words = WORD.findall(sentence.lower())
    return words + [f"{one} {two}" for one, two in pairwise(words)]


def term_rows(abstracts, number, idf):
    """Terms of all sentences: sparse (rows, t), each row of length 1, or zero without any term."""
    from scipy.sparse import csr_matrix, diags

    found = [
        [number[term] for term in terms(sentence) if term in number]
        for sentence in chain.from_iterable(abstracts)
    ]
    places = np.fromiter(chain.from_iterable(found), dtype=np.int32)
    ends = np.cumsum([0, *map(len, found)])
    counts = csr_matrix((np.ones(len(places)), places, ends), shape=(len(found), len(idf)))
    counts.sum_duplicates()
    counts.data = (1 + np.log(counts.data)) * np.asarray(idf)[counts.indices]
    norms = np.sqrt(np.asarray(counts.multiply(counts).sum(axis=1)).ravel())
    return diags(1 / np.where(norms > 0, norms, 1)) @ counts


def place_rows(lengths):
    """Where sentences stand in abstracts of these lengths: (rows, PLACES).

    The share of the abstract that is before (0 for the first sentence, 1 for the last) and its
    square; whether it is the first, the second, the last but one, the last.
    """
    rows = [np.empty((0, PLACES))]
    for length in lengths:
        at = np.arange(length)
        share = at / max(length - 1, 1)
        is_at = [at == place for place in (0, 1, length - 2, length - 1)]
        rows.append(np.stack([share, share**2, *is_at], axis=1))
    return np.concatenate(rows)


def beside(rows, lengths, step):
    """`rows` moved on by `step` (1 or -1) within each abstract; zero where no neighbour is."""
    moved = np.zeros_like(rows)
    if step > 0:
        moved[1:] = rows[:-1]
    else:
        moved[:-1] = rows[1:]
    ends = np.cumsum(lengths)
    edges = (ends - lengths if step > 0 else ends - 1)[np.asarray(lengths) > 0]
    moved[edges] = 0
    return moved


def label_scores(model, abstracts):
    """Scores of each label for each sentence, (rows, l), in units of log probability."""
    lengths = np.array([len(sentences) for sentences in abstracts], dtype=int)
    found = term_rows(abstracts, model.number, model.idf)
    own, before, behind = (found @ weights for weights in model.weights)
    near = beside(before, lengths, 1) + beside(behind, lengths, -1)
    return own + NEIGHBOUR * near + place_rows(lengths) @ model.places + model.bias


def best_sequences(scores, lengths, start, steps):
    """The labels whose scores, start and steps add up to most [Viterbi1967]: (rows,) numbers.

    Args:
        scores: (rows, l).
        lengths: rows of each abstract, 0 too.
        start: (l,), added for the first label.
        steps: (l, l), added for each label (column) behind another (row).
    """
    lengths = np.asarray(lengths, dtype=int)
    longest = int(lengths.max(initial=0))
    kept = np.arange(longest) < lengths[:, None]  # (abstracts, longest)
    padded = np.zeros((*kept.shape, len(start)))
    padded[kept] = scores
    chosen = np.zeros(kept.shape, dtype=int)
    if not longest:
        return chosen[kept]
    best, came = padded[:, 0] + start, np.zeros(padded.shape, dtype=int)
    for place in range(1, longest):
        through = best[:, :, None] + steps
        here = kept[:, place, None]  # a shorter abstract stays where it ended
        came[:, place] = np.where(here, through.argmax(axis=1), np.arange(len(start)))
        best = np.where(here, through.max(axis=1) + padded[:, place], best)
    chosen[:, -1] = best.argmax(axis=1)
    for place in range(longest - 1, 0, -1):
        chosen[:, place - 1] = came[np.arange(len(came)), place, chosen[:, place]]
    return chosen[kept]


def label_sentences(model, abstracts) -> list:
    """The labels of each abstract's sentences, a list of names per abstract."""
    lengths = [len(sentences) for sentences in abstracts]
    found = best_sequences(label_scores(model, abstracts), lengths, model.start, model.steps)
    names = [model.labels[number] for number in found]
    ends = np.cumsum([0, *lengths])
    return [names[one:two] for one, two in pairwise(ends)]
