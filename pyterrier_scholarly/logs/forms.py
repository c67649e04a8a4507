"""What a log is made of: its files, the form they have, and which columns are which."""

import csv
import json
import re
from pathlib import Path

SEPARATORS = {"csv": ",", "tsv": "\t"}
FORMS = ("parquet", "csv", "tsv", "jsonl")
SUFFIXES = {".pq": "parquet", ".tab": "tsv", ".ndjson": "jsonl", ".json": "jsonl"}
SUFFIXES |= {f".{form}": form for form in FORMS}
LOOKED_AT = 1000  # lines, for the names of columns and the number of fields

#: names of columns that are known without capitals and punctuation; the first that is there counts
KNOWN = {
    "user": "user userid uid visitor visitorid client clientid cookie session sessionid".split(),
    "time": "time timestamp datetime downloadtime date ts".split(),
    "doc": "doc docid docno document documentid paper paperid article articleid item itemid "
    "bibcode doi arxivid".split(),
}


def files_of(log):
    """The files of a log: of a path, of several, and those with a known suffix in a folder.

    What has ``://`` in it is passed on as it is, for the engine to find.

    Raises:
        FileNotFoundError: a path that leads nowhere, or a folder without such files.
    """
    paths = [log] if isinstance(log, (str, Path)) else log
    found = [file for path in paths for file in _files(path)]
    if not found:
        raise ValueError("a log of no files: expected at least one.")
    return found


def _files(path):
    if "://" in str(path):
        return [path]
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"there is no log {path}: give a file or a folder.")
    if not path.is_dir():
        return [path]
    inside = sorted(p for p in path.rglob("*") if _form(p) and p.name[0] not in "._")
    if not inside:
        raise FileNotFoundError(
            f"no file of a log in {path}: expected names that end with {', '.join(SUFFIXES)}, or "
            "these and .gz."
        )
    return inside


def form_of(files, form=None):
    """The form that all files have, `form` if it is given; ValueError if it cannot be told."""
    if form is not None:
        if not isinstance(form, str) or form not in FORMS:
            raise ValueError(f"{form!r} is no form of a log: expected one of {', '.join(FORMS)}.")
        return form
    forms = {_form(file) for file in files}
    if len(forms) > 1 or None in forms:
        some = ", ".join(str(file) for file in files[:3])
        raise ValueError(
            f"the form of {some} cannot be told: expected names "
            f"that all end alike, with one of {', '.join(SUFFIXES)} (text also .gz). Say it with "
            f"form=, one of {', '.join(FORMS)}."
        )
    return forms.pop()


def _form(file):
    """The form that a file's name tells, or None."""
    return SUFFIXES.get(Path(re.sub(r"[.]gz$", "", str(file))).suffix.lower())


def columns_of(names, given):
    """The columns that hold user, time and document: as `given`, else by their names.

    Args:
        names: of the log's columns.
        given: dict from ``"user"``, ``"time"`` and ``"doc"`` to a name, or None.

    Raises:
        ValueError: a name that is given and not there, or none that is known.
    """
    chosen, plain = {}, {}
    for name in reversed(names):
        plain[re.sub(r"[^a-z]", "", name.lower())] = name
    for what, name in given.items():
        known = [plain[word] for word in KNOWN[what] if word in plain]
        if (name is None and not known) or (name is not None and name not in names):
            wanted = f"no column {name!r}" if name is not None else f"no column known as its {what}"
            raise ValueError(
                f"the log has {wanted}: it has {', '.join(map(repr, names)) or 'none'}. Say which "
                f"it is with {what}=; without, one of {', '.join(KNOWN[what])} is looked for."
            )
        chosen[what] = known[0] if name is None else name
    return chosen


def header_of(files, form, given, first_lines):
    """Of CSV or TSV: (columns, their places, number of fields, header line or None).

    Where `given` are places, there is no header line, and a line has as many fields as most of the
    first thousand of the first file that has any.

    Args:
        first_lines: from a file and a number to that many lines.
    """
    if all(isinstance(place, int) for place in given.values()):
        widths = [len(_split(line, form)) for line in _looked_at(files, first_lines)]
        width = max(set(widths), key=widths.count, default=0)
        return given, list(given.values()), max(width, 1 + max(given.values())), None
    lines = [(file, line) for file in files for line in first_lines(file, 1)]
    if not lines:
        return given, [0, 1, 2], 3, None
    first, header = lines[0]
    names = [name.strip() for name in _split(header, form)]
    chosen = columns_of(names, given)
    for file, line in lines:
        others = {name.strip() for name in _split(line, form)}
        if line != header and others >= set(chosen.values()):
            raise ValueError(
                f"{file} begins with other columns than {first}: {line!r}, expected {header!r}. "
                "Mine files with the same columns together, or write them alike."
            )
    return chosen, [names.index(name) for name in chosen.values()], len(names), header


def _looked_at(files, first_lines):
    """The first lines of the first file that is not empty."""
    return next(filter(None, (first_lines(file, LOOKED_AT) for file in files)), [])


def _split(line, form):
    return next(csv.reader([line], delimiter=SEPARATORS[form]), [])


def json_names(files, given, first_lines):
    """The names of user, time and document in JSON lines, by the first thousand of a file."""
    names = {}
    for line in _looked_at(files, first_lines):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict):
            names.update(dict.fromkeys(row))
    if not names:
        return {what: name or what for what, name in given.items()}
    return columns_of(list(names), given)
