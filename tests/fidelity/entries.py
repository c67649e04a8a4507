"""Make an entry for each row of each printed table: our figure and the printed one."""

from collections import Counter
from dataclasses import dataclass

from pyterrier_scholarly import published, systems
from pyterrier_scholarly.protocols import PROTOCOLS

from .checks import outcomes
from .described import described
from .reasons import REASONS
from .statuses import CLIENT, DATA, DIFFERS, QUOTED, UNLOADED, UNPUBLISHED, UNREAD, WEIGHTS

COLLECTIONS = {
    "csfcube": "CSFCube [Mysore et al. 2021]",
    "litsearch": "LitSearch [Ajith et al. 2024]",
    "doris-mae": "DORIS-MAE [Wang et al. 2023]",
    "rhsa": "Random histogram slope analysis [Krstovski et al. 2016]",
}

#: classes of `System.encoder` that ask an API
APIS = ("OpenAIEmbeddings", "OpenAIChat")


@dataclass(frozen=True)
class Entry:
    """A row of a printed table."""

    collection: str
    table: str
    row: str
    status: str
    detail: str


def entries(data) -> list[Entry]:
    """Run every check, and return all entries in the order of the papers' tables.

    Args:
        data: function from the parts of a path to a file of real data.
    """
    checked = {(one.collection, one.table, one.row): one for one in outcomes(data)}
    found = []
    for collection in COLLECTIONS:
        keys = _keys(collection)
        rows = published(collection)[["table", "system"]].drop_duplicates()
        for number, row in rows.itertuples(index=False):
            place = (collection, number, row)
            outcome = checked.pop(place, None)
            status, detail = _checked(outcome) if outcome else _unchecked(place, keys)
            found.append(Entry(*place, status, detail))
        found += [Entry(collection, *rest) for rest in described(collection)]
        found += [Entry(collection, *rest) for rest in _other_tables(collection)]
    if checked:
        raise ValueError(f"checks of rows missing from all tables: {list(checked)}")
    return found


def _other_tables(collection):
    """Yield (table, row, status, detail) for printed tables that are no data here."""
    for number, table in PROTOCOLS[collection].other_tables.items():
        yield number, "the whole table", QUOTED if table.was_read else UNREAD, table.text


def counts(found) -> Counter:
    """Count the entries of each status."""
    return Counter(entry.status for entry in found)


def _checked(outcome):
    """Return status and detail of a checked row; raise ValueError if the check fails."""
    wrong = [cell for cell in outcome.cells if cell[1] != cell[2]]
    if {cell[0] for cell in wrong} != set(outcome.known) or not outcome.cells:
        raise ValueError(f"{outcome.command}: (column, printed, ours) differ: {wrong}")
    digits = len(outcome.cells[0][1].partition(".")[2])
    equal = len(outcome.cells) - len(wrong)
    said = [f"{equal} cells equal to {digits} decimal{'s' * (digits != 1)}: {outcome.run}"]
    said += [
        f"{column} is {ours}, printed {printed}: {outcome.known[column]}"
        for column, printed, ours in wrong
    ]
    said += [f"``{outcome.command}``", *filter(None, [outcome.note])]
    return DIFFERS if wrong else outcome.status, "; ".join(said)


def _unchecked(place, keys):
    """Return status and detail of a row without a check, from the table of systems."""
    collection, number, row = place
    for (where, table, name), known in REASONS.items():
        if where == collection and table in (number, "*") and name in (row, "*"):
            return known
    named, left_out = keys
    if row in left_out:
        return UNPUBLISHED, left_out[row]
    own = named.get((number, row))
    if own is None:
        raise ValueError(f"{place}: no system, and no reason in reasons.py: add one")
    one = own[0]
    key = " or ".join(f"``{known['key']}``" for known in own)
    if not one["encoder"]:
        return DATA, f"key {key}"
    if one["absent"]:
        return UNLOADED, f"key {key}; {one['absent']}"
    if not one["run"]:
        return UNPUBLISHED, f"key {key}; {one['note']}"
    if one["encoder"] in APIS:
        return CLIENT, f"key {key}; the API's {one['run']}"
    return WEIGHTS, f"key {key}; weights {_weights(one)}"


def _weights(row):
    """Name a system's weights: the model, and the adapter that is loaded on it."""
    adapter = row.get("adapter")
    return f"{row['run']} with the adapter {adapter}" if isinstance(adapter, str) else row["run"]


def _keys(collection):
    """Return (table, printed name) -> rows of systems, and names without a system -> reason."""
    if collection == "rhsa":
        return {}, {}
    found, known = {}, systems(collection)
    for row in known.table.to_dict("records"):
        if row["name"]:
            found.setdefault((row["table"], row["name"]), []).append(row)
    return found, known.left_out
