"""Vectors of sentences in their context."""

from collections import Counter
from dataclasses import dataclass
from itertools import chain, starmap

import numpy as np

from ..text.contexts import Paper
from ._batches import batches, budget, each
from ._loading import positions
from ._windows import OVERLAP, sums, windows
from .answers import in_context
from .model_encoder import ModelEncoder

WINDOWS = f"overlap 1/{OVERLAP}"
OF_ONE = ("title", "sentence")  # contexts in which a passage has one sentence
PAPERS = 64  # that are encoded together, in such a context


@dataclass(eq=False, repr=False)
class Contextual(ModelEncoder):
    """Encodes passages: their parts, each in the context of the others, and the whole.

    A passage is a tuple of texts (a title and sentences, say), encoded in one pass. The vector of a
    part is the mean of the last layer's states of its own tokens; that of the whole is the mean of
    all tokens', special ones too: what a sentence-transformers model with mean pooling gives.

    A passage with more tokens than the model has positions is encoded in windows that overlap by a
    quarter; no token is lost. (Neither title nor beginning is repeated in later windows.)

    Share one among the steps of a pipeline: a passage is then encoded once between them.

    Args:
        model: a SentenceTransformer, or the name of any Hugging Face encoder (a folder or a name on
            the hub); the transformer inside it is used, without the pooling behind it.
        max_length: tokens of a window; None for the positions that the model has.
        name, precision, device, revision, batch_tokens, memory, cache, verbose: see `ModelEncoder`.
            A run that finds all vectors in the cache does not load the model.

    Raises:
        ImportError, OSError, ValueError: (when encoding) see `ModelEncoder`; a tokenizer without
            offsets, a `max_length` that the model cannot take.
    """

    UNIT = "passage"
    CHANGING = ("precision", "device")  # a window's length is not the model's

    def prepared(self, model):
        """Nothing to change."""

    def assembled(self, model):
        """The model, if its tokenizer says where tokens are."""
        if not getattr(model.tokenizer, "is_fast", False):
            raise ValueError(
                f"The model's {type(model.tokenizer).__name__} does not say where tokens are in "
                "the text: sentences in context need a fast tokenizer (tokenizer.json)."
            )
        return model

    @property
    def dimensions(self) -> int:
        """D of the vectors (loads the model)."""
        return self._model()[0].auto_model.config.hidden_size

    def encode_passages(self, passages):
        """Encode passages, each distinct one once.

        Args:
            passages: tuples of k texts; k may differ between them, texts may be empty.

        Returns:
            List of (1 + k, d) float32 arrays, read-only: the whole in row 0, then the parts; zero
            for a part without tokens.
        """
        found = self.arrays(passages, f"passages, {WINDOWS}")
        return [found[passage] for passage in passages]

    def encode_sentences(self, papers, context):
        """Encode the sentences of papers, each in its context.

        Args:
            papers: list of `text.contexts.Paper`, each with a sentence or more.
            context: one of `text.contexts.CONTEXTS`. Where a passage is of one sentence, vectors
                are kept by paper, for a tenth as many are read from disk in a third of the time.

        Returns:
            List of (n, d) float32 arrays, one row per sentence, not scaled.
        """
        if context not in OF_ONE:
            return in_context(self.encode_passages, papers, context)
        keys = [(paper.title, *paper.sentences) for paper in papers]
        found = self.arrays(keys, f"{context}, {WINDOWS}")
        return [found[key] for key in keys]

    def _encoded(self, keys, part):
        context, _, _ = part.partition(",")
        if context not in OF_ONE:
            yield from self._passages(keys)
            return
        for start in range(0, len(keys), PAPERS):
            chunk = [(key[0], key[1:], ()) for key in keys[start : start + PAPERS]]
            yield from zip(keys[start:], in_context(self._listed, starmap(Paper, chunk), context))

    def _listed(self, passages):
        made = dict(self._passages(passages))
        return [made[passage] for passage in passages]

    def _passages(self, passages):
        """Yield each passage with its array, in any order."""
        model = self._model()
        transformer, tokenizer = model[0].auto_model, model.tokenizer
        made = windows(passages, tokenizer, self._limit(transformer, tokenizer))
        shapes = [(1 + len(parts), transformer.config.hidden_size) for parts in passages]
        left, found = Counter(window.passage for window in made), {}
        for number in set(range(len(passages))) - left.keys():  # of models without special tokens
            yield passages[number], np.zeros(shapes[number], dtype=np.float32)

        def summed(batch):
            taken = [made[number] for number in batch]
            return zip(taken, sums(transformer, taken, tokenizer.pad_token_id or 0))

        most = budget(self.batch_tokens, transformer.device)
        cut = batches([len(window.tokens) for window in made], most)
        for window, own in chain.from_iterable(each(summed, cut, transformer.device)):
            number, rows = window.passage, window.rows
            new = np.zeros(shapes[number], dtype=np.float32), np.zeros((shapes[number][0], 1))
            total, count = found.setdefault(number, new)
            total[rows] += own[: len(rows)]
            count[rows] += window.owners.sum(axis=1, keepdims=True)
            left[number] -= 1
            if not left[number]:
                del found[number]
                yield passages[number], (total / np.maximum(count, 1)).astype(np.float32)

    def _limit(self, transformer, tokenizer):
        most, least = positions(transformer, tokenizer), tokenizer.num_special_tokens_to_add() + 2
        limit = most if self.max_length is None else self.max_length
        if not least <= limit <= most:
            raise ValueError(
                f"max_length={limit} does not suit this model: give {least} to {most} tokens, as "
                "many as it has positions."
            )
        return limit
