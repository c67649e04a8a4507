"""Embeddings of sentences in their context, by windows of tokens that fit a model.

    encoder = Contextual("sentence-transformers/all-MiniLM-L6-v2")
    (rows,) = encoder.encode_passages([("A title", "A sentence.", "Another.")])  # (4, 384)

Conventions: a passage is a tuple of k texts. It is encoded as one text, the texts joined by blanks;
its array is (1 + k, d): the whole in row 0, then its texts.

How a passage is computed is in `windows`. How arrays are kept, and a model loaded, is in the base
classes: `RememberingEncoder` and `ModelEncoder`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from more_itertools import chunked

from ..paper import Paper, Passage
from .contexts import encode_in_context
from .loading import count_positions
from .model_encoder import ModelEncoder
from .remembering_encoder import Part
from .windows import OVERLAP_PART, encode_in_windows

#: contexts in which a passage has one sentence, so that no two sentences share a passage
CONTEXTS_OF_ONE_SENTENCE = ("title", "sentence")
PAPERS_AT_ONCE = 64  # encoded together in such a context
LEAST_TEXT_TOKENS = 2  # of a window, beside special tokens
OVERLAP_LABEL = f"overlap 1/{OVERLAP_PART}"  # in entries on disk, because it changes embeddings
PASSAGES = Part(f"passages, {OVERLAP_LABEL}")


@dataclass(eq=False, repr=False)
class Contextual(ModelEncoder[Any, Passage]):
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
        return self.encode_once(passages, PASSAGES)

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
        # a tenth as many entries, read in a third of the time
        texts_of_papers = [(paper.title, *paper.sentences) for paper in papers]
        # the label names the entries on disk, so it says all that changes their embeddings
        kept_by_paper = Part(f"{context}, {OVERLAP_LABEL}", context=context)
        return self.encode_once(texts_of_papers, kept_by_paper)

    def _prepare(self, model: Any) -> None:
        """Change nothing of a model that was just loaded or copied."""

    def _encode_keys(self, keys: list[Passage], part: Part) -> Iterator[tuple[Passage, np.ndarray]]:
        """Yield each key with its array; see `RememberingEncoder`.

        Without a context, keys are passages. With one, a key is a paper's title and sentences, and
        its array has the sentences alone.
        """
        if part.context is None:
            yield from self._encode_new_passages(keys)
            return

        def encode(passages: Sequence[Passage]) -> list[np.ndarray]:
            array_of_passage = dict(self._encode_new_passages(passages))
            return [array_of_passage[passage] for passage in passages]

        for keys_at_once in chunked(keys, PAPERS_AT_ONCE):
            papers = [Paper("", key[0], key[1:]) for key in keys_at_once]
            yield from zip(keys_at_once, encode_in_context(encode, papers, part.context))

    def _encode_new_passages(
        self, passages: Sequence[Passage]
    ) -> Iterator[tuple[Passage, np.ndarray]]:
        """Yield distinct passages with their arrays, in any order."""
        model = self._get_model()
        network = model.transformers_model
        tokenizer = model.tokenizer
        if not getattr(tokenizer, "is_fast", False):
            raise ValueError(
                f"The model's {type(tokenizer).__name__} does not give the positions of "
                "tokens in the text. Sentences in context need a fast tokenizer (tokenizer.json)."
            )

        most = count_positions(network, tokenizer)
        least = tokenizer.num_special_tokens_to_add() + LEAST_TEXT_TOKENS
        window_tokens = most if self.max_length is None else self.max_length
        if not least <= window_tokens <= most:
            raise ValueError(
                f"max_length={window_tokens} does not suit this model. Pass {least} to {most} "
                "tokens, as many as it has positions."
            )
        yield from encode_in_windows(passages, network, tokenizer, window_tokens, self.batch_tokens)
