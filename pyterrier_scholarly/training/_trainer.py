"""sentence-transformers' trainer, and what it is given."""

from math import ceil
from typing import NamedTuple

from ..encoders import load_named
from ._folder import CHECKPOINTS, checkpointed

KEPT = 2  # checkpoints: where the last one is cut short, there is one before it


class Parts(NamedTuple):
    """What the extra brings."""

    Trainer: type
    Arguments: type
    Printer: type
    Callback: type


def imported() -> Parts:
    """The trainer's classes; ImportError says what to install."""
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
    return Parts(
        SentenceTransformerTrainer,
        SentenceTransformerTrainingArguments,
        PrinterCallback,
        TrainerCallback,
    )


def encoder_of(model, settings):
    """The model with its pooling, on the best device there is."""
    encoder = load_named(str(model))
    if settings.pooling is not None:
        from sentence_transformers import SentenceTransformer
        from sentence_transformers.sentence_transformer.modules import Pooling

        first = encoder[0]
        pooling = Pooling(first.get_embedding_dimension(), settings.pooling)
        encoder = SentenceTransformer(modules=[first, pooling])
    if settings.max_length is not None:
        encoder.max_seq_length = settings.max_length
    return encoder


def loss_of(encoder, settings):
    """The loss of that name, of sentence-transformers."""
    from sentence_transformers.sentence_transformer import losses

    if settings.loss == "triplet":
        return losses.TripletLoss(encoder, triplet_margin=settings.margin)  # Euclidean
    return losses.MultipleNegativesRankingLoss(encoder)


def arguments_of(parts, folder, settings, steps, save_every, verbose):
    """What sentence-transformers calls the training's arguments."""
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
        # a mean of losses that a checkpoint divided would be of the steps behind it alone
        save_steps=ceil(save_every / settings.log_every) * settings.log_every,
        save_total_limit=KEPT,
        ignore_data_skip=True,  # the stream begins where the checkpoint ended
        report_to="none",
        disable_tqdm=not verbose,
    )


def callback(base, seed):
    """What is done at each step, and when a checkpoint is there.

    Dropout becomes a function of the step, wherever a training was interrupted.
    """

    class Callback(base):
        def on_step_begin(self, args, state, control, **_):
            import torch

            torch.manual_seed(seed * 1_000_003 + state.global_step)

        def on_step_end(self, args, state, control, **_):
            if state.global_step >= args.max_steps:  # from there, the trainer would do one more
                control.should_save = False  # the model is written next

        def on_save(self, args, state, control, **_):
            checkpointed(args, state)

    return Callback()
