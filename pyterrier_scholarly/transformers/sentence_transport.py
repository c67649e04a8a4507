"""Rank papers by the cost of moving the query's sentences onto theirs [Mysore2022].

    scorer = SentenceTransport("allenai/aspire-contextualsentence-multim-compsci", "abstract")
    (Pool(dataset) >> FacetQuery(dataset) >> PaperLoader(dataset) >> scorer)(topics)

How a frame is read and encoded stands in `sentence_scorer`, with the conventions of arrays.

A query has m sentences. k documents of similar lengths are solved together, padded to the longest,
of n sentences: k problems with costs (m, n, k), the distances of all pairs of sentences. Arrays end
in the axis of the problems, because it is the longest: numpy is fastest along it. The sentences of
each side have weights with sum 1: a softmax over minus the distance to the best match on the other
side.

`solve` is algorithm 3.5 of J. Feydy: Geometric data analysis, beyond convolutions, PhD thesis,
2020: symmetric updates while the temperature falls, then one update at the last temperature. It
equals ``geomloss.SamplesLoss("sinkhorn", p=1, blur=0.05, scaling=0.9, debias=False)`` for one pair
with these weights. Differences from the authors' code: temperatures start from the diameter of the
pair; geomloss starts from that of the whole batch, so that a distance depends on the rest of the
batch. geomloss raises distances below 0.0001 to 0.0001. Weights below e^-500 are e^-500 here.

[Mysore2022] S. Mysore, A. Cohan, T. Hope: Multi-Vector Models with Textual Guidance for
    Fine-Grained Scientific Document Similarity, NAACL 2022 (ASPIRE).
"""

from dataclasses import KW_ONLY, replace
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import log_softmax, xlogy

from ..paper import Paper
from ..similarity.matches import DISTANCE, Matches, mark_best
from ..similarity.vectors import l2
from ..step import Positive
from .sentence_maxsim import max_sim, split_max_sim
from .sentence_scorer import SentenceScorer, find_starts

NUMBERS_IN_BLOCK = 1 << 15  # of padded costs: a quarter of a megabyte, which fits into the cache
LEAST_NUMBERS = 64  # a document counts as at least so many, to limit the documents in a block
SCALING = 0.9  # the factor of the temperature per step
#: logarithm of no weight: in double precision e^-500 does not change a sum of weights, and unlike
#: -inf it gives no NaN; padding has this weight
LOG_OF_NOTHING = -500.0
LEAST_SHOWN_WEIGHT = 1e-12  # of a plan; pairs with less are not shown
#: method -> how max-sim by distances aggregates the sentences' nearest ones
AGGREGATE_OF_NEAREST = {"single": "max", "mean": "mean"}


