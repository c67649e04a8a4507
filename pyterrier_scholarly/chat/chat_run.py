"""A run's requests to a chat client: counted, from several threads, ended early if all would fail.

run = ChatRun(client, prices=(2.5, 10.0))

def translate(label, paper):
    messages = [{"role": "user", "content": f"In plain words: {paper.title}"}]
    return run.ask(label, messages, temperature=0).content

jobs = []
for paper in papers:
    label = f"paper {paper.doc_id}"
    jobs.append(Job(label, partial(translate, label, paper)))
titles = run.run_all(jobs, workers=8, name="translate", shown_counts=["refused", "failed"])
"""

import sys
from collections import Counter
from collections.abc import Sequence
from threading import Lock
from typing import NamedTuple, TypeAlias, TypeVar

from ..arguments import Count, NotNegative, check_arguments
from ..redaction import redact_error
from .client_protocol import ChatLike, Messages, Request, RunOver, Unanswered
from .function_chat import as_chat
from .parallel_jobs import Job, run_in_parallel
from .reply import Reply

PATIENCE = 5  # requests in a row without an answer that end a run

Result = TypeVar("Result")
Prices: TypeAlias = tuple[NotNegative, NotNegative] | None  # of a million tokens (in, out)


class Answer(NamedTuple):
    """What came of one request.

    content: the reply's text; None if it has none, or if there is no reply after all tries.
    reason: why the text must not be read: it is missing or cut off; "" if it may be read.
    """

    content: str | None
    reason: str


class ChatRun:
    """A run's requests to a client, from several threads.

    Until the model has answered once, requests are sent one at a time, so a wrong key is one error.
    The run ends after an error that all requests would raise, or after `PATIENCE` requests in a row
    without an answer (each after all its tries).

    Args:
        client: see `as_chat`.
        prices: of a million tokens (in, out), for the cost; None if unknown.

    Attributes:
        counts: by name: `asked` (answers of the model), `replayed` (answers from a store),
            `cut_off`, `tokens_in`, `tokens_out`, `refused`, `failed`, and what `add_counts` adds.
    """

    @check_arguments
    def __init__(self, client: ChatLike, prices: Prices = None) -> None:
        self.client = as_chat(client)
        self.prices = prices
        self.counts: Counter[str] = Counter()
        self._first_request = Lock()  # held until the model has answered once
        self._state = Lock()  # held while counts and the attributes below are changed
        self._silences_in_a_row = 0
        self._fatal_error: Exception | None = None
        self._unanswered: list[str] = []

    @check_arguments
    def run_all(
        self,
        jobs: Sequence[Job[Result]],
        workers: Count,
        name: str,
        shown_counts: Sequence[str],
        verbose: bool = False,
    ) -> list[Result]:
        """Return `run_in_parallel`'s results of jobs that ask here, and print the run's report.

        shown_counts: the counts that the report shows, see `print_report`.

        Raises ConnectionError if no request was answered.
        """
        try:
            results = run_in_parallel(jobs, workers, name, verbose)
        finally:
            self.print_report(name, shown_counts)

        answer_count = self.counts["asked"] + self.counts["replayed"]
        if self._unanswered and not answer_count:
            raise ConnectionError(f"Nothing was answered. The first error: {self._unanswered[0]}")
        return results

    def ask(self, label: str, messages: Messages, **options: object) -> Answer:
        """Return the answer to `messages`, also if there is none.

        A reply without content is counted as `refused`. A missing answer is counted as `failed`,
        and reported under `label`.
        """
        try:
            reply = self.send(messages, **options)
        except Unanswered as error:
            self.report_unanswered(label, error)
            self.add_counts(failed=1)
            return Answer(None, f"not answered: {error}")

        self.add_counts(refused=int(reply.content is None))
        return Answer(reply.content, reply.fault)

    def send(self, messages: Messages, **options: object) -> Reply:
        """Return the reply to `messages`.

        Raises Unanswered if this request has no answer, RunOver if another one ended the run. Any
        other error ends the run: the client's, or ConnectionError.
        """
        request = self.client.request(messages, **options)
        if self.counts["asked"]:  # the model has answered once
            return self._send_request(request)

        # Until then one request at a time: with a wrong key, the first request ends the run, and
        # those of other threads, which wait here, are never sent.
        with self._first_request:
            if not self.counts["asked"]:
                return self._send_request(request)
        # another thread's request was answered while this one waited: no need to hold the lock
        return self._send_request(request)

    def add_counts(self, **counts: int) -> None:
        """Add to the counts of these names."""
        with self._state:
            self.counts.update(counts)

    def report_unanswered(self, label: str, error: Exception) -> None:
        """Have the report name `label` as unanswered."""
        with self._state:  # the first to come is the first in the report
            self._unanswered.append(f"{label} ({error})")

    def cost(self) -> float | None:
        """Return the answers' cost, in the prices' currency; None without prices."""
        if self.prices is None:
            return None

        price_in, price_out = self.prices
        cost_in = self.counts["tokens_in"] * price_in
        cost_out = self.counts["tokens_out"] * price_out
        return (cost_in + cost_out) / 1e6

    def print_report(self, name: str, shown_counts: Sequence[str] = ()) -> None:
        """Print one line to stderr: the run's requests, and the counts named in `shown_counts`."""
        count_names = ["asked", "replayed", *shown_counts]
        counts = ", ".join(f"{self.counts[count]:,} {count}" for count in count_names)
        tokens = f"tokens: {self.counts['tokens_in']:,} in, {self.counts['tokens_out']:,} out"
        line = f"{name}: {counts}; {tokens}"

        if self.counts["cut_off"]:
            line += f"; cut off: {self.counts['cut_off']:,} (is max_tokens too small?)"
        cost = self.cost()
        if cost is not None:
            line += f"; cost: {cost:,.4f}"
        if self._unanswered:
            line += f"; unanswered: {self._unanswered[0]}"
        if len(self._unanswered) > 1:
            line += f" and {len(self._unanswered) - 1} more"
        print(line, file=sys.stderr)

    def _send_request(self, request: Request) -> Reply:
        """Return the reply to a request, and count it; errors: see `send`."""
        if self._fatal_error is not None:
            raise RunOver(f"The run is over: {self._fatal_error}")

        try:
            reply = self.client.reply(request)
        except (ConnectionError, TimeoutError) as error:
            redact_error(error)
            raise self._record_silence(error) from error
        except Exception as error:
            redact_error(error)  # a client of the user's own may repeat its key
            self._fatal_error = error
            raise

        self.add_counts(cut_off=int(reply.is_cut_off and not reply.refusal))
        if reply.replayed:
            self.add_counts(replayed=1)
        else:
            self._record_answer(reply)
        return reply

    def _record_silence(self, error: Exception) -> ConnectionError:
        """Count a request without an answer, and return the error to raise for it.

        The error is `Unanswered`; after `PATIENCE` such requests in a row, one that ends the run.
        """
        with self._state:
            self._silences_in_a_row += 1
            if self._silences_in_a_row < PATIENCE:
                return Unanswered(str(error))

            fatal_error = ConnectionError(
                f"Given up after {PATIENCE} requests in a row without an answer. The last: {error}"
            )
            self._fatal_error = fatal_error
            return fatal_error

    def _record_answer(self, reply: Reply) -> None:
        """Count an answer of the model, and its tokens."""
        with self._state:
            self._silences_in_a_row = 0
        self.add_counts(
            asked=1,
            tokens_in=reply.usage.get("prompt_tokens", 0),
            tokens_out=reply.usage.get("completion_tokens", 0),
        )
