"""The base of encoders by a model: it loads the model, forms batches, and keeps the arrays.

To encode texts by a model of sentence-transformers, subclass `TextEncoder`; for anything else,
subclass `ModelEncoder` and write `encode_batch`::

    @dataclass(eq=False, repr=False)
    class FirstLetters(ModelEncoder[TextModel, str]):
        def encode_first_letters(self, texts: list[str]) -> list[np.ndarray]:
            return self.encode_once(texts, Part("first letters"))

        def encode_batch(self, model, texts, side):
            return [row[None] for row in model.encode([text[:1] for text in texts])]
"""

import os
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from more_itertools import chunked

from ir_datasets_ext.store import fingerprint

from ..arguments import Count, Name
from ._array_memory import Key
from ._batches import choose_budget, compute_batches, form_batches
from ._loading import LoadRequest, load_model
from ._model_identity import (
    ADAPTER_CONFIG,
    find_commit,
    is_hub_name,
    model_value,
    plain,
    stamp_files,
)
from ._precision import Precision, resolve_precision
from ._tokenization import LockedModel, count_tokens, find_prompt, lock_tokenizer
from .answer_checks import LONGEST_SHOWN_TEXT
from .encoder_protocols import Side
from .model_protocols import LoadedModel
from .remembering_encoder import Part, RememberingEncoder
from .room import Room

UNCOUNTED_BATCH_SIZE = 32  # texts of a batch whose tokens cannot be counted

Model = TypeVar("Model")


