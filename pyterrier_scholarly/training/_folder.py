"""What a training leaves on disk: its settings, checkpoints to go on from, and the model."""

import json
from pathlib import Path

import pyterrier as pt

from ir_datasets_ext.store import read_json

AGAIN = "Remove the folder to train again, or restore the file from a copy."
SETTINGS, CHECKPOINTS, MODEL, LOSSES = "training.json", "checkpoints", "model", "losses.json"


def claim(folder, settings) -> Path:
    """`folder` as the place of a training with these settings, new or begun before.

    Raises:
        ValueError: another training is there, or something else; says what differs. Its settings
            are damaged.
    """
    folder = Path(folder)
    said = json.loads(json.dumps(settings))  # tuples as lists, as they come back
    path = folder / SETTINGS
    if path.is_file():
        begun = read_json(path, remedy=AGAIN)
        differ = sorted(name for name in {*begun, *said} if begun.get(name) != said.get(name))
        if differ:
            shown = ", ".join(f"{n}={begun.get(n)!r} is {said.get(n)!r} here" for n in differ)
            raise ValueError(
                f"In {folder} a training with other settings was begun ({shown}): give another "
                "folder, or the same settings to go on."
            )
    elif folder.exists() and any(folder.iterdir()):
        raise ValueError(f"{folder} has something else in it: give a new folder.")
    else:
        folder.mkdir(parents=True, exist_ok=True)
        write(path, said)
    return folder


def write(path, value):
    """Write `value` to a file as JSON, whole or not at all."""
    with pt.io.finalized_open(str(path), "t") as file:
        file.write(json.dumps(value, indent=2) + "\n")


def last_checkpoint(folder):
    """The last checkpoint that is whole, and how many steps it is after; (None, 0) without one."""
    found = {}
    for path in (folder / CHECKPOINTS).glob("checkpoint-*"):
        steps = path.name.removeprefix("checkpoint-")
        if steps.isdigit() and _whole(path / "trainer_state.json"):
            found[int(steps)] = path
    steps = max(found, default=0)
    return found.get(steps), steps


def _whole(state):
    """Whether this file, which the trainer writes when all others of a checkpoint are there, is."""
    try:
        return bool(read_json(state))
    except (OSError, ValueError):
        return False
