"""Keep the outcomes of checks in a folder, so that an interrupted verification resumes.

::

    finished_rows = FinishedRows(folder, hash_release("csfcube"), precision="fp32")
    outcome = finished_rows.find(check)      # None if it has to run
    finished_rows.add(check, new_outcome)
"""

from dataclasses import dataclass
from pathlib import Path

import msgspec

from ..entries import Entries
from ..evaluation import printed_tables
from ..fingerprint import fingerprint
from .outcomes import Outcome, Status
from .report import DataFile, list_versions
from .row_check import Check
from .rows import PrintedRow, read_figures
from .systems import UNKNOWN


@dataclass(frozen=True)
class FinishedRows:
    """The outcomes of checks that ran, in a folder that processes may share.

    A check that depends on anything else than it did runs again: other files of the release or of
    rankings, other models, libraries, precision or printed figures.
    """

    folder: Path
    data: tuple[DataFile, ...]
    precision: str

    def __post_init__(self) -> None:
        self._store.ensure_writable()  # before the work, not after

    def find(self, check: Check) -> Outcome | None:
        """Return the outcome of a check that ran before; None if it did not."""
        key = self._compute_key(check)
        saved = self._store.get_many([key])
        if key not in saved:
            return None
        return msgspec.json.decode(saved[key], type=Outcome)

    def add(self, check: Check, outcome: Outcome) -> None:
        """Save the outcome of a check, unless it could not run, or is of a model without a hash."""
        is_known = UNKNOWN not in outcome.models.values()
        if is_known and outcome.status is not Status.NOT_RUN:
            self._store.put_many({self._compute_key(check): msgspec.json.encode(outcome)})

    @property
    def _store(self) -> Entries:
        return Entries(self.folder, remedy="Pass a `save_dir` that you can write to.")

    def _compute_key(self, check: Check) -> bytes:
        """Return a key that changes with all that the figures depend on."""
        depends_on = {
            "row": list(check.row),
            "promise": check.promise.value,
            "command": check.command,
            "printed": _list_printed_texts(check.row),
            "data": [file.sha256 for file in self.data],
            "files": check.hash_files(),
            "models": check.hash_models(),
            "precision": self.precision,
            "versions": list_versions(),
        }
        return fingerprint(depends_on).encode()


def _list_printed_texts(row: PrintedRow) -> list[str]:
    """Return what is printed in a system's row, or in the whole table of another one."""
    figures = read_figures(row)
    if len(figures):
        return [str(value) for value in figures["value"]]

    table = printed_tables(row.collection)[row.table]
    return [str(record) for record in table.to_dict("records")]
