"""The sentences of documents, and their titles; and texts as DORIS-MAE's systems read them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import pandas as pd

from .. import datasets, frames
from ..arguments import Natural
from ..datasets import DatasetLike
from ..text import plain, split_sentences
from ..text.contexts import positions_of
from .step import Step

TEXTS = ("query", "text")
#: column of sentences -> columns of one item for each of them
BESIDE_SENTENCES = {
    "query_sentences": ("query_labels", "query_sentence_weights"),
    "sentences": ("labels", "sentence_ids"),
}


@dataclass(eq=False, repr=False)
class Sentences(Step):
    """Add title and sentences of documents to results, or to any frame with `docno`.

    Columns out: all that came in, and `title` (str), `sentences` (list of str), `labels` (list of
    str, one per sentence) and `sentence_ids` (list of int, one per sentence: its position in the
    document, from 0). Existing columns of these names are replaced. An abstract without text has no
    sentences.

    With a `dataset`, they come from its documents by `docno`; each document is read once. If its
    records have no sentences, their text is split; missing titles and labels are "". Without a
    dataset, column `sentences` (with optional `labels` and `sentence_ids`) is taken, else column
    `text` is split; the title is column `title`, or "". So papers may be the user's own.

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

    dataset: DatasetLike | None = None
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
            papers = _from_columns(results)
        else:
            remedy = "Put a retriever or Pool(…) before it for docno, FacetQuery(…) for facet."
            results = frames.check(results, self, needed, remedy=remedy)
            docnos = results["docno"].tolist()
            paper_of = read_papers(self.dataset, docnos)
            papers = [paper_of[docno] for docno in docnos]

        if self.facet_only:
            papers = _only_facet(papers, list(results["facet"]))
        titles = [paper.title if self.titles else "" for paper in papers]
        return results.assign(
            title=frames.column(titles, results.index),
            sentences=frames.column([paper.sentences for paper in papers], results.index),
            labels=frames.column([paper.labels for paper in papers], results.index),
            sentence_ids=frames.column([paper.ids for paper in papers], results.index),
        )


class StoredPaper(NamedTuple):
    """Some sentences of a document, in its order.

    Attributes:
        title: perhaps "".
        sentences: perhaps none.
        labels: one per sentence, "" for none.
        ids: the sentences' positions in the document, from 0.
    """

    title: str
    sentences: list[str]
    labels: list[str]
    ids: list[int]


def read_papers(dataset: DatasetLike, doc_ids: Iterable[str]) -> dict[str, StoredPaper]:
    """Read documents by their ids, each once, as `Sentences` describes it.

    Raises:
        ValueError: ids missing from the dataset.
    """
    records = datasets.documents(dataset, doc_ids)
    return {doc_id: _make_paper(record) for doc_id, record in records.items()}


def _make_paper(record: object) -> StoredPaper:
    stored = getattr(record, "sentences", None)
    sentences = split_sentences(datasets.text(record)) if stored is None else list(stored)
    labels = list(getattr(record, "labels", [""] * len(sentences)))
    title = getattr(record, "title", "")
    return StoredPaper(title, sentences, labels, list(range(len(sentences))))


def _from_columns(results: pd.DataFrame) -> list[StoredPaper]:
    """Make the paper of each row from the frame itself; rows share what their columns share."""
    if "sentences" in results.columns:
        sentences = list(results["sentences"])
        labels = results.get("labels")
        ids = results.get("sentence_ids")
    else:
        sentences = frames.per_key(results, ["text"], split_sentences)
        labels = ids = None

    lists = pd.DataFrame({"sentences": pd.Series(sentences, results.index, dtype=object)})
    if labels is None:
        labels = frames.per_key(lists, ["sentences"], lambda own: [""] * len(own))
    if ids is None:
        ids = frames.per_key(lists, ["sentences"], lambda own: list(range(len(own))))
    titles = results.get("title", [""] * len(results))
    return [StoredPaper(*parts) for parts in zip(titles, sentences, labels, ids)]


def _only_facet(papers: Sequence[StoredPaper], facets: Sequence[str]) -> list[StoredPaper]:
    """Keep the sentences of each row's facet; rows that share a paper's lists share the result."""
    unlabelled = sum(len(paper.labels) > 0 and not any(paper.labels) for paper in papers)
    if unlabelled:
        raise ValueError(
            f"facet_only=True needs labels, and {unlabelled} of {len(papers)} rows have documents "
            "without. To label them: Sentences(…) >> FacetLabeller() >> "
            "Sentences(facet_only=True)."
        )

    lists = pd.DataFrame(
        {
            "sentences": pd.Series([paper.sentences for paper in papers], dtype=object),
            "labels": pd.Series([paper.labels for paper in papers], dtype=object),
            "ids": pd.Series([paper.ids for paper in papers], dtype=object),
            "facet": frames.column(facets),
        }
    )
    kept = frames.per_key(lists, list(lists.columns), _select_facet)
    return [own._replace(title=paper.title) for own, paper in zip(kept, papers)]


