"""Judge the result of a damage: correct, reported, or a failure."""

import re

from .kind import OWN, SAID

EQUAL, WARNED, CLEAR, OTHER = "equal", "warned", "error", "other input"
SILENT, RAW, UNCLEAR = "SILENT", "RAW", "UNCLEAR"
FINE, FAILURES = (EQUAL, WARNED, SAID, OTHER, CLEAR), (SILENT, RAW, UNCLEAR)
#: documented types of errors; subclasses in the package count, too
TYPES = {"ValueError", "OSError", "FileNotFoundError", "FileExistsError", "KeyError", "TypeError"}
TYPES |= {"Damaged", "DownloadError", "NotRecorded", "RuntimeError", "LookupError"}
#: first words of a remedy
REMEDY = re.compile(
    r"\b(call|delete|remove|correct|pass|give|set|download|choose|train|write|restore|fetch|run|make|"
    r"save|put|move|try|copy|record|import|export|unpack|use|encode|mend|check|fill|close|leave)\b",
    re.IGNORECASE,
)


def judged(kind, expected, told, path, folder):
    """Return one of FINE or FAILURES.

    expected, told: the reports of a process without damage, and with it.
    path: of the damaged file. folder: of the kind.
    """
    if told.error:
        return _of_error(kind, told, path, folder)
    new = set(told.warnings) - set(expected.warnings)
    if told.result == expected.result:
        return WARNED if new else EQUAL
    if kind.promise == OWN:
        return OTHER
    said = kind.promise == SAID and any(path.name in text for text in new)
    return SAID if said else SILENT


def _of_error(kind, told, path, folder):
    name, _, message = told.error.partition(": ")
    if kind.promise == OWN and name == "FileNotFoundError" and str(path) in message:
        return CLEAR  # the user who passed the path knows what to do
    above = [str(each) for each in path.parents if each.is_relative_to(folder)]
    return of_error(told, [path.name, *above], path, folder)


def of_error(told, names, *paths):
    """Judge an error: it needs one of `names`, and a remedy outside of `paths`."""
    name, _, message = told.error.partition(": ")
    if not told.ours or name not in TYPES:
        return RAW
    bare = message
    for path in paths:
        bare = bare.replace(str(path), "")
    return CLEAR if any(one in message for one in names) and REMEDY.search(bare) else UNCLEAR
