"""Add to results what scorers of sentences read: each document's sentences, labels and title.

results = Pool("csfcube/method")(topics)
Sentences("csfcube/method").transform(results)["sentences"][0]  # a list of str

Each row gets a `StoredPaper`, made of the dataset's document or of the frame's own columns. With
`facet_only`, it keeps only sentences of the row's facet. Its fields become the columns.

Rows of the same document share their lists, because later steps handle each list once.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import pandas as pd

from .. import frames
from ..datasets import DatasetLike
from ..text import nltk_sentences, split_sentences
from .step import Step
from .stored_papers import Splitter, StoredPaper, read_papers

#: setting `splitter` of `Sentences` -> its function
SPLITTERS: dict[str, Splitter] = {"pysbd": split_sentences, "nltk": nltk_sentences}


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
        splitter: how a text is split: by pySBD's rules, or, as DORIS-MAE's code does, by NLTK's
            Punkt model of English.

    Raises:
        ValueError: a document missing from the dataset, a text that is NaN; with `facet_only`,
            documents without labels; names them.
        ImportError: NLTK's model is not installed; names the extra.
    """

    dataset: DatasetLike | None = None
    facet_only: bool = False
    titles: bool = field(default=True, kw_only=True)
    splitter: Literal["pysbd", "nltk"] = field(default="pysbd", kw_only=True)

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        """Return the frame with the title, sentences, labels and sentence ids of its documents."""
        results = self._check(results)

        # a paper for each row
        split = SPLITTERS[self.splitter]
        if self.dataset is None:
            papers = _make_own_papers(results, split)
        else:
            papers = _read_papers_of_rows(results, self.dataset, split)
        if self.facet_only:
            papers = _select_facets(papers, results["facet"].tolist())

        titles = [paper.title if self.titles else "" for paper in papers]
        return results.assign(
            title=frames.column(titles, results.index),
            sentences=frames.column([paper.sentences for paper in papers], results.index),
            labels=frames.column([paper.labels for paper in papers], results.index),
            sentence_ids=frames.column([paper.ids for paper in papers], results.index),
        )

    def _check(self, results: pd.DataFrame) -> pd.DataFrame:
        """Return the frame, after checking the columns that are read; see `frames.check`."""
        needed = ["docno", "facet"] if self.facet_only else ["docno"]
        if self.dataset is not None:
            remedy = "Put a retriever or Pool(…) before it for docno, FacetQuery(…) for facet."
            return frames.check(results, self, needed, remedy=remedy)

        # labels without sentences are not read
        optional = ["title", "labels"] if "sentences" in results else ["title"]
        # two lists of needed columns: either one will do
        return frames.check(
            results,
            self,
            [*needed, "sentences"],
            [*needed, "text"],
            optional=optional,
            remedy="Pass Sentences a dataset, or put a text loader before it.",
        )


def _read_papers_of_rows(
    results: pd.DataFrame, dataset: DatasetLike, split: Splitter
) -> list[StoredPaper]:
    """Return the paper of each row, read from the dataset's documents; each is read once."""
    docnos = results["docno"].tolist()
    paper_by_docno = read_papers(dataset, docnos, split)
    return [paper_by_docno[docno] for docno in docnos]


def _make_own_papers(results: pd.DataFrame, split: Splitter) -> list[StoredPaper]:
    """Return the paper of each row, made of the frame's own columns.

    Rows that share a list of sentences share the lists that are made of it, too.
    """
    rows = results
    if "sentences" not in rows.columns:
        rows = _split_texts(rows, split)

    # `per_key` makes one list for all rows that share a list of sentences
    if "title" in rows.columns:
        titles = rows["title"].tolist()
    else:
        titles = [""] * len(rows)
    if "labels" in rows.columns:
        labels = rows["labels"].tolist()
    else:
        labels = frames.per_key(rows, ["sentences"], _make_empty_labels)
    if "sentence_ids" in rows.columns:
        ids = rows["sentence_ids"].tolist()
    else:
        ids = frames.per_key(rows, ["sentences"], _number_sentences)

    papers = []
    sentence_lists = rows["sentences"].tolist()
    for title, sentences, row_labels, row_ids in zip(titles, sentence_lists, labels, ids):
        papers.append(StoredPaper(title, sentences, row_labels, row_ids))
    return papers


def _split_texts(results: pd.DataFrame, split: Splitter) -> pd.DataFrame:
    """Return the rows with column `sentences`: the sentences of column `text`.

    Labels and positions are dropped: they belong to sentences that the frame does not have.
    """
    split_texts = frames.per_key(results, ["text"], split)
    sentences = pd.Series(split_texts, results.index, dtype=object)
    unlabelled = results.drop(columns=["labels", "sentence_ids"], errors="ignore")
    return unlabelled.assign(sentences=sentences)


def _make_empty_labels(sentences: Sequence[str]) -> list[str]:
    """Return a label for each sentence: "", which stands for none."""
    return [""] * len(sentences)


def _number_sentences(sentences: Sequence[str]) -> list[int]:
    """Return the position of each sentence, from 0."""
    return list(range(len(sentences)))


def _select_facets(papers: Sequence[StoredPaper], facets: Sequence[str]) -> list[StoredPaper]:
    """Return each paper with only the sentences of its facet.

    Papers with the same lists and the same facet share the selected lists. So later steps, which
    recognise a document by its lists, still handle each document once.

    Args:
        papers: the paper of each row of a frame.
        facets: the facet of each row.

    Raises:
        ValueError: papers without labels.
    """
    unlabelled = [paper for paper in papers if len(paper.labels) and not any(paper.labels)]
    if unlabelled:
        raise ValueError(
            f"facet_only=True needs labels, and {len(unlabelled)} of {len(papers)} rows have "
            "documents without. To label them: Sentences(…) >> FacetLabeller() >> "
            "Sentences(facet_only=True)."
        )

    # a frame of what decides the result: `per_key` selects once for all rows that share it. The
    # title does not, and a frame of the user's own may have another one in each row.
    rows = pd.DataFrame(
        {
            "sentences": pd.Series([paper.sentences for paper in papers], dtype=object),
            "labels": pd.Series([paper.labels for paper in papers], dtype=object),
            "ids": pd.Series([paper.ids for paper in papers], dtype=object),
            "facet": frames.column(facets),
        }
    )
    columns = ["sentences", "labels", "ids", "facet"]  # the arguments of `_select_facet`, in order
    untitled_papers = frames.per_key(rows, columns, _select_facet)

    selected_papers = []
    for untitled_paper, whole_paper in zip(untitled_papers, papers):
        selected_papers.append(untitled_paper._replace(title=whole_paper.title))
    return selected_papers


def _select_facet(
    sentences: Sequence[str], labels: Sequence[str], ids: Sequence[int], facet: str
) -> StoredPaper:
    """Return the sentences of a facet as a paper without a title."""
    whole_paper = StoredPaper(title="", sentences=sentences, labels=labels, ids=ids)
    return whole_paper.select_facet(facet)
