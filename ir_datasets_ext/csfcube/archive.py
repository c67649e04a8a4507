"""The archive of abstracts that CSFCube's pools were drawn from, read as a stream."""

import lzma
import zipfile
import zlib

from ir_datasets_ext.csfcube.layout import Paper
from ir_datasets_ext.records import checked, first_line, read_lines, refused

#: the fields of a paper: what an object of these begins with is a paper, not a dict of papers
FIELDS = Paper.__struct_fields__
DAMAGED = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError)
DAMAGED += (RuntimeError, NotImplementedError)  # encrypted, or packed as Python cannot unpack


def read_abstracts(path):
    """Yield the papers of the zip archive at `path` as CsfcubeDoc, in its order.

    Its one JSON file holds a paper in each line, or one object with the papers by their id; both
    are told of this archive, and both are read, a paper at a time.
    """
    import ijson

    try:
        with zipfile.ZipFile(path) as archive:
            name = _json_file(path, archive.namelist())
            with archive.open(name) as file:
                by_id = _is_by_id(file)
            with archive.open(name) as file:
                papers = _papers_by_id(path, file) if by_id else read_lines(path, file, Paper)
                for paper in papers:
                    yield paper.record()
    except (*DAMAGED, ijson.JSONError) as error:
        what = f"expected a whole zip archive without a password, got {type(error).__name__}"
        raise refused(path, "", "", f"{what}: {first_line(error)}") from error


def _json_file(path, names):
    found = [
        name
        for name in names
        if name.endswith((".json", ".jsonl")) and not name.startswith("__MACOSX/")
    ]
    if len(found) != 1:
        held = ", ".join(names) or "nothing"
        raise refused(path, "", "", f"expected one .json or .jsonl file in it, got {held}")
    return found[0]


def _papers_by_id(path, file):
    import ijson

    for key, paper in ijson.kvitems(file, "", use_float=True):
        named = {"paper_id": key, **paper} if isinstance(paper, dict) else paper
        yield checked(named, Paper, path, f"paper {key}")


def _is_by_id(file):
    """Whether `file` is one object with papers by their id: its first key is no field of one."""
    import ijson

    for _, event, value in ijson.parse(file, multiple_values=True):
        if event == "map_key":
            return value not in FIELDS
        if event == "end_map":
            break
    return False
