"""Browse annotations: a query's pool with each annotator's grade and the final one.

browsed = annotations("csfcube/all", "1791179_method")
browsed.frame  # a row per document
browsed.to_html("1791179_method.html")
"""

import html
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import ir_datasets
import pandas as pd

from .. import datasets, frames
from ..arguments import check_arguments
from ..datasets import DatasetLike
from ..pages import write_page
from ..paper import Paper
from ..text import writable
from ..typed_records import Record
from .annotation_page import render_annotations
from .ratings import REFERENCE
from .released_ratings import single_ratings
from .rulings import find_ruling

#: columns of `Annotations.frame` besides those of the annotators, whose names must differ
OTHER_COLUMNS = {"qid", "docno", "label", "difference", "ruling", "sources", "title", "text"}


@dataclass(frozen=True, eq=False, repr=False)
class Annotations:
    """A query's rated documents, with the grades of its annotators and the final grade.

    A notebook shows the page that `to_html` writes.

    Attributes:
        qid: of the query.
        facet: the query's; "" for none.
        query: its text.
        paper: title, sentences and labels of the query's paper, as far as known.
        annotators: names of those who rated the query, which are columns of `frame`.
        definitions: dict from a grade to its meaning, as far as known. If there is a dataset for
            the query's facet (``csfcube/method``), the meanings are that dataset's.
        frame: a row for each document: `qid`, `docno`, `label` (the final grade), a column for each
            annotator, `difference` (highest minus lowest of their grades), `ruling`, `sources` (the
            tuple of `pool_sources`), `title`, `text`. Best first by final grade, then by the mean
            of the annotators' grades, then in the collection's order. Missing grades are NaN.
            `ruling` is "agreed" (all annotators, and the final grade), "one_kept" (the final grade
            is one of several), "overruled" (it is none of them), "changed" (annotators agree, the
            final grade differs), or "" where a grade is missing. Half a surrogate pair is U+FFFD.
        papers: of each row, with sentences and labels.
    """

    qid: str
    facet: str
    query: str
    paper: Paper
    annotators: tuple[str, ...]
    definitions: dict[int, str]
    frame: pd.DataFrame
    papers: tuple[Paper, ...]

    def to_html(self, path: str | Path) -> Path:
        """Write one HTML file that needs no other file, and return its path.

        The page has the query's paper at the side, documents under their final grades, with the
        annotators' grades, the sentences of the query's facet, and the abstract to unfold; and a
        switch that leaves only documents on which annotators or the final grade differ.
        """
        return write_page(path, self._render())

    def _repr_html_(self) -> str:
        """Return the page in an iframe, with the frame for viewers that drop iframes."""
        title = html.escape(repr(self))
        page = html.escape(self._render())
        style = "width:100%;height:720px;border:1px solid #8886;border-radius:8px;resize:vertical"
        table = self.frame[["docno", "label", *self.annotators, "title"]].to_html(index=False)
        return (
            f'<iframe title="{title}" sandbox="" style="{style}" srcdoc="{page}"></iframe>'
            f"<details><summary>Grades</summary>{table}</details>"
        )

    def _render(self) -> str:
        return render_annotations(
            qid=self.qid,
            facet=self.facet,
            query_paper=self.paper,
            annotators=self.annotators,
            definitions=self.definitions,
            frame=self.frame,
            papers=self.papers,
        )

    def __repr__(self) -> str:
        names = ", ".join(self.annotators)
        return f"<Annotations of {self.qid!r}: {len(self.frame)} documents, rated by {names}>"


@check_arguments
def annotations(dataset: DatasetLike, qid: str) -> Annotations:
    """Collect what annotators said of a query's documents, for people to read.

    CSFCube's release has a text file for each query, with the same (its `readable_annotations`). ::

        annotations("csfcube/all", "1791179_method").to_html("1791179_method.html")

    Args:
        dataset: with single ratings: ``"csfcube/all"`` or a facet of it, ``"doris-mae/human"``,
            ``"made/<name>"``, ``"scholarly-mini/all"``; or a dataset object.
        qid: id of one of its queries.

    Raises:
        ValueError: a dataset without single ratings; an unknown query, or one that nobody rated; an
            annotator with the name of another column.
    """
    source = datasets.irds(dataset)
    ratings = single_ratings(source)
    query = _find_query(source, qid, ratings["qid"].unique())
    facet = getattr(query, "facet", "")

    grades = _tabulate_grades(ratings[ratings["qid"] == qid])
    annotators = [name for name in grades.columns if name != REFERENCE]
    document_by_id = datasets.documents(source, grades.index)
    frame = _tabulate_documents(source, qid, grades, annotators, document_by_id)
    return Annotations(
        qid=qid,
        facet=facet,
        query=query.default_text(),
        paper=_read_query_paper(source, query),
        annotators=tuple(annotators),
        definitions=_read_definitions(source, facet),
        frame=frame,
        papers=tuple(_read_paper(document_by_id[docno]) for docno in frame["docno"]),
    )


