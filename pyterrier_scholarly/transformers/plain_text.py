"""Texts as DORIS-MAE's systems read them: cleaned, without short sentences.

candidates = Pool("doris-mae").transform(topics)
PlainText("doris-mae").transform(candidates)["text"][0]
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import KW_ONLY, replace

import pandas as pd

from ..datasets import DatasetLike, read_texts
from ..paper import Paper
from ..step import WEIGHTS, Natural, Step, make_column, map_papers
from ..text import plain


class PlainText(Step):
    """Clean texts as the DORIS-MAE authors' code did [Wang2023].

    Line breaks become blanks. Dollar signs and web addresses are removed, then sentences that are
    too short, with their labels. Columns in: `qid`, `docno`. Columns out: all that came in. Changed
    are, if present: `query` and `text`; `paper` with `sentence_ids`; `query_paper` with
    `query_sentence_ids` and `query_sentence_weights`. With a dataset, `text` is first taken from
    its documents.

    Args:
        dataset: an id, a PyTerrier or an ir_datasets dataset, or None.
        queries: False keeps the texts of queries, and only drops their short sentences (BM25 and
            TF-IDF read the queries as they are).
        shortest: the smallest number of characters in a sentence.
        without: ids of documents to leave out, because the systems did not read them.

    Raises:
        ValueError: a document missing from the dataset, texts that are NaN.
    """

    dataset: DatasetLike | None = None
    shortest: Natural = 5
    without: Collection[str] = ()
    _: KW_ONLY
    queries: bool = True

    uses_weights = True

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        """Return the frame with cleaned texts and papers, without the documents left out."""
        # each of these columns is cleaned, and so checked, if it is present
        optional_columns = ["query", "paper", "query_paper"]
        if self.dataset is None:  # a dataset's texts replace the column unread
            optional_columns.append("text")
        present_columns = [name for name in optional_columns if name in results.columns]
        needed_columns = ["qid", "docno", *present_columns]
        results = self.check(results, needed_columns, may_be_blank=["query"])

        is_left_out = results["docno"].isin(list(self.without))
        cleaned = results[~is_left_out]
        if self.dataset is not None:
            texts = read_texts(self.dataset, cleaned["docno"].tolist())
            cleaned = cleaned.assign(text=make_column(texts, cleaned))

        # the query's side
        clean_query = plain if self.queries else str  # `str` returns a text as it is
        cleaned = _clean_texts(cleaned, "query", clean_query)
        cleaned = self._clean_papers(cleaned, "query_paper", "query_sentence_ids", clean_query)

        # the document's side
        cleaned = _clean_texts(cleaned, "text", plain)
        cleaned = self._clean_papers(cleaned, "paper", "sentence_ids", plain)
        return cleaned

    def _clean_papers(
        self, frame: pd.DataFrame, paper_column: str, ids_column: str, clean: Callable[[str], str]
    ) -> pd.DataFrame:
        """Clean the papers of a column, if it is present, and drop their short sentences.

        The positions in the ids column, and a query's weights, follow: they lose dropped sentences.
        """
        if paper_column not in frame.columns:
            return frame

        def clean_all(papers: list[Paper]) -> list[tuple[Paper, dict[int, int]]]:
            return [self._clean_paper(paper, clean) for paper in papers]

        changes = map_papers(frame, paper_column, clean_all)
        clean_papers = [clean_paper for clean_paper, _ in changes]
        new_positions_of_rows = [new_positions for _, new_positions in changes]
        cleaned = frame.assign(**{paper_column: make_column(clean_papers, frame)})
        if ids_column not in frame.columns:
            return cleaned

        ids_of_rows = frame[ids_column].tolist()
        new_ids = map(_renumber, ids_of_rows, new_positions_of_rows)
        cleaned = cleaned.assign(**{ids_column: make_column(new_ids, frame)})
        if paper_column != "query_paper" or WEIGHTS not in frame.columns:
            return cleaned

        weights_of_rows = frame[WEIGHTS].tolist()
        new_weights = map(_keep_weights, weights_of_rows, ids_of_rows, new_positions_of_rows)
        return cleaned.assign(**{WEIGHTS: make_column(new_weights, frame)})

    def _clean_paper(
        self, paper: Paper, clean: Callable[[str], str]
    ) -> tuple[Paper, dict[int, int]]:
        """Return a paper with clean sentences, without short ones.

        The dict has the new position of each kept sentence by its old one.
        """
        sentences = [clean(sentence) for sentence in paper.sentences]
        lengths = [len(sentence.strip()) for sentence in sentences]
        kept = [position for position, length in enumerate(lengths) if length >= self.shortest]

        # short sentences go first: a clean one may be blank, which no paper may have
        kept_sentences = tuple(sentences[position] for position in kept)
        clean_paper = replace(paper.only(kept), sentences=kept_sentences)
        return clean_paper, {old: new for new, old in enumerate(kept)}


def _renumber(ids: Sequence[int], new_positions: Mapping[int, int]) -> list[int]:
    """Return the new positions of sentences, by the old ones, without those that were dropped."""
    return [new_positions[position] for position in ids if position in new_positions]


def _keep_weights(
    weights: Sequence[float], ids: Sequence[int], new_positions: Mapping[int, int]
) -> list[float]:
    """Return the weights of the sentences at some positions, without those that were dropped."""
    return [weight for weight, position in zip(weights, ids) if position in new_positions]


def _clean_texts(frame: pd.DataFrame, column: str, clean: Callable[[str], str]) -> pd.DataFrame:
    """Clean the texts of a column, if it is present, each distinct text once."""
    if column not in frame.columns:
        return frame

    clean_text_by_text = {text: clean(text) for text in set(frame[column])}
    return frame.assign(**{column: frame[column].map(clean_text_by_text)})
