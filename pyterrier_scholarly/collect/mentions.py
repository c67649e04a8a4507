"""Sample citation mentions from papers' full texts, as LitSearch did [Ajith2024, 2.1].

sampled = sample_citation_mentions("my-papers/", papers, 500)
asked = questions_from_citations(sampled.frame, papers, client)
"""

import heapq
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

from .. import frames
from ..arguments import Count, Seed, check_arguments
from ..progress import counted
from ..text import mark_citations
from .target_papers import TargetFinder

if TYPE_CHECKING:
    from .full_texts import FullText, Source, TextParagraph

NAME = "sample_citation_mentions"
COLUMNS = ["paragraph_id", "text", "citations", "source", "source_id", "section"]
#: values of `source`, as `drop_overlapping` has limits for them
ACL, OTHER = "inline-acl", "inline-nonacl"


@dataclass(frozen=True)
class MentionCounts:
    """What was met while mentions were sampled.

    papers, paragraphs: read.
    mentions: citations in these paragraphs.
    of_targets: of these, citations of one of the target papers.
    damaged: paragraphs that were skipped because citations of targets overlap, lie outside of the
        text, or because the text has keys such as ``{cite_001}``.
    candidates: paragraphs with a citation of a target, from which the sample was drawn.
    """

    papers: int
    paragraphs: int
    mentions: int
    of_targets: int
    damaged: int
    candidates: int

    def __str__(self) -> str:
        return (
            f"{self.papers:,} papers, {self.paragraphs:,} paragraphs, {self.mentions:,} citations, "
            f"{self.of_targets:,} of them of target papers, in {self.candidates:,} paragraphs; "
            f"{self.damaged:,} damaged paragraphs were skipped"
        )


class SampledMentions(NamedTuple):
    """Hold sampled paragraphs.

    frame: `paragraph_id` (``<source_id>_<number>``), `text` (target papers' citations are keys such
        as ``{cite_001}``), `citations` (dict from these keys to ids), `source` ("inline-acl" or
        "inline-nonacl"), `source_id` (the citing paper), `section`; in random order.
    counts: `MentionCounts`.
    """

    frame: pd.DataFrame
    counts: MentionCounts


@check_arguments
def sample_citation_mentions(
    source: "Source",
    targets: pd.DataFrame,
    count: Count,
    *,
    acl: Collection[str] = (),
    seed: Seed = 0,
    verbose: bool = True,
) -> SampledMentions:
    """Draw paragraphs that cite target papers, at random, for `questions_from_citations`.

    LitSearch draws citation mentions from S2ORC, that is, paragraphs that mention another paper.
    Targets are papers of the ACL Anthology, sources may be any papers. A paragraph's chance grows
    with the number of its citations of targets: mentions are drawn, and each brings its paragraph.
    The paper does not say how long a paragraph may be, nor whether one paper may give several;
    here there is no limit.

    A citation's paper is found by the id that the full text states, else by its title, if exactly
    one target has it (case, blanks and punctuation do not count).

    Args:
        source: full texts in S2ORC's layouts: a file or folder (``.jsonl``, ``.gz``, ``.json``),
            several, or dicts. Releases of S2ORC and the output of s2orc-doc2json are read, one
            paper at a time.
        targets: frame of `doc_id` and `title`, the papers that questions may be about.
        count: number of paragraphs.
        acl: ids of source papers of the ACL Anthology, besides those whose file says so; their
            paragraphs have the `source` "inline-acl", for which `drop_overlapping` has its limit.
        seed: equal seeds, papers and targets give equal samples, in whatever order papers come.
        verbose: show progress.

    Returns:
        `SampledMentions`, with fewer paragraphs if there are not as many.

    Raises:
        FileNotFoundError: a file or folder that does not exist.
        ValueError: `count` below 1, no citation of a target, a file of another layout.
    """
    from .full_texts import read_full_texts

    targets = frames.check(targets, NAME, ["doc_id", "title"], keys=["doc_id"])
    finder = TargetFinder(targets["doc_id"], targets["title"])
    acl_ids = frozenset(acl)

    tally = Tally()
    sample = LowestKeys(count)
    papers = counted(read_full_texts(source), "citations", "paper", verbose=verbose)
    for paper in papers:
        for candidate in _find_candidates(paper, finder, acl_ids, tally):
            sample.offer(_draw_key(candidate, seed), candidate)

    counts = tally.read_counts()
    if not counts.candidates:
        raise ValueError(
            f"No paragraph cites a target: {counts}. Check that targets has the ids that the full "
            "texts state, or the titles of their bibliographies."
        )
    rows = [candidate.to_row() for candidate in sample.in_order()]
    return SampledMentions(pd.DataFrame(rows, columns=COLUMNS), counts)