def _find_query(source: ir_datasets.Dataset, qid: str, rated_qids: Collection[str]) -> Record:
    """Return a query's record, if somebody rated a document for it."""
    query_by_id = {query.query_id: query for query in source.queries_iter()}
    if qid not in query_by_id:
        raise ValueError(
            f"qid={qid!r} is no query of the dataset. Choose one of {frames.some(rated_qids)}."
        )
    if qid not in rated_qids:
        raise ValueError(f"qid={qid!r} has no ratings. Choose one of {frames.some(rated_qids)}.")
    return query_by_id[qid]


def _tabulate_grades(ratings: pd.DataFrame) -> pd.DataFrame:
    """Return a query's grades, documents × annotators, both in the order of `ratings`."""
    names = list(ratings["annotator"].unique())
    taken_names = [name for name in names if name in OTHER_COLUMNS]
    if taken_names:
        raise ValueError(
            f"annotators named {frames.some(taken_names)}, which are other columns of the frame: "
            "write the collection with other names."
        )

    docnos = ratings["docno"].unique()
    grades = ratings.pivot(index="docno", columns="annotator", values="rating")
    grades = grades.reindex(index=docnos, columns=names)
    return grades.rename_axis(index=None, columns=None)


def _tabulate_documents(
    source: ir_datasets.Dataset,
    qid: str,
    grades: pd.DataFrame,
    annotators: Sequence[str],
    document_by_id: dict[str, Record],
) -> pd.DataFrame:
    """Return `Annotations.frame`. grades: documents × annotators, among them the reference."""
    docnos = list(grades.index)
    documents = [document_by_id[docno] for docno in docnos]
    grades_of_annotators = grades[list(annotators)]
    final_grades = pd.Series(float("nan"), index=grades.index)
    if REFERENCE in grades:
        final_grades = grades[REFERENCE]

    frame = pd.DataFrame(
        {
            "qid": qid,
            "docno": docnos,
            "label": final_grades,
            **{name: grades[name] for name in annotators},
            "difference": grades_of_annotators.max(axis=1) - grades_of_annotators.min(axis=1),
            "ruling": _list_rulings(final_grades, grades_of_annotators),
            "sources": _list_sources(source, qid, docnos),
            "title": [writable(getattr(document, "title", "")) for document in documents],
            "text": [writable(datasets.text(document)) for document in documents],
        }
    )
    sort_keys = pd.DataFrame({"label": final_grades, "mean": grades_of_annotators.mean(axis=1)})
    # stable: equal grades stay in the collection's order
    best_first = sort_keys.sort_values(["label", "mean"], ascending=False, kind="stable")
    return frame.loc[best_first.index].reset_index(drop=True)


def _list_rulings(final_grades: pd.Series, grades_of_annotators: pd.DataFrame) -> list[str]:
    """Return how each document's final grade follows from its annotators' grades; "" if unknown.

    grades_of_annotators: documents × annotators.
    """
    rulings = []
    for docno, final_grade in final_grades.items():
        grades_of_document = grades_of_annotators.loc[docno].tolist()
        ruling = find_ruling(final_grade, grades_of_document)
        rulings.append("" if ruling is None else ruling.value)
    return rulings


def _list_sources(
    source: ir_datasets.Dataset, qid: str, docnos: Iterable[str]
) -> list[tuple[str, ...]]:
    """Return the sources of each document in the query's pool; () without any."""
    try:
        pools = datasets.pool_sources(source)
    except ValueError:  # the dataset has no sources
        return [() for _ in docnos]

    pool = pools[pools["qid"] == qid]
    sources_of_document = dict(zip(pool["docno"], pool["sources"]))
    return [tuple(sources_of_document.get(docno, ())) for docno in docnos]


def _read_query_paper(source: ir_datasets.Dataset, query: Record) -> Paper:
    """Return the paper that a query comes from, else the query's text as a paper without title."""
    paper_id = getattr(query, "paper_id", "")
    if paper_id:
        document_by_id = source.docs_store().get_many([paper_id])
        if paper_id in document_by_id:
            return _read_paper(document_by_id[paper_id])

    return Paper(doc_id="", title="", sentences=(query.default_text(),), labels=("",))


def _read_paper(document: Record) -> Paper:
    """Return a document's title, and its sentences; its text if they have no labels."""
    title = getattr(document, "title", "")
    sentences = tuple(getattr(document, "sentences", ()))
    labels = tuple(getattr(document, "labels", ()))
    is_labelled = len(sentences) > 0 and len(sentences) == len(labels)
    if is_labelled:
        return Paper(document.doc_id, title, sentences, labels)
    return Paper(document.doc_id, title, sentences=(datasets.text(document),), labels=("",))


def _read_definitions(source: ir_datasets.Dataset, facet: str) -> dict[int, str]:
    """Return the meanings of grades: those of the facet's own dataset, if there is one."""
    facet_dataset = f"{datasets.collection(source)}/{facet}"
    if facet and facet_dataset in ir_datasets.registry:
        source = ir_datasets.load(facet_dataset)
    return dict(source.qrels_defs()) if source.has_qrels() else {}
