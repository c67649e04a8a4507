"""The parts of a score, and the pairs of sentences behind them.

    >>> part = Part("SentenceMaxSim", 0.75)
    >>> part.times(2).value
    1.5

`tracing` finds the parts, `explain` puts them together in an `ExplainedScore`, and the page and the
frame show them. A scorer states its pairs in a method `explained`, which `matches` calls.
"""

from dataclasses import dataclass, field, replace

import pandas as pd
import pyterrier as pt

from ..arguments import check_arguments
from ..paper import Paper
from ..similarity.matches import Matches

#: a part of a standardised score: minus the mean score, the same for all candidates of a query
MEAN_OF_CANDIDATES = "minus the candidates' mean"


@dataclass(frozen=True)
class Part:
    """Something that adds to a score.

    Attributes:
        name: of the step that computed it.
        value: its whole contribution.
        matches: the pairs behind it (`Matches`), or None.
        query_ids: ids of the query's m sentences: their positions in its paper, from 0.
        document_ids: ids of the document's n sentences.
        row: the scorer's input, a frame of one row, if there are pairs.
    """

    name: str
    value: float
    matches: Matches | None = None
    query_ids: tuple[int, ...] = ()
    document_ids: tuple[int, ...] = ()
    row: pd.DataFrame | None = field(default=None, compare=False, repr=False)

    @property
    def matrix(self) -> pd.DataFrame:
        """Similarities, a frame (m, n) by the sentences' ids; of a part with pairs."""
        assert self.matches is not None
        return pd.DataFrame(
            self.matches.similarities,
            index=pd.Index(self.query_ids, name="query_sentence_id"),
            columns=pd.Index(self.document_ids, name="sentence_id"),
        )

    def times(self, factor: float) -> "Part":
        """Return the same part of a multiplied score."""
        value = self.value * factor
        if self.matches is None:
            return replace(self, value=value)

        weights = self.matches.weights * factor
        return replace(self, value=value, matches=self.matches._replace(weights=weights))


@dataclass(frozen=True, eq=False, repr=False)
class ExplainedScore:
    """A score, its parts and the two papers: what a page shows. See `Explanation`."""

    qid: str
    docno: str
    facet: str
    score: float
    query: Paper
    document: Paper
    parts: tuple[Part, ...]
    system: str = ""
    rank: int | None = None
    candidates: int | None = None


@check_arguments
def matches(scorer: pt.Transformer, row: pd.DataFrame) -> Matches | None:
    """Return what each pair of sentences adds to the score that `scorer` gives a row, or None.

    A scorer, also one of your own, states it in a method `explained(row)`, which returns `Matches`.
    One without that method has no pairs.

    Args:
        scorer: a transformer.
        row: frame of the one row to score, with the columns `query_paper`,
            `query_sentence_ids` and `paper`.
    """
    if not hasattr(scorer, "explained"):
        return None
    return scorer.explained(row)
