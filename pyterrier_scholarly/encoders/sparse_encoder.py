"""SPLADE and its kin: a weight for each word of a vocabulary, nearly all of them 0."""

from dataclasses import dataclass, field

import numpy as np

from .sentence_transformer import TextEncoder


@dataclass(eq=False, repr=False)
class SparseEncoder(TextEncoder):
    """A SparseEncoder of sentence-transformers, or its name: SPLADE, as a masked language model is.

    Vectors are scipy's sparse arrays (n, words of the vocabulary) of numbers from 0, of SPLADE the
    maximum over the tokens of log(1 + relu(logit)) [Formal2021, eq. 6]. `TextSimilarity` and
    `SentenceMaxSim` take them as they are; SPLADE is trained for ``similarity="dot"``, DORIS-MAE
    ran it with ``"cosine"``.

    [Formal2021] T. Formal et al.: SPLADE v2, arXiv 2109.10086.

    Args:
        model: a name on the hub or a folder, or a SparseEncoder, which stays as it is.
        batch_tokens: tokens of a batch, padding counted; for each, a weight of every word is held
            at once (of BERT's vocabulary 120 kB).
        name, precision, device, max_length, revision, memory, cache, verbose: see `ModelEncoder`;
            not ``"int8"``.

    Raises:
        ImportError, OSError, ValueError: (when encoding) see `ModelEncoder`.
    """

    batch_tokens: int = field(default=1_024, compare=False, kw_only=True)

    KIND, INT8 = "SparseEncoder", False

    def encode_batch(self, model, texts, side):
        """Of each text the pairs (1 + k, 2) of word and weight; before them the number of words."""
        tensor = self.asked(model, texts, side).cpu().float().coalesce()
        rows, words = tensor.indices().numpy()
        pairs = np.stack([words.astype(np.float32), tensor.values().numpy()], axis=1)
        first = np.array([[tensor.shape[1], 0]], dtype=np.float32)
        ends = np.searchsorted(rows, np.arange(1, len(texts)))
        return [np.concatenate([first, own]) for own in np.split(pairs, ends)]

    def stacked(self, arrays):
        """A sparse array (n, words)."""
        from scipy.sparse import csr_array

        pairs = np.concatenate([array[1:] for array in arrays])
        ends = np.cumsum([0, *(len(array) - 1 for array in arrays)])
        shape = len(arrays), int(arrays[0][0, 0])
        words = pairs[:, 0].astype(np.int32)
        made = csr_array((pairs[:, 1].copy(), words, ends), shape=shape)
        made.eliminate_zeros()
        return made
