"""Tell whether two records are of the same paper.

    >>> earlier = PaperRecord("7", "On pruning trees", "We prune.", 2019, authors=("Ann Oak",))
    >>> later = PaperRecord("", "On Pruning Trees.", "", 2019, authors=("Oak A.",))
    >>> SamePapers([earlier]).find(later)
    ('7', 'by title and year')

A DOI decides: two DOIs are two papers, whatever else is equal. Else title and year do, unless the
authors or the venues contradict; but no title of fewer than three words, and none that many papers
have, such as "Letter to the editor".
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence

from .paper_record import PaperRecord

LEAST_TITLE_WORDS = 3
#: titles that many papers have, with three words or more; in lower case
GENERIC_TITLES = (
    *("letter to the editor", "letters to the editor", "letter from the editor"),
    *("from the editor", "from the editors", "note from the editor", "message from the editor"),
    *("in this issue", "about this issue", "introduction to the issue", "in the next issue"),
    *("introduction to the special issue", "introduction to this special issue"),
    *("introduction to the special section", "editorial for the special issue"),
    *("table of contents", "list of contents", "list of reviewers", "list of contributors"),
    *("list of figures", "list of tables", "list of authors", "notes on contributors"),
    *("about the authors", "about the author", "instructions for authors", "guide for authors"),
    *("information for authors", "acknowledgement of reviewers", "acknowledgment of reviewers"),
    *("thanks to reviewers", "thank you to reviewers", "call for papers", "news and views"),
    *("news and notes", "notes and news", "books received", "reply to comments"),
    *("response to comments", "response to the editor", "author s reply", "authors reply"),
    *("the authors reply", "comment and reply", "welcome to the conference", "year in review"),
    *(
        "message from the chairs",
        "message from the general chair",
        "message from the program chairs",
    ),
    *("message from the general chairs", "message from the president", "state of the art"),
    *("case report and review of the literature", "conclusions and future work"),
    *("conclusion and future work", "summary and conclusions", "introduction and overview"),
)
#: a character of Chinese, Japanese and Korean, which have no blanks, counts as a word
WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+")
PREPRINT_SERVERS = (
    "arxiv",
    "biorxiv",
    "medrxiv",
    "chemrxiv",
    "psyarxiv",
    "ssrn",
    "corr",
    "preprint",
)
SMALL_WORDS = {
    "of",
    "the",
    "and",
    "in",
    "on",
    "for",
    "a",
    "an",
    "de",
    "der",
    "die",
    "und",
    "la",
    "et",
}
INITIALS = re.compile(r"(?:[A-ZÀ-Þ]\.?-?)+")


def split_words(text: str) -> list[str]:
    """Return the words of a text, in lower case and without accents."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    letters = [character for character in decomposed if not unicodedata.combining(character)]
    return WORD.findall("".join(letters))


def normalise_title(title: str) -> str:
    """Return the letters and digits of a title, in lower case and without accents."""
    return "".join(split_words(title))


def is_generic(title: str) -> bool:
    """Return whether many papers may have the title: it is short, or one of GENERIC_TITLES."""
    words = split_words(title)
    return len(words) < LEAST_TITLE_WORDS or " ".join(words) in GENERIC_TITLES


def contradict(record: PaperRecord, other: PaperRecord) -> bool:
    """Return whether the authors of two records differ, or their venues; unknown ones do not."""
    return authors_differ(record.authors, other.authors) or venues_differ(record.venue, other.venue)


def authors_differ(authors: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether the first author of each list is missing in the other one."""
    if not authors or not others:
        return False
    is_first_known = any(_are_one_name(authors[0], other) for other in others)
    return not is_first_known and not any(_are_one_name(others[0], author) for author in authors)


def _are_one_name(name: str, other: str) -> bool:
    """Return whether the family name of one name is among the words of the other."""
    words, other_words = split_words(name), split_words(other)
    return _find_family(name) in other_words or _find_family(other) in words


def _find_family(name: str) -> str:
    """Return the last word of a name; of "Oak A.-B.", the word before the initials."""
    parts = [part for part in name.split(",")[0].split() if not INITIALS.fullmatch(part)]
    words = split_words(parts[-1] if parts else name)
    return words[-1] if words else ""


def venues_differ(venue: str, other: str) -> bool:
    """Return whether two venues contradict: neither abbreviates the other, or is for preprints.

    >>> venues_differ("J. Appl. Trees", "Journal of Applied Trees"), venues_differ("Birds", "Trees")
    (False, True)
    """
    words = [word for word in split_words(venue) if word not in SMALL_WORDS and word.isalpha()]
    others = [word for word in split_words(other) if word not in SMALL_WORDS and word.isalpha()]
    if not words or not others or {*words, *others} & {*PREPRINT_SERVERS}:
        return False

    shorter, longer = sorted([words, others], key=len)
    if len(shorter) == 1 and shorter[0] == "".join(word[0] for word in longer):
        return False  # such as ICML
    remaining = iter(longer)
    is_short_form = all(
        any(_abbreviates(word, candidate) for candidate in remaining) for word in shorter
    )
    return not is_short_form


def _abbreviates(word: str, candidate: str) -> bool:
    """Return whether one of two words begins as the other, or is its first and last letters."""
    short, long = sorted([word, candidate], key=len)
    return long.startswith(short) or (long[0] == short[0] and long.endswith(short[1:]))


class SamePapers:
    """Find an earlier record of the same paper.

    Args:
        records: the earlier ones, each with its id; `add` takes further ones.
    """

    def __init__(self, records: Iterable[PaperRecord] = ()) -> None:
        self._record_of_id: dict[str, PaperRecord] = {}
        self._id_of_doi: dict[str, str] = {}
        #: (normalised title, year) -> ids of papers with that title, in the order of their records
        self._ids_of_title: dict[tuple[str, int | None], list[str]] = {}
        for record in records:
            self.add(record)

    def add(self, record: PaperRecord) -> None:
        """Remember a record by its id; a later one of this id counts."""
        self._record_of_id[record.paper_id] = record
        if record.doi:
            self._id_of_doi.setdefault(record.doi, record.paper_id)
        if not is_generic(record.title):
            key = (normalise_title(record.title), record.year)
            self._ids_of_title.setdefault(key, []).append(record.paper_id)

    def find(self, record: PaperRecord) -> tuple[str, str] | None:
        """Return the id of an earlier record of the same paper, and why it is; None without one."""
        if record.doi in self._id_of_doi:
            return self._id_of_doi[record.doi], "by its DOI"
        if is_generic(record.title):
            return None
        key = (normalise_title(record.title), record.year)
        for paper_id in self._ids_of_title.get(key, []):
            earlier = self._record_of_id[paper_id]
            # the DOI was not found above, so a paper with a DOI has another one
            has_other_doi = bool(earlier.doi and record.doi)
            if not has_other_doi and not contradict(record, earlier):
                return paper_id, "by title and year"
        return None
