"""Vectors of sentences in their context."""

from dataclasses import dataclass, field
from functools import lru_cache, partial

import pyterrier as pt

from ._identity import pinned, state
from ._means import Means, states
from ._of_model import OfModel
from ._parallel import each
from ._store import Store, kept
from ._transformer import device_of, loaded, positions, resolved
from ._windows import OVERLAP, batches, windows
from .cache import as_cache


@dataclass(eq=False, repr=False)
class Contextual(OfModel):
    """Encodes passages: their parts, each in the context of the others, and the whole.

    A passage is a tuple of texts (a title and sentences, say), encoded in one pass. The vector of a
    part is the mean of the last layer's states of its own tokens; that of the whole is the mean of
    all tokens', special ones too: what a sentence-transformers model with mean pooling gives.

    A passage with more tokens than the model has positions is encoded in windows that overlap by a
    quarter; no token is lost. (Neither title nor beginning is repeated in later windows.)

    Equal encoders share one loaded model, while it is among the last three used, and one store of
    vectors, so the steps of a pipeline encode a passage once between them.

    Args:
        model: a SentenceTransformer, or the name of any Hugging Face encoder (a folder or a name on
            the hub); the transformer inside it is used, without the pooling behind it. One that is
            loaded by name is faster in fp32 on processors: its weights are laid out anew, which
            takes their size again in memory (those above 1 GiB are left as they are).
        precision: ``"fp32"``; ``"bf16"`` (about twice as fast on processors that have it);
            ``"int8"``, as of `SentenceTransformer`; ``"auto"``, bf16 where the processor computes
            in it, else fp32: see `precision_used`.
        device: as PyTorch names it (``"cuda"``); None for a model's own, or the best there is.
        max_length: tokens of a window; None for the positions that the model has.
        batch_tokens: tokens of a batch, padding counted; small batches are faster on processors,
            each core with its own, larger ones on GPUs. Changes vectors by rounding alone.
        memory: bytes of vectors, and of their texts, that are kept for later calls.
        cache: keep vectors on disk too, for later runs: True for the default folder, a folder, or a
            `VectorCache`. A run that finds all there does not load the model. Of a named model it
            takes the revision that is on this machine.
        revision: of a name on the hub: a branch, a tag or a commit.
        verbose: show progress.

    Raises:
        ImportError: (when encoding) sentence-transformers is missing, or what int8 needs; names
            the extra.
        OSError: (when encoding) there is no such model; says what to download.
        ValueError: (when encoding) an unknown precision, a tokenizer without offsets, a
            `max_length` that the model cannot take, NaN or infinity from a broken model, one that
            int8 does not suit.
    """

    model: object
    precision: str = "fp32"
    device: str | None = None
    max_length: int | None = None
    batch_tokens: int = field(default=1_024, compare=False)
    memory: int = field(default=2**30, compare=False)
    cache: object = field(default=None, compare=False)
    revision: str | None = None
    verbose: bool = field(default=False, compare=False, repr=False)

    @property
    def precision_used(self) -> str:
        """The precision that is computed in, such as "fp32" or "bf16"."""
        return resolved(self.precision, device_of(self.model, self.device))

    @property
    def dimensions(self) -> int:
        """D of the vectors (loads the model)."""
        return self._loaded()[0].config.hidden_size

    def encode_passages(self, passages):
        """Encode passages, each distinct one once.

        Args:
            passages: tuples of k texts; k may differ between them, texts may be empty.

        Returns:
            List of (1 + k, d) float32 arrays, read-only: the whole in row 0, then the parts; zero
            for a part without tokens.
        """
        store = _store(self, as_cache(self.cache), state(self.model))
        store.limit = self.memory
        shelf = partial(self._shelf, "passages", OVERLAP)
        found = kept(passages, store, shelf, self._encoded, self._progress)
        return [found[passage] for passage in passages]

    def _encoded(self, passages, done):
        """Arrays (1 + k, d) of distinct passages, in order."""
        transformer, tokenizer = self._loaded()
        means = Means(passages, transformer.config.hidden_size)
        made = windows(passages, tokenizer, self._limit(transformer, tokenizer))

        def summed(taken):
            return taken, means.sums(taken, states(transformer, taken, tokenizer.pad_token_id or 0))

        numbers = batches([len(window.tokens) for window in made], self.batch_tokens)
        cut = [[made[number] for number in batch] for batch in numbers]
        for taken, sums in each(summed, cut, transformer.device):
            means.add(*sums)
            done(sum(window.kept[0] for window in taken))  # first windows
        return means.arrays()

    def _progress(self, total):
        label = f"encoding ({self.precision_used})"
        return pt.tqdm(total=total, desc=label, unit="passage", disable=not self.verbose)

    def _limit(self, transformer, tokenizer):
        most, least = positions(transformer, tokenizer), tokenizer.num_special_tokens_to_add() + 2
        limit = most if self.max_length is None else self.max_length
        if not least <= limit <= most:
            raise ValueError(
                f"max_length={limit} does not suit this model: give {least} to {most} tokens, as "
                "many as it has positions."
            )
        return limit

    def _loaded(self):
        revision = pinned(self.model, self.revision) if self.cache else self.revision
        return loaded(self.model, self.precision, self.device, revision, state(self.model))


@lru_cache(maxsize=2)
def _store(encoder, cache, state):
    return Store(encoder.memory)
