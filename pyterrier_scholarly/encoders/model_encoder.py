"""The base of encoders by a model: it loads the model, forms batches, and keeps the arrays.

To encode texts by a model of sentence-transformers, subclass `TextEncoder`; for anything else,
subclass `ModelEncoder` and write `encode_batch`::

    @dataclass(eq=False, repr=False)
    class FirstLetters(ModelEncoder[str]):
        def encode_first_letters(self, texts: list[str]) -> list[np.ndarray]:
            return self.encode_once(texts, "document", self.encode_in_batches)

        def encode_batch(self, model, texts, side):
            return [row[None] for row in model.encode([text[:1] for text in texts])]
"""

import copy
import os
from collections.abc import Hashable, Iterable
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from itertools import chain
from threading import RLock
from typing import Any, ClassVar

import numpy as np

from ..arguments import Count, Name
from ..fingerprint import fingerprint
from ..progress import progress
from .batches import compute_in_batches
from .cache import Key, KeyArrays, RememberingEncoder
from .loading import (
    PRECISIONS,
    WEIGHT_TYPES,
    Precision,
    computes_bf16,
    find_commit,
    is_hub_name,
    load_named,
    model_value,
    stamp_files,
)

MOST_MODELS = 3  # of encoders that share the memory for models
UNCOUNTED_TOKENS = 32  # of a text whose tokens cannot be counted: 32 such texts are a batch

#: Held whenever a tokenizer runs, because a tokenizer stores how it pads and truncates. Called from
#: two threads at once, it raises, or truncates one caller's texts with the other's settings. One
#: lock for all: encoders may share a tokenizer, and tokenizers take a small part of the time.
TOKENIZER_LOCK = RLock()


