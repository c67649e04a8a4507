"""The folder of a library: which of its states is current, and who may write.

    my-library/
        pt_meta.json      PyTerrier's: which class opens the folder
        current.json      the current state, and what was said when it was built; replaced at once
        states/<name>/    a state, see `library_state`
        work/             chunks of an unfinished build; removed at its end

No path in it is absolute, so a copy works elsewhere. Readers lock nothing: they open the state that
is current, and keep it open. Writers lock the folder, and write a new state before they name it.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from ir_datasets_ext.atomic import explain_write_errors, locked, new_file, remove

from ..fingerprint import fingerprint
from ..typed_records import read_json

META, CURRENT, STATES, WORK = "pt_meta.json", "current.json", "states", "work"
ARTIFACT_TYPE, ARTIFACT_FORMAT = "papers", "folder"
MOST_KEPT_REMARKS = 1_000  # and records of the last source that could not be read
WRITE_REMEDY = "Pass a folder that you may write to."


@dataclass
class CurrentState:
    """What a library is now.

    Attributes:
        state: the folder's name below `states`.
        encoder: name of the model; None for words; "" for an object that has to be passed again.
        duplicates: records that were left out, of all sources together.
        unread: place and reason of what the last source had and could not be read.
        remarks: place and reason of what was merged, got another id, or was read otherwise than it
            stands, of all sources together.
    """

    state: str
    encoder: str | None
    duplicates: int = 0
    unread: list[list[str]] = field(default_factory=list)
    remarks: list[list[str]] = field(default_factory=list)


def read_current(library: Path) -> CurrentState:
    """Return what a library is now.

    Raises:
        FileNotFoundError: no library was built there; says whether a build was interrupted.
        ValueError: the file is damaged.
    """
    path = library / CURRENT
    try:
        content = read_json(path)
        digest = content.pop("digest")
        if digest != fingerprint(content):
            raise ValueError("it is not what was written")
        return CurrentState(**content)
    except FileNotFoundError:
        raise FileNotFoundError(_describe_no_library(library)) from None
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise ValueError(
            f"{path} is damaged ({type(error).__name__} {error}): restore it from a copy, or build "
            "the library again."
        ) from error


def _describe_no_library(library: Path) -> str:
    """Say that no library was built in a folder, or that a build was interrupted."""
    build_call = f"Papers.build({str(library)!r}, source)"
    if (library / WORK).is_dir():
        return f"A build was interrupted in {library}: run {build_call} again to resume it."
    if (library / CURRENT).is_symlink():
        return (
            f"{library / CURRENT} is a link to a file that is gone: restore it, or build the "
            f"library again, {build_call}."
        )
    return f"There is no library in {library}: make one, {build_call}, or pass another folder."


def publish(library: Path, current: CurrentState) -> None:
    """Make a state the current one, and remove the earlier ones and the work of the build."""
    meta = {
        "type": ARTIFACT_TYPE,
        "format": ARTIFACT_FORMAT,
        "package_hint": "pyterrier-scholarly",
    }
    with new_file(library / META) as file:
        file.write(json.dumps(meta, indent=2) + "\n")

    current.unread = current.unread[:MOST_KEPT_REMARKS]
    current.remarks = current.remarks[:MOST_KEPT_REMARKS]
    content = asdict(current)
    digest = fingerprint(content)
    with new_file(library / CURRENT) as file:
        file.write(json.dumps({"digest": digest, **content}, indent=1) + "\n")

    _remove_other_states(library / STATES, current.state)
    remove(library / WORK)


def _remove_other_states(states: Path, kept: str) -> None:
    """Remove all folders of states but one.

    Whoever still reads one of them is not disturbed, because its files are open.
    """
    for folder in states.iterdir():
        if folder.name != kept:  # also what a killed process left
            # At once, not file by file: a state is named by its content, so a later build of equal
            # content reuses a folder of that name, and a half-removed one would look complete.
            remove(folder)


@contextmanager
def writing(library: Path) -> Iterator[None]:
    """Be the only process that writes a library; another one waits here."""
    with locked(library / CURRENT, WRITE_REMEDY), explain_write_errors(library, WRITE_REMEDY):
        (library / STATES).mkdir(exist_ok=True)
        yield


def check_own_folder(library: Path) -> None:
    """Raise FileExistsError if a folder has files, and none of a library."""
    if not library.exists():
        return
    if not library.is_dir():
        raise FileExistsError(f"{library} is a file: choose another name.")
    names = {path.name for path in library.iterdir() if not path.name.startswith(".")}
    if names and not names & {CURRENT, WORK, STATES}:
        raise FileExistsError(
            f"{library} has other files ({min(names)} …): choose a new folder for the library."
        )


def measure_folder(folder: Path) -> int:
    """Return the bytes of all files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
