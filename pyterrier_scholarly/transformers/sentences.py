"""The sentences of documents, and their titles; and texts as DORIS-MAE's systems read them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

import pandas as pd

from .. import datasets, frames
from ..arguments import Natural
from ..text import plain, split_sentences
from ..text.contexts import of_facet
from .step import Step

Parts = tuple[str, list[str], list[str]]  # title, sentences, one label per sentence
TEXTS = ("query", "text")
MARKED = {"query_sentences": "query_labels", "sentences": "labels"}


@dataclass(eq=False, repr=False)
class Sentences(Step):
    """Add title and sentences of documents to results, or to any frame with `docno`.

    Columns out: all that came in, and `title` (str), `sentences` (list of str) and `labels` (list
    of str, one per sentence). Existing columns of these names are replaced. An abstract without
    text has no sentences.

    With a `dataset`, they come from its documents by `docno`; each document is read once. If its
    records have no sentences, their text is split; missing titles and labels are "". Without a
    dataset, column `sentences` (and `labels`) is taken, else column `text` is split; the title is
    column `title`, or "". So papers may be the user's own.

    Without labels, context ``"facet"`` is the same as ``"abstract"``, a candidate's centroid is
    that of all its sentences, `FacetMiss` applies no penalty, and `FacetQuery` needs sentences that
    the user chose. Without titles, contexts lose the title; this costs ``"facet"`` and ``"title"``
    most.

    Args:
        dataset: an id, a PyTerrier or an ir_datasets dataset, or None.
        facet_only: keep only sentences of the row's `facet` (Definition 1 of [Mysore2021]), perhaps
            none. The facet "" keeps all.
        titles: False sets every title to "".

    Raises:
        ValueError: a document missing from the dataset, a text that is NaN; with `facet_only`,
            documents without labels; names them.
    """

    dataset: object = None
    facet_only: bool = False
    titles: bool = field(default=True, kw_only=True)

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        """Add the columns."""
        needed = ["docno", *(["facet"] if self.facet_only else [])]
        if self.dataset is None:
            results = frames.check(
                results,
                self,
                [*needed, "sentences"],
                [*needed, "text"],
                optional=["title", *(["labels"] if "sentences" in results else [])],
                remedy="Pass Sentences a dataset, or put a text loader before it.",
            )
            parts = _from_columns(results)
        else:
            remedy = "Put a retriever or Pool(…) before it for docno, FacetQuery(…) for facet."
            results = frames.check(results, self, needed, remedy=remedy)
            docnos = results["docno"].tolist()
            parts = list(map(read_papers(self.dataset, docnos).__getitem__, docnos))
        added = pd.DataFrame(
            {
                name: frames.column([own[place] for own in parts], results.index)
                for place, name in enumerate(frames.CANDIDATE)
            }
        )
        if self.facet_only:
            added[["sentences", "labels"]] = _only_facet(results, added)
        if not self.titles:
            added["title"] = ""
        return results.assign(**added)


def _from_columns(results: pd.DataFrame) -> list[Parts]:
    """Take title, sentences and labels of each row from the frame itself."""
    if "sentences" in results.columns:
        sentences, labels = list(results["sentences"]), results.get("labels")
    else:
        sentences, labels = frames.per_key(results, ["text"], split_sentences), None
    if labels is None:
        labels = [[""] * len(row) for row in sentences]
    return list(zip(results.get("title", [""] * len(results)), sentences, labels))


def _only_facet(results: pd.DataFrame, added: pd.DataFrame) -> pd.DataFrame:
    """Keep the sentences of the row's facet, and their labels."""
    unlabelled = [len(labels) > 0 and not any(labels) for labels in added["labels"]]
    if any(unlabelled):
        raise ValueError(
            f"facet_only=True needs labels, and {sum(unlabelled)} of {len(added)} rows have "
            "documents without. To label them: Sentences(…) >> FacetLabeller() >> "
            "Sentences(facet_only=True)."
        )
    facets = frames.column(list(results["facet"]), added.index)
    kept = frames.per_key(added.assign(facet=facets), ["sentences", "labels", "facet"], of_facet)
    return pd.DataFrame(kept, columns=["sentences", "labels"], index=added.index)


def read_papers(dataset: object, doc_ids: Iterable[str]) -> dict[str, Parts]:
    """Read title, sentences and labels of documents, by id, as `Sentences` describes them.

    Raises:
        ValueError: ids missing from the dataset.
    """
    return {key: _parts(record) for key, record in datasets.documents(dataset, doc_ids).items()}


def _parts(record: object) -> Parts:
    stored = getattr(record, "sentences", None)
    sentences = split_sentences(datasets.text(record)) if stored is None else list(stored)
    labels = list(getattr(record, "labels", [""] * len(sentences)))
    return getattr(record, "title", ""), sentences, labels


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
    shortest: Natural = 5
    without: tuple[str, ...] = ()
    queries: bool = field(default=True, kw_only=True)

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        """Change the texts."""
        remedy = "Put a retriever or Pool(…) before it."
        known = ["query", *(["text"] if self.dataset is None else []), *MARKED, *MARKED.values()]
        results = frames.check(results, self, ["qid", "docno"], optional=known, remedy=remedy)
        out = results[~results["docno"].isin(list(self.without))]
        if self.dataset is not None:
            records = datasets.documents(self.dataset, out["docno"])
            out = out.assign(text=[datasets.text(records[docno]) for docno in out["docno"]])
        for name in [name for name in TEXTS if name in out.columns]:
            changed = frames.per_key(out, [name], self._change(name))
            out = out.assign(**{name: frames.column(changed, out.index)})
        for name in [name for name in MARKED if name in out.columns]:
            columns = [column for column in (name, MARKED[name]) if column in out.columns]
            kept = frames.per_key(out, columns, partial(self._kept, self._change(name)))
            out = out.assign(**{c: [row[n] for row in kept] for n, c in enumerate(columns)})
        has_paper = {"query_sentence_ids", "query_sentences"} <= set(out.columns)
        return self._paper(out) if has_paper else out

    def _paper(self, out: pd.DataFrame) -> pd.DataFrame:
        """Make the query's remaining sentences its paper."""
        ids = [list(range(len(own))) for own in out["query_sentences"]]
        blank = pd.Series([[""] * len(own) for own in ids], out.index, dtype=object)
        return out.assign(
            query_paper_sentences=out["query_sentences"],
            query_paper_labels=out.get("query_labels", blank),
            query_sentence_ids=pd.Series(ids, out.index, dtype=object),
        )

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