@dataclass(eq=False, repr=False)
class ModelEncoder(RememberingEncoder[Key]):
    """Encode by a model of sentence-transformers; each kind of encoder is a subclass.

    A subclass encodes a batch in `encode_batch`. This class loads the model when first needed, and
    holds it. It encodes each distinct text once, in batches by tokens from texts sorted by length,
    on all cores, and keeps arrays in memory and on disk. Copies, by `dataclasses.replace` or
    pickle, hold nothing: share the object to share its model and arrays.

    A model passed as an object may be trained between two calls. So nothing is kept from one call
    to the next, unless it has a `name`: then you guarantee that the name changes with the model.

    Args:
        model: a name on the Hugging Face hub, a folder, or the model as an object, which stays
            unchanged: settings that would change it change a copy.
        name: by which the embeddings of a model object are kept and found again. No other model
            may have it, and you change it whenever the model changes. None keeps nothing of an
            object. For a folder it stands for the files, which then may not change.
        precision: ``"fp32"``; ``"bf16"`` (1.3 to 2 times as fast on processors that have it;
            cosines change by some ten thousandths) and ``"fp16"``; ``"auto"``, bf16 if the device
            computes in it, else fp32. An object keeps its own precision in ``"fp32"``.
        device: as in PyTorch (``"cuda"``); default: an object's own, or the best available.
        max_length: tokens at which a text is truncated, with special tokens; default: the model's.
        revision: of a name on the hub: a branch, a tag or a commit.
        model_kwargs, trust_remote_code: of a model that is loaded, as sentence-transformers names
            them; the second runs the model's own Python code: only after reading it.
        batch_tokens: tokens of a batch, with padding; default: 1,024 on processors, each core
            with its own batch, and 16,384 on GPUs. Changes embeddings by rounding only.
        memory: bytes of embeddings, and of their texts, kept for later calls.
        cache: keep embeddings on disk for later runs: True for the default folder, a folder, or a
            `VectorCache`. For a model's name it uses the revision on this machine.
        verbose: show progress.

    Raises:
        ImportError: (when encoding) a package is missing or too old; names the extra.
        OSError: (when encoding) the model is missing; says what to download.
        ValueError: (when encoding) NaN or infinity from a broken model; a cache for an object
            without a name.
    """

    model: Any
    _: KW_ONLY
    name: Name | None = None
    precision: Precision = "fp32"
    device: str | None = None
    max_length: Count | None = None
    revision: str | None = None
    model_kwargs: dict[str, Any] | None = None
    trust_remote_code: bool = False
    batch_tokens: Count | None = field(default=None, compare=False)

    #: encoders that share the memory for models, the last used at the end: MOST_MODELS of them hold
    #: one. `systems` sets it
    recent: list["ModelEncoder"] | None = field(default=None, init=False, compare=False, repr=False)

    KIND: ClassVar[str] = "SentenceTransformer"  #: the class of a named model in its library
    backend = "torch"  #: what computes; a setting of `SentenceTransformer`
    #: names of settings that change a model; an object is copied if one of them is no default
    CHANGING: ClassVar[tuple[str, ...]] = ("precision", "device", "max_length")

    def __post_init__(self) -> None:
        if isinstance(self.model, os.PathLike):
            self.model = os.fspath(self.model)

    def encode_batch(self, model: Any, texts: list[Key], side: Any) -> list[np.ndarray]:
        """Encode a batch: return a float32 array (k, d) for each of `texts`.

        Called for each batch, maybe from several threads at once. `side` is what was passed to
        `encode_once` as part.
        """
        raise NotImplementedError

    def release(self) -> None:
        """Drop the loaded model and the arrays in memory; the next call loads it again."""
        self.drop_held()

    @property
    def precision_used(self) -> str:
        """The precision of the computation, such as "fp32" or "bf16"; loads nothing."""
        if self.precision in ("bf16", "fp16"):
            return self.precision
        if self.precision == "auto":
            device = self.device or getattr(self.model, "device", None)
            if computes_bf16(device):
                return "bf16"

        # from here on, the setting changes no type of weights: a model's name is loaded in fp32,
        # and an object's weights keep their type
        if not hasattr(self.model, "parameters"):
            return "fp32"
        first_weights: Any = next(self.model.parameters(), None)
        if not hasattr(first_weights, "dtype"):  # an exported model shows no weights
            return "its own"

        type_name = str(first_weights.dtype)
        return PRECISIONS.get(type_name, type_name)

    def list_changed(self, names: Iterable[str]) -> list[str]:
        """Return those of the settings with these `names` that are not at their default."""
        # a class has the defaults of its settings as attributes
        return [name for name in names if getattr(self, name) != getattr(type(self), name)]

    # A method that a kind of encoder may replace.

    def _prepare(self, model: Any) -> None:
        """Change a model that was just loaded or copied, as the settings beside precision say."""
        if "max_length" in self.list_changed(self.CHANGING):
            model.max_seq_length = self.max_length

    # The model, and how it encodes.

    def _get_model(self) -> Any:
        """Return the model, ready to encode.

        A model loaded by name stays in memory until a setting or a file of it changes. An object
        without a name may be trained between two calls, so it is prepared again for each call.
        """
        self._mark_as_last_used()
        if not self.is_identified:
            return self._load_model(self.revision)

        revision = self.revision
        if self.cache:
            # the commit that names its entries is loaded: a branch could move in between
            revision = find_commit(self.model, revision) or revision

        load = partial(self._load_model, revision)
        # `held` loads the model again if one of these differs from the last call
        return self.held("model", load, revision, self._find_state())

    def _mark_as_last_used(self) -> None:
        """Move to the end of `recent`; release the first encoders in it, beyond MOST_MODELS."""
        if self.recent is None:
            return

        other_encoders = [encoder for encoder in self.recent if encoder is not self]
        # in place, because all encoders of `systems` share the list
        self.recent[:] = [*other_encoders, self]
        while len(self.recent) > MOST_MODELS:
            longest_unused = self.recent.pop(0)
            longest_unused.release()

    def _load_model(self, revision: str | None) -> Any:
        """Load the model, or copy an object that settings change; in evaluation mode."""
        if isinstance(self.model, str):
            loaded_model = self._load_by_name(self.model, revision)
            if self.backend != "torch":  # all was decided at its export
                return loaded_model
            return self._apply_settings(loaded_model)

        if not hasattr(self.model, "parameters"):  # only its methods are known
            return self.model
        if not self.list_changed(self.CHANGING):
            return self.model.eval()
        copied_model = copy.deepcopy(self.model)  # because the user's object stays unchanged
        return self._apply_settings(copied_model)

    def _apply_settings(self, model: Any) -> Any:
        """Change a model that was just loaded or copied, as all settings say; return it."""
        self._prepare(model)

        dtype = None  # the weights keep their type, as in fp32
        if self.precision_used in ("bf16", "fp16"):
            import torch

            dtype = getattr(torch, WEIGHT_TYPES[self.precision_used])
        return model.to(device=self.device, dtype=dtype).eval()

    def _load_by_name(self, name: str, revision: str | None) -> Any:
        """Load a model by its name or folder, with weights of the precision's type."""
        model_kwargs = dict(self.model_kwargs or {})
        if self.backend == "torch":  # an exported model has no type of weights to choose
            model_kwargs.setdefault("dtype", WEIGHT_TYPES[self.precision_used])

        with progress(f"loading {os.path.basename(name)}", verbose=self.verbose):
            return load_named(
                name,
                self.device,
                self.KIND,
                revision=revision,
                model_kwargs=model_kwargs,
                trust_remote_code=self.trust_remote_code,
                backend=self.backend,
            )

    def encode_in_batches(self, keys: list[Key], part: str) -> KeyArrays[Key]:
        """Encode `keys` in batches, and yield each with its array; see `encode_once`."""
        model = self._get_model()

        # only models of sentence-transformers are known to be safe in several threads
        device = None  # without one, batches are computed in one thread
        if hasattr(model, "preprocess"):
            if getattr(model, "backend", "") == "torch":
                device = model.device
            model = _lock_tokenizer(model)

        def encode_numbered(key_numbers: list[int]) -> list[tuple[Key, np.ndarray]]:
            batch = [keys[number] for number in key_numbers]
            return list(zip(batch, self.encode_batch(model, batch, part)))

        token_counts = _count_tokens(model, keys)
        batches = compute_in_batches(encode_numbered, token_counts, self.batch_tokens, device)
        yield from chain.from_iterable(batches)

    # What identifies the encoder, and its arrays in memory and on disk.

    def __fingerprint__(self) -> dict[str, object]:
        """Return the settings that tell encoders with other embeddings apart."""
        settings = super().__fingerprint__()
        del settings["device"]  # it changes only rounding
        del settings["revision"]  # it is in the model's value

        # a name identifies the model, by the user's word
        settings["model"] = None if self.name else model_value(self.model, self.revision)
        if settings.get("adapter"):
            settings["adapter"] = model_value(settings["adapter"], is_adapter=True)
        if self.precision == "auto":  # it means another precision on another machine
            settings["precision"] = self.precision_used
        return settings

    def __getstate__(self) -> dict[str, object]:
        """Return what a copy or a pickle has: it shares no memory for models."""
        return super().__getstate__() | {"recent": None}

    @property
    def is_identified(self) -> bool:
        """Whether arrays may be kept for later calls: only if the model has a name.

        An object without a name may be trained between two calls.
        """
        return self.name is not None or isinstance(self.model, str)

    def _find_state(self) -> tuple[Hashable, ...]:
        """Return the settings, and what changes with the files of the model and its adapter."""
        model_stamps = () if self.name else stamp_files(self.model)
        adapter_stamps = stamp_files(getattr(self, "adapter", None))
        return (self._key(), model_stamps, adapter_stamps)

    def identify(self, part: str) -> str:
        """Return the fingerprint of the encoder that computes a part's arrays."""
        # an encoder with the settings that this part's arrays depend on; it only gets a fingerprint
        encoder_of_part: Any = copy.copy(self)

        if hasattr(self, "query_prompt"):  # the other side's prompt changes nothing here
            prompt = getattr(self, f"{part}_prompt")
            encoder_of_part.query_prompt = prompt
            encoder_of_part.document_prompt = prompt

        encoder_of_part.model = self._choose_identifying_model()
        return fingerprint(encoder_of_part)

    def _choose_identifying_model(self) -> Any:
        """Return what identifies the model: itself, or the loaded one for a name without commit.

        Such a name may mean other weights tomorrow.
        """
        is_known_by_commit = self.name is None and is_hub_name(self.model)
        if not is_known_by_commit or self._has_commit():
            return self.model

        loaded_model = self._get_model()
        # asked again: if the model was downloaded for it, its commit is known now
        return self.model if self._has_commit() else loaded_model

    def _has_commit(self) -> bool:
        """Return whether the commit of the model's name is known now."""
        return find_commit(self.model, self.revision) is not None


def _lock_tokenizer(model: Any) -> Any:
    """Return a shallow copy of a model whose tokenizer serves one thread at a time."""

    def preprocess(*inputs: object, **settings: object) -> object:
        with TOKENIZER_LOCK:
            return model.preprocess(*inputs, **settings)

    locked_model = copy.copy(model)
    locked_model.preprocess = preprocess
    return locked_model


def _count_tokens(model: Any, keys: list[Any]) -> list[int]:
    """Return the tokens of each text or pair, truncated as the model does, without its prompt.

    At least 1. If the model has no tokenizer, each counts as UNCOUNTED_TOKENS.
    """
    tokenizer = getattr(model, "tokenizer", None)
    if not callable(tokenizer):
        return [UNCOUNTED_TOKENS] * len(keys)
    limit = getattr(model, "max_seq_length", None) or None
    with TOKENIZER_LOCK:
        encoded = tokenizer(keys, truncation=limit is not None, max_length=limit)
    return [max(1, len(token_ids)) for token_ids in encoded["input_ids"]]
