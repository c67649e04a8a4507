"""The 800,000 abstracts that CSFCube's pools were drawn from (Mysore et al. 2021, section 3).

arXiv's computer-science papers with full text, and the papers they cite, from S2ORC; with the
queries and judgements of CSFCube. <https://doi.org/10.6084/m9.figshare.14796339>, CC BY-NC 4.0.
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
from ir_datasets_ext.facets import FACETS
from ir_datasets_ext.handlers import ScholarlyDataset, make_released_datasets
from ir_datasets_ext.releases import Release
from ir_datasets_ext.typed_records import Type, convert, first_line, read_lines, reading_error

NAME = f"{csfcube.NAME}/s2orc"
RELEASE = Release(NAME, __name__, csfcube.NOTICE)
DAMAGED: tuple[type[Exception], ...] = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError),
    *(RuntimeError, NotImplementedError),  # encrypted, or an unknown compression
)


def datasets() -> dict[str, ScholarlyDataset]:
    """Return the datasets by id: the documents, and queries and qrels of each facet and of `all`.

    The pools are CSFCube's, so they are not here. No figure of a ranking of all documents was
    published. Report how many of the relevant papers it has, and how much of it was judged.
    """
    docs = StoredDocs(
        csfcube.NAME,
        f"{csfcube.NAME}/docs-s2orc",
        lambda: RELEASE.files("docs") + csfcube.RELEASE.files("docs"),
        _read,
        CsfcubeDoc,
    )
    parts: dict = {"": (docs, csfcube.no_queries(NAME, csfcube.RELEASE))}
    for facet in (*FACETS, "all"):
        subset = csfcube.Subset(csfcube.RELEASE, docs, f"{NAME}/{facet}", facet)
        parts[facet] = (docs, *csfcube.judgements(subset))
    return make_released_datasets(RELEASE, parts)


def _read() -> Iterator[CsfcubeDoc]:
    """Yield the archive's documents in its order, then CSFCube's that are missing there.

    CSFCube's own 4,205 are taken from its release, where the labels of query papers were corrected
    by hand. So queries and judged papers are the same in both collections.
    """
    from ir_datasets_ext.csfcube.release import read_docs

    own = {doc.doc_id: doc for doc in read_docs(csfcube.RELEASE)}
    missing = dict(own)
    for doc in read_abstracts(RELEASE.place("docs")):
        missing.pop(doc.doc_id, None)
        yield own.get(doc.doc_id, doc)
    yield from missing.values()


def read_abstracts(path: Path) -> Iterator[CsfcubeDoc]:
    """Yield the papers of a zip archive in its order, reading one paper at a time.

    Its only JSON file has a paper in each line, or one object with the papers by id. Descriptions
    of this archive name both forms.
    """
    import ijson

    from ir_datasets_ext.csfcube.release import Paper

    try:
        with zipfile.ZipFile(path) as archive:
            name = _json_file(path, archive.namelist())
            with archive.open(name) as file:
                events = ijson.parse(file, multiple_values=True)
                # a key, or None at the end of an object; of papers by id, it is no field of a paper
                keys = (key for _, event, key in events if event in ("map_key", "end_map"))
                by_id = next(keys, None) not in (*Paper.__struct_fields__, None)
            with archive.open(name) as file:
                read = _papers_by_id if by_id else read_lines
                for paper in read(path, file, Paper):
                    yield paper.record()
    except (*DAMAGED, ijson.JSONError) as error:
        what = f"expected a whole zip archive without a password, got {type(error).__name__}"
        raise reading_error(path, "", "", f"{what}: {first_line(error)}") from error


def _json_file(path: Path, names: Sequence[str]) -> str:
    json_names = [
        name
        for name in names
        if name.endswith((".json", ".jsonl")) and not name.startswith("__MACOSX/")
    ]
    if len(json_names) != 1:
        listed = ", ".join(names) or "nothing"
        raise reading_error(path, "", "", f"expected one .json or .jsonl file in it, got {listed}")
    return json_names[0]


def _papers_by_id(path: Path, file: IO[bytes], layout: type[Type]) -> Iterator[Type]:
    import ijson

    for key, paper in ijson.kvitems(file, "", use_float=True):
        named = {"paper_id": key, **paper} if isinstance(paper, dict) else paper
        yield convert(named, layout, path, f"paper {key}")
