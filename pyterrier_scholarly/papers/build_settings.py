"""What a library is built with.

settings = BuildSettings(as_passage_encoder("a/model"), verbose=False)
settings.encoder_identity  # changes with the model's embeddings
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from ..encoders import PassageEncoder
from ..fingerprint import Unidentified, fingerprint
from .long_work import ask_at_terminal

BY_WORDS_IDENTITY = fingerprint("words")  # of a library without an encoder
#: of an object whose embeddings cannot be told from another's: an interrupted build is not resumed
UNIDENTIFIED = fingerprint("unidentified")


@dataclass
class BuildSettings:
    """How a state is built.

    Attributes:
        encoder: what encodes sentences; None for the papers' own words.
        verbose: show progress, and the plan of long work.
        confirm: called with the plan of very long work; returns whether to go on.
    """

    encoder: PassageEncoder | None
    verbose: bool = True
    confirm: Callable[[str], bool] = ask_at_terminal

    @cached_property
    def encoder_identity(self) -> str:
        """A text that changes with the encoder's embeddings, if they can be identified."""
        if self.encoder is None:
            return BY_WORDS_IDENTITY
        try:
            return fingerprint(self.encoder)
        except Unidentified:
            return UNIDENTIFIED
