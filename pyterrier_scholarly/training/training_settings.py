"""How an encoder is trained, in numbers.

TrainingSettings(pooling="mean", loss="multiple-negatives", batch_size=64)
"""

from dataclasses import dataclass
from typing import Literal

from ..arguments import Count, Positive, Seed, ShareBelowOne, check_fields


@dataclass(frozen=True)
class TrainingSettings:
    """How to train an encoder; defaults are SPECTER's, except its batches [Cohan2020, 4].

    Args:
        pooling: how tokens become a vector: ``"cls"`` (the first token's), ``"mean"``, or None for
            the model's own pooling.
        loss: ``"triplet"`` (Euclidean distances), or ``"multiple-negatives"`` (cosines; all other
            papers of a batch are negatives, too).
        margin: of the triplet loss.
        learning_rate: the highest; it rises during the share `warmup` of the steps, then falls to
            0.
        batch_size, accumulate: triplets per batch, and batches per step (SPECTER: 4 and 8, which
            equals 32 and 1 on average, except for dropout).
        precision: ``"fp32"``, or mixed: ``"bf16"``, ``"fp16"``.
        max_length: tokens of a text; None for the model's own.
        seed: of dropout; triplets have their own.
        log_every: steps per mean of the recorded losses.

    Raises:
        ValueError: an unknown choice, a number out of range, a value of another type.
    """

    pooling: Literal["cls", "mean"] | None = "cls"
    loss: Literal["triplet", "multiple-negatives"] = "triplet"
    margin: Positive = 1.0
    learning_rate: Positive = 2e-5
    warmup: ShareBelowOne = 0.1
    batch_size: Count = 32
    accumulate: Count = 1
    precision: Literal["fp32", "bf16", "fp16"] = "fp32"
    max_length: Count | None = None
    seed: Seed = 0
    log_every: Count = 10

    def __post_init__(self) -> None:
        check_fields(self)
