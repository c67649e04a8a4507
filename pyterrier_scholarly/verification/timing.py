"""How long a call takes."""

from collections.abc import Callable
from time import perf_counter


def time_call(call: Callable[[], object]) -> float:
    """Call, and return the seconds that it took."""
    start = perf_counter()
    call()
    return perf_counter() - start
