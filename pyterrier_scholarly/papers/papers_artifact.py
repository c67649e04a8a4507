"""A library of your own papers: prepared once, asked often.

papers = Papers.build("my-library", "export.bib")
found = papers.search("smith2019", facet="method")
found.explain().to_html("why.html")
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import ir_datasets
import pandas as pd
import pyterrier as pt

from ..arguments import Count, FilePath, check_arguments
from ..choices import some
from ..collect import write_collection
from ..encoders import EncoderLike, PassageEncoder, as_passage_encoder, is_hub_name, is_lsa
from ..folders import Damaged
from .library_docs import LibraryDocs
from .library_folder import (
    ARTIFACT_FORMAT,
    ARTIFACT_TYPE,
    STATES,
    check_own_folder,
    measure_folder,
    read_current,
    writing,
)
from .library_pools import draw_pairs, make_topics
from .library_retriever import LibraryRetriever
from .library_search import FoundInLibrary, search_state
from .library_state import LibraryState
from .library_writer import LibraryWriter
from .long_work import ask_at_terminal
from .paper_merging import MergeCounts, list_remarks
from .paper_query import IdOrText
from .paper_record import Remark, UnreadRecord
from .paper_store import PaperDoc
from .sources import Source

MOST_TRIES = 10  # to open a state, while another process publishes the next one


@dataclass(frozen=True)
class LibraryInfo:
    """What is in a library.

    Attributes:
        papers, sentences: how many.
        without_abstract: ids of papers that are ranked by their title.
        without_title: ids of papers that have an abstract alone.
        duplicates: records that were left out, because their paper was there already.
        unread: what the last source had and could not be read.
        remarks: what was merged, got another id, or was read otherwise than it stands, of all
            sources; at most 1,000.
        encoder: name of the model; None if papers are compared by words.
        bytes: of all files.
    """

    papers: int
    sentences: int
    without_abstract: tuple[str, ...]
    without_title: tuple[str, ...]
    duplicates: int
    unread: tuple[UnreadRecord, ...]
    remarks: tuple[Remark, ...]
    encoder: str | None
    bytes: int

    def __str__(self) -> str:
        lines = [
            f"{self.papers:,} papers with {self.sentences:,} sentences, {self.bytes:,} bytes",
            f"compared by {_describe_encoder(self.encoder)}",
            f"without an abstract, ranked by title: {_count_and_name(self.without_abstract)}",
            f"without a title: {_count_and_name(self.without_title)}",
            f"duplicates left out: {self.duplicates:,}",
            f"merged, renamed or read otherwise than it stands: {len(self.remarks):,}",
            *list_remarks(self.remarks),
            f"not read from the last source: {len(self.unread):,}",
            *list_remarks(self.unread),
        ]
        return "\n".join(lines)


class Papers(pt.Artifact):
    """A folder with your own papers, ready to be asked: by one of them, by a text, by a facet.

    It stands wherever a dataset does: ``PaperLoader(papers)``, ``FacetQuery(papers)``. Its
    documents have `title`, `text`, `sentences`, `labels`, `year`, `doi`, `authors`, `venue` and
    `url`.

    Args:
        path: the folder that `build` wrote.
        encoder: what it was built with; needed only if that was an object, or a model's folder that
            is elsewhere now, and only for texts that ask, and to add papers.

    Raises:
        FileNotFoundError: there is no library.
        ValueError: it was built with another encoder.
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
        self._check_encoder()

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
            encoder: see `SentenceMaxSim`; None or ``"lsa"`` for `LSA` of the papers, which compares
                them by their words, without a download.
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
                    f"{folder} is a library: add papers, Papers({str(path)!r}).add(source), or "
                    "choose another folder."
                )
            # without an encoder, a library keeps `LSA` of its papers
            writer = LibraryWriter(folder, None if is_lsa(encoder) else encoder, verbose, confirm)
            counts = writer.merge_source(source, None, strict)
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
            writer = LibraryWriter(self._folder, self._choose_encoder(), verbose, confirm)
            self.last_counts = writer.merge_source(source, self._open(), strict)
        return self.last_counts

    @check_arguments
    def remove(self, ids: Sequence[str | int], *, verbose: bool = True) -> int:
        """Remove papers by their ids; return how many.

        Raises:
            ValueError: the library has no such paper, or would be empty.
        """
        id_list = [ids] if isinstance(ids, str) else ids
        distinct_ids = {str(paper_id) for paper_id in id_list}

        with writing(self._folder):
            writer = LibraryWriter(self._folder, self._choose_encoder(), verbose)
            writer.remove_papers(distinct_ids, self._open())
        return len(distinct_ids)

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
                4,000 of a larger one: the nearest 2,000, and others at random.

        Returns:
            `FoundPapers` with ``explain()`` and ``to_html()``.

        Raises:
            ValueError: an empty query, a mistyped id, an unknown facet.
        """
        found = search_state(self._open(), query, facet, num_results, depth)
        current = read_current(self._folder)
        left_out = [f"{place}: {reason}" for place, reason in (*current.remarks, *current.unread)]
        return replace(found, left_out=tuple(left_out))

    @check_arguments
    def pipeline(
        self, facet: str | None = None, num_results: Count = 1000, *, depth: Count | None = None
    ) -> pt.Transformer:
        """Return a retriever over the library: from topics to a ranking for each.

        Columns in: `qid`, and one of `query_docno` (the id of a paper), `paper_id` (the same, as
        the topics of a collection of the library have it) and `query` (a text); the first of them
        that is present asks. Columns out: the same, `docno`, `title`, `score` and `rank`.

        It ranks the whole library, where `systems` and `reproduce` rank the pools of a dataset:
        ``papers.pipeline() >> Pool(dataset).restrict()`` keeps a topic's pool.

        Args:
            facet, num_results, depth: see `search`. A column `facet` of topics plays no part.

        The pipeline raises ValueError for a `query_docno` or `paper_id` that is no id of the
        library, and warns if a `query` is the title of one of its papers.
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
        """Draw pools to be judged: for each of some papers, k others from each system.

        Args:
            ids: of the papers that ask.
            facet: of their sentences, see `search`.
            k: papers that each system adds: its best that no system before it has drawn, see
                `make_pools`.
            systems: by name, from topics with `qid`, `query` and `query_docno` to results. None
                for two: by the facet, and by whole papers.

        Returns:
            Frame with a row for each pair, as `write_grading` and `judge` take it: `qid`, `query`
            (the title), `query_text` (the abstract), `paper_id` (what asks), `facet`, `docno`,
            `title`, `text`, `sources`. Rows of a query are shuffled: their order tells no rank.

        Raises:
            ValueError: the library has no such paper; a paper has no sentence of the facet.
        """
        state = self._open()
        topics = make_topics(state, [str(paper_id) for paper_id in ids], facet)
        if systems is None:
            systems = {"facet": self.pipeline(facet), "whole papers": self.pipeline()}
        runs = {name: system.transform(topics) for name, system in systems.items()}
        return draw_pairs(state, topics, runs, k)

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

    def info(self) -> LibraryInfo:
        """Return what is in the library."""
        state = self._open()
        current = read_current(self._folder)
        without_abstract = [document.doc_id for document in state.documents if not document.text]
        without_title = [document.doc_id for document in state.documents if not document.title]
        return LibraryInfo(
            papers=len(state.doc_ids),
            sentences=len(state.vectors),
            without_abstract=tuple(without_abstract),
            without_title=tuple(without_title),
            duplicates=current.duplicates,
            unread=tuple(UnreadRecord(*item) for item in current.unread),
            remarks=tuple(Remark(*item) for item in current.remarks),
            encoder=current.encoder,
            bytes=measure_folder(self._folder),
        )

    @property
    def ids(self) -> list[str]:
        """The ids of all papers, in the library's order."""
        return list(self._open().doc_ids)

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
        return ir_datasets.Dataset(LibraryDocs(self._open))

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
                    raise Damaged(
                        f"{folder} is incomplete. Restore it from a copy, or build the library "
                        "again from its sources."
                    ) from None
                continue  # another process has published the next state meanwhile
            return self._state
        raise RuntimeError(f"{self._folder} changes all the time: let one process write at a time")

    def _check_encoder(self) -> None:
        """Raise ValueError if the library was built with another encoder than was passed.

        A folder may be a copy of the library's model, and an object may be that model: both pass.
        """
        encoder = self._encoder
        name = read_current(self._folder).encoder  # an error if no library is there
        if encoder is None:
            return

        is_other = is_lsa(encoder) != (name is None)
        if name and is_hub_name(encoder):
            is_other = encoder != name
        if is_other:
            raise ValueError(
                f"{self._folder} compares papers by {_describe_encoder(name)}, not by {encoder!r}. "
                "Leave `encoder` out, or build another library with it."
            )

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


def _describe_encoder(name: str | None) -> str:
    """Return what papers are compared by. name: see `CurrentState`."""
    if name is None:
        return "words"
    return name or "an object"


def _count_and_name(ids: Sequence[str]) -> str:
    """Return the number of papers, and the first ids."""
    return f"{len(ids):,} ({some(ids)})" if ids else "0"
