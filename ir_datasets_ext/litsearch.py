"""LitSearch (Ajith, Xia, Chevalier, Goyal, Chen and Gao, EMNLP 2024).

597 questions that a literature search might start with, made from citations or asked by authors,
over 64,183 papers of ACL Anthology and ICLR.
<https://huggingface.co/datasets/princeton-nlp/LitSearch>

::

    dataset = ir_datasets.load("litsearch/inline/broad")
    for question in dataset.queries_iter():
        print(question.query_id, question.query)
"""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple, Tuple

from ir_datasets.formats import GenericQrel

from .files import explaining, read_parquet, release_files
from .handlers import (
    CitingDocs,
    Dataset,
    Qrels,
    Queries,
    Source,
    make_dataset,
    make_missing_values,
    merge_texts,
    read_texts,
)
from .store import Store

NAME = "litsearch"
FILES = release_files(NAME)
QUESTIONS = FILES["queries"]
CORPUS = [FILES[f"corpus/{number}"] for number in range(6)]

FULL_TEXT = "full-text"  # id below the collection's of the dataset with full texts
#: origin of questions -> the release's query_set
SOURCES = {
    "inline": ("inline_acl", "inline_nonacl"),
    "author": ("manual_acl", "manual_iclr"),
    "inline-acl": ("inline_acl",),
    "inline-nonacl": ("inline_nonacl",),
    "author-acl2023": ("manual_acl",),
    "author-iclr2024": ("manual_iclr",),
}
#: the release's number -> specificity of a question
SPECIFICITIES = {0: "broad", 1: "specific"}
QUALITIES = ("quality-1", "quality-2")
QREL_DEFS = {1: "answers the question; what else does is not known"}
#: columns of the files, of a question and of a paper
QUESTION_COLUMNS = ("query", "query_set", "specificity", "quality", "corpusids")
COLUMNS = ("corpusid", "title", "abstract", "citations")


class LitsearchDoc(NamedTuple):
    """A paper: title and abstract.

    text: the abstract; empty if missing in the release, and equal for some papers.
    citations: the ids of the papers it cites, in the release's order, including papers outside the
        collection.
    """

    doc_id: str
    title: str
    text: str
    citations: Tuple[str, ...]

    def default_text(self) -> str:
        """Return title and abstract."""
        return f"{self.title} {self.text}"


class LitsearchFullDoc(NamedTuple):
    """A paper with its full text: the fields of LitsearchDoc, and full_text, which may be empty."""

    doc_id: str
    title: str
    text: str
    citations: Tuple[str, ...]
    full_text: str

    def default_text(self) -> str:
        """Return title, abstract and full text."""
        return f"{self.title} {self.text} {self.full_text}"


class LitsearchQuery(NamedTuple):
    """A question that the papers sought answer.

    query_id: the number of the question's row in the release, from 0.
    query_set: its origin, by the release's name: inline_acl, inline_nonacl (made from a paragraph
        that cites the papers sought), manual_acl, manual_iclr (asked by an author).
    specificity: "broad" (at most 20 papers fit) or "specific" (at most 5).
    quality: 1 (acceptable) or 2 (good: demanding, and worth asking).
    """

    query_id: str
    query: str
    query_set: str
    specificity: str
    quality: int

    def default_text(self) -> str:
        """Return the question."""
        return self.query


# --- the readers of the files --------------------------------------------------------------------


def read_questions(path: Path) -> dict[LitsearchQuery, list[str]]:
    """Return the ids of the papers sought by question, in the file's order."""
    sought_ids_by_question = {}
    with explaining(path):
        for number, row in enumerate(read_parquet(path, QUESTION_COLUMNS)):
            question = LitsearchQuery(
                query_id=str(number),
                query=row["query"],
                query_set=row["query_set"],
                specificity=SPECIFICITIES[row["specificity"]],
                quality=row["quality"],
            )
            sought_ids_by_question[question] = [str(corpusid) for corpusid in row["corpusids"]]
    return sought_ids_by_question


