"""The numbers of a training."""

from dataclasses import dataclass, fields
from typing import Any

from ir_datasets_ext.records import checked

CHOICES = {
    "pooling": ("cls", "mean", None),
    "loss": ("triplet", "multiple-negatives"),
    "precision": ("fp32", "bf16", "fp16"),
}


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

    pooling: str | None = "cls"
    loss: str = "triplet"
    margin: float = 1.0
    learning_rate: float = 2e-5
    warmup: float = 0.1
    batch_size: int = 32
    accumulate: int = 1
    precision: str = "fp32"
    max_length: int | None = None
    seed: int = 0
    log_every: int = 10

    def __post_init__(self) -> None:
        for field in fields(self):
            value, remedy = getattr(self, field.name), f"The default is {field.default!r}"
            kind: Any = field.type
            value = checked(value, kind, "TrainingSettings", field.name, remedy)
            object.__setattr__(self, field.name, value)  # plain Python
        for name, known in CHOICES.items():
            if getattr(self, name) not in known:
                shown = ", ".join(map(repr, known))
                raise ValueError(f"{name}={getattr(self, name)!r}: choose one of {shown}.")
        for name in ("batch_size", "accumulate", "log_every"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}={getattr(self, name)!r}: expected at least 1.")
        if not (self.margin > 0 and self.learning_rate > 0 and 0 <= self.warmup < 1):
            raise ValueError(
                f"margin={self.margin}, learning_rate={self.learning_rate}, warmup={self.warmup}: "
                "expected two numbers above 0, and a share below 1."
            )

    @property
    def per_step(self) -> int:
        """Return the triplets per step."""
        return self.batch_size * self.accumulate
