"""Candidates ranked by a language model that sees many of them at once."""

from dataclasses import dataclass, field, replace

import numpy as np

from .. import frames
from ..chat import Asking
from ..protocols import LISTWISE, ListwisePrompt, preset
from ._listwise import reranked
from .step import Step

COUNTED = ("parsed", "unclear", "empty", "refused", "shrunk", "failed")


@dataclass(eq=False, repr=False)
class ListwiseRerank(Step):
    """Re-ranks by the order that a language model writes down: LitSearch's, or RankGPT's.

    Columns in: `qid`, `query`, `docno`, `score`, and those that the prompt shows of a candidate
    (`title` and `text`; blank ones are shown so). Columns out: the same, with the new `score` (how
    many candidates of the query rank below, so n-1 … 0) and `rank`, rows by query and rank.
    Incoming candidates count by descending score, equal scores by descending `docno`, as trec_eval
    reads a run, whatever the order of the frame.

    The preset ``"litsearch"`` shows the first 100 candidates at once [Ajith2024, Table 13, 3.2];
    what is behind them stays. Where the model refuses (too long, contents) or gives no content
    (null, not an empty text), the window loses a fifth of its first size, down to half of it. What
    is never ranked keeps its order; so does, unlike in the authors' code, a query whose request has
    no answer after all tries, since a shorter one could not be replayed. A single candidate is not
    asked about. Each run prints one line: requests asked and replayed; replies parsed, unclear
    (more than an order, or none: any number in them counts), empty, refused; windows shrunk;
    queries failed (some window not ranked).

    Args:
        client: an ``OpenAIChat(model)``, perhaps in a ``Recorded``; or any function or object that
            `FunctionChat` takes.
        preset: ``"litsearch"``, ``"litsearch-full-paper"``, ``"rankgpt"`` (windows of 20 that slide
            by 10), or a `ListwisePrompt` of your own.
        window, words, candidate: in the place of the preset's: how many candidates a prompt shows
            (200 for LitSearch's one-hop), how many words of each, and what (``"{docno}"``).
        workers: how many queries are asked about at once.
        prices: of a million tokens (in, out), for the line to show the cost.
        verbose: show progress.

    Raises:
        ValueError: an unknown preset, a window below 1; a candidate or query without text (NaN),
            repeated candidates, scores that are no numbers.
        Exception: what the client raises for more than one request (see its documentation), and
            ConnectionError when none is answered any more. It names the query.
    """

    client: object
    preset: object = "litsearch"
    window: int | None = None
    words: int | None = None
    candidate: str | None = None
    workers: int = field(default=8, compare=False)
    prices: tuple | None = field(default=None, compare=False)
    verbose: bool = field(default=False, compare=False, repr=False)

    def transform(self, results):
        """Score and rank."""
        prompt = self.prompt()
        needed = ["qid", "query", "docno", "score", *prompt.columns]
        remedy = "Load texts before it (text_loader)."
        ordered = frames.best_first(frames.check(results, self, needed, remedy=remedy))
        for column in prompt.columns:
            frames.texts_only(ordered, column, by="docno", blank=True)
        if ordered.empty:
            return frames.ranked(ordered)
        return frames.ranked(ordered.assign(score=self._scores(prompt, ordered)))

    def prompt(self) -> ListwisePrompt:
        """The prompt that the settings come to."""
        found = preset("preset", self.preset, LISTWISE)
        own = {"window": self.window, "words": self.words, "candidate": self.candidate}
        return replace(found, **{name: value for name, value in own.items() if value is not None})

    def _scores(self, prompt, ordered):
        asking = Asking(self.client, self.prices)
        groups = ordered.groupby("qid", sort=False)
        labelled = [
            (f"Query {qid!r}", (f"query {qid!r}", asking, prompt, rows)) for qid, rows in groups
        ]
        name = type(self).__name__
        orders = asking.all(reranked, labelled, self.workers, name, COUNTED, self.verbose)
        scores = np.empty(len(ordered))
        for rows, order in zip(groups.indices.values(), orders):
            scores[rows[order]] = np.arange(len(order))[::-1]
        return scores
