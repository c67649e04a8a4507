"""A run's requests: counted, in parallel, and stopped early if all would fail."""

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from threading import Lock
from typing import Any, TypeVar

from ..progress import progress
from .protocol import Messages, Reply, Request, Unanswered, as_chat

PATIENCE = 5  # requests in a row without an answer that end a run
Result = TypeVar("Result")
Labelled = Sequence[tuple[str, tuple[Any, ...]]]  # pairs of a label and arguments


class RunOver(RuntimeError):
    """Another request ended the run; the message has its error."""


class Asking:
    """A run's requests to a client, from several threads.

    Until the model has answered once, requests are sent one at a time, so a wrong key is one error.
    The run ends after an error that all requests would raise, or after `PATIENCE` requests in a row
    without an answer (each after all its tries).

    Args:
        client: a `Chat`, or what `as_chat` takes.
        prices: of a million tokens (in, out), to compute the cost; None if unknown.
    """

    def __init__(self, client: object, prices: tuple[float, float] | None = None) -> None:
        self.client, self.prices = as_chat(client), prices
        self.counts: Counter[str] = Counter()
        self._gate, self._lock = Lock(), Lock()
        self._answered, self._in_a_row = False, 0
        self._over: Exception | None = None
        self._unanswered: list[str] = []

    def __call__(self, messages: Messages, **options: Any) -> Reply:
        """Return the reply to `messages`.

        Raises:
            Unanswered: this request has no answer.
            RunOver: another request ended the run.
            Exception: this request ends the run: the client's error, or ConnectionError.
        """
        request = self.client.request(messages, **options)
        if not self._answered:
            with self._gate:
                if not self._answered:
                    return self._reply(request)
        return self._reply(request)

    def told(self, label: str, prompt: Any, *shown: Any) -> tuple[Reply | None, str]:
        """Return the reply to ``prompt.messages(*shown)``, and "" or why it has no content.

        A reply without content is counted as `refused`. A missing answer is counted as `failed`,
        and reported under `label`; the reply is then None.
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

    def count(self, **more: int) -> None:
        """Add to the counts."""
        with self._lock:
            self.counts.update(more)

    def _reply(self, request: Request) -> Reply:
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
        sides = {"tokens_in": "prompt_tokens", "tokens_out": "completion_tokens"}
        self.count(asked=1, **{name: reply.usage.get(side, 0) for name, side in sides.items()})
        return reply

    def _failure(self, error: Exception) -> Exception:
        with self._lock:
            self._in_a_row += 1
            if self._in_a_row < PATIENCE:
                return Unanswered(str(error))
            self._over = ConnectionError(
                f"Given up after {PATIENCE} requests in a row without an answer. The last: {error}"
            )
            return self._over

    def keep(self, label: str, error: Exception) -> None:
        """Report `label` as unanswered."""
        with self._lock:  # the first to come is the first in the report
            self._unanswered.append(f"{label} ({error})")

    def all(
        self,
        work: Callable[..., Result],
        labelled: Labelled,
        workers: int,
        name: str,
        counted: Sequence[str],
        verbose: bool = False,
    ) -> list[Result]:
        """Return what `in_parallel` returns for work that asks here; then report `counted`.

        Raises:
            ConnectionError: no request was answered.
        """
        try:
            results = in_parallel(work, labelled, workers, name, verbose)
        finally:
            self.report(name, *counted)
        self.require_answers()
        return results

    def require_answers(self) -> None:
        """Raise ConnectionError if no request was answered."""
        if self._unanswered and not self.counts["asked"] + self.counts["replayed"]:
            raise ConnectionError(f"Nothing was answered. First: {self._unanswered[0]}")

    def cost(self) -> float | None:
        """Return the answers' cost, in the prices' currency; None without prices."""
        if self.prices is None:
            return None
        sent, received = self.prices
        return (self.counts["tokens_in"] * sent + self.counts["tokens_out"] * received) / 1e6

    def report(self, name: str, *counted: str) -> None:
        """Print one line to stderr: the run's requests, and the counts named in `counted`."""
        shown = [f"{self.counts[key]:,} {key}" for key in ("asked", "replayed", *counted)]
        tokens = f"tokens: {self.counts['tokens_in']:,} in, {self.counts['tokens_out']:,} out"
        cost = "" if self.prices is None else f"; cost: {self.cost():,.4f}"
        first = f"; unanswered: {self._unanswered[0]}" if self._unanswered else ""
        more = f" and {len(self._unanswered) - 1} more" if len(self._unanswered) > 1 else ""
        print(f"{name}: {', '.join(shown)}; {tokens}{cost}{first}{more}", file=sys.stderr)


def in_parallel(
    work: Callable[..., Result],
    labelled: Labelled,
    workers: int,
    name: str,
    verbose: bool = False,
) -> list[Result]:
    """Call ``work(*arguments)`` for each pair of label and arguments, several at once.

    The first error cancels the calls that have not begun; its message begins with its label.

    Args:
        work: a function.
        labelled: pairs of a label and a tuple of arguments.
        workers: number of calls at once.
        name: of the progress bar; `verbose`: whether to show it.

    Returns:
        The results, in the order of `labelled`.
    """
    with (
        ThreadPoolExecutor(workers) as pool,
        progress(name, len(labelled), "request", verbose) as bar,
    ):
        futures = {pool.submit(work, *arguments): label for label, arguments in labelled}
        try:
            for future in as_completed(futures):
                error = future.exception()
                if error is not None and not isinstance(error, RunOver):
                    error.args = (f"{futures[future]}: {error}",)
                    raise error
                bar.update()
        except BaseException:  # also an interruption
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [future.result() for future in futures]
