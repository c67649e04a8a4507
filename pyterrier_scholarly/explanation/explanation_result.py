"""What `explain` returns: a score's parts, as a frame, matrices and a page."""

import html
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd

from ..arguments import FilePath, check_arguments
from ..pages import written
from ..text import writable
from ..text.contexts import Paper
from .explanation_page import page
from .score_parts import Part, Values

PAIRS = 5  # shown where a page cannot be
COLUMNS = [
    *("part", "query_sentence_id", "query_sentence", "sentence_id", "sentence"),
    *("similarity", "weight", "contribution"),
]


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """The parts of a document's score for a query, as `explain` returns them.

    A notebook shows them as a picture; `to_html` writes that as a page.

    Attributes:
        qid, docno: of the pair.
        facet: the query's; "" for the whole text, or if unknown.
        score: the pipeline's.
        query, document: title, sentences and labels of each paper, as far as known.
        parts: add up to the score; with or without pairs of sentences.
        system: what ranked: the pipeline as it is written, or the `name` that `explain` was given.
        rank, candidates: the document's rank, from 1, among so many; None if unknown.
    """

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

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The matched pairs, and the parts without pairs.

        Returns:
            Frame with `part`, `query_sentence_id` and `query_sentence` (a sentence of the facet),
            `sentence_id` and `sentence` (the document's, matched with it), `similarity` (a cosine,
            or minus a distance), `weight` and `contribution`, their product. Ids are positions in
            the papers, from 0, as in columns `query_sentence_ids` and `sentence_ids`. Contributions
            add up to the score (to 1e-9 of their size). Pairs are in the order of parts
            and the query's sentences, the best first. A part without pairs is one row, with ids NA,
            sentences "", and similarity and weight NaN. Half a surrogate pair becomes U+FFFD.
        """
        rows = (row for part in self.parts for row in self._rows(part))
        frame = pd.DataFrame(rows, columns=COLUMNS)
        ids = dict.fromkeys(("query_sentence_id", "sentence_id"), "Int64")
        return frame.astype({**ids, **dict.fromkeys(COLUMNS[-3:], float)})

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
        return written(path, page(self))

    def _repr_html_(self) -> str:
        """Return the page in an iframe, with a table for viewers that drop frames."""
        style = "width:100%;height:720px;border:1px solid #8886;border-radius:8px;resize:vertical"
        return (
            f'<iframe title="{html.escape(repr(self))}" sandbox="allow-scripts" style="{style}" '
            f'srcdoc="{html.escape(page(self))}"></iframe>'
            f"<details open><summary>Best pairs</summary>{self._best_pairs()}</details>"
        )

    def _best_pairs(self) -> str:
        sums: Counter[tuple[str, ...]] = Counter()
        for row in (row for part in self.parts for row in self._rows(part) if row["sentence"]):
            sums[row["query_sentence"], row["sentence"]] += row["contribution"]
        best = pd.DataFrame(
            [(*pair, contribution) for pair, contribution in sums.most_common(PAIRS)],
            columns=["query_sentence", "sentence", "contribution"],
        )
        return best.to_html(index=False, border=0, float_format="{:.3f}".format)

    def __repr__(self) -> str:
        return f"<Explanation of {self.docno!r} for {self.qid!r}, score {self.score:.4f}>"

    def _rows(self, part: Part) -> Iterator[Values]:
        if part.matches is None:
            yield {
                "part": part.name,
                "query_sentence": "",
                "sentence": "",
                "contribution": part.value,
            }
            return
        pairs = part.matches
        for row, asked in enumerate(part.asked):
            similarities, weights = pairs.similarities[row], pairs.weights[row]
            products = weights * similarities + 0.0  # no -0.0
            matched = pairs.matched[row].nonzero()[0]
            order = sorted(matched, key=lambda n: (-weights[n], -products[n]))
            for n in order:
                yield {
                    "part": part.name,
                    "query_sentence_id": asked,
                    "query_sentence": writable(self.query.sentences[asked]),
                    "sentence_id": part.offered[n],
                    "sentence": writable(self.document.sentences[part.offered[n]]),
                    "similarity": similarities[n],
                    "weight": weights[n],
                    "contribution": products[n],
                }
