"""Training an encoder of texts on triplets, with sentence-transformers' own trainer."""

from dataclasses import asdict
from math import ceil
from pathlib import Path
from typing import NamedTuple

from ._folder import begun, last_checkpoint, read_model, write_model
from ._stream import check_texts, content_hash, streamed
from ._trainer import arguments_of, callback, encoder_of, imported, loss_of
from .settings import TrainingSettings


class TrainedEncoder(NamedTuple):
    """What a training gives.

    model: the folder of the model (str), which every step takes that takes the name of a
        sentence-transformers model.
    losses: pairs (step, mean loss of the steps since the pair before).
    """

    model: str
    losses: list


def train_encoder(
    model,
    triplets,
    texts,
    folder,
    settings=None,
    *,
    steps=None,
    epochs=1,
    save_every=500,
    verbose=True,
):
    """Train a model on triplets of papers, from where an earlier call with equal settings stopped.

    Equal settings give equal losses on one machine, interrupted or not.

    Args:
        model: what to begin with, a name on the hub or a folder.
        triplets: `CitationTriplets`, or an object with `papers`, `related(paper)`, `endless()` and
            a length likewise.
        texts: a dict from the papers' ids to texts, or another object that gives them by ``[id]``;
            SPECTER's are ``f"{title}[SEP]{abstract}"``.
        folder: a new one, for settings, checkpoints, losses and the model; or that of an earlier
            call, which is gone on with. A training that has ended is not done again.
        settings: `TrainingSettings`; None for SPECTER's.
        steps: how many steps; None for as many as `epochs` passes over the triplets take.
        epochs: passes.
        save_every: steps between two checkpoints, of which the last two are kept; as many more as
            make it a multiple of the settings' `log_every`, so that no mean is interrupted.
        verbose: show progress.

    Returns:
        `TrainedEncoder`.

    Raises:
        ImportError: the extra ``train`` is not installed; says what to install.
        OSError: there is no such model; says what to download. The folder cannot be written to, or
            there is no room.
        ValueError: a paper without text, no triplets, fewer than 1 step, a folder with another
            training in it, of other settings, texts or relations.
    """
    parts = imported()
    settings = settings or TrainingSettings()
    check_texts(texts, triplets.papers)
    steps = _steps(steps, epochs, triplets, settings)
    content = {"papers": len(triplets.papers), "content": content_hash(triplets, texts)}
    given = {"model": str(model), "triplets": repr(triplets), **content, "steps": steps}
    folder = Path(folder)
    with begun(folder, {**given, **asdict(settings)}) as to_do:
        if to_do:
            encoder = encoder_of(model, settings)
            checkpoint, done = last_checkpoint(folder)
            stream = streamed(triplets, texts, done * settings.per_step)
            arguments = arguments_of(parts, folder, settings, steps, save_every, verbose)
            trainer = parts.Trainer(
                model=encoder, args=arguments, train_dataset=stream, loss=loss_of(encoder, settings)
            )
            trainer.add_callback(callback(parts.Callback, settings.seed))
            if not verbose:
                trainer.remove_callback(parts.Printer)
            trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
            write_model(folder, encoder, trainer.state.log_history)
    return TrainedEncoder(*read_model(folder))


def _steps(steps, epochs, triplets, settings) -> int:
    size = len(triplets)
    if not size:
        raise ValueError(
            f"{triplets!r} has no triplets: no paper that takes part cites another one that does. "
            "Are the ids of the graph those of the papers?"
        )
    steps = ceil(size * epochs / settings.per_step) if steps is None else steps
    if steps < 1:
        raise ValueError(f"steps={steps}, epochs={epochs}: expected one step or more.")
    return steps
