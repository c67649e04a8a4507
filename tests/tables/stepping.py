"""Steps that log each run, for tests of what runs again."""

import os
import signal
from dataclasses import dataclass
from pathlib import Path

from pyterrier_scholarly.step import Step
from pyterrier_scholarly.transformers import Pool


@dataclass(eq=False, repr=False)
class ByLength(Step):
    """Scores the candidates by the length of their ids; writes a line into `log` each time.

    With a file `killer` there, it ends its process instead, as a power cut would.
    """

    log: str
    weight: float = 1.0
    killer: str = ""

    def transform(self, topics):
        """Rank each topic's pool."""
        if self.killer and Path(self.killer).exists():
            os.kill(os.getpid(), signal.SIGKILL)
        if len(topics):  # PyTerrier inspects with zero rows
            with open(self.log, "a") as file:
                file.write("ran\n")
        run = Pool("scholarly-mini/all")(topics)
        scores = self.weight * run["docno"].map(lambda docno: len(docno) + int(docno) / 1e6)
        run = run.assign(score=scores).sort_values(["qid", "score"], ascending=[True, False])
        return run.assign(rank=run.groupby("qid").cumcount())

    @property
    def times(self):
        """How often it has run."""
        return Path(self.log).read_text().count("ran") if Path(self.log).exists() else 0
