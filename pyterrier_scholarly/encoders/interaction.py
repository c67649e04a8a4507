"""Models that compare texts word by word: late interaction (MultiVector), full (CrossEncoder).

    encoder = CrossEncoder("cross-encoder/ms-marco-MiniLM-L6-v2")
    scores = encoder.score([("a query", "a text"), ("a query", "another")])  # (2,)

Entries on disk have this module's name in their keys. Under another name they would not be found.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from ..arguments import Count, Natural
from ..distinct import Distinct
from ._tokenization import count_tokens, find_prompt
from .encoder_calls import token_vectors
from .encoder_protocols import Pair, Side
from .model_encoder import ModelEncoder
from .model_protocols import PairModel, TokenModel
from .remembering_encoder import Part

SPECIAL_TOKENS_OF_PAIR = 3  # around and between two texts

QUERIES = Part("query", side="query")
DOCUMENTS = Part("document", side="document")
PAIRS = Part("pairs")


@dataclass(eq=False, repr=False)
class MultiVector(ModelEncoder[TokenModel, str]):
    """A `sentence_transformers.MultiVectorEncoder`, or its name: ColBERT's and PyLate's models.

    Prompts, lengths, query expansion and ignored words are the model's own.

    Args:
        model: the model, or a folder, or a name on the Hugging Face hub.
        memory: bytes of embeddings kept for later calls; default: none, because they are large:
            100 KB for 200 tokens in 128 dimensions.
        batch_size: texts per batch, for a model whose tokens cannot be counted.
        name, precision, device, max_length, revision, batch_tokens, cache, room, verbose: see
            `ModelEncoder`.

    Raises:
        ImportError, OSError, ValueError: (when encoding) see `ModelEncoder`.
    """

    batch_size: Count = field(default=32, compare=False)
    memory: Natural = field(default=0, compare=False, kw_only=True)

    KIND = "MultiVectorEncoder"

    def encode_query_tokens(self, texts: Sequence[str]) -> list[np.ndarray]:
        """Return arrays (t, d) by the model's query side, with expansion tokens."""
        return self.encode_once(texts, QUERIES)

    def encode_document_tokens(self, texts: Sequence[str]) -> list[np.ndarray]:
        """Return arrays (t, d) by the model's document side."""
        return self.encode_once(texts, DOCUMENTS)

    def encode_batch(self, model: TokenModel, texts: list[str], side: Side) -> list[np.ndarray]:
        """Encode a batch as arrays (t, d)."""
        encode = model.encode_query if side == "query" else model.encode_document
        settings = {"batch_size": len(texts), "convert_to_numpy": True, "show_progress_bar": False}
        return token_vectors(partial(encode, **settings), texts)


@dataclass(eq=False, repr=False)
class CrossEncoder(ModelEncoder[PairModel, Pair]):
    """A CrossEncoder of sentence-transformers, or its name.

    Pairs are truncated at the model's length, the longer text first.

    Args:
        model: a name on the hub or a folder, or a CrossEncoder, which stays unchanged.
        activation: use the model's own activation. Otherwise scores are logits. A sigmoid keeps the
            order, but rounds the best candidates' large logits to the same 1.0.
        max_length: tokens at which a pair is truncated, with special tokens; default: the model's.
        name, precision, device, revision, batch_tokens, memory, cache, room, verbose: see
            `ModelEncoder`; not ``"int8"``.

    Raises:
        ImportError, OSError, ValueError: (when scoring) see `ModelEncoder`.
    """

    activation: bool = field(default=False, kw_only=True)

    KIND = "CrossEncoder"
    INT8 = False
    UNIT = "pair"

    def score(self, pairs: Sequence[Pair]) -> np.ndarray:
        """Score n pairs of texts as (n,); a model with c classes gives (n, c)."""
        scores = np.concatenate(self.encode_once(pairs, PAIRS))  # (n, c)
        class_count = scores.shape[1]
        return scores[:, 0] if class_count == 1 else scores

    def encode_batch(self, model: PairModel, pairs: list[Pair], side: Side) -> list[np.ndarray]:
        """Score a batch as arrays (1, c) for c classes; a pair has no side."""
        from torch.nn import Identity

        returned = model.predict(
            pairs,
            batch_size=len(pairs),
            show_progress_bar=False,
            activation_fn=None if self.activation else Identity(),
        )
        scores = np.array(returned, dtype=np.float32).reshape(len(pairs), 1, -1)  # (n, 1, c)
        # copied, because a view would keep the scores of the whole batch in memory
        return [pair_scores.copy() for pair_scores in scores]

    def _count_tokens(self, model: PairModel, pairs: list[Pair], side: Side) -> list[int] | None:
        """Return the tokens of each pair, or None if they cannot be counted."""
        # most texts are in several pairs
        distinct_texts = Distinct[str]()
        for pair in pairs:
            distinct_texts.add_all(pair)
        token_counts = count_tokens(model, distinct_texts.keys, find_prompt(model))
        if token_counts is None:
            return None

        longest_pair = getattr(model, "max_seq_length", None) or sys.maxsize
        counts_of_pairs = []
        for first_text, second_text in pairs:
            first_count = token_counts[distinct_texts.number(first_text)]
            second_count = token_counts[distinct_texts.number(second_text)]
            count = first_count + second_count + SPECIAL_TOKENS_OF_PAIR
            counts_of_pairs.append(min(count, longest_pair))
        return counts_of_pairs

    def _describe_work(self) -> str:
        return "scoring"
