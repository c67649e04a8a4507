"""Cross-encoders: models that read two texts together and give one number."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ._batches import token_counts
from ._identity import plain
from .model_encoder import ModelEncoder

SPECIAL = 3  # tokens around and between two texts


@dataclass(eq=False, repr=False)
class CrossEncoder(ModelEncoder):
    """A CrossEncoder of sentence-transformers, or its name.

    Pairs are cut at the model's length, the longer text first.

    Args:
        model: a name on the hub or a folder, or a CrossEncoder, which stays as it is.
        activation: use the model's own activation. Without, scores are logits: a sigmoid changes
            no order, but gives the best candidates of large logits one and the same 1.0.
        max_length: tokens that a pair is cut at, special tokens counted; None for the model's own.
        name, precision, device, revision, batch_tokens, memory, cache, verbose: see `ModelEncoder`;
            not ``"int8"``.

    Raises:
        ImportError, OSError, ValueError: (when scoring) see `ModelEncoder`.
    """

    activation: bool = field(default=False, kw_only=True)

    KIND, INT8, UNIT = "CrossEncoder", False, "pair"

    def score(self, pairs):
        """Scores (n,) of n pairs of texts; those of a model with several classes are (n, c)."""
        found = self.arrays(pairs, "pairs")
        scores = np.concatenate([found[pair] for pair in pairs])
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def encode_batch(self, model, pairs, side):
        """Arrays (1, c) of numbers for c classes."""
        from torch.nn import Identity

        activation = None if self.activation else Identity()
        more = {"show_progress_bar": False, "activation_fn": activation}
        scores = np.array(model.predict(pairs, batch_size=len(pairs), **more), dtype=np.float32)
        return [row.copy() for row in scores.reshape(len(pairs), 1, -1)]

    def lengths(self, model, pairs, side):
        """The tokens of each pair."""
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        counts = token_counts(model, texts)
        if counts is None:
            return None
        of, most = dict(zip(texts, counts)), getattr(model, "max_seq_length", None) or np.inf
        return [min(of[one] + of[other] + SPECIAL, most) for one, other in pairs]

    def _label(self):
        return "scoring"


def as_pair_scorer(source, verbose=False) -> Callable:
    """A function from a list of n pairs of texts to numbers (n,), for what a user passes.

    Args:
        source: a sentence-transformers CrossEncoder or its name, an object with the method `score`,
            such as `CrossEncoder`, or a function from a list of pairs to numbers.
        verbose: show progress, where the model can.

    Raises:
        ValueError: nothing here knows what to do with `source`.
    """
    source = plain(source)
    if isinstance(source, str) or hasattr(source, "predict"):
        source = CrossEncoder(source, verbose=verbose)
    if hasattr(source, "score"):
        return source.score
    if callable(source):
        return source
    raise ValueError(
        f"{source!r} scores no pairs: give a sentence-transformers CrossEncoder or its name, a "
        "function from a list of pairs of texts to numbers, or an object with the method score."
    )


def pair_scores(score, pairs) -> np.ndarray:
    """What `score` makes of `pairs`, as float64 (n,); each distinct pair is scored once.

    Raises:
        ValueError: the answer is not one number per pair, or NaN; names the pair.
    """
    number = {pair: n for n, pair in enumerate(dict.fromkeys(pairs))}
    if not number:
        return np.zeros(0)
    found = np.asarray(score(list(number)), dtype=np.float64)
    if found.shape != (len(number),):
        raise ValueError(
            f"The model gave an array of shape {found.shape} for {len(number)} pairs; expected "
            f"({len(number)},), one number per pair: is it a classifier?"
        )
    broken = np.flatnonzero(~np.isfinite(found))
    if len(broken):
        query, document = list(number)[broken[0]]
        raise ValueError(
            f"The model gave NaN or infinity for {len(broken)} of {len(number)} pairs, first for "
            f"{query!r:.100} and {document!r:.100}: is it broken, or its precision too low?"
        )
    return found[[number[pair] for pair in pairs]]
