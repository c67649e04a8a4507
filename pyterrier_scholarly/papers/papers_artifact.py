"""A library of your own papers: prepared once, asked often.

papers = Papers.build("my-library", "export.bib")
found = papers.search("smith2019", facet="method")
found.explain().to_html("why.html")
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import ir_datasets
import pandas as pd
import pyterrier as pt
from ir_datasets.formats import BaseDocs

from ir_datasets_ext.docstore import Documents, DocumentStore
from ir_datasets_ext.store import Unidentified, fingerprint

from .. import frames
from ..arguments import Count, FilePath, check_arguments
from ..collect import make_pools, write_collection
from ..encoders import EncoderLike, PassageEncoder, as_passage_encoder
from ..progress import progress
from ..transformers.step import Step
from .library_folder import (
    ARTIFACT_FORMAT,
    ARTIFACT_TYPE,
    STATES,
    CurrentState,
    check_own_folder,
    measure_folder,
    publish,
    read_current,
    writing,
)
from .library_search import FoundInLibrary, search_state
from .library_state import LibraryState, PaperDoc
from .paper_merging import MergeCounts, merge_papers
from .paper_query import IdOrText, suggest_ids
from .paper_record import PaperRecord, UnreadRecord
from .sources import Source, read_source
from .state_building import (
    BY_WORDS_IDENTITY,
    UNIDENTIFIED,
    BuildSettings,
    ask_at_terminal,
    build_state,
)

MOST_TRIES = 10  # to open a state, while another process publishes the next one


@dataclass(frozen=True)
class LibraryInfo:
    """What is in a library.

    Attributes:
        papers, sentences: how many.
        without_abstract: papers that are ranked by their title.
        duplicates: records that were left out, because their paper was there already.
        unread: what the last source had and could not be read.
        encoder: name of the model; None if papers are compared by words.
        bytes: of all files.
    """

    papers: int
    sentences: int
    without_abstract: int
    duplicates: int
    unread: tuple[UnreadRecord, ...]
    encoder: str | None
    bytes: int


class Papers(pt.Artifact):
    """A folder with your own papers, ready to be asked: by one of them, by a text, by a facet.

    It stands wherever a dataset does: ``Sentences(papers)``, ``FacetQuery(papers)``. Its documents
    have `title`, `text`, `sentences`, `labels`, `year`, `doi`, `authors`, `venue` and `url`.

    Args:
        path: the folder that `build` wrote.
        encoder: what it was built with, if that was an object, or a model's folder that is
            elsewhere now; needed only for texts that ask, and to add papers.

    Raises:
        FileNotFoundError: there is no library.
    """

    ARTIFACT_TYPE = ARTIFACT_TYPE
    ARTIFACT_FORMAT = ARTIFACT_FORMAT
    ARTIFACT_PACKAGE_HINT = "pyterrier-scholarly"

    @check_arguments
    def __init__(self, path: FilePath, encoder: EncoderLike | None = None) -> None:
        super().__init__(str(path))
        self._encoder = encoder
        self._state: LibraryState | None = None
        self.last_counts = MergeCounts()  #: of the last `build` or `add` of this object
        read_current(self._folder)

    @classmethod
    @check_arguments
    def build(
        cls,
        path: FilePath,
        source: Source,
        encoder: EncoderLike | None = None,
        *,
        strict: bool = False,
        verbose: bool = True,
        confirm: Callable[[str], bool] = ask_at_terminal,
    ) -> "Papers":
        """Build a library in a new folder; an interrupted build is resumed by the same call.

        Args:
            path: the folder.
            source: see `read_source`.
            encoder: see `SentenceMaxSim`; None compares papers by their words, without a download.
            strict: raise an error for the first thing that cannot be read; otherwise it is left
                out, see `info`.
            verbose: show progress, and the plan of long work.
            confirm: called with the plan of work above an hour; returns whether to go on. The
                default asks if somebody sits at a terminal.

        Raises:
            FileExistsError: the folder is a library, or has other files.
            ValueError: nothing in the source can be read, see `read_source`; with `strict`, a
                record cannot.
        """
        folder = Path(path)
        check_own_folder(folder)
        with writing(folder):
            try:
                read_current(folder)
            except FileNotFoundError:
                pass
            else:
                raise FileExistsError(
                    f"{folder} is a library: add papers by Papers({str(path)!r}).add(source), or "
                    "choose another folder."
                )
            building = _Building(folder, encoder, strict, verbose, confirm)
            counts = building.merge(source, None)
        papers = cls(path, encoder)
        papers.last_counts = counts
        return papers

    @check_arguments
    def add(
        self,
        source: Source,
        *,
        strict: bool = False,
        verbose: bool = True,
        confirm: Callable[[str], bool] = ask_at_terminal,
    ) -> MergeCounts:
        """Add papers, and replace those whose id the library has; only what is new is encoded.

        Args:
            source, strict, verbose, confirm: see `build`.

        Returns:
            How many papers were added, changed, and so on.
        """
        with writing(self._folder):
            building = _Building(self._folder, self._choose_encoder(), strict, verbose, confirm)
            self.last_counts = building.merge(source, self._open())
        return self.last_counts

    @check_arguments
    def remove(self, ids: Sequence[str | int], *, verbose: bool = True) -> None:
        """Remove papers by their ids.

        Raises:
            ValueError: the library has no such paper, or would be empty.
        """
        removed_ids = {str(paper_id) for paper_id in ([ids] if isinstance(ids, str) else ids)}
        with writing(self._folder):
            state = self._open()
            for paper_id in sorted(removed_ids):
                if paper_id not in state.row_of_id:
                    raise ValueError(describe_missing_paper(paper_id, state.doc_ids))
            records = [
                document.to_record()
                for document in state.documents
                if document.doc_id not in removed_ids
            ]
            building = _Building(
                self._folder, self._choose_encoder(), False, verbose, ask_at_terminal
            )
            building.publish_state(records, state, read_current(self._folder))

    @check_arguments
    def search(
        self,
        query: IdOrText,
        facet: str | None = None,
        num_results: Count = 10,
        *,
        depth: Count | None = None,
    ) -> FoundInLibrary:
        """Rank papers by what they share with one of them, or with a text.

        Args:
            query: the id of a paper of the library, which is then left out; or a text. See
                `search_papers`.
            facet: *background*, *method* or *result*: only the query's sentences of this facet
                ask. See `search_papers`.
            num_results: papers in the ranking, at most.
            depth: candidates that are ranked; None for all papers of a library of up to 5,000, and
                4,000 of a larger one: the nearest 1,000, and others at random.

        Returns:
            `FoundPapers` with ``explain()`` and ``to_html()``.

        Raises:
            ValueError: an empty query, a mistyped id, an unknown facet.
        """
        return search_state(self._open(), query, facet, num_results, depth)

    @check_arguments
    def pipeline(
        self, facet: str | None = None, num_results: Count = 1000, *, depth: Count | None = None
    ) -> pt.Transformer:
        """Return a retriever over the library: from topics to a ranking for each.

        Columns in: `qid`, and `query` (a text) or `query_docno` (the id of a paper). Columns out:
        the same, `docno`, `title`, `score` and `rank`.

        Args:
            facet, num_results, depth: see `search`.
        """
        return LibraryRetriever(self, facet, num_results, depth)

    @check_arguments
    def pool(
        self,
        ids: Sequence[str | int],
        facet: str | None = None,
        k: Count = 10,
        systems: Mapping[str, pt.Transformer] | None = None,
    ) -> pd.DataFrame:
        """Draw pools to be judged: for each of some papers, the k best of each system.

        Args:
            ids: of the papers that ask.
            facet: of their sentences, see `search`.
            k: papers of each system, see `make_pools`.
            systems: by name, from topics with `qid`, `query` and `query_docno` to results. None
                for two: by the facet, and by whole papers.

        Returns:
            Frame with a row for each pair, as `write_grading` and `judge` take it: `qid`, `query`
            (the title), `paper_id` (what asks), `facet`, `docno`, `title`, `text`, `sources`.

        Raises:
            ValueError: the library has no such paper.
        """
        topics = self._make_topics([str(paper_id) for paper_id in ids], facet or "")
        if systems is None:
            systems = {"facet": self.pipeline(facet), "whole papers": self.pipeline()}
        runs = {name: system.transform(topics) for name, system in systems.items()}
        pools = make_pools(runs, k)

        document_of_id = self._open().documents.get_many(pools["docno"].unique().tolist())
        candidates = pools.assign(
            title=[document_of_id[docno].title for docno in pools["docno"]],
            text=[document_of_id[docno].text for docno in pools["docno"]],
        )
        queries = topics.rename(columns={"query_docno": "paper_id"})
        pairs = queries.merge(candidates, on="qid")
        return pairs[["qid", "query", "paper_id", "facet", "docno", "title", "text", "sources"]]

    @check_arguments
    def write_collection(
        self,
        where: str | Path,
        pairs: pd.DataFrame,
        judged: pd.DataFrame,
        *,
        description: str,
        licence: str,
        **more: Any,
    ) -> Path:
        """Write the library with judged pools as a collection, such as ``made/mine``.

        Args:
            where, description, licence, more: see `write_collection`.
            pairs: of `pool`.
            judged: frame of `qid`, `docno` and `label`, as `judge` and `read_grading` return it.

        Returns:
            The folder. The collection is a dataset from then on, for `reproduce` and all others.
        """
        queries = pairs[["qid", "query", "paper_id", "facet"]].drop_duplicates("qid")
        pools = pairs[["qid", "docno", "sources"]]
        qrels = judged[["qid", "docno", "label"]]
        return write_collection(
            where, self, queries, pools, qrels, description=description, licence=licence, **more
        )

    def _make_topics(self, ids: Sequence[str], facet: str) -> pd.DataFrame:
        """Return topics of papers: `qid`, `query` (the title), `query_docno`, `facet`."""
        state = self._open()
        topics = []
        for paper_id in ids:
            if paper_id not in state.row_of_id:
                raise ValueError(describe_missing_paper(paper_id, state.doc_ids))
            title = state.documents.get(paper_id).title
            qid = f"{paper_id}_{facet}" if facet else paper_id
            topics.append({"qid": qid, "query": title, "query_docno": paper_id, "facet": facet})
        return pd.DataFrame(topics)

    def info(self) -> LibraryInfo:
        """Return what is in the library."""
        state = self._open()
        current = read_current(self._folder)
        without_abstract = sum(not document.text for document in state.documents)
        return LibraryInfo(
            papers=len(state.doc_ids),
            sentences=len(state.vectors),
            without_abstract=without_abstract,
            duplicates=current.duplicates,
            unread=tuple(UnreadRecord(*item) for item in current.unread),
            encoder=current.encoder,
            bytes=measure_folder(self._folder),
        )

    @property
    def encoded_papers(self) -> int:
        """How many papers and texts were encoded to answer queries since the library was opened."""
        return self._open().encoder.encoded_papers

    def irds_ref(self) -> ir_datasets.Dataset:
        """Return the papers as a dataset of ir_datasets; so they stand wherever a dataset does."""
        return self._dataset

    def __len__(self) -> int:
        return self._open().documents.count()

    def __iter__(self) -> Iterator[PaperDoc]:
        return iter(self._open().documents)

    def __repr__(self) -> str:
        return f"Papers({str(self.path)!r})"

    @property
    def _folder(self) -> Path:
        return Path(self.path)  # type: ignore[arg-type]  # never without a path

    @cached_property
    def _dataset(self) -> ir_datasets.Dataset:
        return ir_datasets.Dataset(LibraryDocs(self))

    def _open(self) -> LibraryState:
        """Return the current state; another one once a process has published it."""
        for _ in range(MOST_TRIES):
            current = read_current(self._folder)
            folder = self._folder / STATES / current.state
            if self._state is not None and self._state.folder == folder:
                return self._state
            try:
                self._state = LibraryState(folder, self._load_encoder)
            except FileNotFoundError:
                if read_current(self._folder) == current:
                    raise
                continue  # another process has published the next state meanwhile
            return self._state
        raise RuntimeError(f"{self._folder} changes all the time: let one process write at a time")

    def _choose_encoder(self) -> EncoderLike | None:
        """Return the encoder that the library was built with; None for one by words."""
        name = read_current(self._folder).encoder
        if name is None:
            return None
        if self._encoder is not None:  # such as the model's folder on another machine
            return self._encoder
        if name == "":
            raise ValueError(
                f"{self._folder} was built with an encoder that is an object, not a name: pass it, "
                f"Papers({str(self.path)!r}, encoder=…)."
            )
        return name

    def _load_encoder(self) -> PassageEncoder:
        encoder = self._choose_encoder()
        assert encoder is not None  # a library by words has its own
        return as_passage_encoder(encoder)


@dataclass
class _Building:
    """One call that changes a library, which this process has locked."""

    folder: Path
    encoder: EncoderLike | None
    strict: bool
    verbose: bool
    confirm: Callable[[str], bool]

    def merge(self, source: Source, earlier: LibraryState | None) -> MergeCounts:
        """Merge a source into the library, and publish the new state."""
        current = CurrentState("", _name_encoder(self.encoder))
        present: list[PaperRecord] = []
        if earlier is not None:
            current = read_current(self.folder)
            present = [document.to_record() for document in earlier.documents]

        with progress("reading", verbose=self.verbose):
            merged = merge_papers(present, read_source(source), self.strict)
        if not merged.records:
            first = merged.unread[0] if merged.unread else UnreadRecord("the source", "it is empty")
            raise ValueError(f"No paper can be read: {first.place}: {first.reason}.")

        current.duplicates += merged.counts.duplicates
        current.unread = [list(record) for record in merged.unread]
        self.publish_state(merged.records, earlier, current)
        return merged.counts

    def publish_state(
        self,
        records: Sequence[PaperRecord],
        earlier: LibraryState | None,
        current: CurrentState,
    ) -> None:
        """Build the state of these records, and make it the current one."""
        if not records:
            raise ValueError("The library would be empty: remove its folder instead.")

        encoder = None
        if self.encoder is not None:
            encoder = as_passage_encoder(self.encoder)
        settings = BuildSettings(encoder, _identify(encoder), self.verbose, self.confirm)
        state_folder = build_state(records, self.folder, settings, earlier)
        current.state = state_folder.name
        publish(self.folder, current)


def describe_missing_paper(paper_id: str, ids: Sequence[str]) -> str:
    """Say that a library has no such paper, and which ids are near."""
    return f"The library has no paper {paper_id!r}. {suggest_ids(paper_id, ids)}"


def _name_encoder(encoder: EncoderLike | None) -> str | None:
    """Return how a library names its encoder, see `CurrentState`."""
    if encoder is None or isinstance(encoder, str):
        return encoder
    return ""


def _identify(encoder: PassageEncoder | None) -> str:
    """Return a text that changes with an encoder's embeddings, if they can be identified."""
    if encoder is None:
        return BY_WORDS_IDENTITY
    try:
        return fingerprint(encoder)
    except Unidentified:
        return UNIDENTIFIED