@dataclass(eq=False, repr=False)
class ModelEncoder(RememberingEncoder[Key], Generic[Model, Key]):
    """Encode by a model of sentence-transformers; each kind of encoder is a subclass.

    A subclass encodes a batch in `encode_batch`. This class loads the model when first needed, and
    holds it. It encodes each distinct text once, in batches by tokens from texts sorted by length,
    on all cores, and keeps arrays in memory and on disk. Copies, by `dataclasses.replace` or
    pickle, hold nothing: share the object to share its model and arrays.

    A model passed as an object may be trained between two calls. So nothing is kept from one call
    to the next, unless it has a `name`: then you guarantee that the name changes with the model.

    Args:
        model: a name on the Hugging Face hub, a folder, or the model as an object, which stays
            unchanged. A model loaded by name may be faster on processors, and may then take up to
            1 GiB more memory.
        name: identifies a model object, so that its embeddings are kept; None keeps nothing.
        precision: ``"fp32"``; ``"bf16"`` (1.3 to 2 times as fast on processors that have it;
            cosines change by some ten thousandths) and ``"fp16"``, for all before the pooling;
            ``"int8"``, by ONNX Runtime (about three times as fast on processors with VNNI; cosines
            change by some hundredths, and a little with the batch; extra ``int8``; not for all
            kinds); ``"auto"``, bf16 if the device computes in it, else fp32. An object keeps its
            own precision in ``"fp32"``; others are computed by a copy.
        device: as in PyTorch (``"cuda"``); default: an object's own, or the best available.
        max_length: tokens at which a text is truncated, with special tokens; default: the model's.
        revision: of a name on the hub: a branch, a tag or a commit.
        batch_tokens: tokens of a batch, with padding; default: 1,024 on processors, each core
            with its own batch, and 16,384 on GPUs. Changes embeddings by rounding only.
        memory: bytes of embeddings, and of their texts, kept for later calls.
        cache: keep embeddings on disk for later runs: True for the default folder, a folder, or a
            `VectorCache`. For a model's name it uses the revision on this machine.
        room: a `Room` shared with other encoders, of which only a few hold their models.
        verbose: show progress.

    Raises:
        ImportError: (when encoding) a package is missing or too old; names the extra.
        OSError: (when encoding) the model is missing; says what to download.
        ValueError: (when encoding) an unknown precision, or one that this kind or model does not
            support; NaN or infinity from a broken model; a cache for an object without a name.
    """

    model: str | os.PathLike[str] | Model
    name: Name | None = field(default=None, kw_only=True)
    precision: Precision = field(default="fp32", kw_only=True)
    device: str | None = field(default=None, kw_only=True)
    max_length: Count | None = field(default=None, kw_only=True)
    revision: str | None = field(default=None, kw_only=True)
    batch_tokens: Count | None = field(default=None, compare=False, kw_only=True)
    room: Room | None = field(default=None, compare=False, repr=False, kw_only=True)

    KIND: ClassVar[str] = "SentenceTransformer"  #: the class of a named model in its library
    INT8: ClassVar[bool] = True  #: whether precision="int8" is possible

    def __post_init__(self) -> None:
        super().__post_init__()
        self.model = plain(self.model)

    def encode_batch(self, model: Model, texts: list[Key], side: Side) -> list[np.ndarray]:
        """Encode a batch: return a float32 array (k, d) for each of `texts`.

        Called for each batch, maybe from several threads at once, with the model that
        `_assemble_model` returned. `side` is that of the `Part` passed to `encode_once`.
        """
        raise NotImplementedError

    def release(self) -> None:
        """Drop the loaded model and the arrays in memory; the next call loads it again."""
        self.drop_held()

    @property
    def precision_used(self) -> str:
        """The precision of the computation, such as "fp32" or "bf16"; loads nothing."""
        if self.precision == "int8" and not self.INT8:
            raise ValueError(
                "precision='int8': choose one of fp32, bf16, fp16, auto for a "
                f"{type(self).__name__}."
            )
        return resolve_precision(self.precision, self.model, self.device, self.KIND)

    # Methods that a kind of encoder may replace; each says when it is called.

    def _check_loading(self) -> None:
        """Raise if settings do not suit each other; called before a model is loaded or copied."""

    def _loading_arguments(self) -> Mapping[str, object]:
        """Return more arguments of a named model's class; called before the model is loaded."""
        return {}

    def _changes_model(self) -> bool:
        """Return whether the settings change a model, so that an object must be copied first.

        Called before an object is used. What is changed here is changed in `_prepare_model`.
        """
        return self.precision != "fp32" or self.device is not None or self.max_length is not None

    def _prepare_model(self, model: LoadedModel) -> None:
        """Change a model that was just loaded or copied; called once, before it gets its precision.

        Not called for an object that `_changes_model` leaves alone.
        """
        if self.max_length is not None:
            model.max_seq_length = self.max_length

    def _assemble_model(self, model: Any) -> Model:
        """Return the model to encode with; called once after loading, also for an object.

        `model` must stay unchanged, because it may be the user's.
        """
        return model

    def _count_tokens(self, model: Model, texts: list[Key], side: Side) -> Sequence[int] | None:
        """Return the tokens of each text, with the side's prompt, or None if they are unknown.

        Called with all new texts, before batches are formed by these numbers.
        """
        return count_tokens(model, texts, self._find_prompt(model, side))  # type: ignore[arg-type]

    def _chosen_prompt(self, side: Side) -> str | None:
        """Return what the settings put before a text; None for the model's own prompt.

        Called by `_find_prompt`, and by text encoders for each batch.
        """
        return None

    def _identify_part(self, part: Part) -> "ModelEncoder[Model, Key]":
        """Return the encoder whose fingerprint is the key of this part's entries on disk.

        Called before the cache is read. It may be another one, without the settings that do not
        change the embeddings of this part: then encoders share them that differ in those only.
        """
        return self

    # The model, and how it encodes.

    def _find_prompt(self, model: Model, side: Side) -> str:
        """Return what stands before a text: the settings' prompt, else the model's own."""
        chosen_prompt = self._chosen_prompt(side)
        return find_prompt(model, side) if chosen_prompt is None else chosen_prompt

    def _get_model(self) -> Model:
        """Return the model, ready to encode.

        A model loaded by name stays in memory until a setting or a file of it changes. An object
        without a name may be trained between two calls, so it is prepared again for each call.
        """
        if self.room is not None:
            self.room.enter(self)  # encoders that used this room earlier may drop their models

        is_same_in_each_call = self._keeps_arrays()
        if not is_same_in_each_call:
            return self._load_model(self.revision)

        revision = self._pin_revision()
        # `held` loads the model again if one of these differs from the last call
        what_it_depends_on = (revision, *self._memory_state())
        return self.held("model", lambda: self._load_model(revision), *what_it_depends_on)

    def _pin_revision(self) -> str | None:
        """Return the revision to load.

        With a cache it is the commit that names its entries. A branch could move in between, and
        then other embeddings would be kept under that commit.
        """
        commit = self._find_model_commit() if self.cache else None
        return self.revision if commit is None else commit

    def _load_model(self, revision: str | None) -> Model:
        """Load or copy the model, and prepare it by the methods above."""
        precision = self.precision_used
        self._check_loading()
        model = load_model(
            LoadRequest(
                model=self.model,
                precision=precision,
                prepare=self._prepare_model,
                changes_object=self._changes_model(),
                kind=self.KIND,
                device=self.device,
                revision=revision,
                arguments=self._loading_arguments(),
                verbose=self.verbose,
            )
        )
        return self._assemble_model(model)

    def _encode_keys(self, keys: list[Key], part: Part) -> Iterator[tuple[Key, np.ndarray]]:
        """Encode `keys` in batches, and yield each with its array; see `RememberingEncoder`."""
        # with a lock, because batches may be computed in several threads
        locked = lock_tokenizer(self._get_model())
        batches = self._divide_into_batches(keys, part.side, locked)

        def encode_with_keys(batch: list[Key]) -> list[tuple[Key, np.ndarray]]:
            arrays = self.encode_batch(locked.model, batch, part.side)
            return list(zip(batch, arrays))

        for encoded_batch in compute_batches(encode_with_keys, batches, locked.device):
            yield from encoded_batch

    def _divide_into_batches(
        self, keys: list[Key], side: Side, locked: LockedModel
    ) -> Iterable[list[Key]]:
        """Return the keys in batches: of similar length, or of equal size if lengths are unknown.

        side: the model's side that reads the keys, with its prompt.
        """
        token_counts = self._count_tokens(locked.model, keys, side)
        if token_counts is None:
            batch_size = getattr(self, "batch_size", UNCOUNTED_BATCH_SIZE)
            return chunked(keys, batch_size)

        budget = choose_budget(self.batch_tokens, locked.device)
        batches_of_numbers = form_batches(token_counts, budget)
        return [[keys[number] for number in numbers] for numbers in batches_of_numbers]

    # What identifies the encoder, its arrays in memory, and those on disk.

    def __fingerprint__(self) -> dict[str, object]:
        """Return the settings that tell encoders with other embeddings apart."""
        settings = super().__fingerprint__()
        del settings["device"]  # it changes only rounding
        del settings["revision"]  # it is in the model's value

        if self.name:  # identifies the model, by the user's word
            settings["model"] = None
        else:
            settings["model"] = model_value(self.model, self.revision)

        if settings.get("adapter"):
            settings["adapter"] = model_value(settings["adapter"], file=ADAPTER_CONFIG)
        if self.precision == "auto":  # it means another precision on another machine
            settings["precision"] = self.precision_used
        return settings

    def _keeps_arrays(self) -> bool:
        """Return whether arrays may be kept for later calls: only if the model has a name.

        An object without a name may be trained between two calls.
        """
        return self.name is not None or isinstance(self.model, str)

    def _memory_state(self) -> tuple[Hashable, ...]:
        """Return the settings, and what changes with the files of the model and its adapter."""
        model_files = () if self.name else stamp_files(self.model)
        adapter_files = stamp_files(getattr(self, "adapter", None))
        return (self._key(), model_files, adapter_files)

    def _cache_settings(self, part: Part) -> dict[str, str]:
        """Return the part's label, and the fingerprint of the encoder that computes it."""
        if not self._keeps_arrays():
            raise ValueError(
                f"{self!r:.{LONGEST_SHOWN_TEXT}} has a model that was given as an object, which "
                "may be trained at any time. To keep its embeddings, pass name='…', and change it "
                "with the model; or pass the model's name or folder."
            )

        encoder = self._identify_part(part)
        is_identified_by_commit = not self.name and is_hub_name(self.model)
        if is_identified_by_commit and self._learn_commit() is None:
            # without its commit, a name may mean other weights tomorrow; in its place stands the
            # loaded model, whose fingerprint changes with its weights
            encoder = replace(encoder, model=self._get_model())
        return {"side": part.label, "by": fingerprint(encoder)}

    def _learn_commit(self) -> str | None:
        """Return the commit of a name on the hub; load the model if it is unknown so far."""
        commit = self._find_model_commit()
        if commit is None:
            self._get_model()  # this may download the model, and then its commit is known
            commit = self._find_model_commit()
        return commit

    def _find_model_commit(self) -> str | None:
        """Return the commit of the model; None if it is unknown, or if the model is no name."""
        if not is_hub_name(self.model):
            return None
        return find_commit(self.model, self.revision)

    # What is shown while it encodes.

    def _describe_work(self) -> str:
        return f"encoding ({self.precision_used})"

    def _describe_plan(self, count: int) -> str:
        model_name = self.name or "a model"
        if not self.name and isinstance(self.model, str):
            model_name = os.path.basename(self.model)
        return f"Encoding {count:,} {self.UNIT}s with {model_name} in {self.precision_used}."
