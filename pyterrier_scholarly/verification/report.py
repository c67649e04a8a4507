"""The report of a verification: a JSON file with figures, versions, hashes and the machine.

Conventions: a report names files, models and versions, but no folder, user or host. Its `digest` is
the sha256 of all the rest, so a change by mistake is found; see `judge_reports` for changes on
purpose. ::

    report = read_report("csfcube.json")
    print(report)                        # a line for each check
    report.count(Promise.SYSTEM)         # rows of which our system is verified
"""

import os
import platform
from collections.abc import Iterable
from contextlib import suppress
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import msgspec
from msgspec import Struct

from ir_datasets_ext.atomic import new_file
from ir_datasets_ext.files import hash_file

from ..arguments import FilePath, check_arguments
from ..typed_records import read_json
from .collection_releases import find_release
from .outcomes import Basis, Outcome, Promise, Status

#: of the layout below
FORMAT = 1
PACKAGE = "pyterrier-scholarly"
LIBRARIES = (
    PACKAGE,
    "python-terrier",
    "ir-datasets",
    "ir-measures",
    "numpy",
    "pandas",
    "scipy",
    "scikit-learn",
    "rank-bm25",
    "torch",
    "transformers",
    "sentence-transformers",
)
REMEDY = "Write it again with `pyterrier-scholarly verify papers`"


class Machine(Struct, frozen=True, forbid_unknown_fields=True):
    """What computed the figures.

    Attributes:
        system: the operating system, with its release.
        python: version.
        accelerator: the GPU's name; "" for none.
    """

    system: str
    processor: str
    cores: int
    python: str
    accelerator: str = ""


class DataFile(Struct, frozen=True, forbid_unknown_fields=True):
    """A file of a release.

    Attributes:
        sha256: of the file here.
        algorithm: of the hash that the release states; "" if it states none.
        digest: the file's, by that algorithm.
    """

    name: str
    sha256: str
    algorithm: str = ""
    digest: str = ""


class Report(Struct, frozen=True, forbid_unknown_fields=True):
    """Every checked row of a collection, and what the figures depend on.

    Attributes:
        outcomes: of the checks, in the order of the tables.
        versions: library -> its version.
        data: the files of the release that were present.
        precision: of the encoders, as it was passed.
        expected_seconds: for all rows, measured on samples before they ran.
        seconds: that the whole call took.
        format: of this layout.
        digest: of all the rest; "" while it is unknown.
    """

    collection: str
    outcomes: tuple[Outcome, ...]
    versions: dict[str, str]
    machine: Machine
    data: tuple[DataFile, ...]
    precision: str
    expected_seconds: float = 0.0
    seconds: float = 0.0
    format: int = FORMAT
    digest: str = ""

    def compute_digest(self) -> str:
        """Return the sha256 of all fields but the digest; it is the same after writing and reading.

        Raises:
            msgspec.MsgspecError: a field is NaN or infinite.
        """
        undigested = msgspec.structs.replace(self, digest="")
        # A field of floats may hold the int 1, written as "1", until it is read as the float 1.0,
        # written as "1.0". So what is hashed is written, read, and written again.
        as_read = msgspec.json.decode(msgspec.json.encode(undigested), type=Report)
        return sha256(msgspec.json.encode(as_read, order="sorted")).hexdigest()

    def count(self, promise: Promise) -> int:
        """Return the number of rows that are verified in this sense."""
        of_promise = [outcome for outcome in self.outcomes if outcome.promise is promise]
        return sum(outcome.is_verified for outcome in of_promise)

    def write(self, path: str | Path) -> Path:
        """Write the report as JSON, atomically, and return its path."""
        content = msgspec.json.format(msgspec.json.encode(self), indent=1)
        with new_file(path) as file:
            file.write(content.decode())
        return Path(path)

    def __str__(self) -> str:
        lines = [
            f"{self.collection}: measure verified {self.count(Promise.MEASURE)}, ranking verified "
            f"{self.count(Promise.RANKING)}, system verified {self.count(Promise.SYSTEM)}, "
            f"description verified {self.count(Promise.DESCRIPTION)} rows."
        ]
        for status in Status:
            of_status = [outcome for outcome in self.outcomes if outcome.status is status]
            if of_status:
                lines.append(f"{status.value}: {len(of_status)}")
                lines += [f"  {_describe_outcome(outcome)}" for outcome in of_status]
        return "\n".join(lines)


@check_arguments
def read_report(path: FilePath) -> Report:
    """Read a report; ValueError for a file of another form, or that was changed since."""
    report: Report = read_json(path, Report, REMEDY)
    if report.format != FORMAT:
        raise ValueError(f"{path}: its form is {report.format}, expected {FORMAT}. {REMEDY}.")
    try:
        digest = report.compute_digest()
    except msgspec.MsgspecError as error:
        raise ValueError(f"{path}: a field is NaN or infinite ({error}). {REMEDY}.") from error
    if report.digest != digest:
        raise ValueError(f"{path} was changed after it was written. {REMEDY}.")
    return report


def list_versions(names: Iterable[str] = LIBRARIES) -> dict[str, str]:
    """Return the versions of the libraries that are installed."""
    versions = {}
    for name in names:
        with suppress(PackageNotFoundError):
            versions[name] = version(name)
    return versions


def describe_machine() -> Machine:
    """Describe this machine, without names of hosts or users."""
    return Machine(
        system=f"{platform.system()} {platform.release()}",
        processor=platform.processor() or platform.machine(),
        cores=os.cpu_count() or 0,
        python=platform.python_version(),
        accelerator=_name_accelerator(),
    )


def hash_release(collection: str) -> tuple[DataFile, ...]:
    """Return the hashes of the release's files that are present."""
    release = find_release(collection)
    if release is None:
        return ()

    files = []
    for file in release.values():
        if not file.present():
            continue
        algorithm = file.algorithm if file.digest else ""
        digest = file.hash() if file.digest else ""
        sha256 = hash_file(file.place(), "sha256")
        files.append(DataFile(file.name, sha256, algorithm, digest))
    return tuple(files)


def _describe_outcome(outcome: Outcome) -> str:
    """Say on one line how a check ended."""
    row = f"{outcome.table}:{outcome.row}" if outcome.table else outcome.row
    source = f", {outcome.source}" if outcome.source else ""
    check = f"{row} ({outcome.promise.value}{source})"
    if outcome.reason:
        return f"{check}: {outcome.reason}"
    if outcome.status is Status.PART:
        first_cell = outcome.cells[0]  # the others are over the same part
        part = first_cell.part or f"{first_cell.queries} of {first_cell.of} queries"
        return f"{check}: {part}"

    findings = []
    for cell in outcome.differing:
        found = cell.format(cell.found)
        expected = cell.format(cell.expected)
        findings.append(f"{cell.column} is {found}, {cell.basis.value} {expected}")
    findings.append(_describe_comparison(outcome))
    return f"{check}: {'; '.join(findings)}"


def _describe_comparison(outcome: Outcome) -> str:
    """Say with what the figures of a check were compared."""
    basis = outcome.cells[0].basis  # one for all cells of a check
    if basis is Basis.PRINTED:
        return f"{len(outcome.cells)} of {outcome.printed_cells} printed cells compared"
    return f"{len(outcome.cells)} figures compared with the {basis.value}"


def _name_accelerator() -> str:
    """Return the GPU's name; "" without one, or without PyTorch."""
    with suppress(ImportError):
        import torch

        if torch.cuda.is_available():
            return torch.cuda.get_device_name()
    return ""
