"""Embeddings of sentences in their context, by windows of tokens that fit a model.

    encoder = Contextual("sentence-transformers/all-MiniLM-L6-v2")
    (rows,) = encoder.encode_passages([("A title", "A sentence.", "Another.")])  # (4, 384)

Conventions: a passage is a tuple of k texts. It is encoded as one text, the texts joined by blanks;
its array is (1 + k, d): the whole in row 0, then its texts. A passage that is longer than the model
can take is read in windows that overlap by a quarter; each token that two windows share counts in
one of them: where it is farther from the window's edge.

How arrays are kept, and a model loaded, is in the base classes: `RememberingEncoder` and
`ModelEncoder`.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from more_itertools import chunked

from ..paper import Paper, Passage
from .batches import compute_in_batches
from .cache import KeyArrays
from .contexts import encode_in_context
from .loading import choose_length
from .model_encoder import TOKENIZER_LOCK, ModelEncoder

PAPERS_AT_ONCE = 64  # whose sentences are encoded one by one; a killed process loses no more
LEAST_TEXT_TOKENS = 2  # of a window, beside special tokens
OVERLAP_PART = 4  # neighbouring windows share one token in so many
OVERLAP_LABEL = f"overlap 1/{OVERLAP_PART}"  # in entries on disk, because it changes embeddings
#: contexts in which a passage has one sentence, so that no two sentences share a passage
CONTEXTS_OF_ONE_SENTENCE = ("title", "sentence")
NO_TEXT = -1  # of special tokens, and of blanks between texts


@dataclass(eq=False, repr=False)
class Contextual(ModelEncoder[Passage]):
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
        cache: see `ModelEncoder`. If it has all embeddings, the model is not loaded.
        others: see `ModelEncoder`.

    Raises:
        ImportError, OSError, ValueError: (when encoding) see `ModelEncoder`; a tokenizer without
            offsets, or a `max_length` that the model cannot take.
    """

    UNIT = "passage"
    KEYS_TOGETHER = 1_024  # of several sentences each
    CHANGING = ("precision", "device")  # `max_length` changes windows, not the model

    @property
    def dimensions(self) -> int:
        """The number d of an embedding's dimensions (loads the model)."""
        return self._get_model().transformers_model.config.hidden_size

    def encode_passages(self, passages: Sequence[Passage]) -> list[np.ndarray]:
        """Encode passages, each distinct one once.

        Args:
            passages: tuples of k texts; k may differ between them, texts may be empty.

        Returns:
            List of (1 + k, d) float32 arrays, read-only: the whole in row 0, then the parts; zero
            for a part without tokens.
        """
        return self.encode_once(passages, f"passages, {OVERLAP_LABEL}", self._encode_passages)

    def encode_papers(self, papers: Sequence[Paper], context: str) -> list[np.ndarray]:
        """Encode the sentences of papers, each in its context; each distinct paper once.

        Args:
            papers: list of `Paper`, each with a sentence or more.
            context: one of `encoders.contexts.CONTEXTS`.

        Returns:
            List of (n, d) float32 arrays, one row per sentence, not scaled.
        """
        if context not in CONTEXTS_OF_ONE_SENTENCE:
            # sentences share passages, whose arrays are kept by passage
            return encode_in_context(self.encode_passages, papers, context)

        # Each sentence has a passage of its own, so one array is kept for the whole paper: a tenth
        # as many entries, read in a third of the time. Its key is what counts of a paper here.
        texts_of_papers = [(paper.title, *paper.sentences) for paper in papers]
        encode = partial(self._encode_sentences_alone, context=context)
        return self.encode_once(texts_of_papers, f"{context}, {OVERLAP_LABEL}", encode)

    def _encode_sentences_alone(
        self, texts_of_papers: list[Passage], part: str, context: str
    ) -> KeyArrays[Passage]:
        """Yield papers, as title and sentences, with their arrays, in a context of one sentence."""
        for some_texts in chunked(texts_of_papers, PAPERS_AT_ONCE):
            papers = [Paper("", title, tuple(sentences)) for title, *sentences in some_texts]
            arrays = encode_in_context(self._encode_unkept, papers, context)
            yield from zip(some_texts, arrays)

    def _encode_unkept(self, passages: list[Passage]) -> list[np.ndarray]:
        """Return the arrays of distinct passages, and keep none."""
        array_of_passage = dict(self._encode_passages(passages, ""))
        return [array_of_passage[passage] for passage in passages]

    def _encode_passages(self, passages: Sequence[Passage], part: str) -> KeyArrays[Passage]:
        """Yield distinct passages with their arrays, each as soon as its windows are encoded."""
        model = self._get_model()
        window_tokens = self._choose_window_tokens(model)
        windows = divide_passages(passages, model.tokenizer, window_tokens)
        dimensions = model.transformers_model.config.hidden_size

        # windows come in the order of their lengths, so those of a passage are collected here until
        # all of them are encoded
        window_counts = Counter(window.passage_number for window in windows)
        encoded_windows: dict[int, list[tuple[Window, np.ndarray]]] = defaultdict(list)

        for window, sums in self._encode_windows(model, windows):
            number = window.passage_number
            encoded_windows[number].append((window, sums))

            if len(encoded_windows[number]) == window_counts[number]:
                passage = passages[number]
                windows_of_passage = encoded_windows.pop(number)
                yield passage, average_states(windows_of_passage, len(passage), dimensions)

    def _encode_windows(
        self, model: Any, windows: "list[Window]"
    ) -> "Iterator[tuple[Window, np.ndarray]]":
        """Yield windows, the longest first, with the sums of their states, see `sum_states`."""
        network = model.transformers_model

        def encode_numbered(window_numbers: list[int]) -> list[tuple[Window, np.ndarray]]:
            batch = [windows[number] for number in window_numbers]
            sums = sum_states(network, batch, model.tokenizer)
            return list(zip(batch, sums))

        # a window without tokens is computed with one
        token_counts = [max(1, len(window.tokens)) for window in windows]
        batches = compute_in_batches(
            encode_numbered, token_counts, self.batch_tokens, network.device
        )
        yield from chain.from_iterable(batches)

    def _choose_window_tokens(self, model: Any) -> int:
        """Return the tokens of a window; ValueError if the model cannot take so many or so few."""
        tokenizer = model.tokenizer
        if not getattr(tokenizer, "is_fast", False):
            raise ValueError(
                f"The model's {type(tokenizer).__name__} does not give the positions of "
                "tokens in the text. Sentences in context need a fast tokenizer (tokenizer.json)."
            )
        least = tokenizer.num_special_tokens_to_add() + LEAST_TEXT_TOKENS
        return choose_length(model, self.max_length, least)


