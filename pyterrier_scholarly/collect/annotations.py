"""Browse annotations: a query's pool with each annotator's grade and the final one, as a page."""

import html
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import ir_datasets
import pandas as pd

from ir_datasets_ext.typed_records import Record

from .. import datasets, frames
from ..arguments import check_arguments
from ..datasets import DatasetLike
from ..pages import templates, written
from ..text import writable
from ..text.contexts import Paper, labels_of
from .drawn_pools import CITED
from .ratings import REFERENCE, single_ratings

FOLDER = Path(__file__).parent / "_page"
#: columns of a frame of annotations, but for those of the annotators
BEFORE, BEHIND = ["qid", "docno", "label"], ["difference", "ruling", "sources", "title", "text"]
AGREED, ONE_KEPT, OVERRULED, CHANGED = "agreed", "one_kept", "overruled", "changed"
#: ruling -> its words on the page; annotators who agree, and are kept, need none
SAID = {
    ONE_KEPT: "one grade kept",
    OVERRULED: "no annotator's grade kept",
    CHANGED: "agreed, but over-ruled",
}


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
        return written(path, _page(self))

    def _repr_html_(self) -> str:
        """Return the page in an iframe, with the frame for viewers that drop iframes."""
        style = "width:100%;height:720px;border:1px solid #8886;border-radius:8px;resize:vertical"
        columns = [*BEFORE[1:], *self.annotators, "title"]
        return (
            f'<iframe title="{html.escape(repr(self))}" sandbox="" style="{style}" '
            f'srcdoc="{html.escape(_page(self))}"></iframe>'
            f"<details><summary>Grades</summary>{self.frame[columns].to_html(index=False)}"
            "</details>"
        )

    def __repr__(self) -> str:
        names = ", ".join(self.annotators)
        return f"<Annotations of {self.qid!r}: {len(self.frame)} documents, rated by {names}>"


@check_arguments
def annotations(dataset: DatasetLike, qid: str) -> Annotations:
    """Collect what annotators said of a query's documents, for people to read.

    CSFCube's release has a text file for each query, with the same (its `readable_annotations`).

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
    query = _query(source, qid, ratings["qid"].unique())
    grades = _grades(ratings[ratings["qid"] == qid])
    annotators = [name for name in grades.columns if name != REFERENCE]
    documents = datasets.documents(source, grades.index)

    frame = pd.DataFrame(
        {
            "qid": qid,
            "docno": grades.index,
            "label": grades[REFERENCE] if REFERENCE in grades else float("nan"),
            **{name: grades[name] for name in annotators},
            "difference": grades[annotators].max(axis=1) - grades[annotators].min(axis=1),
            "ruling": [_ruling(final, given) for final, given in _by_row(grades, annotators)],
            "sources": _sources(source, qid, grades.index),
            "title": [writable(getattr(documents[doc], "title", "")) for doc in grades.index],
            "text": [writable(datasets.text(documents[doc])) for doc in grades.index],
        }
    )
    means = grades[annotators].mean(axis=1)
    by_grade = pd.DataFrame({"label": frame["label"], "mean": means})
    order = by_grade.sort_values(["label", "mean"], ascending=False, kind="stable").index
    best_first = frame.loc[order].reset_index(drop=True)
    facet = getattr(query, "facet", "")
    return Annotations(
        qid=qid,
        facet=facet,
        query=query.default_text(),
        paper=_query_paper(source, query),
        annotators=tuple(annotators),
        definitions=_definitions(source, facet),
        frame=best_first,
        papers=tuple(_paper(documents[doc]) for doc in best_first["docno"]),
    )


def _query(source: ir_datasets.Dataset, qid: str, rated: Iterable[str]) -> Record:
    """Return a query's record, if somebody rated a document for it."""
    queries = {query.query_id: query for query in source.queries_iter()}
    if qid in rated and qid in queries:
        return queries[qid]
    what = "has no ratings" if qid in queries else "is no query of the dataset"
    raise ValueError(f"qid={qid!r} {what}. Choose one of {frames.some(rated)}.")


def _grades(ratings: pd.DataFrame) -> pd.DataFrame:
    """Return a query's grades, documents × annotators, both in the order of `ratings`."""
    grades = ratings.pivot(index="docno", columns="annotator", values="rating")
    names = list(ratings["annotator"].unique())
    taken = [name for name in names if name in (*BEFORE, *BEHIND)]
    if taken:
        raise ValueError(
            f"annotators named {frames.some(taken)}, which are other columns of the frame: write "
            "the collection with other names."
        )
    order = ratings["docno"].unique()
    return grades.reindex(index=order, columns=names).rename_axis(index=None, columns=None)


