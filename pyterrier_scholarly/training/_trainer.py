"""sentence-transformers' trainer: a model, a loss, an endless stream of triplets, checkpoints.

    stream = make_stream(triplets, texts, settings, steps_done=0)
    trainer = make_trainer(model, stream, folder, settings, steps, save_every, bar)
    trainer.train()
    write_model(folder, trainer)

Only `encoder_training` imports this, inside a function, because it loads PyTorch.
"""

from collections.abc import Iterator, Mapping
from itertools import islice
from math import ceil
from pathlib import Path

import torch
from datasets import Features, IterableDataset, Value
from sentence_transformers import (
    SentenceTransformer,
    SentenceTransformerTrainer,
    SentenceTransformerTrainingArguments,
)
from sentence_transformers.sentence_transformer import losses
from sentence_transformers.sentence_transformer.modules import Pooling
from tqdm import tqdm
from transformers import (
    PrinterCallback,
    TrainerCallback,
    TrainerControl,
    TrainerState,
    TrainingArguments,
)

from .. import encoders
from ..folders import new_folder, write_manifest
from .training_folder import CHECKPOINT_PREFIX, CHECKPOINTS_FOLDER, MODEL_FOLDER
from .training_settings import TrainingSettings
from .triplets import CitationTriplets

COLUMNS = ("anchor", "positive", "negative")  # of the stream
KEPT_CHECKPOINTS = 2  # if the last one is incomplete, the one before serves
SEED_DISTANCE = 1_000_003  # between the seeds of two trainings: more than the steps of one


def make_stream(
    triplets: CitationTriplets,
    texts: Mapping[str, str],
    settings: TrainingSettings,
    steps_done: int,
) -> IterableDataset:
    """Return the triplets behind the first `steps_done` steps as a `datasets.IterableDataset`."""
    triplets_done = steps_done * settings.batch_size * settings.accumulate
    text_stream = TextStream(triplets, texts, triplets_done)
    features = Features(dict.fromkeys(COLUMNS, Value("string")))
    return IterableDataset.from_generator(text_stream, features=features)


def make_trainer(
    model: str,
    stream: IterableDataset,
    folder: Path,
    settings: TrainingSettings,
    steps: int,
    save_every: int,
    bar: tqdm,
) -> SentenceTransformerTrainer:
    """Return sentence-transformers' trainer for this training."""
    # a mean loss that a checkpoint interrupts would cover only the steps after it
    steps_per_checkpoint = ceil(save_every / settings.log_every) * settings.log_every

    arguments = SentenceTransformerTrainingArguments(
        output_dir=str(folder / CHECKPOINTS_FOLDER),
        max_steps=steps,
        per_device_train_batch_size=settings.batch_size,
        gradient_accumulation_steps=settings.accumulate,
        learning_rate=settings.learning_rate,
        warmup_steps=ceil(settings.warmup * steps),
        bf16=settings.precision == "bf16",
        fp16=settings.precision == "fp16",
        seed=settings.seed,
        logging_steps=settings.log_every,
        save_steps=steps_per_checkpoint,
        save_total_limit=KEPT_CHECKPOINTS,
        ignore_data_skip=True,  # the stream begins where the checkpoint ended
        report_to="none",
        disable_tqdm=True,  # `bar` shows the steps
    )
    encoder = _load_encoder(model, settings)
    trainer = SentenceTransformerTrainer(
        encoder,
        arguments,
        stream,
        loss=_make_loss(encoder, settings),
        callbacks=[_Resumable(settings.seed), _StepCounter(bar)],
    )
    trainer.remove_callback(PrinterCallback)  # which prints each loss
    return trainer


def write_model(folder: Path, trainer: SentenceTransformerTrainer) -> None:
    """Write model and losses at once; their presence means that the training is finished."""
    mean_losses = [
        (entry["step"], entry["loss"]) for entry in trainer.state.log_history if "loss" in entry
    ]
    with new_folder(folder / MODEL_FOLDER, {"losses": mean_losses}) as part:
        trainer.model.save_pretrained(str(part), create_model_card=False)


class TextStream:
    """Yield a dict of texts per triplet, from number `start` on, without end.

    The pickle has only the class: the `datasets` library names a cache, which a stream does not
    use, by the pickle, and all texts would be in it.
    """

    def __init__(self, triplets: CitationTriplets, texts: Mapping[str, str], start: int) -> None:
        self.triplets = triplets
        self.texts = texts
        self.start = start

    def __call__(self) -> Iterator[dict[str, str]]:
        """Yield the texts; the `datasets` library calls this when the training begins."""
        for triplet in islice(self.triplets.endless(), self.start, None):
            triplet_texts = [self.texts[paper] for paper in triplet]
            yield dict(zip(COLUMNS, triplet_texts))

    def __reduce__(self) -> tuple[object, ...]:
        return TextStream, (None, None, self.start)


def _load_encoder(model: str, settings: TrainingSettings) -> SentenceTransformer:
    """Load the model, with the settings' pooling, on the best device."""
    encoder = encoders.load_named(model)
    if settings.pooling is not None:
        transformer = encoder[0]
        pooling = Pooling(transformer.get_embedding_dimension(), settings.pooling)
        encoder = SentenceTransformer(modules=[transformer, pooling])
    if settings.max_length is not None:
        encoder.max_seq_length = settings.max_length
    return encoder


def _make_loss(encoder: SentenceTransformer, settings: TrainingSettings) -> torch.nn.Module:
    """Return the loss that the settings name."""
    if settings.loss == "triplet":
        return losses.TripletLoss(encoder, triplet_margin=settings.margin)  # Euclidean
    return losses.MultipleNegativesRankingLoss(encoder)


class _Resumable(TrainerCallback):
    """Make a resumed training equal to one that was not interrupted.

    The trainer calls `on_step_begin` before each step, `on_step_end` behind it, and `on_save` once
    a checkpoint is written.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def on_step_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **more: object
    ) -> None:
        """Make dropout a function of the step, wherever the training was interrupted."""
        torch.manual_seed(self.seed * SEED_DISTANCE + state.global_step)

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **more: object
    ) -> None:
        """Write no checkpoint of the last step: a trainer that resumes there would do one more."""
        if state.global_step >= args.max_steps:
            control.should_save = False  # the model is written next

    def on_save(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **more: object
    ) -> None:
        """Write the checkpoint's manifest, after all of its other files."""
        checkpoint = Path(str(args.output_dir), f"{CHECKPOINT_PREFIX}{state.global_step}")
        write_manifest(checkpoint, {"steps": state.global_step})


class _StepCounter(TrainerCallback):
    """Count the steps on a bar, and show the last mean loss there.

    The trainer calls `on_step_end` behind each step, and `on_log` when it has recorded a loss.
    """

    def __init__(self, bar: tqdm) -> None:
        self.bar = bar

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **more: object
    ) -> None:
        self.bar.update()

    def on_log(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **more: object
    ) -> None:
        last_entry = state.log_history[-1]
        if "loss" in last_entry:
            self.bar.set_description_str(f"training (loss {last_entry['loss']:.4g})")
