"""What a training leaves on disk: its settings, checkpoints to go on from, and the model.

The folder's manifest has the settings, each checkpoint and the model have one of their own.
"""

import re
import warnings
from contextlib import contextmanager
from pathlib import Path

from ir_datasets_ext.store import Damaged, claim, new_folder, read_folder
from ir_datasets_ext.store.files import alone
from ir_datasets_ext.store.folders import MANIFEST, describe

AGAIN = "Remove it to train again, or restore it from a copy."
ROOM = "Make room and train again, which resumes from the last checkpoint; or give another folder."
#: what those say who write a model
UNWRITTEN = re.compile("unexpected pos|PytorchStreamWriter|No space left|File too large")
CHECKPOINTS, MODEL = "checkpoints", "model"


@contextmanager
def begun(folder, settings):
    """Yield whether there is something to do in `folder` for a training with these settings.

    Until it ends, other processes wait that want the same.

    Raises:
        ValueError: another training is there, or something else; says what differs. Its settings
            are damaged.
        OSError: nothing can be written there, or there is no room.
    """
    if (folder / MODEL).is_dir():  # also where nothing can be written
        claim(folder, settings)
        yield False
        return
    with alone(folder, ROOM), _full_disks(folder):
        there = {path.name for path in folder.iterdir() if path.name[0] != "."}
        if there and MANIFEST not in there:
            raise ValueError(f"{folder} has something else in it: give a new folder.")
        claim(folder, settings)
        yield not (folder / MODEL).is_dir()


@contextmanager
def _full_disks(folder):
    """Raise OSError where PyTorch and safetensors say in words of their own that it is full."""
    from safetensors import SafetensorError

    try:
        yield
    except (RuntimeError, SafetensorError) as error:
        if not UNWRITTEN.search(str(error)):
            raise
        raise OSError(f"cannot write to {folder} ({error}). {ROOM}") from error


def last_checkpoint(folder):
    """The last checkpoint that is whole, and how many steps it is after; (None, 0) without one.

    One that was damaged after it was written is passed over, with a warning.
    """
    found = {}
    for path in (folder / CHECKPOINTS).glob("checkpoint-*"):
        steps = path.name.removeprefix("checkpoint-")
        try:
            if steps.isdigit() and read_folder(path):
                found[int(steps)] = path
        except FileNotFoundError:  # the manifest comes last
            continue
        except Damaged as error:
            warnings.warn(f"{error}: the training goes on from one before it.", stacklevel=3)
    steps = max(found, default=0)
    return found.get(steps), steps


def checkpointed(args, state):
    """Write the manifest of a checkpoint, when all else of it is there."""
    path = Path(args.output_dir, f"checkpoint-{state.global_step}")
    describe(path, {"steps": state.global_step})


def write_model(folder, encoder, history):
    """Put model and losses into their place, at once: it says that all is done."""
    losses = [(entry["step"], entry["loss"]) for entry in history if "loss" in entry]
    with new_folder(folder / MODEL, {"losses": losses}) as part:
        encoder.save_pretrained(str(part), create_model_card=False)


def read_model(folder):
    """The model's folder, as a text, and the losses; ValueError if a file is damaged."""
    try:
        losses = read_folder(folder / MODEL)["losses"]
    except (Damaged, FileNotFoundError) as error:
        raise ValueError(f"{folder / MODEL} is damaged: {error}. {AGAIN}") from None
    return str(folder / MODEL), [tuple(pair) for pair in losses]