def _by_row(
    grades: pd.DataFrame, annotators: list[str]
) -> Iterable[tuple[float | None, list[float]]]:
    """Yield each document's final grade, and its annotators' grades."""
    finals = grades[REFERENCE] if REFERENCE in grades else [None] * len(grades)
    return zip(finals, grades[annotators].to_numpy().tolist())


def _ruling(final: float | None, given: list[float]) -> str:
    """Return how the final grade follows, or "" if one is missing or there is nobody to agree."""
    if len(given) < 2 or pd.isna([final, *given]).any():
        return ""
    if len(set(given)) == 1:
        return AGREED if final in given else CHANGED
    return ONE_KEPT if final in given else OVERRULED


def _sources(source: ir_datasets.Dataset, qid: str, docnos: Iterable[str]) -> list[tuple[str, ...]]:
    """Return the sources of each document in the query's pool; () without any."""
    try:
        pools = datasets.pool_sources(source)
    except ValueError:  # the dataset has no sources
        return [() for _ in docnos]
    own = pools[pools["qid"] == qid]
    by_document = dict(zip(own["docno"], own["sources"]))
    return [tuple(by_document.get(docno, ())) for docno in docnos]


def _query_paper(source: ir_datasets.Dataset, query: Record) -> Paper:
    """Return the paper that a query comes from, else the query's text as a paper without title."""
    paper_id = getattr(query, "paper_id", "")
    found = source.docs_store().get_many([paper_id]) if paper_id else {}
    if paper_id in found:
        return _paper(found[paper_id])
    return Paper("", (query.default_text(),), ("",))


def _paper(document: Record) -> Paper:
    """Return a document's title, and its sentences; its text if they have no labels."""
    sentences, labels = getattr(document, "sentences", ()), getattr(document, "labels", ())
    if not sentences or len(sentences) != len(labels):
        sentences, labels = (datasets.text(document),), ("",)
    return Paper(getattr(document, "title", ""), tuple(sentences), tuple(labels))


def _definitions(source: ir_datasets.Dataset, facet: str) -> dict[int, str]:
    """Return the meanings of grades: those of the facet's own dataset, if there is one."""
    of_facet = f"{datasets.collection(source)}/{facet}"
    if facet and of_facet in ir_datasets.registry:
        source = ir_datasets.load(of_facet)
    return dict(source.qrels_defs()) if source.has_qrels() else {}


def _page(shown: Annotations) -> str:
    """Render annotations as HTML that fetches nothing, without a script."""
    rows: list[dict[Any, Any]] = shown.frame.to_dict("records")
    entries = [_entry(shown, row, paper) for row, paper in zip(rows, shown.papers)]
    template = templates(FOLDER).get_template("annotations.html")
    return writable(
        template.render(
            shown=shown,
            runs=_runs(shown.paper, shown.facet),
            groups=[_group(shown, *group) for group in groupby(entries, itemgetter("grade"))],
            differing=sum(entry["differs"] for entry in entries),
        )
    )


def _group(shown: Annotations, grade: str, entries: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Return what the page needs of all documents with one final grade."""
    meanings = {str(known): meaning for known, meaning in shown.definitions.items()}
    return {"grade": grade, "meaning": meanings.get(grade, ""), "entries": list(entries)}


def _entry(shown: Annotations, row: dict[Any, Any], paper: Paper) -> dict[str, Any]:
    """Return what the page needs of a document."""
    given = [(name, row[name]) for name in shown.annotators]
    runs = _runs(paper, shown.facet)
    return {
        "docno": row["docno"],
        "title": row["title"],
        "grade": "" if pd.isna(row["label"]) else f"{row['label']:g}",
        "given": [(name, "missing" if pd.isna(one) else f"{one:g}") for name, one in given],
        "said": SAID.get(row["ruling"], ""),
        "differs": row["ruling"] in SAID or row["difference"] > 0,
        "found": _found(row["sources"]),
        "asked": [run for run in runs if run["asked"]],
        "runs": runs,
    }


def _found(sources: tuple[str, ...]) -> str:
    """Say how a document got into the pool. CSFCube has one list of methods for all cited ones."""
    if CITED in sources:
        return "cited by the query's paper"
    return f"found by {', '.join(sources)}" if sources else ""


def _runs(paper: Paper, facet: str) -> list[dict[str, Any]]:
    """Return the texts of adjacent sentences with one label, and whether the facet has them."""
    asked = labels_of(facet) if facet else ()
    labelled = zip(paper.labels, paper.sentences)
    return [
        {"label": label, "asked": label in asked, "text": " ".join(text for _, text in sentences)}
        for label, sentences in groupby(labelled, itemgetter(0))
    ]
