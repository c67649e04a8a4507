"""LitSearch (Ajith, Xia, Chevalier, Goyal, Chen and Gao, EMNLP 2024).

597 questions that a literature search might start with, made from citations or asked by authors,
over 64,183 papers of ACL Anthology and ICLR.
<https://huggingface.co/datasets/princeton-nlp/LitSearch>

::

    dataset = ir_datasets.load("litsearch/inline/broad")
    for question in dataset.queries_iter():
        print(question.query_id, question.query)
"""

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import NamedTuple

from ir_datasets.formats import GenericQrel

from ir_datasets_ext.built_documents import StoredDocs
from ir_datasets_ext.handlers import (
    Documentation,
    ScholarlyDataset,
    make_handler,
    make_released_datasets,
    read_later,
)
from ir_datasets_ext.litsearch.records import (
    CORPUS_KEYS,
    QREL_DEFS,
    QUALITIES,
    SOURCES,
    SPECIFICITIES,
    JudgedQuery,
    LitsearchDoc,
    LitsearchFullDoc,
    LitsearchQuery,
)
from ir_datasets_ext.releases import MadeFrom, Release
from ir_datasets_ext.store.plain_files import Identity, identity_of

NAME = "litsearch"
FULL_TEXT = "full-text"  # id below the collection's of the dataset with full texts
NOTICE = (
    "LitSearch's questions and code are released under the MIT licence; what rights there are in "
    "the papers' texts is not stated. Please cite Ajith et al. 2024, "
    "https://aclanthology.org/2024.emnlp-main.840"
)
RELEASE = Release(NAME, __name__, NOTICE)


def datasets(release: Release = RELEASE) -> dict[str, ScholarlyDataset]:
    """Return the datasets by id.

    Each has the same documents, and the questions and judgements of a subset. All questions are
    also in `litsearch/full-text`, whose documents have full texts.
    """
    docs = _make_docs(release)
    questions = Questions(release)

    judgements_of_all = _make_judgements(Subset(questions))

    # id below NAME ("" is `litsearch` itself) -> the dataset's documents, queries and qrels
    parts: dict[str, tuple[object, ...]] = {
        "": (docs, *judgements_of_all),
        FULL_TEXT: (_make_full_docs(release), *judgements_of_all),
    }
    for names in list_subsets():
        if names:  # without names, it is all questions
            judgements = _make_judgements(Subset(questions, names))
            parts["/".join(names)] = (docs, *judgements)
    return make_released_datasets(release, parts, JoinedDocumentation)


def list_subsets() -> list[tuple[str, ...]]:
    """Return all combinations of subsets' names, in the order of an id; () is the first."""
    choices = product((None, *SOURCES), (None, *SPECIFICITIES.values()), (None, *QUALITIES))
    return [tuple(name for name in names if name is not None) for names in choices]


def _make_docs(release: Release) -> "CitingDocs":
    """Return the documents without their full texts."""
    return CitingDocs(
        NAME,
        f"{NAME}/docs",
        sources=partial(release.files, *CORPUS_KEYS),
        read=read_later(__name__, "read_papers", release),
        cls=LitsearchDoc,
    )


def _make_full_docs(release: Release) -> "CitingDocs":
    """Return the documents with their full texts."""
    return CitingDocs(
        NAME,
        f"{NAME}/docs-{FULL_TEXT}",
        sources=partial(release.files, *CORPUS_KEYS),
        read=read_later(__name__, "read_full_papers", release),
        cls=LitsearchFullDoc,
        required=("full_text",),
    )


def _make_judgements(subset: "Subset") -> tuple[object, object]:
    """Return the handlers of a subset's queries and qrels."""
    made_from = subset.made_from
    queries = make_handler(
        "queries", subset.queries, LitsearchQuery, made_from, namespace=NAME, lang="en"
    )
    qrels = make_handler("qrels", subset.qrels, GenericQrel, made_from, defs=QREL_DEFS)
    return queries, qrels


class CitingDocs(StoredDocs):
    """Documents that have a field `citations`."""

    def citations(self, doc_id: str) -> tuple[str, ...]:
        """Return the ids of the papers that `doc_id` cites, in the release's order.

        Papers outside the collection are included. Raises KeyError for an unknown `doc_id`,
        MissingContent if the files have no citations of any paper.
        """
        store = self.docs_store()
        document = store.get(doc_id)
        self._require_field(store, "citations")
        return document.citations


class JoinedDocumentation(Documentation):
    """The texts of subsets, joined from those of the names in their ids."""

    def get_key(self, key: str) -> dict[str, object]:
        """Return the collection's texts; append the names and descriptions of `key`'s parts.

        Of other texts, those of the last part win. The host calls this for a dataset's
        documentation.
        """
        texts = dict(self.texts["_"])
        part_names = [name for name in key.split("/") if name]
        for part_name in part_names:
            texts_of_part = self.texts[part_name]
            joined_name = f"{texts['pretty_name']}, {texts_of_part['pretty_name']}"
            joined_description = f"{texts['desc']}{texts_of_part['desc']}"
            texts.update(texts_of_part)
            texts["pretty_name"] = joined_name
            texts["desc"] = joined_description
        return texts


class ReadQuestions(NamedTuple):
    """The questions, and what their file was when they were read."""

    identity: Identity | None
    judged_queries: list[JudgedQuery]


class Questions:
    """All questions of a release, which are read once, and again when their file changes."""

    def __init__(self, release: Release) -> None:
        self.release = release
        self._remembered: ReadQuestions | None = None

    def judged_queries(self) -> list[JudgedQuery]:
        """Return the questions with the papers sought, in the release's order."""
        from ir_datasets_ext.litsearch.release import read_queries

        identity = self._identify_file()
        remembered = self._remembered
        if remembered is not None and remembered.identity == identity:
            return remembered.judged_queries

        # not if the file is so new that another change might get the same time
        can_be_kept = identity is not None and identity.is_settled()
        judged_queries = list(read_queries(self.release))  # a missing file is downloaded
        self._remembered = ReadQuestions(identity, judged_queries) if can_be_kept else None
        return judged_queries

    def _identify_file(self) -> Identity | None:
        """Return what the file is at present; None if it is missing."""
        path = self.release.place("queries")
        return identity_of(path) if path.is_file() else None


class Subset:
    """The questions of one dataset.

    names: of the subsets whose common questions it has; none for all questions.
    """

    def __init__(self, questions: Questions, names: tuple[str, ...] = ()) -> None:
        self._questions = questions
        self._names = names

    @property
    def made_from(self) -> MadeFrom:
        """The file of its questions."""
        dataset_id = "/".join((NAME, *self._names))
        content = "questions"
        if self._names:
            content = f"questions that are {' and '.join(self._names)}"
        return MadeFrom(self._questions.release, dataset_id, ("queries",), content)

    def judged_queries(self) -> list[JudgedQuery]:
        """Return the subset's questions with the papers sought, in the release's order."""
        return [
            judged_query
            for judged_query in self._questions.judged_queries()
            if judged_query.subset_names().issuperset(self._names)
        ]

    def queries(self) -> Iterator[LitsearchQuery]:
        """Yield the questions in the release's order."""
        for judged_query in self.judged_queries():
            yield judged_query.query

    def qrels(self) -> Iterator[GenericQrel]:
        """Yield GenericQrel with relevance 1 for each paper sought; no others are judged."""
        for judged_query in self.judged_queries():
            for doc_id in judged_query.sought_ids:
                yield GenericQrel(judged_query.query.query_id, doc_id, 1)