def read_papers(cls: Any = LitsearchDoc, columns: Sequence[str] = COLUMNS) -> Iterator:
    """Yield the papers in the files' order; what is missing is empty.

    columns: of the fields of `cls`. No others are decoded; full texts are most of a file.
    """
    for file in CORPUS:
        path = file.path()
        with explaining(path):
            for row in read_parquet(path, columns):
                values = ["" if row[column] is None else row[column] for column in columns]
                paper = cls(*values)
                citations = tuple(map(str, paper.citations))  # in the file, ids are numbers
                yield paper._replace(doc_id=str(paper.doc_id), citations=citations)


def read_full_papers() -> Iterator[LitsearchFullDoc]:
    """Yield the papers with full texts; MissingContent at the end if no paper has one."""
    lengths = []
    for paper in read_papers(LitsearchFullDoc, (*COLUMNS, "full_paper")):
        lengths.append(len(paper.full_text))
        yield paper
    if not any(lengths):
        raise make_missing_values(CORPUS, "full_paper", len(lengths))


# --- the datasets --------------------------------------------------------------------------------


def select_questions(names: Sequence[str]) -> dict[LitsearchQuery, list[str]]:
    """Return the questions that all of these subsets have, with the ids of the papers sought."""
    return {
        question: sought_ids
        for question, sought_ids in QUESTIONS.load(read_questions).items()
        if list_subset_names(question).issuperset(names)
    }


def list_subset_names(question: LitsearchQuery) -> set[str]:
    """Return the names of the subsets that have a question: origins, specificity, quality."""
    origins = {name for name, sets in SOURCES.items() if question.query_set in sets}
    return origins | {question.specificity, f"quality-{question.quality}"}


def list_qrels(names: Sequence[str]) -> Iterator[GenericQrel]:
    """Yield GenericQrel with relevance 1 for each paper sought; no others are judged."""
    for question, sought_ids in select_questions(names).items():
        for doc_id in sought_ids:
            yield GenericQrel(question.query_id, doc_id, 1)


def datasets() -> Iterator[Dataset]:
    """Yield the datasets.

    Each has the same documents, and the questions and judgements of a subset. All questions are
    also in `litsearch/full-text`, whose documents have full texts.
    """
    store = Store(NAME, LitsearchDoc, CORPUS, lambda: [("docs", read_papers())])
    docs = CitingDocs(store, NAME)
    full_store = Store(
        f"{NAME}-{FULL_TEXT}", LitsearchFullDoc, CORPUS, lambda: [("docs", read_full_papers())]
    )
    full_docs = CitingDocs(full_store, NAME)

    subsets = [_make_dataset(docs, names) for names in list_subsets()]
    yield from subsets
    whole = subsets[0]
    yield make_dataset(
        f"{NAME}/{FULL_TEXT}",
        full_docs,
        whole.queries_handler(),
        whole.qrels_handler(),
        documentation=partial(join_texts, [FULL_TEXT]),
    )


def list_subsets() -> list[tuple[str, ...]]:
    """Return all combinations of subsets' names, in the order of an id; () is the first."""
    # "" stands for no choice
    combinations = product(("", *SOURCES), ("", *SPECIFICITIES.values()), ("", *QUALITIES))
    return [tuple(name for name in names if name) for names in combinations]


def _make_dataset(docs: CitingDocs, names: Sequence[str]) -> Dataset:
    """Return the dataset of the questions that all of some subsets have."""
    dataset_id = "/".join((NAME, *names))
    source = Source([QUESTIONS], "questions", dataset_id)
    select = partial(select_questions, names)
    return make_dataset(
        dataset_id,
        docs,
        Queries(select, LitsearchQuery, source, namespace=NAME, lang="en"),
        Qrels(partial(list_qrels, names), GenericQrel, source, defs=QREL_DEFS),
        documentation=partial(join_texts, names),
    )


def join_texts(names: Sequence[str]) -> dict[str, object]:
    """Return the collection's texts of documentation; append the names' names and descriptions.

    Of other texts, those of the last name win.
    """
    merged = merge_texts(NAME, *names)
    for key, separator in {"pretty_name": ", ", "desc": ""}.items():
        texts = [read_texts(NAME)[name][key] for name in ("_", *names)]
        merged[key] = separator.join(texts)
    return merged
