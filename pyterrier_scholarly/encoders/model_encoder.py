"""What encoders of a model share: loading it, batches of texts, and keeping their arrays."""

import os
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import ClassVar

import numpy as np
from more_itertools import chunked

from ir_datasets_ext.store import fingerprint

from ..arguments import Count, Name
from ._batches import Key, Model, batches, budget, each, shared, token_counts
from ._loading import Precision, auto_gain, load, precision_of
from ._memory import Remembering
from ._models import ADAPTER_CONFIG, commit, is_name, model_value, plain, stamps
from .encoder_calls import SHOWN

SIZE = 32  # texts of a batch whose tokens cannot be counted
NOTABLE = 1.1  # gains below it are noise


@dataclass(eq=False, repr=False)
class ModelEncoder(Remembering):
    """Encode by a model of sentence-transformers; each kind of encoder is a subclass.

    A subclass encodes a batch in `encode_batch`. This class loads the model when first needed, and
    holds it. It encodes each distinct text once, in batches by tokens from texts sorted by length,
    on all cores, and keeps arrays in memory and on disk. Copies, by `dataclasses.replace` or
    pickle, hold nothing: share the object to share its model and arrays.

    A model passed as an object may be trained between two calls. So nothing is kept from one call
    to the next, unless it has a `name`: then you guarantee that the name changes with the model.

    Args:
        model: a name on the Hugging Face hub, a folder, or the model as an object, which stays
            unchanged. In fp32 on processors, a model loaded by name is faster: its weights are
            packed, which doubles their memory (weights above 1 GiB are not packed).
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
        verbose: show progress.

    Raises:
        ImportError: (when encoding) a package is missing or too old; names the extra.
        OSError: (when encoding) the model is missing; says what to download.
        ValueError: (when encoding) an unknown precision, or one that this kind or model does not
            support; NaN or infinity from a broken model; a cache for an object without a name.
    """

    model: Model
    name: Name | None = field(default=None, kw_only=True)
    precision: Precision = field(default="fp32", kw_only=True)
    device: str | None = field(default=None, kw_only=True)
    max_length: Count | None = field(default=None, kw_only=True)
    revision: str | None = field(default=None, kw_only=True)
    batch_tokens: Count | None = field(default=None, compare=False, kw_only=True)

    KIND = "SentenceTransformer"  #: the class in sentence_transformers
    INT8 = True  #: whether precision="int8" is possible
    #: need a copy of an object
    CHANGING: ClassVar[tuple[str, ...]] = ("precision", "device", "max_length")
    room = None  #: the Room that it shares with others, if any

    def encode_batch(self, model: Model, texts: list[Key], side: str) -> list[np.ndarray]:
        """Encode a batch: return a float32 array (k, d) for each of `texts`."""
        raise NotImplementedError

    def release(self) -> None:
        """Drop the loaded model and the arrays in memory; the next call loads it again."""
        vars(self).pop("_held", None)

    @property
    def loading(self) -> Mapping[str, object]:
        """More arguments of the model's class, for a name."""
        return {}

    @property
    def precision_used(self) -> str:
        """The precision of the computation, such as "fp32" or "bf16"; loads nothing."""
        return precision_of(self)

    def prepared(self, model: Model) -> None:
        """Change a loaded or copied model, before it gets its precision."""
        if self.max_length is not None:
            model.max_seq_length = self.max_length

    def assembled(self, model: Model) -> Model:
        """Return the model to encode with; the loaded `model` stays unchanged."""
        return model

    def lengths(self, model: Model, texts: list[Key], side: str) -> Sequence[int] | None:
        """Return the tokens of each text, with the side's prompt; None if unknown."""
        return token_counts(model, texts, side, self.prompt(side))

    def prompt(self, side: str) -> str | None:
        """Return what is put before a text; None for the model's own prompt."""
        return getattr(self, f"{side}_prompt", None)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.model = plain(self.model)

    def __fingerprint__(self) -> dict[str, object]:
        """Return the settings: models by their contents; no device, which changes only rounding."""
        settings = super().__fingerprint__()
        del settings["device"], settings["revision"]
        settings["model"] = None if self.name else model_value(self.model, self.revision)
        if settings.get("adapter"):
            settings["adapter"] = model_value(settings["adapter"], file=ADAPTER_CONFIG)
        return settings | ({"precision": self.precision_used} if self.precision == "auto" else {})

    def _remembers(self) -> bool:
        return self.name is not None or isinstance(self.model, str)

    def _state(self) -> tuple:
        return (
            self._key(),
            None if self.name else stamps(self.model),
            stamps(getattr(self, "adapter", None)),
        )

    def _model(self) -> Model:
        """Return the model, ready to encode; load it again if a file of it changed."""
        if self.room:
            self.room.enter(self)
        pinned = commit(self.model, self.revision) if self.cache and is_name(self.model) else None
        revision = pinned or self.revision

        def make() -> Model:
            return self.assembled(load(self, revision))

        return self.held("model", make, revision, *self._state()) if self._remembers() else make()

    def _about(self, part: str) -> dict[str, str]:
        """Identify arrays; a name without a commit may move, so its loaded weights count."""
        if not self._remembers():
            raise ValueError(
                f"{self!r:.{SHOWN}} has a model that was given as an object, which may be trained "
                "at any time. To keep its embeddings, pass name='…', and change it with the model; "
                "or pass the model's name or folder."
            )
        own = self._of_part(part)
        if is_name(self.model) and not self.name and not commit(self.model, self.revision):
            model = self._model()
            if not commit(self.model, self.revision):
                own = replace(own, model=model)
        return {"side": part, "by": fingerprint(own)}

    def _of_part(self, part: str) -> "ModelEncoder":
        """Return an encoder that is equal for a part of the work."""
        return self

    def _label(self) -> str:
        return f"encoding ({self.precision_used})"

    def _plan(self, count: int) -> str:
        name = self.name or (self.model if isinstance(self.model, str) else "a model")
        gain = auto_gain(self)
        faster = f"; precision='auto' would be about {gain:.1f} times as fast here (timed now)"
        return (
            f"Encoding {count:,} {self.UNIT}s with {os.path.basename(name)} in "
            f"{self.precision_used}{faster if gain > NOTABLE else ''}."
        )

    def _encoded(self, keys: list[Key], part: str) -> Iterator[tuple[Hashable, np.ndarray]]:
        model, device = shared(self._model())
        formed = chunked(range(len(keys)), getattr(self, "batch_size", SIZE))
        if (counts := self.lengths(model, keys, part)) is not None:
            formed = batches(counts, budget(self.batch_tokens, device))

        def encoded(batch: list[int]) -> Iterator[tuple[Hashable, np.ndarray]]:
            own = [keys[number] for number in batch]
            return zip(own, self.encode_batch(model, own, part))

        return chain.from_iterable(each(encoded, formed, device))
