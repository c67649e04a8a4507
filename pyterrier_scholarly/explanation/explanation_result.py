"""What `explain` returns: a score's parts, as a frame, matrices and a page.

::

    explanation = explain(system, "1791179_method", "674508")
    explanation.frame[["query_sentence", "sentence", "contribution"]]
    explanation.to_html("why.html")
"""

import html
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import nan
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..arguments import FilePath, check_arguments
from ..pages import write_page
from ..similarity.matches import Matches
from ..text import writable
from .explanation_page import render_explanation
from .score_parts import ExplainedScore, Part

WEIGHT_DECIMALS = 6  # in which weights are compared
BEST_PAIRS = 5  # shown where a page cannot be
FRAME_STYLE = "width:100%;height:720px;border:1px solid #8886;border-radius:8px;resize:vertical"


class FrameRow(NamedTuple):
    """A row of `Explanation.frame`; the defaults are those of a part without pairs."""

    part: str
    query_sentence_id: int | None = None
    query_sentence: str = ""
    sentence_id: int | None = None
    sentence: str = ""
    similarity: float = nan
    weight: float = nan
    contribution: float = nan


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(ExplainedScore):
    """The parts of a document's score for a query, as `explain` returns them.

    A notebook shows them as a picture; `to_html` writes that as a page.

    Attributes:
        qid, docno: of the pair.
        facet: the query's; "" for the whole text, or if unknown.
        score: the pipeline's.
        query, document: the two papers (`Paper`), as they were scored.
        parts: add up to the score; with or without pairs of sentences.
        system: what ranked: the pipeline as it is written, or the `name` that `explain` was given.
        rank, candidates: the document's rank, from 1, among so many; None if unknown.
    """

    @cached_property
    def frame(self) -> pd.DataFrame:
        """A frame with a row for each matched pair of sentences, and for each part without pairs.

        Contributions add up to the score (to 1e-9 of their size).

        Returns:
            Frame with `part`, `query_sentence_id` and `query_sentence` (a sentence of the facet),
            `sentence_id` and `sentence` (the document's, matched with it), `similarity` (a cosine,
            or minus a distance), `weight` and `contribution`, their product. Ids are positions in
            the papers, from 0, as in columns `query_sentence_ids` and `sentence_ids`. Pairs are in
            the order of parts and the query's sentences, the best first. A part without pairs is
            one row, with ids NA, sentences "", and similarity and weight NaN. Half a surrogate pair
            becomes U+FFFD.
        """
        frame = pd.DataFrame(self._list_rows(), columns=FrameRow._fields)
        # ids are whole numbers also where some are missing
        return frame.astype(
            {
                "query_sentence_id": "Int64",
                "sentence_id": "Int64",
                "similarity": float,
                "weight": float,
                "contribution": float,
            }
        )

    @property
    def by_sentence(self) -> pd.DataFrame:
        """Each facet sentence's share: `query_sentence_id`, `query_sentence`, `contribution`.

        The last row, with id NA and sentence "", has the rest (titles, words in common, the
        pool's mean), so that contributions add up.
        """
        groups = self.frame.groupby(["query_sentence_id", "query_sentence"], dropna=False)
        return groups["contribution"].sum().reset_index()

    @property
    def matrix(self) -> pd.DataFrame:
        """Similarities of the facet's sentences (rows) and the document's, by their ids.

        The pipeline's first similarity; `matrices` has all.
        """
        return next(iter(self.matrices.values()))

    @property
    def matrices(self) -> dict[str, pd.DataFrame]:
        """The matrix of each similarity of sentences, by its name in the frame's `part`."""
        return {part.name: part.matrix for part in self.parts if part.matches}

    @check_arguments
    def to_html(self, path: FilePath) -> Path:
        """Write one HTML file that needs no other file, and return its path.

        The page has the query left, the document right, ribbons between matched sentences, heat
        maps, and the same as tables, with the ids of `frame`.
        """
        return write_page(path, render_explanation(self))

    def _repr_html_(self) -> str:
        """Return the page in an iframe, with a table for viewers that drop frames."""
        title = html.escape(repr(self))
        page = html.escape(render_explanation(self))
        return (
            f'<iframe title="{title}" sandbox="allow-scripts" style="{FRAME_STYLE}" '
            f'srcdoc="{page}"></iframe>'
            f"<details open><summary>Best pairs</summary>{self._write_best_pairs()}</details>"
        )

    def __repr__(self) -> str:
        return f"<Explanation of {self.docno!r} for {self.qid!r}, score {self.score:.4f}>"

    def _write_best_pairs(self) -> str:
        """Write the pairs of sentences that add most as an HTML table."""
        contributions: defaultdict[tuple[str, str], float] = defaultdict(float)
        for row in self._list_rows():
            if row.sentence:
                contributions[row.query_sentence, row.sentence] += row.contribution

        best_first = sorted(contributions.items(), key=lambda item: -item[1])
        rows = [
            (query_sentence, sentence, contribution)
            for (query_sentence, sentence), contribution in best_first[:BEST_PAIRS]
        ]
        best_pairs = pd.DataFrame(rows, columns=["query_sentence", "sentence", "contribution"])
        return best_pairs.to_html(index=False, border=0, float_format="{:.3f}".format)

    def _list_rows(self) -> list[FrameRow]:
        """Return the rows of `frame`."""
        rows: list[FrameRow] = []
        for part in self.parts:
            if part.matches is None:
                rows.append(FrameRow(part.name, contribution=part.value))
            else:
                rows.extend(self._iterate_pairs(part, part.matches))
        return rows

    def _iterate_pairs(self, part: Part, matches: Matches) -> Iterator[FrameRow]:
        """Yield a row for each pair of matching sentences: by the query's, the best match first.

        Args:
            part: of the score.
            matches: the part's, with a row per sentence of the query, a column per sentence of the
                document.
        """
        for number, query_id in enumerate(part.query_ids):
            # of this sentence of the query with each sentence of the document
            similarities = matches.similarities[number]
            weights = matches.weights[number]
            contributions = weights * similarities + 0.0  # 0 is added, so that no zero is -0.0

            # the rounding of a score is in the weights, and must not decide between equal ones
            rounded_weights = weights.round(WEIGHT_DECIMALS)
            matched_columns = np.flatnonzero(matches.shown[number])
            order = np.lexsort([-contributions[matched_columns], -rounded_weights[matched_columns]])
            best_first = matched_columns[order]
            for column in best_first:
                sentence_id = part.document_ids[column]
                yield FrameRow(
                    part=part.name,
                    query_sentence_id=query_id,
                    query_sentence=writable(self.query.sentences[query_id]),
                    sentence_id=sentence_id,
                    sentence=writable(self.document.sentences[sentence_id]),
                    similarity=similarities[column],
                    weight=weights[column],
                    contribution=contributions[column],
                )
