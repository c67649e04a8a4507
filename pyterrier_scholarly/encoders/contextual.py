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

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from more_itertools import chunked

from ..paper import Paper, Passage
from .batches import compute_in_batches
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

        # here each sentence has a passage of its own, so one array is kept for the whole paper:
        # a tenth as many entries, read in a third of the time. Its key is all that counts in these
        # contexts: title and sentences, no labels
        keys = [(paper.title, *paper.sentences) for paper in papers]

        # called for keys that are neither in memory nor on disk; the part names the context
        def encode_keys(new_keys: list[Passage], part: str) -> Iterator[tuple[Passage, np.ndarray]]:
            for some_keys in chunked(new_keys, PAPERS_AT_ONCE):
                some_papers = [Paper("", title, tuple(texts)) for title, *texts in some_keys]
                arrays = encode_in_context(self._encode_in_order, some_papers, context)
                yield from zip(some_keys, arrays)

        return self.encode_once(keys, f"{context}, {OVERLAP_LABEL}", encode_keys)

    def _prepare(self, model: Any) -> None:
        """Change nothing of a model that was just loaded or copied."""

    def _encode_in_order(self, passages: list[Passage]) -> list[np.ndarray]:
        """Return the arrays of distinct passages, which are kept nowhere."""
        array_of_passage = dict(self._encode_passages(passages, ""))
        return [array_of_passage[passage] for passage in passages]

    def _encode_passages(
        self, passages: Sequence[Passage], part: str
    ) -> Iterator[tuple[Passage, np.ndarray]]:
        """Yield distinct passages with their arrays, each as soon as its windows are encoded."""
        model = self._get_model()
        network = model.transformers_model
        windows = divide_passages(passages, model.tokenizer, self._choose_window_tokens(model))

        def sum_batch(window_indices: list[int]) -> list[WindowSums]:
            batch = [windows[index] for index in window_indices]
            states_of_windows = compute_states(network, batch, model.tokenizer)
            return [sum_states(window, states) for window, states in zip(batch, states_of_windows)]

        lengths = [max(1, len(window.tokens)) for window in windows]
        batches = compute_in_batches(sum_batch, lengths, self.batch_tokens, network.device)

        # for each passage, of the windows that are encoded: the sums of states (1 + k, d), and the
        # numbers of tokens (1 + k, 1)
        dimensions = network.config.hidden_size
        state_sums = [np.zeros((1 + len(texts), dimensions), np.float32) for texts in passages]
        token_counts = [np.zeros((1 + len(texts), 1), np.float32) for texts in passages]
        windows_left = Counter(window.passage_index for window in windows)  # 1 or more at first

        # the windows come in the order of their lengths, so those of a passage are apart
        for window_sums in chain.from_iterable(batches):
            index = window_sums.passage_index
            state_sums[index][window_sums.rows] += window_sums.state_sums
            token_counts[index][window_sums.rows] += window_sums.token_counts
            windows_left[index] -= 1

            if windows_left[index] == 0:
                divisors = np.maximum(token_counts[index], 1)  # a text without tokens stays zero
                yield passages[index], state_sums[index] / divisors

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

    passage_index: of the passage, among those that are encoded.
    tokens: their t ids; none of an empty text, for a model without special tokens.
    is_counted: (t,), whether a token counts. The state of one that does not is taken from the
        neighbouring window.
    text_of_token: (t,), the number of the text that a token that counts belongs to, ascending;
        NO_TEXT for one of none.
    """

    passage_index: int
    tokens: list[int]
    is_counted: np.ndarray
    text_of_token: np.ndarray


class WindowSums(NamedTuple):
    """What a window adds to r rows of its passage's array.

    A passage may have hundreds of texts, but a window has tokens of a few of them.

    passage_index: as in `Window`.
    rows: (r,), row 0 of the whole, and row 1 + n for each text n with tokens in the window.
    state_sums: (r, d), the states of each row's tokens, added up.
    token_counts: (r, 1), how many tokens these are.
    """

    passage_index: int
    rows: np.ndarray
    state_sums: np.ndarray
    token_counts: np.ndarray


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

    # for each passage, what the tokenizer returned for each of its windows, in order
    encodings_of_passages: list[list[Any]] = [[] for _ in passages]
    for passage_index, encoding in zip(encoded["overflow_to_sample_mapping"], encoded.encodings):
        encodings_of_passages[passage_index].append(encoding)

    windows = []
    for passage_index, encodings in enumerate(encodings_of_passages):
        text_of_character = locate_characters(passages[passage_index])
        last_index = len(encodings) - 1
        for window_index, encoding in enumerate(encodings):
            is_special = np.array(encoding.special_tokens_mask, dtype=bool)
            is_counted = mark_counted_tokens(
                is_special,
                overlap,
                is_first=window_index == 0,
                is_last=window_index == last_index,
            )
            text_of_token = find_texts_of_tokens(encoding, text_of_character)
            text_of_token[~is_counted] = NO_TEXT
            windows.append(Window(passage_index, encoding.ids, is_counted, text_of_token))
    return windows


def find_texts_of_tokens(encoding: Any, text_of_character: np.ndarray) -> np.ndarray:
    """Return the number of the text that each token belongs to (t,); NO_TEXT for one of none."""
    # a token belongs to the text that has its last character, before its end; one without
    # characters, such as [CLS], ends at 0, and the index -1 is the last blank, of no text
    ends = np.array([end for _, end in encoding.offsets], dtype=int)
    return text_of_character[ends - 1]


def locate_characters(passage: Passage) -> np.ndarray:
    """Return the number of the text that each character of a joined passage belongs to.

    It is NO_TEXT for the blank behind a text, also behind the last one. An empty text has none.
    """
    # runs of characters of one text, and the blank behind each
    run_texts = []
    run_lengths = []
    for number, text in enumerate(passage):
        if text:
            run_texts += [number, NO_TEXT]
            run_lengths += [len(text), 1]
    # one more blank, because a passage of empty texts has none
    return np.repeat([*run_texts, NO_TEXT], [*run_lengths, 1])


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


def compute_states(network: Any, batch: Sequence[Window], tokenizer: Any) -> np.ndarray:
    """Compute the last layer's states (n, t, d) of n windows, padded to t tokens."""
    import torch
    from torch.nn.utils.rnn import pad_sequence

    # a model computes no empty text: it gets a token that counts nowhere
    tokens = [torch.tensor(window.tokens or [0]) for window in batch]
    padding = tokenizer.pad_token_id or 0
    padded_tokens = pad_sequence(tokens, batch_first=True, padding_value=padding)
    # 1 for a window's tokens, 0 for padding
    mask = pad_sequence([torch.ones_like(token_ids) for token_ids in tokens], batch_first=True)

    with torch.inference_mode():
        output = network(
            input_ids=padded_tokens.to(network.device), attention_mask=mask.to(network.device)
        )
        return output.last_hidden_state.float().cpu().numpy()


def sum_states(window: Window, padded_states: np.ndarray) -> WindowSums:
    """Sum the states of a window's tokens that count: all of them, and those of each text.

    padded_states: (t or more, d), those of padding behind the window's t tokens.
    """
    states = padded_states[: len(window.tokens)]

    # the whole (1, d)
    whole_sum = states[window.is_counted].sum(axis=0, keepdims=True)
    whole_count = np.count_nonzero(window.is_counted)

    # the texts (r - 1, d); the tokens of a text are together, so one sum ends where the next starts
    is_of_text = window.text_of_token != NO_TEXT
    texts, starts, text_counts = np.unique(
        window.text_of_token[is_of_text], return_index=True, return_counts=True
    )
    text_sums = np.add.reduceat(states[is_of_text], starts)

    return WindowSums(
        window.passage_index,
        rows=np.append(0, 1 + texts),
        state_sums=np.concatenate([whole_sum, text_sums]),
        token_counts=np.append(whole_count, text_counts)[:, None],
    )
