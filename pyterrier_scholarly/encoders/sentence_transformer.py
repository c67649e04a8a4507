"""A sentence-transformers model as an encoder."""

from dataclasses import dataclass, field
from functools import lru_cache, partial

import numpy as np
import pyterrier as pt

from ._identity import pinned, state
from ._of_model import OfModel
from ._parallel import each, shared
from ._sentence_model import SIDES, loaded, symmetric, token_counts
from ._store import Store, kept
from ._windows import batches
from .cache import as_cache
from .protocol import vectors


@dataclass(eq=False, repr=False)
class SentenceTransformer(OfModel):
    """A model of sentence-transformers, or its name (a folder or a name on the Hugging Face hub).

    Vectors are those of the model's own `encode_query` and `encode_document`, up to rounding: with
    its modules, prompts and truncation. Batches are cut by tokens, from texts sorted by length.
    Equal encoders share one loaded model, while it is among the last three used, and one store of
    vectors, so the steps of a pipeline encode a text once between them.

    Args:
        model: a SentenceTransformer, or its name. One that is loaded by name is faster in fp32 on
            processors: its weights are laid out anew, which takes their size again in memory (those
            above 1 GiB are left as they are).
        batch_size: texts per batch, for a model whose tokens cannot be counted.
        precision: ``"fp32"``; ``"bf16"`` for all before the pooling (about twice as fast on
            processors that have it; cosines change by some ten thousandths); ``"int8"`` for a
            transformer, by ONNX Runtime (about three times as fast on processors that have VNNI;
            cosines change by some hundredths, a little with what shares the batch; extra ``int8``);
            ``"auto"``, bf16 where the processor computes in it, else fp32: see `precision_used`.
            A model that was given as an object in half precision stays so.
        device: as PyTorch names it (``"cuda"``); None for a model's own, or the best there is.
        backend: ``"torch"``, ``"onnx"`` or ``"openvino"``, for a name.
        batch_tokens: tokens of a batch, padding counted; small batches are faster on processors,
            each core with its own, larger ones on GPUs. Changes vectors by rounding alone.
        memory: bytes of vectors, and of their texts, that are kept for later calls.
        cache: keep vectors on disk too, for later runs: True for the default folder, a folder, or a
            `VectorCache`. Of a named model it takes the revision that is on this machine.
        revision: of a name on the hub: a branch, a tag or a commit.
        verbose: show progress.

    Raises:
        ImportError: (when encoding) sentence-transformers, or what a backend or int8 needs, is
            missing; names what to install.
        OSError: (when encoding) there is no such model; says what to download.
        ValueError: (when encoding) an unknown precision or backend, NaN or infinity from a broken
            model, one that int8 does not suit.
    """

    model: object
    batch_size: int = field(default=32, compare=False)
    precision: str = field(default="fp32", kw_only=True)
    device: str | None = field(default=None, kw_only=True)
    backend: str = field(default="torch", kw_only=True)
    batch_tokens: int = field(default=1_024, compare=False, kw_only=True)
    memory: int = field(default=2**30, compare=False, kw_only=True)
    cache: object = field(default=None, compare=False, kw_only=True)
    revision: str | None = field(default=None, kw_only=True)
    verbose: bool = field(default=False, compare=False, repr=False)

    @staticmethod
    def accepts(source) -> bool:
        """Whether `source` is a name, or has the method `encode`."""
        return isinstance(source, str) or hasattr(source, "encode")

    @property
    def symmetric(self) -> bool:
        """Whether the model treats queries and documents alike (loads the model)."""
        return symmetric(self._loaded()[0])

    @property
    def precision_used(self) -> str:
        """The precision that is computed in, such as "fp32" or "bf16" (loads the model)."""
        return self._loaded()[1]

    def encode_queries(self, texts):
        """Vectors (n, d) by the model's query side."""
        return self._encode("query", texts)

    def encode_documents(self, texts):
        """Vectors (n, d) by the model's document side."""
        return self._encode("document", texts)

    def _encode(self, side, texts):
        share = "document" if self.symmetric else side
        store = _store(self, as_cache(self.cache), share, state(self.model))
        store.limit = self.memory
        shelf, encode = partial(self._shelf, share), partial(self._encoded, share)
        found = kept(texts, store, shelf, encode, self._progress)
        return np.concatenate([found[text] for text in texts])

    def _encoded(self, side, texts, done):
        """Arrays (1, d) of distinct texts, in order."""
        model, device = shared(self._loaded()[0])
        encode = getattr(model, SIDES[side], model.encode)  # before version 5: `encode` alone
        counts = token_counts(model, side, texts)
        if counts is None:
            of = partial(encode, batch_size=self.batch_size, show_progress_bar=self.verbose)
            return [row[None].copy() for row in vectors(of, texts)]
        rows = [None] * len(texts)

        def encoded(batch):
            own = [texts[number] for number in batch]
            return batch, vectors(
                partial(encode, batch_size=len(own), show_progress_bar=False), own
            )

        for batch, found in each(encoded, batches(counts, self.batch_tokens), device):
            for number, row in zip(batch, found):
                rows[number] = row[None].copy()  # alone, so that what is forgotten is freed
            done(len(batch))
        return rows

    def _progress(self, total):
        label = f"encoding ({self.precision_used})"
        return pt.tqdm(total=total, desc=label, unit="text", disable=not self.verbose)

    def _loaded(self):
        revision = pinned(self.model, self.revision) if self.cache else self.revision
        of = state(self.model)
        return loaded(self.model, self.precision, self.device, self.backend, revision, of)


@lru_cache(maxsize=4)
def _store(encoder, cache, side, state):
    return Store(encoder.memory)
