"""The archive of abstracts that CSFCube's pools were drawn from, read as a stream."""

import zipfile
import zlib

from ir_datasets_ext._csfcube_release import papers, papers_of_lines

#: the fields of a paper: what an object of these begins with is a paper, not a dict of papers
FIELDS = ("paper_id", "title", "abstract", "pred_labels", "metadata")


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
                if by_id:
                    items = ijson.kvitems(file, "", use_float=True)
                    yield from papers(path, (("paper", key, _with_id(key, p)) for key, p in items))
                else:
                    yield from papers_of_lines(path, file)
    except (zipfile.BadZipFile, zlib.error, EOFError, ijson.JSONError) as error:
        raise ValueError(
            f"{path} is truncated or corrupted ({type(error).__name__}: {_text(error)}): delete "
            "the file to download the release's"
        ) from error


def _json_file(path, names):
    found = [
        name
        for name in names
        if name.endswith((".json", ".jsonl")) and not name.startswith("__MACOSX/")
    ]
    if len(found) != 1:
        raise ValueError(
            f"{path} holds {', '.join(names) or 'nothing'}: expected one .json or .jsonl file; "
            "delete the archive to download the release's"
        )
    return found[0]


def _is_by_id(file):
    """Whether `file` is one object with papers by their id: its first key is no field of one."""
    import ijson

    for _, event, value in ijson.parse(file, multiple_values=True):
        if event == "map_key":
            return value not in FIELDS
        if event == "end_map":
            break
    return False


def _with_id(key, paper):
    return {"paper_id": key, **paper} if isinstance(paper, dict) else paper


def _text(error):
    what = error.args[0] if error.args else ""
    text = what.decode(errors="replace") if isinstance(what, bytes) else str(what)
    return (text.splitlines() or [""])[0]
