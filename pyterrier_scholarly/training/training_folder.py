"""The folder of a training: its settings, checkpoints to resume from, and at the end the model.

folder/manifest.json                the settings
folder/checkpoints/checkpoint-500/  with a manifest of its own, as the model has
folder/model/                       only once the training is finished
"""

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

from ir_datasets_ext.atomic import explain_write_errors, locked

from ..folders import MANIFEST, About, Damaged, claim, read_folder

CHECKPOINTS_FOLDER = "checkpoints"
CHECKPOINT_PREFIX = "checkpoint-"  # the trainer writes checkpoint-500 after 500 steps
MODEL_FOLDER = "model"

DISK_REMEDY = (
    "Make room and train again, which resumes from the last checkpoint; or pass another folder."
)
#: in messages of libraries that cannot write a model
WRITE_ERRORS = re.compile("unexpected pos|PytorchStreamWriter|No space left|File too large")

#: pairs (step, mean loss since the pair before)
Losses = list[tuple[int, float]]


class TrainedEncoder(NamedTuple):
    """A trained model.

    model: the model's folder (str), for every step that takes a sentence-transformers model's name.
    losses: pairs (step, mean loss since the pair before).
    """

    model: str
    losses: Losses


class Checkpoint(NamedTuple):
    """Where a training resumes: a folder that the trainer wrote after `steps` steps."""

    path: Path
    steps: int


@contextmanager
def open_training(folder: Path, settings: About) -> Iterator[bool]:
    """Lock `folder` for a training with these settings, and yield whether it is unfinished.

    Other processes that train there wait.

    Raises:
        ValueError: the folder has another training (says what differs) or something else, or its
            settings are damaged.
        OSError: the folder is not writable, or the disk is full.
    """
    from safetensors import SafetensorError

    # a finished training is not locked, because its folder may be read-only
    is_finished = _is_finished(folder)
    lock = nullcontext() if is_finished else locked(folder / MANIFEST, DISK_REMEDY)
    with lock, explain_write_errors(folder, DISK_REMEDY):
        visible_names = {path.name for path in folder.iterdir() if not path.name.startswith(".")}
        if visible_names and MANIFEST not in visible_names:
            raise ValueError(f"{folder} has something else in it: pass a new folder.")
        claim(folder, settings)

        try:
            yield not _is_finished(folder)  # another process may have finished it meanwhile
        except (RuntimeError, SafetensorError) as error:
            if not WRITE_ERRORS.search(str(error)):
                raise
            raise OSError(f"cannot write to {folder} ({error}). {DISK_REMEDY}") from error


def _is_finished(folder: Path) -> bool:
    return (folder / MODEL_FOLDER).is_dir()


def find_last_checkpoint(folder: Path) -> Checkpoint | None:
    """Return the last complete checkpoint; None if there is none.

    Damaged checkpoints are skipped, with a warning.
    """
    complete = []
    for path in (folder / CHECKPOINTS_FOLDER).glob(f"{CHECKPOINT_PREFIX}*"):
        steps = path.name.removeprefix(CHECKPOINT_PREFIX)
        if not steps.isdigit():
            continue

        try:
            read_folder(path)
        except FileNotFoundError:  # the manifest is written last, so this one is incomplete
            continue
        except Damaged as error:
            warnings.warn(f"{error}: resuming from an earlier checkpoint.", stacklevel=5)
            continue
        complete.append(Checkpoint(path, int(steps)))

    return max(complete, key=lambda checkpoint: checkpoint.steps, default=None)


def read_trained_encoder(folder: Path) -> TrainedEncoder:
    """Return the model's folder and the losses; ValueError if a file is damaged."""
    model_folder = folder / MODEL_FOLDER
    try:
        losses: Any = read_folder(model_folder)["losses"]
    except (Damaged, FileNotFoundError) as error:
        raise ValueError(
            f"{model_folder} is damaged: {error}. Remove it to train again, or restore it from a "
            "copy."
        ) from None
    return TrainedEncoder(str(model_folder), [(step, loss) for step, loss in losses])
