"""Whole texts as one vector each: by any model, pooling, prompt and precision."""

from dataclasses import dataclass, field, replace
from functools import lru_cache, partial

import numpy as np
import pyterrier as pt

from . import _whole_model
from ._adapter import folder_of
from ._identity import pinned, state
from ._loading import lengths
from ._of_model import OfModel
from ._parallel import shared
from ._sentence_model import symmetric
from ._store import Store, kept
from ._windows import batches
from .cache import as_cache
from .protocol import vectors


@dataclass(eq=False, repr=False)
class WholeText(OfModel):
    """A Hugging Face or sentence-transformers model that makes one vector of a text.

    For models that a name alone does not describe: SPECTER's first token, SimCSE's pooler, E5's or
    GritLM's prompts. What is longer than `max_length` tokens is cut, as the papers' systems do;
    `Contextual` cuts nothing. A named model is loaded when first needed. Equal encoders share it,
    while it is among the last two, and one store of vectors, so that a text is encoded once.

    Args:
        model: a name on the hub or a folder, or a SentenceTransformer, which stays as it is. One
            that is loaded by name is faster in fp32 on processors: its weights are laid out anew,
            which takes their size again in memory (those above 1 GiB are left as they are).
        pooling: how tokens become one vector: ``"model"``, the model's own way (of plain Hugging
            Face models the mean); ``"mean"``, ``"cls"`` (the first token) or ``"last"`` of the last
            layer; ``"pooler"``, what the model makes of its first token (a layer and tanh, in
            BERT; random where its files have none, which transformers warns of);
            ``"penultimate"``, the mean of the layer before the last.
        query_prompt: put before each query; None for the model's own prompt, if it brings one.
        document_prompt: the same for documents.
        prompt_pooled: whether a prompt's tokens count in the vector; not for Instructor and GritLM.
            ("cls" and "last" then mean the first and last token behind the prompt.)
        bidirectional: let the tokens of a decoder see those behind them: GritLM as an encoder
            (needs transformers 5.2).
        adapter: a bottleneck adapter for the model (a name on the hub or a folder): SPECTER2's.
        precision: ``"fp32"``, ``"bf16"``, ``"fp16"``, or ``"auto"``: bf16 where the device computes
            in it, else fp32. Vectors come back as float32.
        device: as PyTorch names it (``"cuda"``); None for the best there is.
        max_length: tokens of a text, prompt and special tokens counted; None for the model's own.
        trust_remote_code: run Python code that comes with the model. Only if you have read it.
        batch_size: texts of a batch, of about equal length; fewer where they are long.
        batch_tokens: tokens of a batch, padding counted. Both change vectors by rounding alone.
        memory: bytes of vectors, and of their texts, that are kept for later calls.
        cache: keep vectors on disk too, for later runs: True for the default folder, a folder, or a
            `VectorCache`. Of a named model it takes the revision that is on this machine.
        revision: of a name on the hub: a branch, a tag or a commit.
        verbose: show progress.

    Raises:
        ImportError: (when encoding) sentence-transformers is missing; names the extra.
        OSError: (when encoding) there is no such model or adapter; says what to download.
        ValueError: (when encoding) an unknown pooling or precision, a model without a pooler, an
            adapter of another kind or for another model, NaN or infinity from a broken model.
    """

    model: object
    pooling: str = field(default="model", kw_only=True)
    query_prompt: str | None = field(default=None, kw_only=True)
    document_prompt: str | None = field(default=None, kw_only=True)
    prompt_pooled: bool = field(default=True, kw_only=True)
    bidirectional: bool = field(default=False, kw_only=True)
    adapter: str | None = field(default=None, kw_only=True)
    precision: str = field(default="fp32", kw_only=True)
    device: str | None = field(default=None, kw_only=True)
    max_length: int | None = field(default=None, kw_only=True)
    trust_remote_code: bool = field(default=False, kw_only=True)
    batch_size: int = field(default=32, compare=False, kw_only=True)
    batch_tokens: int = field(default=16_384, compare=False, kw_only=True)
    memory: int = field(default=2**30, compare=False, kw_only=True)
    cache: object = field(default=None, compare=False, kw_only=True)
    revision: str | None = field(default=None, kw_only=True)
    verbose: bool = field(default=False, compare=False, repr=False, kw_only=True)

    @property
    def symmetric(self) -> bool:
        """Whether queries and documents get the same prompt (asks the model where it is None)."""
        return symmetric(self._model(), self.query_prompt, self.document_prompt)

    def encode_queries(self, texts):
        """Vectors (n, d) with the queries' prompt."""
        return self._encode(texts, "query")

    def encode_documents(self, texts):
        """Vectors (n, d) with the documents' prompt."""
        return self._encode(texts, "document")

    def _encode(self, texts, side):
        side = "document" if self.symmetric else side
        store = _store(self, as_cache(self.cache), side, self._state())
        store.limit = self.memory
        shelf, encode = partial(self._shelf, side), partial(self._encoded, side)
        found = kept(texts, store, shelf, encode, self._progress)
        return np.concatenate([found[text] for text in texts])

    def _encoded(self, side, texts, done):
        """Arrays (1, d) of distinct texts, in order; the longest are encoded first."""
        model, prompt = shared(self._model())[0], self._prompt(side)
        of = partial(getattr(model, f"encode_{side}"), prompt=prompt)
        counts, rows = lengths(model, side, texts, prompt), [None] * len(texts)
        for batch in batches(counts, self.batch_tokens, self.batch_size):
            own = [texts[number] for number in batch]
            encode = partial(of, batch_size=len(own), show_progress_bar=False)
            for number, row in zip(batch, vectors(encode, own)):
                rows[number] = row[None].copy()  # alone, so that what is forgotten is freed
            done(len(own))
        return rows

    def _prompt(self, side):
        return self.query_prompt if side == "query" else self.document_prompt

    def _progress(self, total):
        return pt.tqdm(total=total, desc="encoding", unit="text", disable=not self.verbose)

    def _known(self, side):
        prompt = self._prompt(side)  # that of the other side changes nothing
        adapter = self.adapter and str(folder_of(self.adapter))
        own = replace(self, query_prompt=prompt, document_prompt=prompt, adapter=adapter)
        return OfModel._known(own)

    def _model(self):
        revision = pinned(self.model, self.revision) if self.cache else self.revision
        return _model(replace(self, revision=revision), self._state())

    def _state(self):
        return state(self.model), state(self.adapter)


@lru_cache(maxsize=2)
def _model(encoder, state):
    return _whole_model.assembled(encoder)


@lru_cache(maxsize=4)
def _store(encoder, cache, side, state):
    return Store(encoder.memory)
