"""The tables that describe LitSearch: its questions, their overlap with papers, and the corpus."""

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

import ir_datasets
import pandas as pd

from ir_datasets_ext.litsearch.records import SOURCES, LitsearchDoc, LitsearchQuery

from ..protocols import TITLE_LIMITS
from ..text import mean_overlap


class Question(NamedTuple):
    """What is counted of a question.

    source: "inline" citations, or an "author".
    set: the part of the release, such as "inline-acl".
    words, papers: numbers of words, and of gold papers.
    overlap: share of its words that occur in a gold paper's title and abstract, the mean over
        these papers; NaN if a gold paper is missing.
    title_overlap: the same for titles alone.
    """

    source: str
    set: str
    specificity: str
    words: int
    papers: int
    overlap: float
    title_overlap: float


def litsearch(dataset: ir_datasets.Dataset) -> dict[str, pd.DataFrame]:
    """Return LitSearch's descriptive tables, computed, by name.

    They are `questions` (Table 2 of the paper), `sets` (Table 14), `filter` (section 2.1) and
    `corpus` (section 2.5).

    questions, sets: a row per source (or set) and `specificity`: `questions` (their number),
        `words` and `papers` (means per question), `overlap` (mean over questions of the mean over
        their gold papers, in 0..1), `overlap_questions` (number of questions in that mean: those
        whose gold papers are all present).
    filter: a row per set filtered by overlap with titles: `limit`, `questions` (those whose gold
        papers are all present), `above` (how many of these still exceed the limit).
    corpus: a row for titles with abstracts and, for `litsearch/full-text` only, one for full texts:
        `text`, `papers` (those with such text), `words` (mean per such paper; NaN if none).
    """
    gold_ids: dict[str, list[str]] = defaultdict(list)
    for qrel in dataset.qrels_iter():
        gold_ids[qrel.query_id].append(qrel.doc_id)
    all_gold_ids = {doc_id for doc_ids in gold_ids.values() for doc_id in doc_ids}
    gold_papers = dataset.docs_store().get_many(all_gold_ids)

    described_questions = []
    for query in dataset.queries_iter():
        question = _describe_question(query, gold_ids[query.query_id], gold_papers)
        described_questions.append(question)
    questions = pd.DataFrame(described_questions)

    return {
        "questions": _average_questions(questions, "source"),
        "sets": _average_questions(questions, "set"),
        "filter": _count_above_limits(questions),
        "corpus": _describe_corpus(dataset),
    }


def _describe_question(
    query: LitsearchQuery, gold_ids: list[str], gold_papers: Mapping[str, LitsearchDoc]
) -> Question:
    """Count the words and gold papers of a question, and measure its overlap with these papers.

    gold_papers: those that are present, by id.
    """
    # SOURCES names a source and each of its sets, the source first: "inline", "inline-acl"
    names = [name for name, sets in SOURCES.items() if query.query_set in sets]
    source, question_set = names

    present_papers = [gold_papers[doc_id] for doc_id in gold_ids if doc_id in gold_papers]
    has_all_papers = len(gold_ids) > 0 and len(present_papers) == len(gold_ids)
    overlap = float("nan")
    title_overlap = float("nan")
    if has_all_papers:
        # papers are written as the authors' code writes them
        texts = [f"Title: {doc.title}\nAbstract: {doc.text}" for doc in present_papers]
        titles = [doc.title for doc in present_papers]
        overlap = mean_overlap(query.query, texts)
        title_overlap = mean_overlap(query.query, titles)

    return Question(
        source=source,
        set=question_set,
        specificity=query.specificity,
        words=len(query.query.split()),
        papers=len(gold_ids),
        overlap=overlap,
        title_overlap=title_overlap,
    )


def _average_questions(questions: pd.DataFrame, by: str) -> pd.DataFrame:
    """Average by `by` and specificity, in the order of the printed tables."""
    averages = questions.groupby([by, "specificity"], sort=False).agg(
        questions=("words", "size"),
        words=("words", "mean"),
        papers=("papers", "mean"),
        overlap=("overlap", "mean"),
        overlap_questions=("overlap", "count"),  # NaN does not count
    )
    position_of_source = {name: position for position, name in enumerate(SOURCES)}

    def sort_key(column: pd.Series) -> pd.Series:
        return column.map(position_of_source) if column.name == by else column

    return averages.reset_index().sort_values([by, "specificity"], key=sort_key, ignore_index=True)


def _count_above_limits(questions: pd.DataFrame) -> pd.DataFrame:
    """Count the questions of filtered sets that exceed the limit of overlap with titles."""
    rows = []
    for set_name, limit in TITLE_LIMITS.items():
        is_in_set = questions["set"] == set_name
        overlaps = questions["title_overlap"][is_in_set].dropna()
        above = int((overlaps > limit).sum())
        rows.append({"set": set_name, "limit": limit, "questions": len(overlaps), "above": above})
    return pd.DataFrame(rows)


def _describe_corpus(dataset: ir_datasets.Dataset) -> pd.DataFrame:
    """Count the words of the papers, with one paper in memory at a time."""
    word_counts: dict[str, list[int]] = defaultdict(list)
    for doc in dataset.docs_iter():
        abstract = f"{doc.title} {doc.text}"
        word_counts["titles and abstracts"].append(len(abstract.split()))
        if hasattr(doc, "full_text"):
            word_counts["full texts"].append(len(doc.full_text.split()))

    rows = []
    for text_name, counts in word_counts.items():
        # a paper that is missing from the files has no words
        present_counts = pd.Series([count for count in counts if count], dtype=float)
        rows.append((text_name, len(present_counts), present_counts.mean()))
    return pd.DataFrame(rows, columns=["text", "papers", "words"])
