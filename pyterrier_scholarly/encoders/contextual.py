"""Embeddings of sentences in their context, by windows of tokens that fit a model.

A *passage* is a tuple of texts, its parts. It is encoded as one text, the parts joined by blanks.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, starmap
from typing import Any, NamedTuple

import numpy as np

from ..text.contexts import Paper
from ._batches import TOKENIZING, batches, budget, each, positions
from .answers import Passage, in_context
from .model_encoder import ModelEncoder

OVERLAP = 4  # neighbouring windows share one token in so many
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

    def prepared(self, model: Any) -> None:
        """Change nothing."""

    def assembled(self, model: Any) -> Any:
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
        arrays = self.arrays(passages, f"passages, {WINDOWS}")
        return [arrays[passage] for passage in passages]

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
        keys = [(paper.title, *paper.sentences) for paper in papers]
        arrays = self.arrays(keys, f"{context}, {WINDOWS}")
        return [arrays[key] for key in keys]

    def _encoded(self, keys: list[Passage], part: str) -> Iterator[tuple[Passage, np.ndarray]]:
        context, _, _ = part.partition(",")
        if context not in OF_ONE:
            yield from self._passages(keys)
            return
        for start in range(0, len(keys), PAPERS):
            chunk = [(key[0], key[1:], ()) for key in keys[start : start + PAPERS]]
            yield from zip(keys[start:], in_context(self._listed, starmap(Paper, chunk), context))

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

        most = budget(self.batch_tokens, transformer.device)
        formed = batches([len(window.tokens) for window in cut], most)
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

    def _limit(self, transformer: Any, tokenizer: Any) -> int:
        most, least = positions(transformer, tokenizer), tokenizer.num_special_tokens_to_add() + 2
        limit = most if self.max_length is None else self.max_length
        if not least <= limit <= most:
            raise ValueError(
                f"max_length={limit} does not suit this model. Pass {least} to {most} tokens, as "
                "many as it has positions."
            )
        return limit


class Window(NamedTuple):
    """Tokens of one passage that are encoded together.

    `tokens` (t,), their ids; `rows` (r,), their owners: 0 for the whole passage, 1 + n for its part
    n; `owners` (r, t), which tokens count in which row. A token whose state is taken from the
    neighbouring window counts in none.
    """

    passage: int
    tokens: np.ndarray
    rows: np.ndarray
    owners: np.ndarray


def windows(passages: Sequence[Passage], tokenizer: Any, limit: int) -> list[Window]:
    """Divide `passages` into windows of at most `limit` tokens each, with special tokens.

    Longer passages are not truncated: neighbouring windows overlap by a quarter, and each keeps
    those of the shared tokens that are farther from its edge.
    """
    if not passages:
        return []
    overlap = (limit - tokenizer.num_special_tokens_to_add()) // OVERLAP
    with TOKENIZING:
        encoded = tokenizer(
            [" ".join(filter(None, passage)) for passage in passages],
            truncation=True,
            max_length=limit,
            stride=overlap,
            return_overflowing_tokens=True,
            return_offsets_mapping=True,
            return_special_tokens_mask=True,
        )
    of, result = encoded["overflow_to_sample_mapping"], []
    lengths = [np.array(list(map(len, passage)), dtype=np.intp) for passage in passages]
    for number, passage in enumerate(of):
        if not encoded["input_ids"][number]:
            continue  # an empty text, and a model without special tokens
        special = np.array(encoded["special_tokens_mask"][number], dtype=bool)
        first = number == 0 or of[number - 1] != passage
        last = number + 1 == len(of) or of[number + 1] != passage
        kept = _kept(special, overlap, first, last)
        parts = np.where(special, -1, _parts(lengths[passage], encoded["offset_mapping"][number]))
        distinct = np.unique(parts[kept & (parts >= 0)])
        owners = np.vstack([kept, kept & (parts == distinct[:, None])])
        tokens = np.array(encoded["input_ids"][number])
        result.append(Window(passage, tokens, np.append(0, 1 + distinct), owners))
    return result


def _parts(lengths: np.ndarray, offsets: Iterable[tuple[int, int]]) -> np.ndarray:
    """Return the part, from the parts' lengths, that holds each token's last character, or -1."""
    ends = np.maximum(np.cumsum(lengths + (lengths > 0)) - 1, 0)  # a blank before each but empty
    lasts = np.array([end for _, end in offsets], dtype=np.intp) - 1
    parts = np.minimum(np.searchsorted(ends, lasts, side="right"), len(ends) - 1)
    return np.where((ends - lengths)[parts] <= lasts, parts, -1)


def _kept(special: np.ndarray, overlap: int, first: bool, last: bool) -> np.ndarray:
    """Mark the tokens of a window that count; special tokens count in a passage's first window."""
    kept = ~special
    content = np.flatnonzero(kept)
    if not first:
        kept[content[: overlap - overlap // 2]] = False
    if not last:
        kept[content[len(content) - overlap // 2 :]] = False
    return kept | (special & first)


def sums(transformer: Any, taken: Sequence[Window], padding: int) -> np.ndarray:
    """Sum the last layer's states over the tokens that count in each row of some windows.

    Returns:
        (windows, largest number of rows, d) float32.
    """
    import torch

    longest, most = (max(map(len, parts)) for parts in zip(*((w.tokens, w.rows) for w in taken)))
    tokens = np.full((len(taken), longest), padding)
    mask, owners = np.zeros_like(tokens), np.zeros((len(taken), most, longest), dtype=np.float32)
    for number, window in enumerate(taken):
        length = len(window.tokens)
        tokens[number, :length], mask[number, :length] = window.tokens, 1
        owners[number, : len(window.rows), :length] = window.owners
    on_device = [torch.from_numpy(array).to(transformer.device) for array in (tokens, mask, owners)]
    with torch.inference_mode():
        states = transformer(input_ids=on_device[0], attention_mask=on_device[1])
        # some models compute NaN for padding
        states = states.last_hidden_state.float().masked_fill(on_device[1][:, :, None] == 0, 0)
        return (on_device[2] @ states).cpu().numpy()
