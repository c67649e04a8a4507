"""Encoders of tokens: one vector per token of a text, for late interaction."""

from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Protocol, runtime_checkable

import numpy as np
import pyterrier as pt

from ._identity import pinned, state
from ._of_model import OfModel, plain
from ._parallel import shared
from ._store import Store, kept
from ._transformer import named

SHOWN = 80  # characters of a text that an error shows


@runtime_checkable
class TokenEncoder(Protocol):
    """Anything with these two methods, such as `MultiVector`.

    A text's array has a row for each token that counts, and none for padding: so padding cannot
    win a match, whatever its vectors are.
    """

    def encode_query_tokens(self, texts: list[str]) -> list[np.ndarray]:
        """A (t, d) array for each of n queries; t may differ between them."""

    def encode_document_tokens(self, texts: list[str]) -> list[np.ndarray]:
        """A (t, d) array for each of n documents, same d."""


@dataclass(eq=False, repr=False)
class MultiVector(OfModel):
    """A `sentence_transformers.MultiVectorEncoder`, or its name: ColBERT's and PyLate's models.

    Prompts, lengths, query expansion and the words that do not count are the model's own. A named
    model is loaded when first needed and kept while it is among the last two.

    Args:
        model: the model, or a folder, or a name on the Hugging Face hub.
        batch_size: texts per batch.
        device: as PyTorch names it; None for a model's own, or the best there is.
        cache: keep vectors on disk, for later runs: True for the default folder, a folder, or a
            `VectorCache`. They take much: of 200 tokens in 128 dimensions, 100 KB. Of a named model
            it takes the revision that is on this machine.
        verbose: show progress.

    Raises:
        ImportError: (when encoding) sentence-transformers is missing or too old; names the extra.
        OSError: (when encoding) there is no such model; says what to download.
    """

    model: object
    batch_size: int = field(default=32, compare=False)
    device: str | None = None
    cache: object = field(default=None, compare=False)
    verbose: bool = field(default=False, compare=False, repr=False)

    def encode_query_tokens(self, texts):
        """Arrays (t, d) by the model's query side, expansion tokens included."""
        return self._encode("query", texts)

    def encode_document_tokens(self, texts):
        """Arrays (t, d) by the model's document side."""
        return self._encode("document", texts)

    def _encode(self, side, texts):
        shelf, encode = partial(self._shelf, side), partial(self._encoded, side)
        quiet = partial(pt.tqdm, disable=True)  # the model shows its own
        found = kept(texts, Store(0), shelf, encode, lambda total: quiet(total=total))
        return [found[text] for text in texts]

    def _encoded(self, side, texts, done):
        settings = {"batch_size": self.batch_size, "device": self.device}
        settings |= {"convert_to_numpy": True, "show_progress_bar": self.verbose}
        of = partial(getattr(shared(self._model())[0], f"encode_{side}"), **settings)
        made = token_vectors(of, texts)
        done(len(made))
        return made

    def _model(self):
        if not isinstance(self.model, str):
            return self.model
        revision = pinned(self.model) if self.cache else None
        return _load(self.model, self.device, revision, state(self.model))


def as_token_encoder(source, batch_size=32, verbose=False) -> TokenEncoder:
    """The encoder of tokens for what a user passes.

    Args:
        source: a MultiVectorEncoder or its name, or a `TokenEncoder`, which comes back as it is.
        batch_size, verbose: of a `MultiVector`.

    Raises:
        ValueError: nothing here knows what to do with `source`.
    """
    source = plain(source)
    if isinstance(source, TokenEncoder):
        return source
    kinds = {kind.__name__ for kind in type(source).__mro__}  # without importing PyTorch
    if isinstance(source, str) or "MultiVectorEncoder" in kinds:
        return MultiVector(source, batch_size=batch_size, verbose=verbose)
    raise ValueError(
        f"{source!r} gives no vectors of tokens: give a sentence_transformers.MultiVectorEncoder "
        "or its name, or an object with encode_query_tokens and encode_document_tokens."
    )


def token_vectors(encode, texts) -> list:
    """What `encode` makes of `texts`, as float32 arrays (t, d); no call for no texts.

    Raises:
        ValueError: the answer is not one (t, d) array per text, or holds NaN or infinity.
    """
    if not texts:
        return []
    arrays = [np.asarray(array, dtype=np.float32) for array in encode(texts)]
    widths = {array.shape[1:] for array in arrays}
    if len(arrays) != len(texts) or len(widths) != 1 or len(*widths) != 1:
        raise ValueError(
            f"The encoder gave arrays of shapes {sorted({array.shape for array in arrays})} for "
            f"{len(texts)} texts; expected one (tokens, dimensions) array per text."
        )
    for text, array in zip(texts, arrays):
        if not np.isfinite(array).all():
            raise ValueError(
                f"The encoder gave NaN or infinity, first for {text!r:.{SHOWN}}: is the model "
                "broken, or its precision too low?"
            )
    return arrays


@lru_cache(maxsize=2)
def _load(name, device, revision, state):
    return named(name, device, "MultiVectorEncoder", revision=revision)
