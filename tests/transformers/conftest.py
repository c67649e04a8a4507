"""A collection of three papers made by hand, and a home for the embedded one."""

from typing import NamedTuple

import ir_datasets
import pandas as pd
import pytest
from ir_datasets.formats import (
    BaseDocs,
    BaseQrels,
    BaseQueries,
    BaseScoredDocs,
    GenericQrel,
    GenericScoredDoc,
)

from pyterrier_scholarly.paper import Paper


def frame(*rows):
    """Return candidates (qid, query, docno, document), papers of one sentence per character."""
    made = [
        {
            "qid": qid,
            "docno": docno,
            "query_paper": Paper("", "", list(query)),
            "query_sentence_ids": list(range(len(query))),
            "paper": Paper(docno, "", list(document)),
        }
        for qid, query, docno, document in rows
    ]
    return pd.DataFrame(made)


class Record(NamedTuple):
    """A document with labelled sentences."""

    doc_id: str
    title: str
    text: str
    sentences: tuple
    labels: tuple


class Query(NamedTuple):
    """A facet of a paper."""

    query_id: str
    query: str
    paper_id: str
    facet: str


class Plain(NamedTuple):
    """A document with only a text."""

    doc_id: str
    text: str


class Docs(BaseDocs):
    """Documents in memory; `asked` lists the ids that were looked up."""

    def __init__(self, *records):
        self.records = {record.doc_id: record for record in records}
        self.asked = []

    def docs_iter(self):
        """All records."""
        return iter(self.records.values())

    def docs_store(self):
        """Return itself: only `get_many` is used."""
        return self

    def get_many(self, doc_ids):
        """The known records, by id."""
        self.asked.extend(doc_ids)
        return {key: self.records[key] for key in doc_ids if key in self.records}


class Queries(BaseQueries):
    """Queries in memory."""

    def __init__(self, *records):
        self.records = records

    def queries_iter(self):
        """All records."""
        return iter(self.records)


class Scored(BaseScoredDocs):
    """Two candidates of q1, the worse one first."""

    def scoreddocs_iter(self):
        """The candidates."""
        return iter([GenericScoredDoc("q1", "b", 0.5), GenericScoredDoc("q1", "c", 2.0)])


class Qrels(BaseQrels):
    """Two judged documents of q1, in another order than the candidates."""

    def qrels_iter(self):
        """The judgements."""
        return iter([GenericQrel("q1", "c", 0), GenericQrel("q1", "b", 3)])


def paper(doc_id, *labelled):
    """A paper of (label, sentence) pairs."""
    labels, sentences = zip(*labelled) if labelled else ((), ())
    return Record(doc_id, f"On {doc_id}", " ".join(sentences), sentences, labels)


@pytest.fixture
def docs():
    """Paper a has two facets in three sentences, b one sentence, c none."""
    return Docs(
        paper(
            "a",
            ("background", "Trees are slow."),
            ("objective", "We hurry them."),
            ("method", "Pruned trees are compared with trees of all depths."),
        ),
        paper("b", ("method", "Trees are pruned.")),
        paper("c"),
    )


@pytest.fixture
def papers(docs):
    """A dataset of these papers, with one query (a, background), scoreddocs and qrels."""
    return ir_datasets.Dataset(
        docs, Queries(Query("q1", "Trees are slow. …", "a", "background")), Scored(), Qrels()
    )


@pytest.fixture
def judged(docs):
    """The same papers with only qrels."""
    return ir_datasets.Dataset(docs, Qrels())


@pytest.fixture
def documents_only(docs):
    """The same papers without queries or judgements."""
    return ir_datasets.Dataset(docs)


@pytest.fixture
def plain():
    """A dataset of records without sentences or labels; the second has no text."""
    return ir_datasets.Dataset(Docs(Plain("p", "One tree. Two trees."), Plain("e", "")))


@pytest.fixture
def topics():
    """One topic."""
    return pd.DataFrame({"qid": ["q1"]})


@pytest.fixture(scope="session")
def _mini_files(tmp_path_factory):
    return tmp_path_factory.mktemp("home")


@pytest.fixture
def mini(_mini_files, monkeypatch):
    """The id of the embedded collection's queries of all facets, with a home of its own."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(_mini_files))
    return "scholarly-mini/all"
