"""Say why a printed row has no check.

::

    explain_missing_check(PrintedRow("doris-mae", "16", "BM25"))   # "not public: …"

The reasons are facts of each paper, in its `Protocol`.
"""

from ..protocols import PROTOCOLS
from .descriptions import why_not_described
from .rows import WHOLE_TABLE, PrintedRow


def explain_missing_check(row: PrintedRow) -> str:
    """Say why a printed row has no check, after a word for the kind of reason.

    "not public": what a check would need was not published. "not run": it was, but cannot be run
    here. "quoted": the figures are of another paper. "not read": nobody has typed the table.

    Raises:
        ValueError: no reason is known, so one has to be written down, or a check.
    """
    protocol = PROTOCOLS[row.collection]
    if row.table in protocol.unpublished:
        reasons = [protocol.unpublished[row.table], *_list_loading_obstacles(row)]
        return f"not public: {'; '.join(reasons)}"
    if row.table in protocol.quoted:
        return f"quoted: {protocol.quoted[row.table]}"
    if row.table in protocol.other_tables and row.name == WHOLE_TABLE:
        other_table = protocol.other_tables[row.table]
        kind = "quoted" if other_table.was_read else "not read"
        return f"{kind}: {other_table.text}"

    reason = protocol.left_out.get(row.name) or why_not_described(row)
    if reason:
        kind = "not run" if reason.startswith("public") else "not public"
        return f"{kind}: {reason}"
    raise ValueError(f"{row}: there is no check of this row, and no reason for that.")


def _list_loading_obstacles(row: PrintedRow) -> list[str]:
    """Return why the model of a row's system cannot be loaded; [] if it can, or if it has none."""
    return [
        system.absent
        for system in PROTOCOLS[row.collection].systems
        if (row.name, row.table) in system.printed_rows and system.absent
    ]
