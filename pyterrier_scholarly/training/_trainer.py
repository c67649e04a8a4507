"""sentence-transformers' trainer: model, loss, a stream of triplets. Only training imports this."""

import warnings
from collections.abc import Iterator, Mapping
from itertools import islice
from math import ceil
from pathlib import Path
from typing import Any

import torch
from datasets import Features, IterableDataset, Value
from sentence_transformers import (
    SentenceTransformer,
    SentenceTransformerTrainer,
    SentenceTransformerTrainingArguments,
)
from sentence_transformers.sentence_transformer import losses
from sentence_transformers.sentence_transformer.modules import Pooling
from transformers import PrinterCallback, TrainerCallback, TrainerState

from ir_datasets_ext.store import Damaged, new_folder, read_folder
from ir_datasets_ext.store.folders import write_manifest

from .. import encoders
from ..progress import Bar
from .training_settings import CHECKPOINTS, MODEL, TrainingSettings
from .triplets import CitationTriplets

COLUMNS = ("anchor", "positive", "negative")


def trainer_of(
    model: str,
    stream: IterableDataset,
    folder: Path,
    settings: TrainingSettings,
    steps: int,
    save_every: int,
    bar: Bar,
) -> SentenceTransformerTrainer:
    """Return sentence-transformers' trainer for this training."""
    encoder = encoder_of(model, settings)
    arguments = SentenceTransformerTrainingArguments(
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
        # a mean loss that a checkpoint interrupts would cover only the steps after it
        save_steps=ceil(save_every / settings.log_every) * settings.log_every,
        save_total_limit=2,  # if the last one is incomplete, the one before serves
        ignore_data_skip=True,  # the stream begins where the checkpoint ended
        report_to="none",
        disable_tqdm=True,  # `bar` shows the steps
    )
    trainer = SentenceTransformerTrainer(
        encoder,
        arguments,
        stream,
        loss=_loss_of(encoder, settings),
        callbacks=[_Callback(settings.seed), _StepCounter(bar)],
    )
    trainer.remove_callback(PrinterCallback)  # which prints each loss
    return trainer


def encoder_of(model: str, settings: TrainingSettings) -> SentenceTransformer:
    """Return the model with the settings' pooling, on the best device."""
    encoder = encoders.load_named(model)
    if settings.pooling is not None:
        pooling = Pooling(encoder[0].get_embedding_dimension(), settings.pooling)
        encoder = SentenceTransformer(modules=[encoder[0], pooling])
    if settings.max_length is not None:
        encoder.max_seq_length = settings.max_length
    return encoder


def _loss_of(encoder: SentenceTransformer, settings: TrainingSettings) -> torch.nn.Module:
    if settings.loss == "triplet":
        return losses.TripletLoss(encoder, triplet_margin=settings.margin)  # Euclidean
    return losses.MultipleNegativesRankingLoss(encoder)


class _Callback(TrainerCallback):
    """Make dropout a function of the step, wherever a training was interrupted."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def on_step_begin(self, args: Any, state: TrainerState, control: Any, **more: object) -> None:
        torch.manual_seed(self.seed * 1_000_003 + state.global_step)

    def on_step_end(self, args: Any, state: TrainerState, control: Any, **more: object) -> None:
        if state.global_step >= args.max_steps:  # a resumed trainer would do one step more
            control.should_save = False  # the model is written next

    def on_save(self, args: Any, state: TrainerState, control: object, **more: object) -> None:
        steps = state.global_step  # the manifest is written after all other files
        write_manifest(Path(args.output_dir, f"checkpoint-{steps}"), {"steps": steps})


class _StepCounter(TrainerCallback):
    """Count the steps on a bar, and show the last mean loss there."""

    def __init__(self, bar: Bar) -> None:
        self.bar = bar

    def on_step_end(self, args: Any, state: TrainerState, control: Any, **more: object) -> None:
        self.bar.update()

    def on_log(self, args: Any, state: TrainerState, control: Any, **more: object) -> None:
        last = state.log_history[-1]
        if "loss" in last:
            self.bar.describe(f"training (loss {last['loss']:.4g})")


class TextStream:
    """Yield a dict of texts per triplet, from number `start` on, without end.

    The pickle has only the class: the `datasets` library names a cache, which a stream does not
    use, by the pickle, and all texts would be in it.
    """

    def __init__(self, triplets: CitationTriplets, texts: Mapping[str, str], start: int) -> None:
        self.triplets, self.texts, self.start = triplets, texts, start

    def __call__(self) -> Iterator[dict[str, str]]:
        """Yield the texts."""
        for triplet in islice(self.triplets.endless(), self.start, None):
            yield dict(zip(COLUMNS, (self.texts[paper] for paper in triplet)))

    def __reduce__(self) -> tuple[object, ...]:
        return TextStream, (None, None, self.start)


def streamed(
    triplets: CitationTriplets, texts: Mapping[str, str], settings: TrainingSettings, done: int
) -> IterableDataset:
    """Return the triplets behind the first `done` steps as a `datasets.IterableDataset`."""
    texts_of = TextStream(triplets, texts, done * settings.batch_size * settings.accumulate)
    features = Features(dict.fromkeys(COLUMNS, Value("string")))
    return IterableDataset.from_generator(texts_of, features=features)


def last_checkpoint(folder: Path) -> tuple[Path | None, int]:
    """Return the last complete checkpoint and its number of steps; (None, 0) if there is none.

    Damaged checkpoints are skipped, with a warning.
    """
    checkpoints = {}
    for path in (folder / CHECKPOINTS).glob("checkpoint-*"):
        name = path.name.removeprefix("checkpoint-")
        try:
            if name.isdigit() and read_folder(path):
                checkpoints[int(name)] = path
        except FileNotFoundError:  # the manifest is written last
            continue
        except Damaged as error:
            warnings.warn(f"{error}: resuming from an earlier checkpoint.", stacklevel=4)
    steps = max(checkpoints, default=0)
    return checkpoints.get(steps), steps


def write_model(folder: Path, trainer: SentenceTransformerTrainer) -> None:
    """Write model and losses at once; their presence means that the training is finished."""
    history = trainer.state.log_history
    means = [(entry["step"], entry["loss"]) for entry in history if "loss" in entry]
    with new_folder(folder / MODEL, {"losses": means}) as part:
        trainer.model.save_pretrained(str(part), create_model_card=False)