def _select_facet(
    sentences: Sequence[str], labels: Sequence[str], ids: Sequence[int], facet: str
) -> StoredPaper:
    """Return the sentences of a facet, without a title."""
    positions = positions_of(facet, labels)
    return StoredPaper(
        title="",
        sentences=[sentences[position] for position in positions],
        labels=[labels[position] for position in positions],
        ids=[ids[position] for position in positions],
    )


@dataclass(eq=False, repr=False)
class PlainText(Step):
    """Clean texts as the DORIS-MAE authors' code did [Wang2023].

    Line breaks become blanks. Dollar signs and web addresses are removed, then sentences that are
    too short, with their labels. Columns in: `qid`, `docno`. Columns out: all that came in. Changed
    are, if present: `query`, `text`, `sentences`, `labels`, `sentence_ids`, and `query_sentences`,
    `query_labels` and `query_sentence_weights`; the remaining sentences become all of the query's
    paper. With a dataset, `text` is first taken from its documents.

    Args:
        dataset: an id, a PyTerrier or an ir_datasets dataset, or None.
        queries: False keeps the texts of queries, and only drops their short sentences (BM25 and
            TF-IDF read the queries as they are).
        shortest: the smallest number of characters in a sentence.
        without: ids of documents to leave out, because the systems did not read them.

    Raises:
        ValueError: a document missing from the dataset, texts or sentences that are NaN.
    """

    dataset: DatasetLike | None = None
    shortest: Natural = 5
    without: tuple[str, ...] = ()
    queries: bool = field(default=True, kw_only=True)

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        """Change the texts."""
        read = ["query", "query_sentence_ids", *frames.QUERY_PAPER]
        if self.dataset is None:
            read.append("text")
        for column, beside in BESIDE_SENTENCES.items():
            read += [column, *beside]
        results = frames.check(
            results,
            self,
            ["qid", "docno"],
            optional=read,
            remedy="Put a retriever or Pool(…) before it.",
        )

        cleaned = results[~results["docno"].isin(list(self.without))]
        if self.dataset is not None:
            records = datasets.documents(self.dataset, cleaned["docno"])
            texts = [datasets.text(records[docno]) for docno in cleaned["docno"]]
            cleaned = cleaned.assign(text=texts)
        for column in TEXTS:
            if column in cleaned.columns:
                changed = frames.per_key(cleaned, [column], self._change(column))
                cleaned = cleaned.assign(**{column: frames.column(changed, cleaned.index)})
        for column in BESIDE_SENTENCES:
            if column in cleaned.columns:
                cleaned = self._clean_sentences(cleaned, column)

        has_paper = {"query_sentence_ids", *frames.QUERY_PAPER[1:]} & set(cleaned.columns)
        if has_paper and "query_sentences" in cleaned.columns:
            cleaned = _make_whole_paper(cleaned)
        return cleaned

    def _change(self, column: str) -> Callable[[str], str]:
        """Return the function that changes the texts of a column."""
        return plain if self.queries or not column.startswith("query") else str

    def _clean_sentences(self, frame: pd.DataFrame, column: str) -> pd.DataFrame:
        """Change the sentences of a column, and drop short ones, there and in columns beside it."""
        change = self._change(column)
        columns = [name for name in (column, *BESIDE_SENTENCES[column]) if name in frame.columns]

        def clean(sentences: Sequence[str], *beside: Sequence) -> list[list]:
            changed = [change(sentence) for sentence in sentences]
            lengths = [len(sentence.strip()) for sentence in changed]
            kept = [number for number, length in enumerate(lengths) if length >= self.shortest]
            return [[items[number] for number in kept] for items in (changed, *beside)]

        lists_of_rows = frames.per_key(frame, columns, clean)
        new = {name: [lists[n] for lists in lists_of_rows] for n, name in enumerate(columns)}
        return frame.assign(**new)


def _make_whole_paper(frame: pd.DataFrame) -> pd.DataFrame:
    """Make the query's sentences all of its paper, so that its columns agree."""
    ids = frames.per_key(frame, ["query_sentences"], lambda own: list(range(len(own))))
    labels = frame.get("query_labels")
    if labels is None:
        labels = frames.per_key(frame, ["query_sentences"], lambda own: [""] * len(own))
    return frame.assign(
        query_paper_sentences=frame["query_sentences"],
        query_paper_labels=pd.Series(list(labels), frame.index, dtype=object),
        query_sentence_ids=pd.Series(ids, frame.index, dtype=object),
    )
