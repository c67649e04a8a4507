"""Embeddings of sentences in their context, by windows of tokens that fit a model.

A *passage* is a tuple of texts, its parts. It is encoded as one text, the parts joined by blanks.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from more_itertools import chunked

from ..text.contexts import Paper
from ._batches import Model, Tokenizer, Transformer, batches, budget, each, positions
from ._windows import OVERLAP, Window, sums, windows
from .encoder_calls import in_context
from .encoder_protocols import Passage
from .model_encoder import ModelEncoder

WINDOWS = f"overlap 1/{OVERLAP}"
OF_ONE = ("title", "sentence")  # contexts in which a passage has one sentence
PAPERS = 64  # papers encoded together in such a context


@dataclass(eq=False, repr=False)
class Contextual(ModelEncoder):
    """Encode passages: each part in the context of the others, and the whole.

    A passage is a tuple of texts (a title and sentences, say), encoded in one pass. A part's
    embedding is the mean of the last layer's states of its own tokens. The whole's is the mean of
    all tokens', with special ones, as a sentence-transformers model with mean pooling computes it.

    A passage with more tokens than the model has positions is encoded in windows that overlap by a
    quarter; no token is lost. (Later windows repeat neither title nor beginning.)

    Share one encoder among the steps of a pipeline, so that they encode a passage once.

    Args:
        model: a SentenceTransformer, or the name of any Hugging Face encoder (a folder or a name on
            the hub). Only its transformer is used, without the pooling.
        max_length: tokens of a window; default: the model's number of positions.
        name, precision, device, revision, batch_tokens, memory, cache, verbose: see `ModelEncoder`.
            If the cache has all embeddings, the model is not loaded.

    Raises:
        ImportError, OSError, ValueError: (when encoding) see `ModelEncoder`; a tokenizer without
            offsets, or a `max_length` that the model cannot take.
    """

    UNIT = "passage"
    CHANGING = ("precision", "device")  # max_length is the window's, not the model's

    def prepared(self, model: Model) -> None:
        """Change nothing."""

    def assembled(self, model: Model) -> Model:
        """Return the model, if its tokenizer gives the positions of tokens."""
        if not getattr(model.tokenizer, "is_fast", False):
            raise ValueError(
                f"The model's {type(model.tokenizer).__name__} does not give the positions of "
                "tokens in the text. Sentences in context need a fast tokenizer (tokenizer.json)."
            )
        return model

    @property
    def dimensions(self) -> int:
        """D of the embeddings (loads the model)."""
        return self._model()[0].auto_model.config.hidden_size

    def encode_passages(self, passages: Sequence[Passage]) -> list[np.ndarray]:
        """Encode passages, each distinct one once.

        Args:
            passages: tuples of k texts; k may differ between them, texts may be empty.

        Returns:
            List of (1 + k, d) float32 arrays, read-only: the whole in row 0, then the parts; zero
            for a part without tokens.
        """
        return self.arrays(passages, f"passages, {WINDOWS}")

    def encode_sentences(self, papers: Sequence[Paper], context: str) -> list[np.ndarray]:
        """Encode the sentences of papers, each in its context.

        Args:
            papers: list of `text.contexts.Paper`, each with a sentence or more.
            context: one of `text.contexts.CONTEXTS`. If passages have one sentence, embeddings are
                kept by paper: a tenth as many entries, read in a third of the time.

        Returns:
            List of (n, d) float32 arrays, one row per sentence, not scaled.
        """
        if context not in OF_ONE:
            return in_context(self.encode_passages, papers, context)
        return self.arrays(
            [(paper.title, *paper.sentences) for paper in papers], f"{context}, {WINDOWS}"
        )

    def _encoded(self, keys: list[Passage], part: str) -> Iterator[tuple[Passage, np.ndarray]]:
        context, _, _ = part.partition(",")
        if context not in OF_ONE:
            yield from self._passages(keys)
            return
        for chunk in chunked(keys, PAPERS):
            papers = [Paper(key[0], key[1:], ()) for key in chunk]
            yield from zip(chunk, in_context(self._listed, papers, context))

    def _listed(self, passages: Sequence[Passage]) -> list[np.ndarray]:
        arrays = dict(self._passages(passages))
        return [arrays[passage] for passage in passages]

    def _passages(self, passages: Sequence[Passage]) -> Iterator[tuple[Passage, np.ndarray]]:
        """Yield each passage with its array, in any order."""
        model = self._model()
        transformer, tokenizer = model[0].auto_model, model.tokenizer
        cut = windows(passages, tokenizer, self._limit(transformer, tokenizer))
        shapes = [(1 + len(parts), transformer.config.hidden_size) for parts in passages]
        left = Counter(window.passage for window in cut)
        unfinished: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        for number in set(range(len(passages))) - left.keys():  # of models without special tokens
            yield passages[number], np.zeros(shapes[number], dtype=np.float32)

        def summed(batch: list[int]) -> Iterable[tuple[Window, np.ndarray]]:
            taken = [cut[number] for number in batch]
            return zip(taken, sums(transformer, taken, tokenizer.pad_token_id or 0))

        lengths = [len(window.tokens) for window in cut]
        formed = batches(lengths, budget(self.batch_tokens, transformer.device))
        for window, own in chain.from_iterable(each(summed, formed, transformer.device)):
            number, rows = window.passage, window.rows
            new = np.zeros(shapes[number], dtype=np.float32), np.zeros((shapes[number][0], 1))
            total, count = unfinished.setdefault(number, new)
            total[rows] += own[: len(rows)]
            count[rows] += window.owners.sum(axis=1, keepdims=True)
            left[number] -= 1
            if not left[number]:
                del unfinished[number]
                yield passages[number], (total / np.maximum(count, 1)).astype(np.float32)

    def _limit(self, transformer: Transformer, tokenizer: Tokenizer) -> int:
        most, least = positions(transformer, tokenizer), tokenizer.num_special_tokens_to_add() + 2
        limit = most if self.max_length is None else self.max_length
        if not least <= limit <= most:
            raise ValueError(
                f"max_length={limit} does not suit this model. Pass {least} to {most} tokens, as "
                "many as it has positions."
            )
        return limit
