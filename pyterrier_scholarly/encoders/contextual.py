"""Embeddings of sentences in their context, by windows of tokens that fit a model.

    encoder = Contextual("sentence-transformers/all-MiniLM-L6-v2")
    (rows,) = encoder.encode_passages([("A title", "A sentence.", "Another.")])  # (4, 384)

Conventions: a passage is a tuple of k texts. It is encoded as one text, the texts joined by blanks;
its array is (1 + k, d): the whole in row 0, then its texts.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from more_itertools import chunked

from ..text.contexts import Paper
from ._batches import choose_budget, compute_batches, form_batches
from ._model_parts import count_positions
from ._windows import OVERLAP_PART, Window, divide_passages, sum_states
from .encoder_protocols import Passage
from .model_encoder import ModelEncoder
from .model_protocols import LoadedModel, Network, Tokenizer
from .passage_calls import encode_sentences_in_context
from .remembering_encoder import Part

#: contexts in which a passage has one sentence
CONTEXTS_OF_ONE_SENTENCE = ("title", "sentence")
PAPERS_AT_ONCE = 64  # encoded together in such a context
OVERLAP_LABEL = f"overlap 1/{OVERLAP_PART}"  # in entries on disk, because it changes embeddings
PASSAGES = Part(f"passages, {OVERLAP_LABEL}")


@dataclass(eq=False, repr=False)
class Contextual(ModelEncoder[LoadedModel, Passage]):
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
        name, precision, device, revision, batch_tokens, memory, cache, room, verbose: see
            `ModelEncoder`. If the cache has all embeddings, the model is not loaded.

    Raises:
        ImportError, OSError, ValueError: (when encoding) see `ModelEncoder`; a tokenizer without
            offsets, or a `max_length` that the model cannot take.
    """

    UNIT = "passage"

    @property
    def dimensions(self) -> int:
        """The number d of an embedding's dimensions (loads the model)."""
        return self._get_model()[0].auto_model.config.hidden_size

    def encode_passages(self, passages: Sequence[Passage]) -> list[np.ndarray]:
        """Encode passages, each distinct one once.

        Args:
            passages: tuples of k texts; k may differ between them, texts may be empty.

        Returns:
            List of (1 + k, d) float32 arrays, read-only: the whole in row 0, then the parts; zero
            for a part without tokens.
        """
        return self.encode_once(passages, PASSAGES)

    def encode_sentences(self, papers: Sequence[Paper], context: str) -> list[np.ndarray]:
        """Encode the sentences of papers, each in its context.

        Args:
            papers: list of `text.contexts.Paper`, each with a sentence or more.
            context: one of `text.contexts.CONTEXTS`. If passages have one sentence, embeddings are
                kept by paper: a tenth as many entries, read in a third of the time.

        Returns:
            List of (n, d) float32 arrays, one row per sentence, not scaled.
        """
        if context not in CONTEXTS_OF_ONE_SENTENCE:
            return encode_sentences_in_context(self.encode_passages, papers, context)

        texts_of_papers = [(paper.title, *paper.sentences) for paper in papers]
        part = Part(f"{context}, {OVERLAP_LABEL}", context=context)
        return self.encode_once(texts_of_papers, part)

    def _changes_model(self) -> bool:
        """Return whether an object must be copied; here `max_length` is the windows'."""
        return self.precision != "fp32" or self.device is not None

    def _prepare_model(self, model: LoadedModel) -> None:
        """Change nothing."""

    def _assemble_model(self, model: LoadedModel) -> LoadedModel:
        """Return the model, if its tokenizer gives the positions of tokens."""
        if not getattr(model.tokenizer, "is_fast", False):
            raise ValueError(
                f"The model's {type(model.tokenizer).__name__} does not give the positions of "
                "tokens in the text. Sentences in context need a fast tokenizer (tokenizer.json)."
            )
        return model

    def _encode_keys(self, keys: list[Passage], part: Part) -> Iterator[tuple[Passage, np.ndarray]]:
        """Yield each passage, or each paper's title and sentences, with its array."""
        if part.context is None:
            yield from self._encode_new_passages(keys)
            return

        for keys_at_once in chunked(keys, PAPERS_AT_ONCE):
            papers = [Paper(key[0], key[1:], labels=()) for key in keys_at_once]
            arrays = encode_sentences_in_context(self._list_new_passages, papers, part.context)
            yield from zip(keys_at_once, arrays)

    def _list_new_passages(self, passages: Sequence[Passage]) -> list[np.ndarray]:
        """Encode distinct passages as `encode_passages` does, without keeping them."""
        array_of_passage = dict(self._encode_new_passages(passages))
        return [array_of_passage[passage] for passage in passages]

    def _encode_new_passages(
        self, passages: Sequence[Passage]
    ) -> Iterator[tuple[Passage, np.ndarray]]:
        """Yield each passage with its array, in any order: when its last window is encoded."""
        model = self._get_model()
        network: Network = model[0].auto_model
        width = network.config.hidden_size
        limit = self._limit_windows(network, model.tokenizer)

        windows = divide_passages(passages, model.tokenizer, limit)
        window_counts = Counter(window.passage for window in windows)
        for number, passage in enumerate(passages):
            if number not in window_counts:  # an empty text, and a model without special tokens
                yield passage, np.zeros((1 + len(passage), width), dtype=np.float32)

        unfinished: dict[int, _PassageMeans] = {}  # by the passage's number
        for encoded in self._encode_windows(windows, network, model.tokenizer):
            number = encoded.window.passage
            if number not in unfinished:
                row_count = 1 + len(passages[number])
                unfinished[number] = _PassageMeans(row_count, width, window_counts[number])

            means = unfinished[number]
            means.add(encoded)
            if means.windows_left == 0:
                del unfinished[number]
                yield passages[number], means.compute()

    def _encode_windows(
        self, windows: Sequence[Window], network: Network, tokenizer: Tokenizer
    ) -> "Iterator[_EncodedWindow]":
        """Encode windows in batches, and yield them in any order."""
        padding = tokenizer.pad_token_id or 0

        def encode_numbered(numbers: list[int]) -> list[_EncodedWindow]:
            batch = [windows[number] for number in numbers]
            state_sums = sum_states(network, batch, padding)
            return [_EncodedWindow(window, sums) for window, sums in zip(batch, state_sums)]

        token_counts = [len(window.tokens) for window in windows]
        batches = form_batches(token_counts, choose_budget(self.batch_tokens, network.device))
        for encoded_batch in compute_batches(encode_numbered, batches, network.device):
            yield from encoded_batch

    def _limit_windows(self, network: Network, tokenizer: Tokenizer) -> int:
        """Return the tokens of a window; ValueError if the model cannot take so many or few."""
        most = count_positions(network, tokenizer)
        # the special tokens, and two of the text
        least = tokenizer.num_special_tokens_to_add() + 2
        limit = most if self.max_length is None else self.max_length
        if not least <= limit <= most:
            raise ValueError(
                f"max_length={limit} does not suit this model. Pass {least} to {most} tokens, as "
                "many as it has positions."
            )
        return limit


class _EncodedWindow(NamedTuple):
    """A window, and the sums of its tokens' states (rows, d); rows behind its own are padding."""

    window: Window
    state_sums: np.ndarray


class _PassageMeans:
    """The means over a passage's tokens, while some of its windows are still encoded."""

    def __init__(self, row_count: int, width: int, window_count: int) -> None:
        self._sums = np.zeros((row_count, width), dtype=np.float32)
        self._token_counts = np.zeros((row_count, 1))
        self.windows_left = window_count

    def add(self, encoded: _EncodedWindow) -> None:
        """Add the sums of a window."""
        window = encoded.window
        self._sums[window.rows] += encoded.state_sums[: len(window.rows)]
        self._token_counts[window.rows] += window.owners.sum(axis=1, keepdims=True)
        self.windows_left -= 1

    def compute(self) -> np.ndarray:
        """Return the means (1 + k, d) float32; zero for a text without tokens."""
        means = self._sums / np.maximum(self._token_counts, 1)
        return means.astype(np.float32)
