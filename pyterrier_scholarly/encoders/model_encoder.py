"""What encoders of a model share: loading it, batches of texts, and where their arrays are kept."""

from dataclasses import dataclass, field, replace

from ir_datasets_ext.store import fingerprint

from ._adapter import CONFIG
from ._batches import batches, budget, each, shared, token_counts
from ._loading import load, precision_of
from ._memory import Remembering
from ._names import commit, is_name, model_value, plain, stamps
from .answers import SHOWN

SIZE = 32  # texts of a batch whose tokens cannot be counted


@dataclass(eq=False, repr=False)
class ModelEncoder(Remembering):
    """Encodes by a model of sentence-transformers; a kind of encoder is a subclass.

    It says in `encode_batch` what the model makes of a batch. All else is done here: the model is
    loaded when first needed, and held; each distinct text is encoded once, in batches cut by tokens
    from texts sorted by length, on all cores; arrays are kept in memory and on disk. Copies, by
    `dataclasses.replace` or pickled, hold nothing: share the object to share what it holds.

    A model that is given as an object may be trained between two calls. So nothing of it is kept
    from one call to the next, unless it has a `name`: then you vouch that the name changes with it.

    Args:
        model: a name on the Hugging Face hub, a folder, or the model as an object, which stays as
            it is. One that is loaded by name is faster in fp32 on processors: its weights are laid
            out anew, which takes their size again in memory (those above 1 GiB are left).
        name: what tells a model object from others, to keep its vectors; None to keep nothing.
        precision: ``"fp32"``; ``"bf16"`` (about twice as fast on processors that compute in it;
            cosines change by some ten thousandths) and ``"fp16"``, for all before the pooling;
            ``"int8"``, by ONNX Runtime (about three times as fast on processors with VNNI; cosines
            change by some hundredths, a little with what shares the batch; extra ``int8``; not for
            all kinds); ``"auto"``, bf16 where the device computes in it, else fp32: see
            `precision_used`. Of an object, ``"fp32"`` leaves its own, others are of a copy.
        device: as PyTorch names it (``"cuda"``); None for an object's own, or the best there is.
        max_length: tokens that a text is cut at, special tokens counted; None for the model's own.
        revision: of a name on the hub: a branch, a tag or a commit.
        batch_tokens: tokens of a batch, padding counted; None for 1,024 on processors, each core
            with its own batch, and 16,384 on GPUs. Changes vectors by rounding alone.
        memory: bytes of vectors, and of their texts, that are kept for later calls.
        cache: keep vectors on disk too, for later runs: True for the default folder, a folder, or a
            `VectorCache`. Of a named model it takes the revision that is on this machine.
        verbose: show progress.

    Raises:
        ImportError: (when encoding) sentence-transformers is missing or too old, or what int8
            needs; names the extra.
        OSError: (when encoding) there is no such model; says what to download.
        ValueError: (when encoding) an unknown precision, or one that this kind or model does not
            have; NaN or infinity from a broken model; a cache for an object without a name.
    """

    model: object
    name: str | None = field(default=None, kw_only=True)
    precision: str = field(default="fp32", kw_only=True)
    device: str | None = field(default=None, kw_only=True)
    max_length: int | None = field(default=None, kw_only=True)
    revision: str | None = field(default=None, kw_only=True)
    batch_tokens: int | None = field(default=None, compare=False, kw_only=True)

    KIND = "SentenceTransformer"  #: the class in sentence_transformers
    INT8 = True  #: whether precision="int8" is possible
    CHANGING = ("precision", "device", "max_length")  #: settings for which an object is copied
    loading = {}  #: more arguments of the model's class, for a name
    room = None  #: the Room that it shares with others, if any

    def encode_batch(self, model, texts, side) -> list:
        """What the model makes of a batch: a float32 array (k, d) for each of `texts`."""
        raise NotImplementedError

    def release(self):
        """Drop the loaded model and the vectors in memory; the next call loads it again."""
        vars(self).pop("_held", None)

    @property
    def precision_used(self) -> str:
        """The precision that is computed in, such as "fp32" or "bf16"; loads nothing."""
        return precision_of(self)

    def prepared(self, model):
        """Change a model that was loaded or copied, before it is in its precision."""
        if self.max_length is not None:
            model.max_seq_length = self.max_length

    def assembled(self, model):
        """The model to encode with, of the one that was loaded, which stays as it is."""
        return model

    def lengths(self, model, texts, side):
        """The tokens of each text, or None if the model does not tell."""
        return token_counts(model, texts, side)

    def __post_init__(self):
        self.model = plain(self.model)

    def __fingerprint__(self):
        """The settings: models by their contents, without the device, which changes rounding."""
        told = super().__fingerprint__()
        told.pop("device")
        revision = told.pop("revision")
        told["model"] = None if self.name else model_value(self.model, revision)
        if told.get("adapter"):
            told["adapter"] = model_value(self.adapter, file=CONFIG)
        if self.precision == "auto":
            told["precision"] = self.precision_used
        return told

    def _remembers(self):
        return self.name is not None or isinstance(self.model, str)

    def _state(self):
        files = None if self.name else stamps(self.model)
        return self._key(), files, stamps(getattr(self, "adapter", None))

    def _model(self):
        """The model, ready to encode; loaded again when a file of it changed."""
        if self.room:
            self.room.enter(self)
        if not self._remembers():
            return self.assembled(load(self, None))
        pinned = commit(self.model, self.revision) if self.cache and is_name(self.model) else None
        revision = pinned or self.revision

        def make():
            return self.assembled(load(self, revision))

        return self.held("model", make, revision, *self._state())

    def _about(self, part):
        """Names without a commit may move, so the weights that are loaded tell."""
        if not self._remembers():
            raise ValueError(
                f"{self!r:.{SHOWN}} has a model that was given as an object, which may be trained "
                "at any time: to keep its vectors, pass name='…', which you change with it, or the "
                "model's name or folder."
            )
        own = self._of_part(part)
        if is_name(self.model) and not self.name and not commit(self.model, self.revision):
            model = self._model()
            if not commit(self.model, self.revision):
                own = replace(own, model=model)
        return {"side": part, "by": fingerprint(own)}

    def _of_part(self, part):
        """An equal encoder as far as a part of the work goes."""
        return self

    def _label(self):
        return f"encoding ({self.precision_used})"

    def _encoded(self, keys, part):
        model, device = shared(self._model())
        counts = self.lengths(model, keys, part)
        if counts is None:
            size = getattr(self, "batch_size", SIZE)
            cut = [range(len(keys))[start : start + size] for start in range(0, len(keys), size)]
        else:
            cut = batches(counts, budget(self.batch_tokens, device))

        def encoded(batch):
            own = [keys[number] for number in batch]
            return zip(own, self.encode_batch(model, own, part))

        for pairs in each(encoded, cut, device):
            yield from pairs
