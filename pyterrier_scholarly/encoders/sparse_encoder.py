"""SPLADE and its kin: a weight for each word of a vocabulary, nearly all of them 0."""

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
import pyterrier as pt

from ._identity import state
from ._loading import lengths, loaded
from ._of_model import OfModel
from ._parallel import shared
from ._sentence_model import symmetric
from ._windows import batches


@dataclass(eq=False, repr=False)
class SparseEncoder(OfModel):
    """A SparseEncoder of sentence-transformers, or its name: SPLADE, as a masked language model is.

    Vectors are scipy's sparse arrays (n, words of the vocabulary) of numbers from 0, of SPLADE the
    maximum over the tokens of log(1 + relu(logit)) [Formal2021, eq. 6]. `TextSimilarity` and
    `SentenceMaxSim` take them as they are; SPLADE is trained for ``similarity="dot"``, DORIS-MAE
    ran it with ``"cosine"``. Each distinct text of a call is encoded once, in batches by tokens.

    [Formal2021] T. Formal et al.: SPLADE v2, arXiv 2109.10086.

    Args:
        model: a name on the hub or a folder, or a SparseEncoder, which stays as it is.
        precision: ``"fp32"``, ``"bf16"``, ``"fp16"``, or ``"auto"``: bf16 where the device computes
            in it, else fp32. Of an object ``"fp32"`` leaves its own, others are of a copy.
        device: as PyTorch names it (``"cuda"``); None for the best there is, or an object's own.
        max_length: tokens that a text is cut after, special tokens counted; None for the model's.
        batch_tokens: tokens of a batch, padding counted; for each, a weight of every word is held
            at once (of BERT's vocabulary 120 kB, so half a gigabyte by default).
        verbose: show progress.

    Raises:
        ImportError: (when encoding) sentence-transformers is missing; names the extra.
        OSError: (when encoding) there is no such model; says what to download.
        ValueError: (when encoding) an unknown precision.
    """

    model: object
    precision: str = field(default="fp32", kw_only=True)
    device: str | None = field(default=None, kw_only=True)
    max_length: int | None = field(default=None, kw_only=True)
    batch_tokens: int = field(default=4_096, compare=False, kw_only=True)
    verbose: bool = field(default=False, compare=False, repr=False, kw_only=True)

    @property
    def symmetric(self) -> bool:
        """Whether queries and documents are treated alike (loads the model)."""
        return symmetric(self._model())

    def encode_queries(self, texts):
        """Sparse vectors (n, words) by the model's query side."""
        return self._encode(texts, "query")

    def encode_documents(self, texts):
        """Sparse vectors (n, words) by the model's document side."""
        return self._encode(texts, "document")

    def _encode(self, texts, side):
        from scipy.sparse import vstack

        model = self._model()
        distinct = list(dict.fromkeys(texts))
        encode = getattr(shared(model)[0], f"encode_{side}")
        order, rows = [], []
        with pt.tqdm(total=len(distinct), desc="encoding", disable=not self.verbose) as bar:
            for batch in batches(lengths(model, side, distinct), self.batch_tokens):
                own = [distinct[number] for number in batch]
                rows.append(_array(encode(own, batch_size=len(own), show_progress_bar=False)))
                order.extend(batch)
                bar.update(len(batch))
        place = {distinct[number]: row for row, number in enumerate(order)}
        return vstack(rows, format="csr")[[place[text] for text in texts]]

    def _model(self):
        return _model(self, state(self.model))


def _array(tensor):
    """A sparse tensor of PyTorch as a sparse array of scipy."""
    from scipy.sparse import coo_array

    tensor = tensor.cpu().float().coalesce()
    numbers = tensor.indices().numpy()
    made = coo_array((tensor.values().numpy(), (numbers[0], numbers[1])), shape=tensor.shape)
    return made.tocsr().astype(np.float32, copy=False)


@lru_cache(maxsize=2)
def _model(encoder, state):
    return loaded(encoder, "SparseEncoder")
