"""A toy encoder that workers import by its name; it records its loads in files."""

import os
import time
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from zlib import crc32

import numpy as np


@dataclass
class Hashed:
    """Sum a fixed random direction per word.

    folder: gets a file for each load of the "model", named after the process. Texts with the word
    "break" cannot be encoded; those with "wait" never end if $TOY_WAITS is set.
    """

    folder: str = field(compare=False)
    tag: str = ""
    dimensions: int = 16

    @cached_property
    def table(self):
        """The "model": 512 random directions."""
        name = f"{self.tag}{os.getpid()}-{time.monotonic_ns()}"
        Path(self.folder, name).touch()
        return np.random.default_rng(7).standard_normal((512, self.dimensions), dtype="float32")

    def encode(self, texts, side):
        """Sums of directions."""
        if "TOY_WAITS" in os.environ and any("wait" in text for text in texts):
            time.sleep(600)
            raise TimeoutError("nobody killed this")
        broken = [text for text in texts if "break" in text]
        if broken:
            raise RuntimeError(f"cannot read {len(broken)} of these")
        own = self.table
        return np.stack([self._sum(own, text) for text in texts])

    @staticmethod
    def _sum(table, text):
        rows = [crc32(word.encode()) % 512 for word in text.split()]
        return table[rows].sum(axis=0) if rows else np.zeros(table.shape[1], "float32")

    def __getstate__(self):
        return {key: value for key, value in vars(self).items() if key != "table"}


def texts(count, words=6, seed=0):
    """Return `count` pairs (id, text), of 2,000 words; some are duplicates."""
    drawn = np.random.default_rng(seed).integers(0, 2_000, (count, words))
    drawn[1::97] = drawn[0::97][: len(drawn[1::97])]  # ties
    return [(f"d{n}", " ".join(f"w{word}" for word in row)) for n, row in enumerate(drawn)]
