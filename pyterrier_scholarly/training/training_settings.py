"""A training's settings, and its folder: checkpoints to resume from, and the model.

The folder's manifest has the settings; each checkpoint and the model have their own manifest.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from ir_datasets_ext.store import Damaged, claim, read_folder
from ir_datasets_ext.store.atomic_files import lock_folder
from ir_datasets_ext.store.folders import MANIFEST, About

from ..arguments import Count, Positive, Seed, ShareBelowOne, check_fields

ROOM = "Make room and train again, which resumes from the last checkpoint; or pass another folder."
#: messages of libraries that cannot write a model
UNWRITTEN = re.compile("unexpected pos|PytorchStreamWriter|No space left|File too large")
CHECKPOINTS, MODEL = "checkpoints", "model"
Losses = list[tuple[int, float]]


@dataclass(frozen=True)
class TrainingSettings:
    """How to train an encoder; defaults are SPECTER's, except its batches [Cohan2020, 4].

    Args:
        pooling: how tokens become a vector: ``"cls"`` (the first token's), ``"mean"``, or None for
            the model's own pooling.
        loss: ``"triplet"`` (Euclidean distances), or ``"multiple-negatives"`` (cosines; all other
            papers of a batch are negatives, too).
        margin: of the triplet loss.
        learning_rate: the highest; it rises during the share `warmup` of the steps, then falls to
            0.
        batch_size, accumulate: triplets per batch, and batches per step (SPECTER: 4 and 8, which
            equals 32 and 1 on average, except for dropout).
        precision: ``"fp32"``, or mixed: ``"bf16"``, ``"fp16"``.
        max_length: tokens of a text; None for the model's own.
        seed: of dropout; triplets have their own.
        log_every: steps per mean of the recorded losses.

    Raises:
        ValueError: an unknown choice, a number out of range, a value of another type.
    """

    pooling: Literal["cls", "mean"] | None = "cls"
    loss: Literal["triplet", "multiple-negatives"] = "triplet"
    margin: Positive = 1.0
    learning_rate: Positive = 2e-5
    warmup: ShareBelowOne = 0.1
    batch_size: Count = 32
    accumulate: Count = 1
    precision: Literal["fp32", "bf16", "fp16"] = "fp32"
    max_length: Count | None = None
    seed: Seed = 0
    log_every: Count = 10

    def __post_init__(self) -> None:
        check_fields(self)


def check_extra() -> None:
    """Raise ImportError, with what to install, if the extra is missing; the trainer is too late."""
    needed = "sentence_transformers", "datasets", "accelerate"
    if not all(map(find_spec, needed)):
        raise ImportError(
            f'Training needs {", ".join(needed)}: run `pip install "pyterrier-scholarly[train]"`.'
        )


@contextmanager
def begun(folder: Path, settings: About) -> Iterator[bool]:
    """Lock `folder` for a training with these settings, and yield whether it is unfinished.

    Other processes that train there wait.

    Raises:
        ValueError: the folder has another training (says what differs) or something else, or its
            settings are damaged.
        OSError: the folder is not writable, or the disk is full.
    """
    from safetensors import SafetensorError

    finished = (folder / MODEL).is_dir()  # works in a read-only folder, too
    with nullcontext() if finished else lock_folder(folder, ROOM):
        names = {path.name for path in folder.iterdir() if path.name[0] != "."}
        if names and MANIFEST not in names:
            raise ValueError(f"{folder} has something else in it: pass a new folder.")
        claim(folder, settings)
        try:
            yield not (folder / MODEL).is_dir()
        except (RuntimeError, SafetensorError) as error:
            if not UNWRITTEN.search(str(error)):
                raise
            raise OSError(f"cannot write to {folder} ({error}). {ROOM}") from error


def read_model(folder: Path) -> tuple[str, Losses]:
    """Return the model's folder and the losses; ValueError if a file is damaged."""
    try:
        losses: Any = read_folder(folder / MODEL)["losses"]
    except (Damaged, FileNotFoundError) as error:
        raise ValueError(
            f"{folder / MODEL} is damaged: {error}. Remove it to train again, or restore it from a "
            "copy."
        ) from None
    return str(folder / MODEL), [(step, loss) for step, loss in losses]
