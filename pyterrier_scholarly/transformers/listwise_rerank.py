"""Rank candidates by a language model that reads many of them at once.

    candidates = retriever >> dataset.text_loader(["title", "text"])
    candidates >> ListwiseRerank(OpenAIChat("gpt-4o"), "litsearch")

Conventions: the n candidates of a query are numbered 0 to n-1, best first. An *order* is a
permutation of these numbers. A prompt and its reply number the candidates that they show from 1.
"""

import re
from dataclasses import field, replace
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd

from ..chat import ChatRun, Job, Reply, Unanswered
from ..chat.chat_run import Prices
from ..chat.client_protocol import ChatLike
from ..choices import choose_preset
from ..protocols import LISTWISE, ListwisePrompt
from ..step import Count, Step, best_first, ranked, rows_by_query

NUMBER = re.compile("[0-9]+")  # \d and isdigit() also accept ², which int() rejects
ORDER_MARKS = re.compile(r"[\s>,\[\]]*")  # all that an order has between its numbers
#: what the line about a run counts, in this order
SHOWN_COUNTS = ("parsed", "unclear", "empty", "refused", "shrunk", "failed")


class ListwiseRerank(Step):
    """Re-rank by the order that a language model writes down: LitSearch's, or RankGPT's.

    Columns in: `qid`, `query`, `docno`, `score`, and those that the prompt shows of a candidate
    (`title` and `text`, which may be blank). Columns out: the same, with the new `score` (how
    many candidates of the query rank below, so n-1 … 0) and `rank`, rows by query and rank.
    Incoming candidates are sorted by descending score, ties by descending `docno`, as trec_eval
    reads a run, whatever the order of the frame.

    The preset ``"litsearch"`` shows the first 100 candidates at once [Ajith2024, Table 13, 3.2];
    later ones keep their order. If the model refuses (too long, contents), returns no content
    (null, not an empty text) or is cut off in its reply, the window shrinks by a fifth of its first
    size, down to half of it.
    Candidates that are never ranked keep their order. A query without an answer after all tries
    keeps its order, too, unlike in the authors' code, since a shorter request could not be
    replayed. A single candidate needs no request.

    Each run prints one line: requests asked and replayed; replies parsed, unclear (more than an
    order, or none: any number in them counts), empty, refused; windows shrunk; queries failed
    (with an unranked window); replies that were cut off, which rank nothing.

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
    preset: Literal["litsearch", "litsearch-full-paper", "rankgpt"] | ListwisePrompt = "litsearch"
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
        results = self.check(results, needed, remedy="Load texts before it (text_loader).")

        ordered = best_first(results)
        if ordered.empty:
            return ranked(ordered)
        return ranked(ordered.assign(score=self._score(prompt, ordered)))

    def prompt(self) -> ListwisePrompt:
        """Return the preset with the settings that override it."""
        overrides: dict[str, Any] = {}
        for name in ("window", "words", "candidate"):
            value = getattr(self, name)
            if value is not None:
                overrides[name] = value
        return replace(choose_preset("preset", self.preset, LISTWISE), **overrides)

    def _score(self, prompt: ListwisePrompt, ordered: pd.DataFrame) -> np.ndarray:
        """Score the rows (n,) of a frame in which each query's candidates are best first."""
        run = ChatRun(self.client, self.prices)
        queries = rows_by_query(ordered)
        jobs = []
        for rows in queries:
            candidates = ordered.iloc[rows]
            label = f"query {candidates['qid'].iloc[0]!r}"
            jobs.append(Job(label, partial(_rerank, label, run, prompt, candidates)))
        orders = run.run_all(jobs, self.workers, type(self).__name__, SHOWN_COUNTS, self.verbose)

        scores = np.empty(len(ordered))
        for rows, order in zip(queries, orders):
            below_counts = np.arange(len(order))[::-1]  # n-1 for the best, 0 for the last
            scores[rows[order]] = below_counts
        return scores


