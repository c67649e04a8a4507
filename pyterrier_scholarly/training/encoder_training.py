"""Train an encoder of texts on triplets, and by the papers' recipes."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple

from ..arguments import Count, FilePath, Positive, check_arguments, check_fields
from ..encoders import without_bars
from ..progress import progress
from ..protocols import TRAINING
from .training_settings import Losses, TrainingSettings, begun, check_extra, read_model
from .triplets import CitationTriplets, Graph, check_texts, content_hash

SPECTER = TrainingSettings(batch_size=4, accumulate=8)


class TrainedEncoder(NamedTuple):
    """A trained model.

    model: the model's folder (str), for every step that takes a sentence-transformers model's name.
    losses: pairs (step, mean loss since the pair before).
    """

    model: str
    losses: Losses


@check_arguments
def train_encoder(
    model: FilePath,
    triplets: CitationTriplets,
    texts: Mapping[str, str],
    folder: FilePath,
    settings: TrainingSettings | None = None,
    *,
    steps: Count | None = None,
    epochs: Positive = 1,
    save_every: Count = 500,
    verbose: bool = True,
) -> TrainedEncoder:
    """Train a model on triplets of papers, or resume a training with equal settings.

    Equal settings give equal losses on one machine, interrupted or not.

    Args:
        model: where training starts: a name on the hub or a folder.
        triplets: `CitationTriplets`, or an object with `papers`, `related(paper)`, `endless()` and
            a length.
        texts: a dict from the papers' ids to texts, or another object that returns them by
            ``[id]``; SPECTER's are ``f"{title}[SEP]{abstract}"``.
        folder: a new one, for settings, checkpoints, losses and the model; or an earlier call's
            folder, which is resumed. A finished training is not repeated.
        settings: `TrainingSettings`; None for SPECTER's.
        steps: number of steps; None for `epochs` passes over the triplets.
        epochs: passes.
        save_every: steps between two checkpoints, rounded up to a multiple of the settings'
            `log_every`, so that no mean is interrupted. The last two checkpoints are kept.
        verbose: show progress.

    Returns:
        `TrainedEncoder`.

    Raises:
        ImportError: the extra ``train`` is not installed; says what to install.
        OSError: the model is missing (says what to download), the folder is not writable, or the
            disk is full.
        ValueError: a paper without text, no triplets, fewer than 1 step, or a folder of a training
            with other settings, texts or relations.
    """
    check_extra()
    settings = settings or TrainingSettings()
    check_texts(texts, triplets.papers)
    steps = _steps(steps, epochs, triplets, settings)
    content = {"papers": len(triplets.papers), "content": content_hash(triplets, texts)}
    about = {"model": str(model), "triplets": repr(triplets), **content, "steps": steps}
    folder = Path(folder)
    with begun(folder, {**about, **asdict(settings)}) as unfinished:
        if unfinished:
            with progress("preparing the training", verbose=verbose):
                from ._trainer import last_checkpoint, streamed, trainer_of, write_model

                checkpoint, done = last_checkpoint(folder)
                data = streamed(triplets, texts, settings, done)
            with without_bars(), progress("training", steps, "step", verbose) as bar:
                bar.update(done)
                trainer = trainer_of(str(model), data, folder, settings, steps, save_every, bar)
                trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
                write_model(folder, trainer)
    return TrainedEncoder(*read_model(folder))


def _steps(
    steps: Count | None, epochs: Positive, triplets: CitationTriplets, settings: TrainingSettings
) -> int:
    size = len(triplets)
    if not size:
        raise ValueError(
            f"{triplets!r} has no triplets: no paper of these cites another one of them. "
            "Are the ids of the graph those of the papers?"
        )
    if steps is None:
        steps = ceil(size * epochs / (settings.batch_size * settings.accumulate))
    if steps < 1:
        raise ValueError(f"steps={steps}, epochs={epochs}: expected one step or more.")
    return steps


@dataclass(frozen=True)
class TrainingRecipe:
    """How a paper's model was trained, as far as the paper says.

    Args:
        source: where it is described.
        model: where training starts.
        definition: of the triplets.
        epochs: passes over the data before the model was saved.
        printed, not_printed: facts about the training, for people to read.
        settings: SPECTER's, also where they or the loss are not printed.
    """

    source: str
    model: str
    definition: str
    epochs: Count
    printed: tuple[str, ...]
    not_printed: tuple[str, ...]
    settings: TrainingSettings = SPECTER

    def __post_init__(self) -> None:
        check_fields(self)

    @check_arguments
    def train(
        self,
        cites: Graph,
        texts: Mapping[str, str],
        folder: FilePath,
        *,
        model: FilePath | None = None,
        **more: Any,
    ) -> TrainedEncoder:
        """Train by the recipe, on a citation graph and texts of one's own.

        Args:
            cites: a dict from ids to the ids they cite, or a `citation_graph`.
            texts: a dict from ids to texts; its ids are the papers of the triplets.
            folder: see `train_encoder`.
            model: start with this one instead of the recipe's.
            more: other arguments of `train_encoder`.

        Returns:
            `TrainedEncoder`.

        Raises:
            ValueError, ImportError, OSError: what `CitationTriplets` and `train_encoder` raise.
        """
        triplets = CitationTriplets(cites, list(texts), definition=self.definition)
        arguments = {"epochs": self.epochs, "settings": self.settings, **more}
        return train_encoder(model or self.model, triplets, texts, folder, **arguments)


TRAINING_RECIPES = {name: TrainingRecipe(**facts) for name, facts in TRAINING.items()}
"""The recipes, by collection and system."""