@dataclass(eq=False, repr=False)
class LibraryRetriever(Step):
    """Retrieve papers of a library; see `Papers.pipeline`."""

    papers: Papers
    facet: str | None = None
    num_results: Count = 1000
    depth: Count | None = field(default=None, kw_only=False)

    def transform(self, topics: pd.DataFrame) -> pd.DataFrame:
        """Rank papers for each topic."""
        topics = frames.check(
            topics, self, ["qid", "query"], ["qid", "query_docno"], without=["docno"]
        )
        asked_column = "query_docno" if "query_docno" in topics else "query"
        rankings = []
        for position, query in enumerate(topics[asked_column]):
            found = self.papers.search(query, self.facet, self.num_results, depth=self.depth)
            scored = found.ranking[["docno", "title", "score"]]
            topic = topics.iloc[[position]].drop(columns=[*scored.columns, "rank"], errors="ignore")
            rankings.append(topic.merge(scored, how="cross"))

        if not rankings:
            empty = pd.Series([], dtype=object)
            return frames.ranked(topics.assign(docno=empty, title=empty, score=0.0))
        return frames.ranked(pd.concat(rankings, ignore_index=True))


class LibraryDocs(BaseDocs):
    """The documents of a library, as ir_datasets asks for them; they follow its current state."""

    def __init__(self, papers: Papers) -> None:
        self._papers = papers

    def docs_iter(self) -> Documents:
        """Iterate over the papers; ``[i]`` and ``[i:j]`` select parts."""
        return iter(self.docs_store())

    def docs_store(self, options: object = None) -> DocumentStore:
        """Return the store for look-ups by id."""
        return self._papers._open().documents

    def docs_cls(self) -> type[PaperDoc]:
        """Return the class of the documents."""
        return PaperDoc

    def docs_count(self) -> int:
        """Return the number of papers."""
        return len(self._papers)

    def docs_namespace(self) -> str:
        """Return the name of the ids' namespace."""
        return "papers"

    def docs_lang(self) -> str:
        """Return the language."""
        return "en"
