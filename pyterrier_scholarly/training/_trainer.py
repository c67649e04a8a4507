"""sentence-transformers' trainer, and its arguments: model, loss, and a stream of triplets."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from importlib.util import find_spec
from itertools import islice
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ir_datasets_ext.store import fingerprint
from ir_datasets_ext.store.folders import describe

from .. import encoders, frames
from .settings import CHECKPOINTS, TrainingSettings
from .triplets import CitationTriplets

if TYPE_CHECKING:
    from datasets import IterableDataset
    from sentence_transformers import SentenceTransformer, SentenceTransformerTrainer
    from torch.nn import Module
    from transformers import TrainerCallback

COLUMNS = ("anchor", "positive", "negative")


def check_extra() -> None:
    """Raise ImportError, with what to install, if the extra is missing; the trainer is too late."""
    needed = "sentence_transformers", "datasets", "accelerate"
    if not all(map(find_spec, needed)):
        remedy = 'run `pip install "pyterrier-scholarly[train]"`'
        raise ImportError(f"Training needs {', '.join(needed)}: {remedy}.")


def trainer_of(
    encoder: "SentenceTransformer",
    stream: "IterableDataset",
    folder: Path,
    settings: TrainingSettings,
    steps: int,
    save_every: int,
    verbose: bool,
) -> "SentenceTransformerTrainer":
    """Return sentence-transformers' trainer for this training."""
    import sentence_transformers
    from transformers import PrinterCallback

    arguments = sentence_transformers.SentenceTransformerTrainingArguments(
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
        disable_tqdm=not verbose,
    )
    loss = _loss_of(encoder, settings)
    trainer = sentence_transformers.SentenceTransformerTrainer(
        encoder, arguments, stream, loss=loss, callbacks=[_callback(settings.seed)]
    )
    if not verbose:
        trainer.remove_callback(PrinterCallback)
    return trainer


def encoder_of(model: object, settings: TrainingSettings) -> "SentenceTransformer":
    """Return the model with the settings' pooling, on the best device."""
    encoder = encoders.load_named(str(model))
    if settings.pooling is not None:
        from sentence_transformers import SentenceTransformer
        from sentence_transformers.sentence_transformer.modules import Pooling

        pooling = Pooling(encoder[0].get_embedding_dimension(), settings.pooling)
        encoder = SentenceTransformer(modules=[encoder[0], pooling])
    if settings.max_length is not None:
        encoder.max_seq_length = settings.max_length
    return encoder


def _loss_of(encoder: "SentenceTransformer", settings: TrainingSettings) -> "Module":
    from sentence_transformers.sentence_transformer import losses

    if settings.loss == "triplet":
        return losses.TripletLoss(encoder, triplet_margin=settings.margin)  # Euclidean
    return losses.MultipleNegativesRankingLoss(encoder)


def _callback(seed: int) -> "TrainerCallback":
    """Make dropout a function of the step, wherever a training was interrupted."""
    import torch
    from transformers import TrainerCallback

    class Callback(TrainerCallback):
        def on_step_begin(self, args: Any, state: Any, control: Any, **more: object) -> None:
            torch.manual_seed(seed * 1_000_003 + state.global_step)

        def on_step_end(self, args: Any, state: Any, control: Any, **more: object) -> None:
            if state.global_step >= args.max_steps:  # a resumed trainer would do one step more
                control.should_save = False  # the model is written next

        def on_save(self, args: Any, state: Any, control: Any, **more: object) -> None:
            steps = state.global_step  # the manifest is written after all other files
            describe(Path(args.output_dir, f"checkpoint-{steps}"), {"steps": steps})

    return Callback()


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


def streamed(triplets: CitationTriplets, texts: Mapping[str, str], start: int) -> "IterableDataset":
    """Return the stream as a `datasets.IterableDataset`."""
    from datasets import Features, IterableDataset, Value

    features = Features(dict.fromkeys(COLUMNS, Value("string")))
    return IterableDataset.from_generator(TextStream(triplets, texts, start), features=features)


def check_texts(texts: Mapping[str, str], papers: Iterable[str]) -> None:
    """Raise ValueError if a paper's text is missing or blank."""
    missing = []
    for paper in papers:
        with suppress(KeyError):
            if frames.has_text(texts[paper]):
                continue
        missing.append(paper)
    if missing:
        remedy = "pass `texts` for all papers of the triplets, or make triplets without these."
        raise ValueError(f"There is no text of {frames.some(missing)}: {remedy}")


def content_hash(triplets: CitationTriplets, texts: Mapping[str, str]) -> str:
    """Return a hash of papers, texts and relations, which does not depend on their order."""
    papers = sorted(triplets.papers)
    return fingerprint([fingerprint([p, texts[p], triplets.related(p)]) for p in papers])[:16]
