"""Rank papers by the cost of moving the query's sentences onto theirs [Mysore2022].

    scorer = SentenceTransport("allenai/aspire-contextualsentence-multim-compsci", "abstract")
    (Pool(dataset) >> FacetQuery(dataset) >> PaperLoader(dataset) >> scorer)(topics)

How a frame is read and encoded stands in `sentence_scorer`, with the conventions of arrays; how
transport is solved, in `sinkhorn`.

[Mysore2022] S. Mysore, A. Cohan, T. Hope: Multi-Vector Models with Textual Guidance for
    Fine-Grained Scientific Document Similarity, NAACL 2022 (ASPIRE).
"""

from dataclasses import field, replace
from typing import Literal

import numpy as np

from ..paper import Paper
from ..similarity.matches import DISTANCE, Matches, mark_best
from ..similarity.vectors import l2
from ..step import Positive
from .sentence_maxsim import split_max_sim
from .sentence_scorer import SentenceScorer
from .sinkhorn import make_blocks, measure_diameters, solve, weigh_sentences

LEAST_SHOWN_WEIGHT = 1e-12  # of a plan; pairs with less are not shown


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

    method: Literal["sinkhorn", "plan", "exact", "single", "mean"] = field(
        default="sinkhorn", kw_only=True
    )
    temperature: Positive = field(default=1.0, kw_only=True)
    blur: Positive = field(default=0.05, kw_only=True)
    title: str = field(default="{title} [SEP]", kw_only=True)

    @property
    def scales_vectors(self) -> bool:
        """Return False: distances depend on the length of vectors."""
        return False

    def prepare(self, paper: Paper) -> Paper:
        """Put the paper's title into the template."""
        return replace(paper, title=self.title.format(title=paper.title))

    def score(self, query: np.ndarray, rows: np.ndarray, lengths: np.ndarray) -> np.ndarray:
        """Return minus distances (k,)."""
        distances = np.zeros(len(lengths))
        if lengths.any():  # else there may be rows of another width
            for documents, costs, sentences in make_blocks(query, rows, lengths):
                distances[documents] = self._measure(costs, query, rows, sentences)

        # documents without sentences come last
        distances[lengths == 0] = distances.max(initial=0) + 1
        return 0 - distances  # -0.0 would be shown as such

    def _measure(
        self, costs: np.ndarray, query: np.ndarray, rows: np.ndarray, sentences: np.ndarray
    ) -> np.ndarray:
        """Return the distances (k,) of k documents; arguments: see `sinkhorn.make_blocks`."""
        if self.method == "single":
            return costs.min(axis=(0, 1))
        if self.method == "mean":
            return costs.min(axis=1).mean(axis=0)
        if self.method == "exact":
            plan_costs = []
            for padded_costs in np.moveaxis(costs, 2, 0):  # (m, n) of each document
                document_costs = padded_costs[:, np.isfinite(padded_costs[0])]
                plan = solve_exactly(document_costs, self.temperature)
                plan_costs.append((plan * document_costs).sum())
            return np.array(plan_costs)

        diameters = measure_diameters(query, rows[sentences])
        solution = solve(costs, diameters, self.temperature, self.blur)
        return solution.plan_costs if self.method == "plan" else solution.distances

    def split(self, query: np.ndarray, rows: np.ndarray, weights: np.ndarray | None) -> Matches:
        """Return the pairs that make up the distance.

        A pair's weight is what the plan moves between its sentences. For "sinkhorn", `rest` has two
        more parts: *entropy*, minus the blur times the Kullback-Leibler divergence of the plan from
        the product of the sentences' weights; and *not settled*, the effect of the plan's sums,
        which differ from these weights because the schedule ends before convergence.
        """
        if self.method == "mean":
            return split_max_sim(query, rows, "mean", "l2")
        if self.method == "single":
            return split_max_sim(query, rows, "max", "l2")

        costs = l2(query, rows)  # (m, n)
        rest = {}
        if self.method == "exact":
            plan = solve_exactly(costs, self.temperature)
        else:
            diameters = measure_diameters(query, rows[:, None])
            solution = solve(costs[:, :, None], diameters, self.temperature, self.blur)
            plan = solution.plans[:, :, 0]
        if self.method == "sinkhorn":
            entropy = -self.blur * _measure_divergence(plan, costs, self.temperature)
            not_settled = solution.plan_costs[0] - solution.distances[0] - entropy
            rest = {"entropy": entropy, "not settled": not_settled}
        matched = (plan > LEAST_SHOWN_WEIGHT) | mark_best(-costs)
        return Matches(-costs, plan, matched, DISTANCE, rest)


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


def _measure_divergence(plan: np.ndarray, costs: np.ndarray, temperature: float) -> float:
    """Return the Kullback-Leibler divergence of a plan (m, n) from both sides' weights.

    It is the sum of plan * (log(plan) - log(product of the weights)) over all pairs.
    """
    log_query, log_document = weigh_sentences(costs, temperature)
    log_products = log_query[:, None] + log_document  # (m, n)
    has_weight = plan > 0  # other pairs add nothing, because 0 log 0 is 0
    moved_weights = plan[has_weight]
    log_ratios = np.log(moved_weights) - log_products[has_weight]
    return float((moved_weights * log_ratios).sum())
