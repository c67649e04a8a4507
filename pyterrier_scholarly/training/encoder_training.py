"""Train an encoder of texts on triplets of papers.

    triplets = CitationTriplets(cites, list(texts))
    trained = train_encoder("allenai/scibert_scivocab_uncased", triplets, texts, "folder")
    TextSimilarity(trained.model, similarity="l2")

The trainer itself is sentence-transformers', see `_trainer`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from importlib.util import find_spec
from math import ceil
from pathlib import Path

from ..arguments import Count, FilePath, Positive, check_arguments
from ..choices import some
from ..encoders import without_bars
from ..fingerprint import fingerprint
from ..frames import has_text
from ..progress import progress
from .training_folder import (
    TrainedEncoder,
    find_last_checkpoint,
    open_training,
    read_trained_encoder,
)
from .training_settings import TrainingSettings
from .triplets import CitationTriplets

NEEDED_PACKAGES = ("sentence_transformers", "datasets", "accelerate")  # of the extra `train`
CONTENT_DIGITS = 16  # of a training's content, in its folder's settings


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
        triplets: the papers, and which of them are related.
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
    _check_extra()
    _check_texts(texts, triplets.papers)
    settings = settings or TrainingSettings()
    step_count = _count_steps(steps, epochs, triplets, settings)

    folder = Path(folder)
    training_about = {
        "model": str(model),
        "triplets": repr(triplets),
        "papers": len(triplets.papers),
        "content": _hash_content(triplets, texts),
        "steps": step_count,
        **asdict(settings),
    }
    with open_training(folder, training_about) as is_unfinished:
        if is_unfinished:
            _train(str(model), triplets, texts, folder, settings, step_count, save_every, verbose)
    return read_trained_encoder(folder)


def _check_extra() -> None:
    """Raise ImportError, with what to install, if the extra is missing; the trainer is too late."""
    if not all(find_spec(package) for package in NEEDED_PACKAGES):
        raise ImportError(
            f"Training needs {', '.join(NEEDED_PACKAGES)}: run "
            '`pip install "pyterrier-scholarly[train]"`.'
        )


def _check_texts(texts: Mapping[str, str], papers: Iterable[str]) -> None:
    """Raise ValueError if a paper's text is missing or blank."""
    missing_ids = [paper for paper in papers if not _has_text(texts, paper)]
    if missing_ids:
        raise ValueError(
            f"There is no text of {some(missing_ids)}: pass `texts` for all papers of the "
            "triplets, or make triplets without these."
        )


def _has_text(texts: Mapping[str, str], paper: str) -> bool:
    try:
        text = texts[paper]
    except KeyError:
        return False
    return has_text(text)


def _count_steps(
    steps: Count | None, epochs: Positive, triplets: CitationTriplets, settings: TrainingSettings
) -> int:
    """Return `steps`, or the steps of `epochs` passes; ValueError if there are none."""
    triplet_count = len(triplets)
    if not triplet_count:
        raise ValueError(
            f"{triplets!r} has no triplets: no paper of these cites another one of them. "
            "Are the ids of the graph those of the papers?"
        )

    if steps is None:
        triplets_per_step = settings.batch_size * settings.accumulate
        steps = ceil(triplet_count * epochs / triplets_per_step)
    if steps < 1:
        raise ValueError(f"steps={steps}, epochs={epochs}: expected one step or more.")
    return steps


def _hash_content(triplets: CitationTriplets, texts: Mapping[str, str]) -> str:
    """Return a hash of papers, texts and relations, which does not depend on their order."""
    paper_hashes = [
        fingerprint([paper, texts[paper], triplets.related(paper)])
        for paper in sorted(triplets.papers)
    ]
    return fingerprint(paper_hashes)[:CONTENT_DIGITS]


def _train(
    model: str,
    triplets: CitationTriplets,
    texts: Mapping[str, str],
    folder: Path,
    settings: TrainingSettings,
    step_count: int,
    save_every: int,
    verbose: bool,
) -> None:
    """Train from the last checkpoint on, and write the model."""
    with progress("preparing the training", verbose=verbose):
        from ._trainer import make_stream, make_trainer, write_model

        checkpoint = find_last_checkpoint(folder)
        steps_done = checkpoint.steps if checkpoint else 0
        stream = make_stream(triplets, texts, settings, steps_done)

    with without_bars(), progress("training", step_count, "step", verbose) as bar:
        bar.update(steps_done)
        trainer = make_trainer(model, stream, folder, settings, step_count, save_every, bar)
        trainer.train(resume_from_checkpoint=str(checkpoint.path) if checkpoint else None)
        write_model(folder, trainer)