class SentenceTransport(SentenceScorer):
    """Score papers by the cost of moving the query's sentences onto theirs [Mysore2022].

    OT-ASPIRE and TS-ASPIRE use ``context="abstract"``: the encoder reads title and sentences of a
    paper together, the vector of a sentence is the mean of its tokens, and all sentences of the
    candidate count. (The authors' code truncates papers at 500 tokens; nothing is truncated here.)

    Columns in: as for `SentenceMaxSim`, without weights. Columns out: the same and `score` and
    `rank`, rows by query and rank. `score` is minus a distance, up to 0, in the units of the
    encoder's vectors, which are not scaled to length 1. By `method`:

    ``"sinkhorn"`` (OT-ASPIRE)
        entropic optimal transport, as geomloss computes it for one pair; a sentence weighs more the
        nearer its best match is;
    ``"plan"``
        only the cost of its plan; the authors' code ranks by it, and so do the systems `ot_aspire`;
    ``"exact"``
        the cheapest transport of the same weights, by linear programming: about 30 times slower;
    ``"single"`` (TS-ASPIRE)
        the smallest distance of all pairs of sentences;
    ``"mean"`` (TS-ASPIRE as DORIS-MAE's authors ran it)
        the mean, over the query's sentences, of the distance to the document's nearest.

    A document without sentences scores 1 below the lowest of the query's others (-1 if there are
    none).

    Args:
        encoder, context, dataset, batch_size, verbose: as for `SentenceMaxSim`; ASPIRE's models
            are passed by name.
        method: see above.
        temperature: of the softmax that weights sentences, a distance above 0; "single" and "mean"
            ignore it.
        blur: the temperature at which transport ends, a distance above 0, for "sinkhorn" and
            "plan". The authors' value suits vectors about 14 apart; it blurs nearer ones more.
        title: template of the title for the encoder, as in `str.format`; ``"[SEP]"`` for no title.

    Raises:
        ValueError: see `SentenceMaxSim`; an unknown method, a temperature or blur of 0 or below.
    """

    _: KW_ONLY
    method: Literal["sinkhorn", "plan", "exact", "single", "mean"] = "sinkhorn"
    temperature: Positive = 1.0
    blur: Positive = 0.05
    title: str = "{title} [SEP]"

    scales_vectors = False  # distances depend on the length of vectors

    def prepare(self, paper: Paper) -> Paper:
        """Put the paper's title into the template."""
        return replace(paper, title=self.title.format(title=paper.title))

    def score(self, query: np.ndarray, rows: np.ndarray, lengths: np.ndarray) -> np.ndarray:
        """Return minus distances (k,)."""
        if self.method in AGGREGATE_OF_NEAREST:
            scores = max_sim(query, rows, lengths, AGGREGATE_OF_NEAREST[self.method], "l2")
        elif self.method == "exact":
            scores = np.zeros(len(lengths))
            rows_of_documents = np.split(rows, np.cumsum(lengths)[:-1])
            for number in np.flatnonzero(lengths):
                scores[number] = self.split(query, rows_of_documents[number], None).score
        else:
            scores = -self._solve_in_blocks(query, rows, lengths)

        # documents without sentences come last
        has_sentences = lengths > 0
        scores[~has_sentences] = scores[has_sentences].min(initial=0) - 1
        return scores + 0  # makes -0.0, which would be shown as such, 0.0

    def _solve_in_blocks(
        self, query: np.ndarray, rows: np.ndarray, lengths: np.ndarray
    ) -> np.ndarray:
        """Return the distances (documents,) by "sinkhorn" or "plan"; 0 without sentences."""
        distances = np.zeros(len(lengths))
        costs_of_rows = l2(query, rows)  # (m, all sentences)
        first_rows = find_starts(lengths)

        for documents in group_by_length(lengths, len(query)):  # (k,)
            positions, is_padding = pad_positions(lengths[documents])  # (n, k)
            padded_rows = first_rows[documents] + positions  # (n, k)
            costs = costs_of_rows[:, padded_rows]  # (m, n, k)
            costs[:, is_padding] = np.inf  # so nothing moves to padding

            diameters = measure_diameters(query, rows[padded_rows])  # (k,)
            solution = solve(costs, diameters, self.temperature, self.blur)
            is_plan = self.method == "plan"
            distances[documents] = solution.plan_costs if is_plan else solution.distances
        return distances

    def split(self, query: np.ndarray, rows: np.ndarray, weights: np.ndarray | None) -> Matches:
        """Return the pairs that make up the distance.

        A pair's weight is what the plan moves between its sentences. For "sinkhorn", `rest` has two
        more parts: *entropy*, minus the blur times the Kullback-Leibler divergence of the plan from
        the product of the sentences' weights; and *not settled*, the effect of the plan's sums,
        which differ from these weights because the schedule ends before convergence.
        """
        if self.method in AGGREGATE_OF_NEAREST:
            return split_max_sim(query, rows, AGGREGATE_OF_NEAREST[self.method], "l2")

        costs = l2(query, rows)  # (m, n)
        if self.method == "exact":
            return match_by_plan(costs, solve_exactly(costs, self.temperature))

        # `solve` takes many documents; this one is its only problem
        diameters = measure_diameters(query, rows[:, None])
        solution = solve(costs[:, :, None], diameters, self.temperature, self.blur)
        plan = solution.plans[:, :, 0]  # (m, n)
        matches = match_by_plan(costs, plan)
        if self.method == "plan":
            return matches

        # the divergence is the sum of plan * (log(plan) - log(product)) over all pairs
        log_query, log_document = weigh_sentences(costs, self.temperature)
        log_products = log_query[:, None] + log_document  # (m, n)
        divergence = (xlogy(plan, plan) - plan * log_products).sum()
        entropy = -self.blur * divergence

        not_settled = solution.plan_costs[0] - solution.distances[0] - entropy
        return matches._replace(rest={"entropy": entropy, "not settled": not_settled})