class Window(NamedTuple):
    """Tokens of one passage that are encoded together.

    A passage may have hundreds of texts, but a window has tokens of a few of them.

    passage_number: of the passage, among those that are encoded.
    tokens: their t ids; none of an empty text, for a model without special tokens.
    rows: (r,), those rows of the passage's array that have tokens here: row 0, the whole, and row
        1 + n for text n.
    row_has_token: (r, t), whether a token counts in a row. One that counts in the neighbouring
        window is in none.
    """

    passage_number: int
    tokens: list[int]
    rows: np.ndarray
    row_has_token: np.ndarray


def divide_passages(passages: Sequence[Passage], tokenizer: Any, limit: int) -> list[Window]:
    """Divide `passages` into windows of at most `limit` tokens each, with special tokens."""
    overlap = (limit - tokenizer.num_special_tokens_to_add()) // OVERLAP_PART
    with TOKENIZER_LOCK:
        encoded = tokenizer(
            [" ".join(filter(None, passage)) for passage in passages],
            truncation=True,
            max_length=limit,
            stride=overlap,
            return_overflowing_tokens=True,  # the windows behind the first one
        )

    # of each window, and of its neighbours: the windows of a passage follow one another
    passage_numbers = encoded["overflow_to_sample_mapping"]
    previous_numbers = [None, *passage_numbers[:-1]]
    next_numbers = [*passage_numbers[1:], None]

    windows = []
    for encoding, passage_number, previous_number, next_number in zip(
        encoded.encodings, passage_numbers, previous_numbers, next_numbers
    ):
        if passage_number != previous_number:  # once for a passage, which may have many windows
            text_of_end = locate_ends(passages[passage_number])
        is_counted = mark_counted_tokens(
            is_special=np.array(encoding.special_tokens_mask, dtype=bool),
            overlap=overlap,
            is_first=passage_number != previous_number,
            is_last=passage_number != next_number,
        )
        # a token is of the text that has its last character
        text_of_token = np.array([text_of_end[end] for _, end in encoding.offsets], dtype=int)
        text_of_counted_token = np.where(is_counted, text_of_token, NO_TEXT)

        texts = np.unique(text_of_counted_token[text_of_counted_token != NO_TEXT])
        text_has_token = text_of_counted_token == texts[:, None]  # (r - 1, t)
        rows = np.append(0, 1 + texts)
        row_has_token = np.vstack([is_counted, text_has_token])
        windows.append(Window(passage_number, encoding.ids, rows, row_has_token))
    return windows


