"""Rank candidates by a language model that reads many of them at once."""

import re
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated, Any

import numpy as np
import pandas as pd

from .. import frames
from ..arguments import Count, one_of
from ..chat import ChatRun, Job, Reply, Unanswered
from ..chat.chat_run import Prices
from ..chat.client_protocol import ChatLike
from ..protocols import LISTWISE, ListwisePrompt, preset
from .step import Step

NUMBER = re.compile("[0-9]+")  # \d and isdigit() also accept ², which int() rejects
BETWEEN = re.compile(r"[\s>,\[\]]*")
COUNTED = ("parsed", "unclear", "empty", "refused", "shrunk", "failed")


@dataclass(eq=False, repr=False)
class ListwiseRerank(Step):
    """Re-rank by the order that a language model writes down: LitSearch's, or RankGPT's.

    Columns in: `qid`, `query`, `docno`, `score`, and those that the prompt shows of a candidate
    (`title` and `text`, which may be blank). Columns out: the same, with the new `score` (how
    many candidates of the query rank below, so n-1 … 0) and `rank`, rows by query and rank.
    Incoming candidates are sorted by descending score, ties by descending `docno`, as trec_eval
    reads a run, whatever the order of the frame.

    The preset ``"litsearch"`` shows the first 100 candidates at once [Ajith2024, Table 13, 3.2];
    later ones keep their order. If the model refuses (too long, contents) or returns no content
    (null, not an empty text), the window shrinks by a fifth of its first size, down to half of it.
    Candidates that are never ranked keep their order. A query without an answer after all tries
    keeps its order, too, unlike in the authors' code, since a shorter request could not be
    replayed. A single candidate needs no request.

    Each run prints one line: requests asked and replayed; replies parsed, unclear (more than an
    order, or none: any number in them counts), empty, refused; windows shrunk; queries failed
    (with an unranked window).

    Args:
        client: an ``OpenAIChat(model)``, perhaps in a ``Recorded``; or any function or object that
            `FunctionChat` takes.
        preset: ``"litsearch"``, ``"litsearch-full-paper"``, ``"rankgpt"`` (windows of 20 that slide
            by 10), or a `ListwisePrompt` of your own.
        window, words, candidate: override the preset's: how many candidates a prompt shows (200 for
            LitSearch's one-hop), how many words of each, and the template (``"{docno}"``).
        workers: how many queries are sent at once.
        prices: of a million tokens (in, out), for the line to show the cost.
        verbose: show progress.

    Raises:
        ValueError: an unknown preset, a window below 1; a candidate or query without text (NaN),
            duplicate candidates, scores that are no numbers.
        Exception: what the client raises for more than one request (see its documentation), and
            ConnectionError after too many requests without an answer. It names the query.
    """

    client: ChatLike
    preset: Annotated[str, one_of(LISTWISE)] | ListwisePrompt = "litsearch"
    window: Count | None = None
    words: Count | None = None
    candidate: str | None = None
    workers: Count = field(default=8, compare=False)
    prices: Prices = field(default=None, compare=False)
    verbose: bool = field(default=False, compare=False, repr=False)

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        """Score and rank."""
        prompt = self.prompt()
        needed = ["qid", "query", "docno", "score", *prompt.columns]
        ordered = frames.best_first(
            frames.check(results, self, needed, remedy="Load texts before it (text_loader).")
        )
        for column in prompt.columns:
            frames.check_texts(ordered, column, by="docno", blank=True)
        if ordered.empty:
            return frames.ranked(ordered)
        return frames.ranked(ordered.assign(score=self._scores(prompt, ordered)))

    def prompt(self) -> ListwisePrompt:
        """Return the preset with the settings that override it."""
        own: dict[str, Any] = {n: getattr(self, n) for n in ("window", "words", "candidate")}
        own = {name: value for name, value in own.items() if value is not None}
        return replace(preset("preset", self.preset, LISTWISE), **own)

    def _scores(self, prompt: ListwisePrompt, ordered: pd.DataFrame) -> np.ndarray:
        run = ChatRun(self.client, self.prices)
        groups = ordered.groupby("qid", sort=False)
        jobs = []
        for qid, rows in groups:
            label = f"query {qid!r}"
            jobs.append(Job(label, partial(_reranked, label, run, prompt, rows)))
        orders = run.run_all(jobs, self.workers, type(self).__name__, COUNTED, self.verbose)
        scores = np.empty(len(ordered))
        for rows, order in zip(groups.indices.values(), orders):
            scores[rows[order]] = np.arange(len(order))[::-1]
        return scores


