"""The 800,000 abstracts that CSFCube's pools were drawn from (Mysore et al. 2021, section 3).

arXiv's computer-science papers with full text, and the papers they cite, from S2ORC; with the
queries and judgements of CSFCube. <https://doi.org/10.6084/m9.figshare.14796339>, CC BY-NC 4.0.

::

    ir_datasets.load("csfcube/s2orc").docs_store().get("1198964").title
"""

import lzma
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from ir_datasets_ext import csfcube
from ir_datasets_ext.built_documents import StoredDocs
from ir_datasets_ext.csfcube.records import CsfcubeDoc
from ir_datasets_ext.handlers import ScholarlyDataset, make_released_datasets
from ir_datasets_ext.releases import Release
from ir_datasets_ext.store.origin import Origin
from ir_datasets_ext.typed_records import Type, convert, first_line, read_lines, reading_error

NAME = f"{csfcube.NAME}/s2orc"
RELEASE = Release(NAME, __name__, csfcube.NOTICE)
#: what Python raises for an archive that cannot be read
ARCHIVE_ERRORS: tuple[type[Exception], ...] = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    RuntimeError,  # it is encrypted
    NotImplementedError,  # its compression is unknown
)


def datasets() -> dict[str, ScholarlyDataset]:
    """Return the datasets by id: the documents, and queries and qrels of each facet and of `all`.

    There are no candidates: CSFCube's pools are for reranking, and these datasets are for ranking
    all documents. No figure of such a ranking was published. Report how many of the relevant papers
    it has, and how much of it was judged.
    """
    docs = StoredDocs(
        csfcube.NAME, f"{csfcube.NAME}/docs-s2orc", _list_files, _read_docs, CsfcubeDoc
    )
    # id below NAME -> the dataset's components; "" is `csfcube/s2orc` itself, whose queries raise
    # an error that says to choose a facet
    parts: dict[str, tuple[object, ...]] = {
        "": (docs, csfcube.refuse_queries(NAME, csfcube.RELEASE)),
    }
    for facet in csfcube.FACET_PARTS:
        subset = csfcube.Subset(csfcube.RELEASE, docs, f"{NAME}/{facet}", facet)
        parts[facet] = (docs, *csfcube.make_judgements(subset))
    return make_released_datasets(RELEASE, parts)


def read_abstracts(path: Path) -> Iterator[CsfcubeDoc]:
    """Yield the papers of a zip archive in its order, reading one paper at a time.

    Its only JSON file has a paper in each line, or one object with the papers by id. Descriptions
    of this archive name both forms.
    """
    import ijson

    from ir_datasets_ext.csfcube.release import Paper

    try:
        with zipfile.ZipFile(path) as archive:
            name = _find_json_file(path, archive.namelist())
            with archive.open(name) as file:  # its beginning only
                is_by_id = _is_by_id(file, Paper.__struct_fields__)

            read_papers = _read_papers_by_id if is_by_id else read_lines
            with archive.open(name) as file:
                for paper in read_papers(path, file, Paper):
                    yield paper.to_record()
    except (*ARCHIVE_ERRORS, ijson.JSONError) as error:
        reason = f"{type(error).__name__}: {first_line(error)}"
        problem = f"expected a whole zip archive without a password, got {reason}"
        raise reading_error(path, "", "", problem) from error


def _list_files() -> list[Origin]:
    """Return the files that the documents are made from."""
    return [*RELEASE.files("docs"), *csfcube.RELEASE.files("docs")]


def _read_docs() -> Iterator[CsfcubeDoc]:
    """Yield the archive's documents in its order, then CSFCube's that are missing there.

    CSFCube's own 4,205 are taken from its release, where the labels of query papers were corrected
    by hand. So queries and judged papers are the same in both collections.
    """
    from ir_datasets_ext.csfcube.release import read_docs

    csfcube_docs = {doc.doc_id: doc for doc in read_docs(csfcube.RELEASE)}
    missing_docs = dict(csfcube_docs)  # in the archive; in CSFCube's order
    for doc in read_abstracts(RELEASE.place("docs")):
        missing_docs.pop(doc.doc_id, None)
        yield csfcube_docs.get(doc.doc_id, doc)
    yield from missing_docs.values()


def _find_json_file(path: Path, names: Sequence[str]) -> str:
    """Return the name of the only JSON file in an archive; raise ValueError if there is no such."""
    json_names = [
        name
        for name in names
        if name.endswith((".json", ".jsonl")) and not name.startswith("__MACOSX/")
    ]
    if len(json_names) != 1:
        listed = ", ".join(names) or "nothing"
        raise reading_error(path, "", "", f"expected one .json or .jsonl file in it, got {listed}")
    return json_names[0]


def _is_by_id(file: IO[bytes], paper_fields: Sequence[str]) -> bool:
    """Return whether a JSON file is one object of papers by id; else each line is a paper.

    paper_fields: names of a paper's fields, which no id is.
    """
    import ijson

    for _, event, key in ijson.parse(file, multiple_values=True):
        if event == "map_key":  # the file's first key decides: a paper's id, or a field's name
            return key not in paper_fields
        if event == "end_map":  # an empty object: no key at all
            return False
    return False


def _read_papers_by_id(path: Path, file: IO[bytes], layout: type[Type]) -> Iterator[Type]:
    """Yield the papers of one object; a paper may lack its id, which is its key."""
    import ijson

    for key, paper in ijson.kvitems(file, "", use_float=True):
        if isinstance(paper, dict):
            paper = {"paper_id": key, **paper}
        yield convert(paper, layout, path, f"paper {key}")
