"""A run's requests: counted, in parallel, and stopped early if all would fail."""

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from threading import Lock
from typing import Any, TypeAlias, TypeVar

from ir_datasets_ext.redaction import redact_error

from ..arguments import Count, NotNegative, check_arguments
from ..progress import progress
from .client_protocol import Messages, Request, RunOver, Unanswered, as_chat
from .replies import Reply

PATIENCE = 5  # requests in a row without an answer that end a run
Result = TypeVar("Result")
Prices: TypeAlias = tuple[NotNegative, NotNegative] | None  # of a million tokens (in, out)
Labelled = Sequence[tuple[str, tuple[object, ...]]]  # pairs of a label and arguments


class Asking:
    """A run's requests to a client, from several threads.

    Until the model has answered once, requests are sent one at a time, so a wrong key is one error.
    The run ends after an error that all requests would raise, or after `PATIENCE` requests in a row
    without an answer (each after all its tries).

    client: see `as_chat`. prices: of a million tokens (in, out), for the cost; None if unknown.
    """

    @check_arguments
    def __init__(self, client: object, prices: Prices = None) -> None:
        self.client, self.prices = as_chat(client), prices
        self.counts: Counter[str] = Counter()
        self._gate, self._lock = Lock(), Lock()
        self._in_a_row = 0  # requests without an answer
        self._over: Exception | None = None
        self._unanswered: list[str] = []

    def __call__(self, messages: Messages, **options: object) -> Reply:
        """Return the reply to `messages`.

        Raises Unanswered if this request has no answer, RunOver if another one ended the run. Any
        other error ends the run: the client's, or ConnectionError.
        """
        request = self.client.request(messages, **options)
        if not self.counts["asked"]:
            with self._gate:
                if not self.counts["asked"]:
                    return self._reply(request)
        return self._reply(request)

    def told(self, label: str, prompt: Any, *shown: object) -> tuple[Reply | None, str]:
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
        empty = reply.content is None
        self.count(refused=int(empty))
        return reply, (reply.refusal or "no content") if empty else ""

    def count(self, **more: int) -> None:
        """Add to the counts."""
        with self._lock:
            self.counts.update(more)

    def keep(self, label: str, error: Exception) -> None:
        """Report `label` as unanswered."""
        with self._lock:  # the first to come is the first in the report
            self._unanswered.append(f"{label} ({error})")

    def _reply(self, request: Request) -> Reply:
        if self._over is not None:
            raise RunOver(f"The run is over: {self._over}")
        try:
            reply = self.client.reply(request)
        except (ConnectionError, TimeoutError) as error:
            redact_error(error)
            with self._lock:
                self._in_a_row += 1
                if self._in_a_row < PATIENCE:
                    raise Unanswered(str(error)) from error
                told = f"Given up after {PATIENCE} requests in a row without an answer. The last: "
                self._over = ConnectionError(f"{told}{error}")
                raise self._over from error
        except Exception as error:
            redact_error(error)  # a client of the user's own may repeat its key
            self._over = error
            raise
        if reply.replayed:
            self.count(replayed=1)
            return reply
        with self._lock:
            self._in_a_row = 0
        sent, received = (reply.usage.get(f"{of}_tokens", 0) for of in ("prompt", "completion"))
        self.count(asked=1, tokens_in=sent, tokens_out=received)
        return reply

    @check_arguments
    def all(
        self,
        work: Callable[..., Result],
        labelled: Labelled,
        workers: Count,
        name: str,
        counted: Sequence[str],
        verbose: bool = False,
    ) -> list[Result]:
        """Return `in_parallel`'s results of work that asks here, and report `counted`.

        Raises ConnectionError if no request was answered.
        """
        try:
            results = in_parallel(work, labelled, workers, name, verbose)
        finally:
            self.report(name, *counted)
        if self._unanswered and not self.counts["asked"] + self.counts["replayed"]:
            raise ConnectionError(f"Nothing was answered. The first error: {self._unanswered[0]}")
        return results

    def cost(self) -> float | None:
        """Return the answers' cost, in the prices' currency; None without prices."""
        sent, received = self.prices or (0, 0)
        cost = (self.counts["tokens_in"] * sent + self.counts["tokens_out"] * received) / 1e6
        return cost if self.prices else None

    def report(self, name: str, *counted: str) -> None:
        """Print one line to stderr: the run's requests, and the counts named in `counted`."""
        shown = [f"{self.counts[key]:,} {key}" for key in ("asked", "replayed", *counted)]
        tokens = f"tokens: {self.counts['tokens_in']:,} in, {self.counts['tokens_out']:,} out"
        cost = "" if self.prices is None else f"; cost: {self.cost():,.4f}"
        first = f"; unanswered: {self._unanswered[0]}" if self._unanswered else ""
        more = f" and {len(self._unanswered) - 1} more" if len(self._unanswered) > 1 else ""
        print(f"{name}: {', '.join(shown)}; {tokens}{cost}{first}{more}", file=sys.stderr)


@check_arguments
def in_parallel(
    work: Callable[..., Result],
    labelled: Labelled,
    workers: Count,
    name: str,
    verbose: bool = False,
) -> list[Result]:
    """Return ``work(*arguments)`` for each pair of label and arguments, `workers` at once.

    The first error, after its label, cancels the calls not begun. `name` is the progress bar's.
    """
    signs = progress(name, len(labelled), "request", verbose)
    with ThreadPoolExecutor(workers) as pool, signs as bar:
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
