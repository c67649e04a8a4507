"""Training an encoder of texts on triplets, with sentence-transformers' own trainer."""

import json
from dataclasses import asdict
from math import ceil
from typing import NamedTuple

import pyterrier as pt

from ..encoders._transformer import named
from ._folder import CHECKPOINTS, LOSSES, MODEL, claim, last_checkpoint, write
from ._stream import check_texts, streamed
from .settings import TrainingSettings

KEPT = 2  # checkpoints: where the last one is cut short, there is one before it


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
        triplets: `CitationTriplets`, or an object with `papers`, `endless()` and a length likewise.
        texts: a dict from the papers' ids to texts, or another object that gives them by ``[id]``;
            SPECTER's are ``f"{title}[SEP]{abstract}"``.
        folder: a new one, for settings, checkpoints, losses and the model; or that of an earlier
            call, which is gone on with. A training that has ended is not done again.
        settings: `TrainingSettings`; None for SPECTER's.
        steps: how many steps; None for as many as `epochs` passes over the triplets take.
        epochs: passes.
        save_every: steps between two checkpoints, of which the last two are kept.
        verbose: show progress.

    Returns:
        `TrainedEncoder`.

    Raises:
        ImportError: the extra ``train`` is not installed; says what to install.
        OSError: there is no such model; says what to download.
        ValueError: a paper without text, no triplets, fewer than 1 step, a folder with another
            training in it.
    """
    parts = _imported()
    settings = settings or TrainingSettings()
    check_texts(texts, triplets.papers)
    steps = _steps(steps, epochs, triplets, settings)
    begun = {"model": str(model), "triplets": repr(triplets), "papers": len(triplets.papers)}
    folder = claim(folder, {**begun, "steps": steps, **asdict(settings)})
    if not (folder / MODEL).is_dir():
        encoder = _encoder(model, settings)
        checkpoint, done = last_checkpoint(folder)
        stream = streamed(triplets, texts, done * settings.per_step)
        arguments = _arguments(parts, folder, settings, steps, save_every, verbose)
        trainer = parts.Trainer(
            model=encoder, args=arguments, train_dataset=stream, loss=_loss(encoder, settings)
        )
        trainer.add_callback(_seeding(parts.Callback, settings.seed))
        if not verbose:
            trainer.remove_callback(parts.Printer)
        trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
        _finish(folder, encoder, trainer.state.log_history)
    losses = json.loads((folder / LOSSES).read_text(encoding="utf-8"))
    return TrainedEncoder(str(folder / MODEL), [tuple(pair) for pair in losses])


class _Parts(NamedTuple):
    """What the extra brings."""

    Trainer: type
    Arguments: type
    Printer: type
    Callback: type


def _imported() -> _Parts:
    try:
        import accelerate  # noqa: F401 (the trainer asks for both when it is too late)
        import datasets  # noqa: F401
        from sentence_transformers import (
            SentenceTransformerTrainer,
            SentenceTransformerTrainingArguments,
        )
        from transformers import PrinterCallback, TrainerCallback
    except ImportError as error:
        raise ImportError(
            "Training needs sentence-transformers, datasets and accelerate: "
            'run `pip install "pyterrier-scholarly[train]"`.'
        ) from error
    return _Parts(
        SentenceTransformerTrainer,
        SentenceTransformerTrainingArguments,
        PrinterCallback,
        TrainerCallback,
    )


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


def _encoder(model, settings):
    """The model with its pooling, on the best device there is."""
    encoder = named(str(model))
    if settings.pooling is not None:
        from sentence_transformers import SentenceTransformer
        from sentence_transformers.sentence_transformer.modules import Pooling

        first = encoder[0]
        pooling = Pooling(first.get_embedding_dimension(), settings.pooling)
        encoder = SentenceTransformer(modules=[first, pooling])
    if settings.max_length is not None:
        encoder.max_seq_length = settings.max_length
    return encoder


def _loss(encoder, settings):
    from sentence_transformers.sentence_transformer import losses

    if settings.loss == "triplet":
        return losses.TripletLoss(encoder, triplet_margin=settings.margin)  # Euclidean
    return losses.MultipleNegativesRankingLoss(encoder)


def _arguments(parts, folder, settings, steps, save_every, verbose):
    return parts.Arguments(
        output_dir=str(folder / CHECKPOINTS),
        max_steps=steps,
        per_device_train_batch_size=settings.batch_size,
        gradient_accumulation_steps=settings.accumulate,
        learning_rate=settings.learning_rate,
        warmup_steps=ceil(settings.warmup * steps),
        bf16=settings.precision == "bf16",
        fp16=settings.precision == "fp16",
        seed=settings.seed,
        logging_steps=settings.log_every,
        save_steps=save_every,
        save_total_limit=KEPT,
        ignore_data_skip=True,  # the stream begins where the checkpoint ended
        report_to="none",
        disable_tqdm=not verbose,
    )


def _seeding(base, seed):
    """A callback that makes dropout a function of the step, wherever a training was interrupted."""

    class Seeding(base):
        def on_step_begin(self, args, state, control, **_):
            import torch

            torch.manual_seed(seed * 1_000_003 + state.global_step)

    return Seeding()


def _finish(folder, encoder, history):
    """Put losses and model into their places, the model last: it says that all is done."""
    losses = [(entry["step"], entry["loss"]) for entry in history if "loss" in entry]
    write(folder / LOSSES, losses)
    with pt.io.finalized_directory(str((folder / MODEL).absolute())) as part:
        encoder.save_pretrained(part, create_model_card=False)