class Candidate(NamedTuple):
    """A paragraph that cites targets.

    starts: where these citations begin in the paragraph, in characters.
    text: the paragraph's, with a key for each of these citations, such as ``{cite_001}``.
    citations: dict from these keys to ids of targets.
    """

    source_id: str
    is_acl: bool
    paragraph: "TextParagraph"
    starts: tuple[int, ...]
    text: str
    citations: dict[str, str]

    @property
    def paragraph_id(self) -> str:
        """The paper's id and the paragraph's number."""
        return f"{self.source_id}_{self.paragraph.number}"

    def to_row(self) -> dict[str, object]:
        """Return the values of COLUMNS."""
        return {
            "paragraph_id": self.paragraph_id,
            "text": self.text,
            "citations": self.citations,
            "source": ACL if self.is_acl else OTHER,
            "source_id": self.source_id,
            "section": self.paragraph.section,
        }


@dataclass
class Tally:
    """The numbers of `MentionCounts` while they are counted."""

    papers: int = 0
    paragraphs: int = 0
    mentions: int = 0
    of_targets: int = 0
    damaged: int = 0
    candidates: int = 0

    def read_counts(self) -> MentionCounts:
        """Return the counts so far."""
        return MentionCounts(**asdict(self))


def _find_candidates(
    paper: "FullText", finder: TargetFinder, acl_ids: Collection[str], tally: Tally
) -> Iterator[Candidate]:
    """Yield the paragraphs of a paper that cite targets, and count what is met in `tally`."""
    tally.papers += 1
    is_acl = bool(paper.acl_id) or paper.paper_id in acl_ids
    for paragraph in paper.paragraphs:
        tally.paragraphs += 1
        tally.mentions += len(paragraph.citations)

        mentions = _find_mentions(paragraph, paper.paper_id, finder)
        tally.of_targets += len(mentions)
        if not mentions:
            continue

        try:
            text, citations = mark_citations(paragraph.text, mentions)
        except ValueError:  # the parser of a PDF file may misplace a citation
            tally.damaged += 1
            continue

        tally.candidates += 1
        starts = tuple(mention.start for mention in mentions)
        yield Candidate(paper.paper_id, is_acl, paragraph, starts, text, citations)


class Mention(NamedTuple):
    """Where a paragraph cites a target, in characters, and the target's id."""

    start: int
    end: int
    doc_id: str


def _find_mentions(
    paragraph: "TextParagraph", paper_id: str, finder: TargetFinder
) -> list[Mention]:
    """Return the citations of targets in a paragraph, except of its own paper."""
    mentions = []
    for citation in paragraph.citations:
        doc_id = finder.find(citation.link, citation.title)
        if doc_id is not None and doc_id != paper_id:
            mentions.append(Mention(citation.start, citation.end, doc_id))
    return mentions


def _draw_key(candidate: Candidate, seed: int) -> int:
    """Return the number by which a paragraph is drawn: the lowest of its mentions' random numbers.

    So a paragraph with two mentions is twice as probable, and the order of papers plays no part.
    """
    name = f"{seed} {candidate.paragraph_id}"
    return min(_hash_number(f"{name} {start}") for start in candidate.starts)


def _hash_number(text: str) -> int:
    """Return a number that is random, but the same for equal texts."""
    digest = blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big")


class LowestKeys:
    """Keep the candidates of the lowest keys, at most `count`; each paragraph once."""

    def __init__(self, count: int) -> None:
        self._count = count
        # negated keys, because heapq has the lowest first and the highest must leave; the id tells
        # equal keys apart
        self._heap: list[tuple[int, str]] = []
        self._candidate_by_id: dict[str, Candidate] = {}

    def offer(self, key: int, candidate: Candidate) -> None:
        """Take the candidate if its key is among the lowest."""
        paragraph_id = candidate.paragraph_id
        if paragraph_id in self._candidate_by_id:  # a paper may stand in two files
            return

        heapq.heappush(self._heap, (-key, paragraph_id))
        self._candidate_by_id[paragraph_id] = candidate
        if len(self._heap) > self._count:
            _, highest_id = heapq.heappop(self._heap)
            del self._candidate_by_id[highest_id]

    def in_order(self) -> list[Candidate]:
        """Return the candidates, the lowest key first."""
        lowest_first = sorted(self._heap, reverse=True)  # the keys are negated
        return [self._candidate_by_id[paragraph_id] for _, paragraph_id in lowest_first]
