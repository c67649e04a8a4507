"""Texts as DORIS-MAE's systems read them: cleaned, without short sentences.

candidates = Pool("doris-mae").transform(topics)
PlainText("doris-mae").transform(candidates)["text"][0]
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pandas as pd

from .. import datasets, frames
from ..arguments import Natural
from ..datasets import DatasetLike
from ..text import plain
from .step import Step

TEXT_COLUMNS = ("query", "text")
#: column of sentences -> columns beside it: lists with an item for each sentence, such as its label
BESIDE_SENTENCES = {
    "query_sentences": ("query_labels", "query_sentence_weights"),
    "sentences": ("labels", "sentence_ids"),
}
#: columns about the query's paper
PAPER_COLUMNS = {"query_sentence_ids", "query_paper_sentences", "query_paper_labels"}


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
        """Return the frame with cleaned texts and sentences, without the documents left out."""
        results = self._check(results)

        is_left_out = results["docno"].isin(list(self.without))
        cleaned = results[~is_left_out]
        if self.dataset is not None:
            cleaned = _load_texts(cleaned, self.dataset)

        for column in TEXT_COLUMNS:
            if column in cleaned.columns:
                cleaned = self._clean_texts(cleaned, column)
        for column in BESIDE_SENTENCES:
            if column in cleaned.columns:
                cleaned = self._clean_sentences(cleaned, column)

        # some of the query's sentences may be gone: positions in the old paper are wrong then
        has_query_paper = not PAPER_COLUMNS.isdisjoint(cleaned.columns)
        if has_query_paper and "query_sentences" in cleaned.columns:
            cleaned = _make_whole_paper(cleaned)
        return cleaned

    def _check(self, results: pd.DataFrame) -> pd.DataFrame:
        """Return the frame, after checking the columns that are read; see `frames.check`."""
        optional = ["query", "query_sentence_ids", *frames.QUERY_PAPER]
        if self.dataset is None:  # with a dataset, its texts replace the column unread
            optional.append("text")
        for sentences_column, columns_beside in BESIDE_SENTENCES.items():
            optional.append(sentences_column)
            optional += columns_beside

        remedy = "Put a retriever or Pool(…) before it."
        return frames.check(results, self, ["qid", "docno"], optional=optional, remedy=remedy)

    def _choose_change(self, column: str) -> Callable[[str], str]:
        """Return the function that changes the texts of a column."""
        is_kept = column.startswith("query") and not self.queries
        return str if is_kept else plain  # `str` returns a text as it is

    def _clean_texts(self, frame: pd.DataFrame, column: str) -> pd.DataFrame:
        """Change the texts of a column."""
        change = self._choose_change(column)
        changed_texts = frames.per_key(frame, [column], change)
        return frame.assign(**{column: frames.column(changed_texts, frame.index)})

    def _clean_sentences(self, frame: pd.DataFrame, column: str) -> pd.DataFrame:
        """Return the frame with the sentences of a column cleaned, and without short ones.

        Other columns may have an item for each sentence, such as its label: the items of dropped
        sentences are dropped, too.

        column: one of BESIDE_SENTENCES, which names the other columns.
        """
        clean_text = self._choose_change(column)

        def clean_all(sentences: Sequence[str]) -> list[str]:
            return [clean_text(sentence) for sentence in sentences]

        cleaned_lists = frames.per_key(frame, [column], clean_all)
        cleaned = frame.assign(**{column: _make_list_column(cleaned_lists, frame)})

        # for each row, the positions of its sentences that are long enough
        kept_positions = frames.per_key(cleaned, [column], self._find_long)
        kept_positions_column = _make_list_column(kept_positions, cleaned)

        shortened_columns = {}
        for name in (column, *BESIDE_SENTENCES[column]):
            if name in cleaned.columns:
                shortened_columns[name] = _select_in_rows(cleaned[name], kept_positions_column)
        return cleaned.assign(**shortened_columns)

    def _find_long(self, sentences: Sequence[str]) -> list[int]:
        """Return the positions of the sentences that are long enough."""
        lengths = [len(sentence.strip()) for sentence in sentences]
        return [position for position, length in enumerate(lengths) if length >= self.shortest]


def _load_texts(results: pd.DataFrame, dataset: DatasetLike) -> pd.DataFrame:
    """Replace column `text` by the texts of the dataset's documents."""
    docnos = results["docno"].tolist()
    record_of = datasets.documents(dataset, docnos)
    texts = [datasets.text(record_of[docno]) for docno in docnos]
    return results.assign(text=frames.column(texts, results.index))


def _make_list_column(lists: Sequence[Sequence], frame: pd.DataFrame) -> pd.Series:
    """Make a column of `frame` from a list for each row."""
    return pd.Series(lists, frame.index, dtype=object)


def _select_in_rows(lists: pd.Series, positions: pd.Series) -> pd.Series:
    """Return a column with the items at each row's positions of the row's list.

    Rows that share their list and their positions share the new list, too.
    """
    frame = pd.DataFrame({"items": lists, "positions": positions})
    selected_lists = frames.per_key(frame, ["items", "positions"], _select_items)
    return _make_list_column(selected_lists, frame)


def _select_items(items: Sequence, positions: Sequence[int]) -> list:
    """Return the items at these positions."""
    return [items[position] for position in positions]


def _make_whole_paper(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with the query's sentences as all sentences of its paper.

    So columns about the paper agree with the query's cleaned sentences.
    """

    def number_sentences(sentences: Sequence[str]) -> list[int]:
        return list(range(len(sentences)))

    def make_empty_labels(sentences: Sequence[str]) -> list[str]:
        return [""] * len(sentences)

    ids = frames.per_key(frame, ["query_sentences"], number_sentences)
    labels = frame.get("query_labels")
    if labels is None:
        labels = frames.per_key(frame, ["query_sentences"], make_empty_labels)
    return frame.assign(
        query_paper_sentences=frame["query_sentences"],
        query_paper_labels=_make_list_column(list(labels), frame),
        query_sentence_ids=_make_list_column(ids, frame),
    )
