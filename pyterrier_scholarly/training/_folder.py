"""What a training leaves on disk: its settings, checkpoints to go on from, and the model.

The folder's manifest has the settings, each checkpoint and the model have one of their own.
"""

import warnings
from pathlib import Path

from ir_datasets_ext.store import Damaged, claim, new_folder, read_folder
from ir_datasets_ext.store.folders import MANIFEST, describe

AGAIN = "Remove it to train again, or restore it from a copy."
CHECKPOINTS, MODEL = "checkpoints", "model"


def begun(folder, settings) -> Path:
    """`folder` as the place of a training with these settings, new or begun before.

    Raises:
        ValueError: another training is there, or something else; says what differs. Its settings
            are damaged.
    """
    folder = Path(folder)
    if folder.exists() and any(folder.iterdir()) and not (folder / MANIFEST).exists():
        raise ValueError(f"{folder} has something else in it: give a new folder.")
    claim(folder, settings)
    return folder


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
