"""Cross-encoders: models that read two texts together and give one number."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
import pyterrier as pt

from ._identity import state
from ._loading import lengths, loaded
from ._of_model import OfModel, plain
from ._parallel import shared
from ._windows import batches

SPECIAL = 3  # tokens around and between two texts


@dataclass(eq=False, repr=False)
class CrossEncoder(OfModel):
    """A CrossEncoder of sentence-transformers, or its name.

    Pairs are cut at the model's length, the longer text first. Batches are cut by tokens, from
    pairs sorted by length. Equal ones share one loaded model, while it is among the last two.

    Args:
        model: a name on the hub or a folder, or a CrossEncoder, which stays as it is.
        activation: use the model's own activation. Without, scores are logits: a sigmoid changes
            no order, but gives the best candidates of large logits one and the same 1.0.
        precision: ``"fp32"``, ``"bf16"``, ``"fp16"``, or ``"auto"``: bf16 where the device computes
            in it, else fp32. Of an object ``"fp32"`` leaves its own, others are of a copy.
        device: as PyTorch names it (``"cuda"``); None for the best there is, or an object's own.
        max_length: tokens that a pair is cut at, special tokens counted; None for the model's own.
        batch_tokens: tokens of a batch, padding counted; it changes scores by rounding alone.
        verbose: show progress.

    Raises:
        ImportError: (when scoring) sentence-transformers is missing; names the extra.
        OSError: (when scoring) there is no such model; says what to download.
        ValueError: (when scoring) an unknown precision.
    """

    model: object
    activation: bool = field(default=False, kw_only=True)
    precision: str = field(default="fp32", kw_only=True)
    device: str | None = field(default=None, kw_only=True)
    max_length: int | None = field(default=None, kw_only=True)
    batch_tokens: int = field(default=4_096, compare=False, kw_only=True)
    verbose: bool = field(default=False, compare=False, repr=False, kw_only=True)

    def score(self, pairs):
        """Scores (n,) of n pairs of texts; those of a model with several classes are (n, c)."""
        from torch.nn import Identity

        model = shared(self._model())[0]
        activation = None if self.activation else Identity()
        scores = [None] * len(pairs)
        with pt.tqdm(total=len(pairs), desc="scoring", disable=not self.verbose) as bar:
            for batch in batches(self._lengths(model, pairs), self.batch_tokens):
                own = [pairs[number] for number in batch]
                found = model.predict(
                    own, batch_size=len(own), show_progress_bar=False, activation_fn=activation
                )
                for number, score in zip(batch, found):
                    scores[number] = score
                bar.update(len(batch))
        return np.array(scores)

    def _lengths(self, model, pairs):
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        of = dict(zip(texts, lengths(model, "", texts)))
        most = getattr(model, "max_seq_length", None) or np.inf
        return [min(of[one] + of[other] + SPECIAL, most) for one, other in pairs]

    def _model(self):
        return _model(self, state(self.model))


@lru_cache(maxsize=2)
def _model(encoder, state):
    return loaded(encoder, "CrossEncoder")


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
