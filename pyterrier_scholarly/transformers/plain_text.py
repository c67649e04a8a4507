"""Texts as the systems of DORIS-MAE were given them."""

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
    """Takes out of texts what the DORIS-MAE authors' code took out [Wang2023].

    Line breaks become blanks, dollar signs and web addresses go, and sentences that are then too
    short go with their labels. Columns in: `qid`, `docno`. Columns out: all that came in; changed
    are `query`, `text`, `query_sentences` and `query_labels` (from then on all of the query's
    paper), `sentences` and `labels`, where they are there; with a dataset, `text` is first taken
    from its documents. Rows of documents that the systems were not given can be left out.

    Args:
        dataset: an id, a PyTerrier or an ir_datasets dataset, or None.
        queries: change queries, too; False to leave them, but for sentences that are too short
            (BM25 and TF-IDF were asked with the queries' own texts).
        shortest: characters that a sentence has at least.
        without: ids of documents to leave out.

    Raises:
        ValueError: a document that the dataset does not have, texts or sentences that are NaN.
    """

    dataset: object = None
    shortest: int = 5
    without: tuple = ()
    queries: bool = field(default=True, kw_only=True)

    def transform(self, results):
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

    def _paper(self, out):
        """What is left of the query's sentences is its paper."""
        places = [list(range(len(own))) for own in out["query_sentences"]]
        sides = {"sentences": out["query_sentences"], "labels": out["query_labels"]}
        out = out.assign(**{f"query_paper_{name}": column for name, column in sides.items()})
        return out.assign(query_sentence_ids=pd.Series(places, out.index, dtype=object))

    def _change(self, column):
        """The function that texts of a column go through."""
        return plain if self.queries or not column.startswith("query") else str

    def _kept(self, change, sentences, *labels):
        """The sentences that are long enough, and their labels."""
        changed = [change(sentence) for sentence in sentences]
        kept = [n for n, sentence in enumerate(changed) if len(sentence.strip()) >= self.shortest]
        return tuple([own[n] for n in kept] for own in (changed, *labels))
