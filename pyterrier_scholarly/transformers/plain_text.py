"""Texts as the systems of DORIS-MAE read them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import pandas as pd

from .. import datasets, frames
from ..text.rewriting import plain
from .step import Step

TEXTS = ("query", "text")
SENTENCES = {"query_sentences": "query_labels", "sentences": "labels"}


@dataclass(eq=False, repr=False)
class PlainText(Step):
    """Clean texts as the DORIS-MAE authors' code did [Wang2023].

    Line breaks become blanks. Dollar signs and web addresses are removed, then sentences that are
    too short, with their labels. Columns in: `qid`, `docno`. Columns out: all that came in. Changed
    are, if present: `query`, `text`, `sentences`, `labels`, and `query_sentences` and
    `query_labels`, which become all of the query's paper. With a dataset, `text` is first taken
    from its documents.

    Args:
        dataset: an id, a PyTerrier or an ir_datasets dataset, or None.
        queries: False keeps the texts of queries, and only drops their short sentences (BM25 and
            TF-IDF read the queries as they are).
        shortest: the smallest number of characters in a sentence.
        without: ids of documents to leave out, because the systems did not read them.

    Raises:
        ValueError: a document missing from the dataset, texts or sentences that are NaN.
    """

    dataset: object = None
    shortest: int = 5
    without: tuple = ()
    queries: bool = field(default=True, kw_only=True)

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        """Change the texts."""
        remedy = "Put a retriever or Pool(…) before it."
        known = [*TEXTS, *SENTENCES, *SENTENCES.values()]
        if self.dataset is not None:
            known.remove("text")
        results = frames.check(results, self, ["qid", "docno"], optional=known, remedy=remedy)
        out = results[~results["docno"].isin(list(self.without))]
        if self.dataset is not None:
            records = datasets.documents(self.dataset, out["docno"])
            out = out.assign(text=[datasets.text(records[docno]) for docno in out["docno"]])
        for name in [name for name in TEXTS if name in out.columns]:
            changed = frames.per_key(out, [name], self._change(name))
            out = out.assign(**{name: frames.column(changed, out.index)})
        for name in [name for name in SENTENCES if name in out.columns]:
            columns = [name, *([SENTENCES[name]] if SENTENCES[name] in out.columns else [])]
            kept = frames.per_key(out, columns, partial(self._kept, self._change(name)))
            for place, column in enumerate(columns):
                out = out.assign(**{column: [row[place] for row in kept]})
        return self._paper(out) if "query_sentence_ids" in out.columns else out

    def _paper(self, out: pd.DataFrame) -> pd.DataFrame:
        """Make the query's remaining sentences its paper."""
        places = [list(range(len(own))) for own in out["query_sentences"]]
        sides = {"sentences": out["query_sentences"], "labels": out["query_labels"]}
        out = out.assign(**{f"query_paper_{name}": column for name, column in sides.items()})
        return out.assign(query_sentence_ids=pd.Series(places, out.index, dtype=object))

    def _change(self, column: str) -> Callable[[str], str]:
        """Return the function that changes the texts of a column."""
        return plain if self.queries or not column.startswith("query") else str

    def _kept(
        self, change: Callable[[str], str], sentences: Sequence[str], *labels: Sequence[str]
    ) -> tuple[list[str], ...]:
        """Return the sentences that are long enough, and their labels."""
        changed = [change(sentence) for sentence in sentences]
        kept = [n for n, sentence in enumerate(changed) if len(sentence.strip()) >= self.shortest]
        return tuple([items[n] for n in kept] for items in (changed, *labels))