def group_by_length(lengths: np.ndarray, query_size: int) -> list[np.ndarray]:
    """Divide the documents with sentences into blocks of similar lengths, longest first.

    A block is one document, or as many as have at most NUMBERS_IN_BLOCK costs when all are padded
    to the longest.
    """
    longest_first = np.argsort(-lengths, kind="stable")
    remaining = longest_first[: np.count_nonzero(lengths)]  # those without sentences are last
    blocks = []
    while len(remaining):
        costs_per_document = query_size * lengths[remaining[0]]
        block_size = max(1, NUMBERS_IN_BLOCK // max(costs_per_document, LEAST_NUMBERS))
        blocks.append(remaining[:block_size])
        remaining = remaining[block_size:]
    return blocks


def pad_positions(lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the positions of k documents' sentences, padded to the longest, and what is padding.

    Both are (n, k): a column per document, of which a shorter one repeats its last sentence.

    >>> positions, is_padding = pad_positions(np.array([3, 1]))
    >>> positions.tolist()
    [[0, 0], [1, 0], [2, 0]]
    >>> is_padding.tolist()
    [[False, False], [False, True], [False, True]]
    """
    positions_of_longest = np.arange(lengths.max())[:, None]  # (n, 1)
    last_positions = lengths - 1  # (k,)
    is_padding = positions_of_longest > last_positions
    return np.minimum(positions_of_longest, last_positions), is_padding


def match_by_plan(costs: np.ndarray, plan: np.ndarray) -> Matches:
    """Return the pairs of sentences with what a plan (m, n) moves between them at costs (m, n)."""
    is_shown = (plan > LEAST_SHOWN_WEIGHT) | mark_best(-costs)
    return Matches(-costs, plan, is_shown, DISTANCE)


class Solution(NamedTuple):
    """k solved problems of m sentences against n.

    Attributes:
        plans: (m, n, k), the weight that moves between two sentences. The sum is 1 up to a percent,
            because the schedule ends before convergence.
        plan_costs: (k,), weight times cost, added up.
        distances: (k,), with entropy.
    """

    plans: np.ndarray
    plan_costs: np.ndarray
    distances: np.ndarray


def measure_diameters(query: np.ndarray, documents: np.ndarray) -> np.ndarray:
    """Return geomloss's upper bounds (k,) of the distances between a query and documents.

    They are the diagonals of the bounding boxes of the query and each document.

    Args:
        query, documents: (m, d) and (n, k, d).
    """
    low_corners = np.minimum(documents.min(axis=0), query.min(axis=0))  # (k, d)
    high_corners = np.maximum(documents.max(axis=0), query.max(axis=0))
    diagonals = np.subtract(high_corners, low_corners, dtype=np.float64)
    return np.linalg.norm(diagonals, axis=1)


def solve(costs: np.ndarray, diameters: np.ndarray, temperature: float, blur: float) -> Solution:
    """Solve k problems of transport.

    Args:
        costs: (m, n, k), inf beyond the end of a document.
        diameters: (k,), upper bounds of the costs; the first temperatures.
        temperature: of the softmax for the sentences' weights.
        blur: the last temperature.
    """
    log_query, log_document = weigh_sentences(costs, temperature)
    finite_costs = np.where(np.isinf(costs), 0, costs)  # padding moves nothing, at any cost
    problems = Problems(finite_costs, log_query, log_document)
    temperatures, step_counts = plan_temperatures(diameters, blur)

    # 1. start: an update from potentials of 0, at the first temperatures
    f, g = problems.update(np.zeros_like(log_query), np.zeros_like(log_document), temperatures[0])

    # 2. cool down: at each step half the way to the updated potentials, as geomloss
    for step, step_temperatures in enumerate(temperatures):
        new_f, new_g = problems.update(f, g, step_temperatures)
        is_running = step < step_counts  # a problem whose schedule has ended stays
        f = np.where(is_running, (f + new_f) / 2, f)
        g = np.where(is_running, (g + new_g) / 2, g)

    # 3. finish: an update at the blur, all the way
    f, g = problems.update(f, g, temperatures[-1])

    plans = problems.make_plans(f, g, temperatures[-1])
    plan_costs = (plans * finite_costs).sum(axis=(0, 1))
    # by duality, a distance is the sum of both sides' weights times their potentials
    query_sums = (np.exp(log_query) * f).sum(axis=0)
    document_sums = (np.exp(log_document) * g).sum(axis=0)
    return Solution(plans, plan_costs, query_sums + document_sums)


class Problems(NamedTuple):
    """k problems of m sentences against n, for `solve`.

    Their unknowns are the dual potentials f (m, k) of the query's sentences and g (n, k) of the
    documents'. At a temperature, potentials make a plan: the weight that moves between two
    sentences is ``query_weight * document_weight * exp((f + g - cost) / temperature)``.
    Temperatures are (k,). All is computed by logarithms, because weights can be tiny.

    Attributes:
        costs: (m, n, k), finite.
        log_query: (m, k), logarithms of the weights of the query's sentences.
        log_document: (n, k), of the documents' sentences.
    """

    costs: np.ndarray
    log_query: np.ndarray
    log_document: np.ndarray

    def make_plans(self, f: np.ndarray, g: np.ndarray, temperatures: np.ndarray) -> np.ndarray:
        """Return the weights (m, n, k) that move between sentences."""
        query_terms = f / temperatures + self.log_query  # (m, k)
        document_terms = g / temperatures + self.log_document  # (n, k)
        log_plans = self.costs / -temperatures  # (m, n, k)
        log_plans += query_terms[:, None] + document_terms
        return np.exp(log_plans, out=log_plans)

    def update(
        self, f: np.ndarray, g: np.ndarray, temperatures: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the potentials after a Sinkhorn step of both sides at once.

        With the new potentials of one side, and the old ones of the other, a plan moves exactly the
        weights of the first side's sentences.
        """
        plans = self.make_plans(f, g, temperatures)
        log_moved_from_query = np.log(plans.sum(axis=1))  # (m, k)
        log_moved_to_document = np.log(plans.sum(axis=0))  # (n, k)

        # a sentence that moves more than its weight gets a lower potential
        new_f = f - temperatures * (log_moved_from_query - self.log_query)
        new_g = g - temperatures * (log_moved_to_document - self.log_document)
        return new_f, new_g


def weigh_sentences(costs: np.ndarray, temperature: float) -> tuple[np.ndarray, np.ndarray]:
    """Return logarithms of the weights of both sides' sentences, (m, …) and (n, …).

    costs: (m, n, …), inf beyond the end of a document.
    """
    log_query = log_softmax(-costs.min(axis=1) / temperature, axis=0)
    log_document = log_softmax(-costs.min(axis=0) / temperature, axis=0)
    return np.maximum(log_query, LOG_OF_NOTHING), np.maximum(log_document, LOG_OF_NOTHING)


def plan_temperatures(diameters: np.ndarray, blur: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the temperatures (steps, k) of k problems, and the number of steps (k,) of each.

    As in geomloss: the diameter twice, falling temperatures above the blur, then the blur. For a
    diameter of 4, a blur of 1 and a factor of 0.5 that is 4, 4, 2, 1. Shorter schedules are filled
    up with the blur.
    """
    # a pair of equal points moves nothing, at any temperature
    first_temperatures = np.where(diameters > 0, diameters, blur)

    # how many temperatures, scaled again and again from the first, are above the blur: (k,)
    exact_counts = np.log(blur / first_temperatures) / np.log(SCALING)
    falling_counts = np.ceil(exact_counts).clip(min=0).astype(int)

    # those of all problems, (most of these counts, k); where one has no more, the blur
    powers = np.arange(falling_counts.max())[:, None]
    falling_temperatures = first_temperatures * SCALING**powers
    falling_temperatures = np.where(powers < falling_counts, falling_temperatures, blur)

    # two more: the first temperature once more before them, and the blur after them
    last_temperatures = np.full(len(diameters), blur)
    temperatures = np.vstack([first_temperatures, falling_temperatures, last_temperatures])
    step_counts = falling_counts + 2
    return temperatures, step_counts


def solve_exactly(costs: np.ndarray, temperature: float) -> np.ndarray:
    """Return the cheapest plan (m, n) for costs (m, n), by linear programming.

    At most m + n - 1 of its numbers are above 0: few enough to draw as matches.
    """
    from scipy.optimize import linprog

    m, n = costs.shape
    log_query, log_document = weigh_sentences(costs, temperature)
    query_weights = np.exp(log_query)  # (m,)
    document_weights = np.exp(log_document)  # (n,)

    # a plan's m * n weights are the unknowns; each row below adds up those of one sentence
    leaving = np.repeat(np.eye(m), n, axis=1)  # (m, m * n)
    arriving = np.tile(np.eye(n), m)  # (n, m * n)

    # One equation follows from the others, and with rounding they could contradict each other. The
    # heaviest sentence's is dropped: rounding cannot make its weight negative.
    is_kept = np.arange(n) != document_weights.argmax()
    solution = linprog(
        costs.ravel(),
        A_eq=np.concatenate([leaving, arriving[is_kept]]),
        b_eq=np.concatenate([query_weights, document_weights[is_kept]]),
    )
    assert solution.success, solution.message  # weights with equal sums always have a plan
    return solution.x.reshape(m, n)