def _reranked(label: str, run: ChatRun, prompt: ListwisePrompt, rows: pd.DataFrame) -> list[int]:
    """Return the positions (0 to n-1) of one query's candidates in their new order.

    Args:
        label: names the query in the report if it has no answer.
        rows: the query's candidates, best first.
    """
    texts = [prompt.text_of(candidate) for candidate in rows.to_dict("records")]
    query, order, failed = rows["query"].iloc[0], list(range(len(rows))), False
    try:
        for start, end in spans(len(rows), prompt.window, prompt.stride):
            part = order[start:end]
            new = _ranked(run, prompt, query, part, texts)
            failed |= new is None
            order[start:end] = new or part
    except Unanswered as error:
        run.report_unanswered(label, error)
        failed, order = True, list(range(len(rows)))
    run.add_counts(failed=int(failed))
    return order


def _ranked(
    run: ChatRun, prompt: ListwisePrompt, query: str, part: list[int], texts: list[str]
) -> list[int] | None:
    """Return `part` in its new order; None if the model ranks no window of it, however short."""
    options = {"temperature": prompt.temperature, "max_tokens": prompt.max_tokens}
    for tried, size in enumerate(shrinking(len(part))):
        reply = run.send(prompt.messages(query, [texts[i] for i in part[:size]]), **options)
        run.add_counts(**{_kind(reply, size): 1}, shrunk=int(tried == 1))
        if reply.content is not None:
            return [part[i] for i in read_order(reply.content, size)] + part[size:]
    return part if len(part) < 2 else None


def _kind(reply: Reply, size: int) -> str:
    """Return the count that the reply adds to."""
    if reply.refusal:
        return "refused"
    content = reply.content or ""
    if not content.strip():
        return "empty"
    return "parsed" if is_order(content, size) else "unclear"


def spans(n: int, window: int, stride: int | None = None) -> list[tuple[int, int]]:
    """Return the windows over n candidates, in the order in which they are ranked.

    Args:
        n: number of candidates.
        window: largest number of candidates in a prompt.
        stride: None for one window over the first candidates. Else windows slide from the last
            candidates to the first, each `stride` further to the front [Sun2023], and the last
            window always begins at the front. (RankGPT's code omits that window if the numbers do
            not divide evenly, and ranks nothing if a ranking is shorter than a window.)

    Returns:
        Pairs (start, end), half open.

    >>> spans(100, 40), spans(100, 40, 20)
    ([(0, 40)], [(60, 100), (40, 80), (20, 60), (0, 40)])
    """
    if stride is None or n <= window:
        return [(0, min(n, window))]
    return [(start, start + window) for start in (*range(n - window, 0, -stride), 0)]


def shrinking(first: int) -> list[int]:
    """Return the sizes to try until a window of `first` candidates is ranked, largest first.

    As LitSearch's, each is a fifth of `first` smaller, down to the half of `first`. Below 5 that
    fifth is 0 and the authors' loop never ends. Here it is at least 1, and no window has fewer than
    two candidates.

    >>> shrinking(99), shrinking(4), shrinking(1)
    ([99, 80, 61], [4, 3, 2], [])
    """
    return list(range(first, max(first // 2, 2) - 1, -max(first // 5, 1)))


def read_order(reply: str, n: int) -> list[int]:
    """Read the order of n candidates from a reply, leniently as LitSearch does, after RankGPT.

    A prompt numbers the candidates 1…n, as in ``[2] > [1]``. Every such number counts, wherever it
    is, at its first occurrence. Candidates missing from the reply follow in their old order. A
    refusal with a number therefore moves a candidate, as in the authors' code; `is_order` finds
    such replies.

    Returns:
        A permutation of 0…n-1, best first.

    >>> read_order("[2] > [1]", 4), read_order("2,1,2,99", 4)
    ([1, 0, 2, 3], [1, 0, 2, 3])
    """
    named = dict.fromkeys(number - 1 for number in _numbers(reply, n) if 1 <= number <= n)
    return list(named | dict.fromkeys(range(n)))


def is_order(reply: str, n: int) -> bool:
    """Return whether a reply is only an order: numbers (one of 1…n at least), brackets, > and ,.

    >>> is_order("[2] > [1]", 4), is_order("I cannot rank these 3 papers.", 4)
    (True, False)
    """
    only = BETWEEN.fullmatch(NUMBER.sub("", reply)) is not None
    return only and any(1 <= number <= n for number in _numbers(reply, n))


def _numbers(reply: str, n: int) -> list[int]:
    """The numbers in a reply, without those of more digits than n, which int() may reject."""
    digits = (number.lstrip("0") for number in NUMBER.findall(reply))
    return [int(number or "0") for number in digits if len(number) <= len(str(n))]
