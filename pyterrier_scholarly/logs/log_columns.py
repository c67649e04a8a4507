"""The columns of a log that have the user, the time and the document.

>>> choose_columns(["Session-ID", "timestamp", "doi"], LogColumns())
LogColumns(user='Session-ID', time='timestamp', doc='doi')
"""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TypeAlias

Column: TypeAlias = str | int | None  #: a name, a position from 0, or None to recognise it


@dataclass(frozen=True)
class LogColumns:
    """The columns of user (or session), time and document id."""

    user: Column = None
    time: Column = None
    doc: Column = None


#: common column names, compared without capitals and punctuation; the first match wins
COMMON_NAMES = {
    "user": [
        *("user", "userid", "uid", "visitor", "visitorid", "client", "clientid", "cookie"),
        *("session", "sessionid"),
    ],
    "time": ["time", "timestamp", "datetime", "downloadtime", "date", "ts"],
    "doc": [
        *("doc", "docid", "docno", "document", "documentid", "paper", "paperid", "article"),
        *("articleid", "item", "itemid", "bibcode", "doi", "arxivid"),
    ],
}


def choose_columns(names: Iterable[str], wanted: LogColumns) -> LogColumns:
    """Choose the columns of a log among `names`: the wanted ones, else those with common names.

    Raises:
        ValueError: a wanted name is missing, or no name is known.
    """
    column_names = list(names)
    chosen: dict[str, str] = {}
    for role, wanted_name in asdict(wanted).items():
        name = _recognise(column_names, role) if wanted_name is None else wanted_name
        if not isinstance(name, str) or name not in column_names:  # `in` fails for an array
            raise ValueError(_describe_missing(column_names, role, wanted_name))
        chosen[role] = name
    return LogColumns(**chosen)


def _recognise(column_names: Sequence[str], role: str) -> str | None:
    """Return the name of the column that has a user, a time or a document, by common names.

    Case and punctuation do not count. None if no column has a common name.

    Args:
        column_names: of the log.
        role: what the column should have, a key of COMMON_NAMES.
    """
    column_of_plain_name: dict[str, str] = {}
    for column_name in column_names:
        plain_name = re.sub(r"[^a-z]", "", column_name.lower())
        column_of_plain_name.setdefault(plain_name, column_name)  # of two, the first column

    for common_name in COMMON_NAMES[role]:
        if common_name in column_of_plain_name:
            return column_of_plain_name[common_name]
    return None


def _describe_missing(column_names: Sequence[str], role: str, wanted_name: Column) -> str:
    """Return the message for a column that the log lacks."""
    missing = f"known as its {role}" if wanted_name is None else repr(wanted_name)
    present = ", ".join(repr(name) for name in column_names) or "none"
    return (
        f"the log has no column {missing}: it has {present}. Name the column with {role}=. "
        f"Recognised names: {', '.join(COMMON_NAMES[role])}."
    )


def choose_json_columns(lines: Iterable[str], wanted: LogColumns) -> LogColumns:
    """Choose the columns of JSON lines by the names in the log's first lines.

    If none of these lines is a JSON object, they are the wanted columns, else "user", "time" and
    "doc".
    """
    names: list[str] = []
    for line in lines:
        names.extend(_read_json_names(line))

    if not names:
        return LogColumns(
            user="user" if wanted.user is None else wanted.user,
            time="time" if wanted.time is None else wanted.time,
            doc="doc" if wanted.doc is None else wanted.doc,
        )

    distinct_names = dict.fromkeys(names)
    return choose_columns(distinct_names, wanted)


def _read_json_names(line: str) -> list[str]:
    """Return the names in a line's JSON object; none if it is no object."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return []
    return list(row) if isinstance(row, dict) else []
