"""The 800,000 abstracts that CSFCube's pools were drawn from (Mysore et al. 2021, section 3).

arXiv's computer-science papers with full text, and the papers they cite, from S2ORC; with the
queries and judgements of CSFCube. <https://doi.org/10.6084/m9.figshare.14796339>, CC BY-NC 4.0.

::

    ir_datasets.load("csfcube/s2orc").docs_store().get("1198964").title
"""

import zipfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import msgspec

from . import csfcube
from .csfcube import Abstract, CsfcubeDoc
from .files import explaining, read_lines, release_files
from .handlers import Dataset, make_dataset, merge_texts
from .store import Store, StoredDocs

NAME = f"{csfcube.NAME}/s2orc"
FILES = release_files(NAME)


def datasets() -> Iterator[Dataset]:
    """Yield the datasets: the documents, and queries and qrels of each facet and of `all`.

    There are no candidates: CSFCube's pools are for reranking, and these datasets are for ranking
    all documents. No figure of such a ranking was published. Report how many of the relevant papers
    it has, and how much of it was judged.
    """
    files = [FILES["docs"], csfcube.FILES["docs"]]
    store = Store("csfcube-s2orc", CsfcubeDoc, files, lambda: [("docs", _read_docs())])
    docs = StoredDocs(store, csfcube.NAME)
    yield make_dataset(
        NAME, docs, csfcube.refuse_queries(NAME), documentation=partial(merge_texts, "s2orc")
    )
    for facet in csfcube.FACET_PARTS:
        dataset_id = f"{NAME}/{facet}"
        subset = csfcube.Subset(csfcube.FILES, docs, facet)
        queries, qrels, *_ = csfcube.make_handlers(dataset_id, subset)
        yield make_dataset(
            dataset_id, docs, queries, qrels, documentation=partial(merge_texts, "s2orc", facet)
        )


def _read_docs() -> Iterator[CsfcubeDoc]:
    """Yield the archive's documents in its order, then CSFCube's that are missing there.

    CSFCube's own 4,205 are taken from its release, where the labels of query papers were corrected
    by hand. So queries and judged papers are the same in both collections.
    """
    csfcube_docs = {doc.doc_id: doc for doc in csfcube.read_docs(csfcube.FILES["docs"].path())}
    missing_docs = dict(csfcube_docs)
    for doc in read_abstracts(FILES["docs"].path()):
        missing_docs.pop(doc.doc_id, None)
        yield csfcube_docs.get(doc.doc_id, doc)
    yield from missing_docs.values()


def read_abstracts(path: Path) -> Iterator[CsfcubeDoc]:
    """Yield the papers of a zip archive in its order.

    Its only JSON file has a paper in each line, or one object with the papers by id. Descriptions
    of this archive name both forms; lines are read one at a time, an object as a whole.
    """
    with explaining(path), zipfile.ZipFile(path) as archive:
        files = [name for name in archive.namelist() if name.endswith((".json", ".jsonl"))]
        names = [name for name in files if not name.startswith("__MACOSX/")]
        if len(names) != 1:
            raise ValueError(f"expected one .json or .jsonl file in it, got {names}")
        (name,) = names
        with archive.open(name) as file:
            is_one_paper_a_line = b'"paper_id"' in file.readline(1 << 16)
            file.seek(0)
            if is_one_paper_a_line:
                papers = read_lines(path, file, Abstract)
            else:
                papers = _read_by_id(file.read())
            for paper in papers:
                yield paper.to_doc()


def _read_by_id(content: bytes) -> Iterator[Abstract]:
    """Yield the papers of one object; a paper may lack its id, which is its key."""
    for paper_id, paper in msgspec.json.decode(content, type=dict[str, dict]).items():
        yield msgspec.convert({"paper_id": paper_id, **paper}, Abstract)
