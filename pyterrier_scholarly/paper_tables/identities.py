"""What a system is, as a short name: runs on disk are found again by it."""

from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version

from ..encoders.described import described


def fingerprint(system, data) -> str:
    """A short hash of a system, the data that it ranks, and the version of this package.

    Raises:
        Unidentified: see `described`.
    """
    try:
        release = version("pyterrier-scholarly")
    except PackageNotFoundError:  # run from a folder of sources
        release = ""
    whole = f"{described(system)}\0{data}\0{release}"
    return sha256(whole.encode()).hexdigest()[:12]