def locate_ends(passage: Passage) -> list[int]:
    """Return, for each position in the joined texts, the text whose character ends there.

    Texts are given by their number. It is NO_TEXT for the blanks between them, and for position 0,
    where no character ends, but a token without characters does, such as [CLS].
    """
    text_of_end = [NO_TEXT]
    for number, text in enumerate(passage):
        if text:  # an empty text is joined without a blank
            text_of_end += [number] * len(text)
            text_of_end.append(NO_TEXT)  # the blank behind the text
    return text_of_end


def mark_counted_tokens(
    is_special: np.ndarray, overlap: int, is_first: bool, is_last: bool
) -> np.ndarray:
    """Return whether each token of a window counts (t,).

    Special tokens, such as [CLS], count in the passage's first window only.

    Args:
        is_special: (t,), whether a token is special.
        overlap: number of tokens that two neighbouring windows share.
        is_first, is_last: whether the window is the first, or the last, of its passage.
    """
    # this window's last tokens count in the next window, and its first ones in the previous
    # window; both numbers add up to the overlap, so that each shared token counts once
    dropped_at_end = overlap // 2
    dropped_at_start = overlap - dropped_at_end

    text_tokens = np.flatnonzero(~is_special)
    start = 0 if is_first else dropped_at_start
    end = len(text_tokens) if is_last else max(0, len(text_tokens) - dropped_at_end)

    is_counted = is_special & is_first
    is_counted[text_tokens[start:end]] = True
    return is_counted


def sum_states(network: Any, batch: Sequence[Window], tokenizer: Any) -> list[np.ndarray]:
    """Compute the last layer's states of windows, and add up those of each row's tokens (r, d)."""
    import torch
    from torch.nn.utils.rnn import pad_sequence

    device = network.device

    # a model computes no empty text: it gets a token that counts nowhere
    token_ids = [torch.tensor(window.tokens or [0]) for window in batch]
    padding_id = tokenizer.pad_token_id or 0
    padded_ids = pad_sequence(token_ids, batch_first=True, padding_value=padding_id)

    # 1 for a window's tokens, 0 for padding
    ones = [torch.ones_like(ids) for ids in token_ids]
    mask = pad_sequence(ones, batch_first=True, padding_value=0)

    sums_of_windows = []
    with torch.inference_mode():
        output = network(input_ids=padded_ids.to(device), attention_mask=mask.to(device))
        states = output.last_hidden_state.float()  # (windows, tokens of the longest, d)

        for window, padded_states in zip(batch, states):
            # without the states of padding, which may be NaN, and NaN times 0 is NaN
            window_states = padded_states[: len(window.tokens)]  # (t, d)
            row_has_token = torch.from_numpy(window.row_has_token)  # (r, t)

            # by PyTorch, because NumPy would use all cores, and this is one of several threads
            weights = row_has_token.to(states)  # 1 or 0, in the states' type and on their device
            sums = weights @ window_states
            sums_of_windows.append(sums.cpu().numpy())
    return sums_of_windows


def average_states(
    encoded_windows: Sequence[tuple[Window, np.ndarray]], text_count: int, dimensions: int
) -> np.ndarray:
    """Return the array (1 + k, d) of a passage of k texts: the mean state of each row's tokens.

    Args:
        encoded_windows: all windows of the passage, with their sums (r, d), see `sum_states`.
        text_count: the number k of texts.
        dimensions: the number d of a state's dimensions.
    """
    state_sums = np.zeros((1 + text_count, dimensions), np.float32)
    token_counts = np.zeros((1 + text_count, 1), np.float32)
    for window, sums in encoded_windows:
        state_sums[window.rows] += sums
        token_counts[window.rows] += window.row_has_token.sum(axis=1, keepdims=True)

    divisors = np.maximum(token_counts, 1)  # a text without tokens stays zero
    return state_sums / divisors
