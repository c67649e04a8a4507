"""One run's requests: counted, in parallel, and given up where all would fail."""

import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from threading import Lock

import pyterrier as pt

from .protocol import Reply, Unanswered, as_chat

PATIENCE = 5  # requests without an answer, one after the other, until a run is given up
MILLION = 1_000_000


class RunOver(RuntimeError):
    """Another request ended the run; its error says why."""


class Asking:
    """One run's requests to a client, for several threads.

    Until a model has answered once, requests go one at a time: a wrong key is one error. After an
    error that all requests would meet, or `PATIENCE` requests in a row without an answer (of which
    each had all its tries), nothing more is asked.

    Args:
        client: a `Chat`, or what `as_chat` takes.
        prices: of a million tokens (in, out), to count the cost; None where it is not known.
    """

    def __init__(self, client, prices=None):
        self.client, self.prices, self.counts = as_chat(client), prices, Counter()
        self._gate, self._lock = Lock(), Lock()
        self._answered, self._in_a_row, self._over = False, 0, None
        self._unanswered = ()

    def __call__(self, messages, **options) -> Reply:
        """The reply to `messages`.

        Raises:
            Unanswered: this request has none.
            RunOver: another request ended the run.
            Exception: this request ends it: the client's error, or ConnectionError to give up.
        """
        request = self.client.request(messages, **options)
        if not self._answered:
            with self._gate:
                if not self._answered:
                    return self._reply(request)
        return self._reply(request)

    def told(self, label, prompt, *shown):
        """The reply to ``prompt.messages(*shown)``, and "" or why it has no content.

        Where it has none, that is counted (`failed`, without an answer, or `refused`); where there
        is no answer, the reply is None, and kept under `label` for the report.
        """
        options = {"temperature": prompt.temperature, "max_tokens": prompt.max_tokens}
        try:
            reply = self(prompt.messages(*shown), **options)
        except Unanswered as error:
            self.keep(label, error)
            self.count(failed=1)
            return None, f"not answered: {error}"
        if reply.content is None:
            self.count(refused=1)
            return reply, reply.refusal or "no content"
        return reply, ""

    def count(self, **more):
        """Add to the counts."""
        with self._lock:
            self.counts.update(more)

    def _reply(self, request):
        if self._over is not None:
            raise RunOver(f"The run is over: {self._over}")
        try:
            reply = self.client.reply(request)
        except (ConnectionError, TimeoutError) as error:
            raise self._failure(error) from error
        except Exception as error:
            self._over = error
            raise
        if reply.replayed:
            self.count(replayed=1)
            return reply
        with self._lock:
            self._answered, self._in_a_row = True, 0
        tokens = (reply.usage.get(f"{side}_tokens", 0) for side in ("prompt", "completion"))
        self.count(asked=1, **dict(zip(("tokens_in", "tokens_out"), tokens)))
        return reply

    def _failure(self, error):
        with self._lock:
            self._in_a_row += 1
            if self._in_a_row < PATIENCE:
                return Unanswered(str(error))
            self._over = ConnectionError(
                f"Given up after {PATIENCE} requests in a row without an answer. The last: {error}"
            )
            return self._over

    def keep(self, label, error):
        """Note that what `label` names goes without an answer, for the report."""
        with self._lock:  # or two threads at once keep one of the two
            self._unanswered = (*self._unanswered, f"{label} ({error})")

    def all(self, work, labelled, workers, name, counted, verbose=False) -> list:
        """What `in_parallel` returns, of work that asks here; then the report of `counted`.

        Raises:
            ConnectionError: there were requests, and no answer to any.
        """
        try:
            found = in_parallel(work, labelled, workers, name, verbose)
        finally:
            self.report(name, *counted)
        self.require_answers()
        return found

    def require_answers(self):
        """Raise ConnectionError if there were requests, and no answer to any."""
        if self._unanswered and not self.counts["asked"] + self.counts["replayed"]:
            raise ConnectionError(f"Nothing was answered. First: {self._unanswered[0]}")

    def cost(self):
        """What the answers cost, in the prices' currency; None without prices."""
        if self.prices is None:
            return None
        sent, received = self.prices
        counts = self.counts
        return (counts["tokens_in"] * sent + counts["tokens_out"] * received) / MILLION

    def report(self, name, *counted):
        """Print the run's one line to stderr: what was asked, then the counts called `counted`."""
        shown = [f"{self.counts[key]:,} {key}" for key in ("asked", "replayed", *counted)]
        tokens = f"tokens: {self.counts['tokens_in']:,} in, {self.counts['tokens_out']:,} out"
        cost = "" if self.prices is None else f"; cost: {self.cost():,.4f}"
        first = f"; unanswered: {self._unanswered[0]}" if self._unanswered else ""
        more = f" and {len(self._unanswered) - 1} more" if len(self._unanswered) > 1 else ""
        print(f"{name}: {', '.join(shown)}; {tokens}{cost}{first}{more}", file=sys.stderr)


def in_parallel(work, labelled, workers, name, verbose=False) -> list:
    """Call ``work(*arguments)`` for each pair of label and arguments, several at once.

    The first error ends it: what has not begun is left out, and the error begins with its label.

    Args:
        work: a function.
        labelled: pairs of a label and a tuple of arguments.
        workers: how many calls run at once.
        name: what the progress bar is called, `verbose` whether there is one.

    Returns:
        The results, in the order of `labelled`.
    """
    with (
        ThreadPoolExecutor(workers) as pool,
        pt.tqdm(total=len(labelled), desc=name, disable=not verbose) as bar,
    ):
        futures = {pool.submit(work, *arguments): label for label, arguments in labelled}
        try:
            for future in as_completed(futures):
                error = future.exception()
                if error is not None and not isinstance(error, RunOver):
                    error.args = (f"{futures[future]}: {error}",)
                    raise error
                bar.update()
        except BaseException:  # an interruption, too
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [future.result() for future in futures]
