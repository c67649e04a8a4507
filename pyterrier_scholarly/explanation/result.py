"""What an explanation is."""

import html
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd

from ir_datasets_ext.store import new_file

from ..similarity.contributions import Matches
from ..text.contexts import Paper
from .page import page

COLUMNS = [
    *("part", "query_place", "query_sentence", "place", "sentence"),
    *("similarity", "weight", "contribution"),
]


@dataclass(frozen=True)
class Pairs:
    """A part of a score.

    Attributes:
        name: of the step that made it.
        value: what it adds to the score, all in all.
        matches: its pairs (`similarity.contributions.Matches`), or None where it has none.
        asked: places of the query's m sentences in its paper, from 0.
        offered: places of the document's n sentences, from 0.
    """

    name: str
    value: float
    matches: Matches | None = None
    asked: tuple = ()
    offered: tuple = ()

    @property
    def matrix(self):
        """Similarities, a frame (m, n); rows and columns are called by the sentences' places."""
        rows = pd.Index(self.asked, name="query_place")
        columns = pd.Index(self.offered, name="place")
        return pd.DataFrame(self.matches.similarities, rows, columns)


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """Why a document has its score for a query; what `explain` gives.

    A notebook shows it as a picture, `to_html` writes that as a page.

    Attributes:
        qid, docno: of the pair.
        facet: that is asked for, "" for the whole text or where it is not known.
        score: the pipeline's.
        query, document: title, sentences and labels of either paper, as far as known.
        parts: what adds up to the score, pairs of sentences and other.
    """

    qid: str
    docno: str
    facet: str
    score: float
    query: Paper
    document: Paper
    parts: tuple[Pairs, ...]

    @cached_property
    def frame(self):
        """The matched pairs, and all else that the score is made of.

        Returns:
            Frame with `part`, `query_place` and `query_sentence` (a sentence of the facet), `place`
            and `sentence` (one of the document it is matched with), `similarity` (a cosine, or
            minus a distance), `weight` and `contribution`, their product; contributions add up to
            the score. Pairs by part and place, the best first. A part without pairs is one row,
            with places NA, sentences "" and similarity and weight NaN.
        """
        frame = pd.DataFrame([row for part in self.parts for row in self._rows(part)])
        frame = frame.reindex(columns=COLUMNS)
        places = {"query_place": "Int64", "place": "Int64"}
        return frame.astype({**places, **dict.fromkeys(COLUMNS[-3:], float)})

    @property
    def by_sentence(self):
        """What each sentence of the facet adds to the score: `query_place` and so on, a row each.

        A last row, with place NA and sentence "", has what belongs to none of them (titles, words
        in common, the pool's mean), so that contributions add up.
        """
        of = self.frame.groupby(["query_place", "query_sentence"], dropna=False)
        return of["contribution"].sum().reset_index()

    @property
    def matrix(self):
        """Similarities of the facet's sentences (rows) and the document's, called by place from 0.

        Those of the first similarity in the pipeline; all are in `matrices`.
        """
        return next(iter(self.matrices.values()))

    @property
    def matrices(self) -> dict:
        """The matrix of each similarity of sentences, by its name in the frame's `part`."""
        return {part.name: part.matrix for part in self.parts if part.matches}

    def to_html(self, path):
        """Write one HTML file that needs nothing else, and return its path.

        Query left, document right, ribbons between matched sentences, heat maps, and the same as
        tables. Sentences are numbered from 1 there.
        """
        with new_file(path) as file:
            file.write(page(self))
        return Path(path)

    def _repr_html_(self):
        """The page in a frame, so that a notebook's styles and its own do not meet."""
        inner = html.escape(page(self), quote=True)
        style = "width:100%;height:720px;border:1px solid #8886;border-radius:8px;resize:vertical"
        return (
            f'<iframe title="{html.escape(repr(self))}" sandbox="allow-scripts" style="{style}" '
            f'srcdoc="{inner}"></iframe>'
        )

    def __repr__(self):
        return f"<Explanation of {self.docno!r} for {self.qid!r}, score {self.score:.4f}>"

    def _rows(self, part):
        if part.matches is None:
            texts = {"query_sentence": "", "sentence": ""}
            yield {"part": part.name, **texts, "contribution": part.value}
            return
        similarities, weights, matched, *_ = part.matches
        for row, asked in enumerate(part.asked):
            products = weights[row] * similarities[row] + 0.0  # no -0.0
            order = sorted(
                matched[row].nonzero()[0], key=lambda n: (-weights[row, n], -products[n])
            )
            for n in order:
                yield {
                    "part": part.name,
                    "query_place": asked,
                    "query_sentence": self.query.sentences[asked],
                    "place": part.offered[n],
                    "sentence": self.document.sentences[part.offered[n]],
                    "similarity": similarities[row, n],
                    "weight": weights[row, n],
                    "contribution": products[n],
                }
