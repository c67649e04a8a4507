"""The files of CSFCube's release, read as they are."""

import csv
import json
from functools import cached_property

from ir_datasets_ext._csfcube_records import CsfcubeDoc, CsfcubePoolSource
from ir_datasets_ext._facets import FACETS


class Release:
    """A collection in the layout of CSFCube's release.

    name: the collection's id, its namespace, and its folder under ir_datasets' home.
    find_sources: a function that gives a dict of `Source` with the keys docs, queries, splits,
        pool, and annotations/<facet> for each facet; called when a file is first needed.
    """

    def __init__(self, name, find_sources):
        self.name = name
        self._find_sources = find_sources

    @cached_property
    def sources(self):
        """The files by key; tests and mirrors may set another `url` on them."""
        return self._find_sources()

    def docs(self):
        """Yield the papers as CsfcubeDoc, in the order of the file, which must be there already."""
        path = self.sources["docs"].place()
        with path.open(encoding="utf-8") as lines:
            yield from papers_of_lines(path, lines)

    def annotations(self, facet):
        """Return, per query paper, its `cands` and the columns of ratings beside them."""
        key = f"annotations/{facet}"
        annotations = self._json(key)
        for paper, columns in annotations.items():
            for column, values in columns.items():
                if len(values) != len(columns["cands"]):
                    raise ValueError(
                        f"{self.sources[key].path()}: query {paper} has {len(columns['cands'])} "
                        f"candidates and {len(values)} values of {column}: expected one for each"
                    )
        return annotations

    def pool(self):
        """Yield the pools with their sources as CsfcubePoolSource, in the file's order."""
        for paper, pool in self._json("pool").items():
            for candidate, sources in zip(pool["cands"], pool["cand_source"], strict=True):
                yield CsfcubePoolSource(paper, candidate, tuple(sources))

    def splits(self):
        """Return, per facet and for `all`, the parts: lists of `<paper>_<facet>` by name."""
        return self._json("splits")

    def query_papers(self):
        """Return (year, type of paper) by (paper, facet)."""
        with self._open("queries") as file:
            return {
                (row["pid"], row["facet"]): (int(row["year"] or 0), row["paper type"])
                for row in csv.DictReader(file)
            }

    def _json(self, key):
        with self._open(key) as file:
            try:
                return json.load(file)
            except ValueError as error:
                raise ValueError(
                    f"{file.name} is not valid JSON ({error}): delete the file to download the "
                    "release's"
                ) from error

    def _open(self, key):
        path = self.sources[key].path()
        self.sources[key].check()
        return path.open(encoding="utf-8", newline="")


def papers_of_lines(path, lines):
    """Yield CsfcubeDoc from JSON lines; ValueErrors name `path`, where they stand, and the line."""
    yield from papers(path, (("line", number, line) for number, line in enumerate(lines, 1)))


def papers(path, found):
    """Yield CsfcubeDoc from (unit, place, paper as JSON or as dict) that `path` holds."""
    for unit, place, paper in found:
        try:
            yield _doc(paper if isinstance(paper, dict) else json.loads(paper))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ValueError(
                f"{path}, {unit} {place} is no paper with paper_id, title, abstract, "
                f"pred_labels and metadata ({type(error).__name__}: {error}): delete the "
                "file to download the release's"
            ) from error


def annotation_keys(facets=FACETS):
    """Return the keys of the annotation files of `facets`."""
    return [f"annotations/{facet}" for facet in facets]


def _doc(paper):
    sentences, labels = paper["abstract"], paper["pred_labels"]
    if len(sentences) != len(labels):
        raise ValueError(f"{len(sentences)} sentences and {len(labels)} labels")
    metadata = paper["metadata"]
    return CsfcubeDoc(
        doc_id=paper["paper_id"],
        title=paper["title"],
        text=" ".join(sentences),
        sentences=tuple(sentences),
        labels=tuple(label.removesuffix("_label") for label in labels),
        year=int(metadata.get("year") or 0),
        authors=tuple(_author(author) for author in metadata.get("authors") or ()),
        venue=metadata.get("venue") or "",
        doi=metadata.get("doi") or "",
    )


def _author(author):
    """Return a name, from a string or from S2ORC's form: first, middle (a list), last, suffix."""
    if isinstance(author, str):
        return author
    parts = [author.get("first"), *author.get("middle", ()), author.get("last")]
    return " ".join(part for part in [*parts, author.get("suffix")] if part)
