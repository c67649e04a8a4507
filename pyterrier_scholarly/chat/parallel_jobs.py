"""Run jobs in several threads; the first error names its job.

jobs = [Job(f"pair {number}", partial(judge_pair, pair)) for number, pair in enumerate(pairs)]
verdicts = run_in_parallel(jobs, workers=8, name="judge")
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Generic, TypeVar

from ..arguments import Count, check_arguments
from ..progress import progress
from .client_protocol import RunOver

Result = TypeVar("Result")


@dataclass(frozen=True)
class Job(Generic[Result]):
    """A function without arguments, and the label by which errors name it, such as ``pair 7``."""

    label: str
    work: Callable[[], Result]


@check_arguments
def run_in_parallel(
    jobs: Sequence[Job[Result]], workers: Count, name: str, verbose: bool = False
) -> list[Result]:
    """Return the result of each job, in their order.

    The first error, after its job's label, cancels the jobs not begun.

    Args:
        jobs: see `Job`.
        workers: how many run at once.
        name: of the progress bar.
        verbose: show progress.
    """
    with (
        ThreadPoolExecutor(workers) as pool,
        progress(name, len(jobs), "request", verbose) as bar,
    ):
        futures = [pool.submit(job.work) for job in jobs]
        label_of_future = {future: job.label for future, job in zip(futures, jobs)}
        try:
            for future in as_completed(futures):
                _check_result(future, label_of_future[future])
                bar.update()
        except BaseException:  # also an interruption
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [future.result() for future in futures]


def _check_result(future: Future, label: str) -> None:
    """Raise a finished job's error, if it has one, with the job's label before the message.

    RunOver is not raised here: the error that ended the run is another job's, which says more.
    """
    error = future.exception()
    if error is None or isinstance(error, RunOver):
        return

    capitalised_label = label[:1].upper() + label[1:]
    error.args = (f"{capitalised_label}: {error}",)
    raise error