def _rerank(
    label: str, run: ChatRun, prompt: ListwisePrompt, candidates: pd.DataFrame
) -> list[int]:
    """Return the order of one query's candidates; the old one if a request is not answered.

    Args:
        label: names the query in the report if it has no answer.
        candidates: best first.
    """
    query = candidates["query"].iloc[0]
    texts = [prompt.text_of(candidate) for candidate in candidates.to_dict("records")]
    order = list(range(len(texts)))
    has_failed = False
    try:
        for start, end in list_windows(len(texts), prompt.window, prompt.stride):
            window_order = _rank_window(run, prompt, query, order[start:end], texts)
            if window_order is None:
                has_failed = True
            else:
                order[start:end] = window_order
    except Unanswered as error:
        run.report_unanswered(label, error)
        has_failed = True
        order = list(range(len(texts)))  # the old one

    run.add_counts(failed=int(has_failed))
    return order


def _rank_window(
    run: ChatRun, prompt: ListwisePrompt, query: str, window: list[int], texts: list[str]
) -> list[int] | None:
    """Return a window's candidates in the order of the model's reply; None if no reply ranks them.

    If the model refuses, or its reply is cut off, it is asked to rank fewer of the window's first
    candidates. Candidates that were not shown stay behind those that were.

    Args:
        run: sends the requests, and counts the replies by their kind.
        prompt: makes the requests.
        query: the query's text.
        window: numbers of the window's candidates, in the order so far.
        texts: of all candidates of the query, by their numbers.
    """
    if len(window) < 2:
        return window

    settings = {"temperature": prompt.temperature, "max_tokens": prompt.max_tokens}
    for attempt, size in enumerate(list_window_sizes(len(window))):
        shown_candidates = window[:size]
        hidden_candidates = window[size:]
        shown_texts = [texts[number] for number in shown_candidates]
        reply = run.send(prompt.messages(query, shown_texts), **settings)

        reply_kind = _classify_reply(reply, size)
        is_first_shrink = attempt == 1  # a window counts once, however often it shrinks
        run.add_counts(**{reply_kind: 1}, shrunk=int(is_first_shrink))

        if reply.content is not None and not reply.fault:
            order = read_order(reply.content, size)
            ranked_candidates = [shown_candidates[place] for place in order]
            return ranked_candidates + hidden_candidates
    return None


def _classify_reply(reply: Reply, size: int) -> str:
    """Return the name of the count that a reply to a window of this size adds to."""
    if reply.refusal:
        return "refused"
    content = reply.content or ""
    if not content.strip():
        return "empty"
    return "parsed" if is_order(content, size) and not reply.fault else "unclear"


def list_windows(n: int, window: int, stride: int | None = None) -> list[tuple[int, int]]:
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

    >>> list_windows(100, 40), list_windows(100, 40, 20)
    ([(0, 40)], [(60, 100), (40, 80), (20, 60), (0, 40)])
    """
    if stride is None or n <= window:
        return [(0, min(n, window))]

    starts = [*range(n - window, 0, -stride), 0]  # from the end to the front
    return [(start, start + window) for start in starts]


def list_window_sizes(first: int) -> list[int]:
    """Return the sizes to try until a window of `first` candidates is ranked, largest first.

    As LitSearch's, each is a fifth of `first` smaller, down to the half of `first`. Below 5 that
    fifth is 0 and the authors' loop never ends. Here it is at least 1, and no window has fewer than
    two candidates.

    >>> list_window_sizes(99), list_window_sizes(4), list_window_sizes(1)
    ([99, 80, 61], [4, 3, 2], [])
    """
    smallest = max(first // 2, 2)
    step = max(first // 5, 1)
    return list(range(first, smallest - 1, -step))


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
    return list(dict.fromkeys([*_find_candidates(reply, n), *range(n)]))  # each at its first place


def is_order(reply: str, n: int) -> bool:
    """Return whether a reply is only an order: numbers (one of 1…n at least), brackets, > and ,.

    >>> is_order("[2] > [1]", 4), is_order("I cannot rank these 3 papers.", 4)
    (True, False)
    """
    has_only_marks = ORDER_MARKS.fullmatch(NUMBER.sub("", reply)) is not None
    return has_only_marks and bool(_find_candidates(reply, n))


def _find_candidates(reply: str, n: int) -> list[int]:
    """Return the candidates whose numbers, 1 to n, are in a reply."""
    candidate_of_digits = {str(number + 1): number for number in range(n)}
    found = [candidate_of_digits.get(digits.lstrip("0")) for digits in NUMBER.findall(reply)]
    return [candidate for candidate in found if candidate is not None]
