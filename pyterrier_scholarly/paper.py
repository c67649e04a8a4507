"""The paper, which queries ask with and scorers rank, and the sentences of its facets.

    >>> paper = Paper("p1", "On trees", ["We prune.", "It works."], ["method", "result"])
    >>> paper.find("method")
    [0]
    >>> paper.only([0])
    Paper(doc_id='p1', title='On trees', sentences=('We prune.',), labels=('method',))

Conventions: a sentence has one label: background, objective, method, result, other, or "" for none.
A *facet* is one of CSFCube's (*background* has the labels background and objective [Mysore2021]),
or any single label; the facet "" is the whole paper. Positions of sentences count from 0.

[Mysore2021] S. Mysore et al.: CSFCube, NeurIPS 2021 Datasets and Benchmarks.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from numbers import Integral
from typing import Any, TypeAlias

from ir_datasets_ext.facets import FACETS

from .text import split_sentences
from .typed_records import Record

#: characters: pandas cuts a cell of 50, and the number of sentences stands behind id and title
LONGEST_SHOWN_TITLE = 21

#: title and sentences that an encoder reads together
Passage: TypeAlias = tuple[str, ...]
#: from a text to its sentences
Splitter: TypeAlias = Callable[[str], list[str]]


@dataclass(frozen=True)
class Paper:
    """A paper, or a text of your own that is treated as one.

    It cannot be changed, so rows and steps share it; `dataclasses.replace` makes a changed copy.

    Attributes:
        doc_id: its `docno`; "" for a text of your own.
        title: perhaps "".
        sentences: of the abstract, in order; perhaps none.
        labels: one per sentence; without any, all are "".

    Raises:
        ValueError: sentences or labels that are no list, a sentence that is no text or blank, not
            one label per sentence.
    """

    doc_id: str
    title: str
    sentences: tuple[str, ...]
    labels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not is_list(self.sentences):
            raise ValueError(
                f"Paper {self.doc_id!r} has the sentences {self.sentences!r:.60}: pass a list of "
                "texts, or let Paper.from_text(doc_id, title, text) split one text."
            )
        if not is_list(self.labels) or not all(isinstance(label, str) for label in self.labels):
            raise ValueError(
                f"Paper {self.doc_id!r} has the labels {self.labels!r:.60}: pass a list with a "
                "text for each sentence ('' for none), or no labels at all."
            )

        sentences = tuple(self.sentences)
        labels = tuple(self.labels) or ("",) * len(sentences)
        for sentence in sentences:
            if not isinstance(sentence, str) or not sentence.strip():
                raise ValueError(
                    f"Paper {self.doc_id!r} has {sentence!r} among its sentences: each must be a "
                    "text that is not empty. Leave it out."
                )
        if len(labels) != len(sentences):
            raise ValueError(
                f"Paper {self.doc_id!r} has {len(sentences)} sentences and {len(labels)} labels: "
                "pass one label for each sentence ('' for none), or no labels at all."
            )

        # the only way to set a field of a frozen dataclass
        object.__setattr__(self, "sentences", sentences)
        object.__setattr__(self, "labels", labels)

    @classmethod
    def from_text(
        cls, doc_id: str, title: str, text: str, split: Splitter = split_sentences
    ) -> "Paper":
        """Return a paper without labels, of the sentences of a text."""
        if not isinstance(text, str):
            raise ValueError(
                f"The text of {doc_id!r} is {text!r} ({type(text).__name__}): fill it, or drop "
                "its rows."
            )
        return cls(doc_id, title, tuple(split(text)))

    @classmethod
    def from_row(
        cls,
        doc_id: str,
        row: Mapping[Any, Any],
        prefix: str = "",
        split: Splitter = split_sentences,
    ) -> "Paper":
        """Return the paper of a frame's row: its sentences with their labels, or its split text.

        prefix: of the columns `sentences`, `labels` and `title`, or `text` and `title`.
        """
        title = row.get(f"{prefix}title", "")
        if f"{prefix}sentences" in row:
            labels = row.get(f"{prefix}labels", ())
            return cls(doc_id, title, row[f"{prefix}sentences"], labels)
        return cls.from_text(doc_id, title, row[f"{prefix}text"], split)

    @classmethod
    def from_record(cls, record: Record, split: Splitter = split_sentences) -> "Paper":
        """Return a document of ir_datasets as a paper; the text of one without sentences is split.

        A missing title is "", and so are missing labels.
        """
        title = getattr(record, "title", "") or ""
        sentences = getattr(record, "sentences", None)
        if sentences is not None:
            return cls(record.doc_id, title, tuple(sentences), getattr(record, "labels", ()))

        # the field `text` is the abstract; the default text may have the title, too
        text = record.text if hasattr(record, "text") else record.default_text()
        return cls.from_text(record.doc_id, title, text, split)

    def __str__(self) -> str:
        """Return a short text: pandas shows it in the cell of a frame."""
        title = self.title
        if len(title) > LONGEST_SHOWN_TITLE:
            title = f"{title[: LONGEST_SHOWN_TITLE - 1]}…"
        count = len(self.sentences)
        unit = "sentence" if count == 1 else "sentences"
        return f"<{self.doc_id or 'own text'}: {title} ({count} {unit})>"

    @property
    def text(self) -> str:
        """Title and sentences, joined by blanks."""
        return " ".join(filter(None, self.passage(range(len(self.sentences)))))

    @property
    def is_labelled(self) -> bool:
        """Whether any sentence has a label."""
        return any(self.labels)

    def passage(self, positions: Iterable[int]) -> Passage:
        """Return the title and the sentences at these positions."""
        return (self.title, *(self.sentences[position] for position in positions))

    def only(self, positions: Iterable[int]) -> "Paper":
        """Return the paper with only the sentences at these positions."""
        positions = list(positions)
        sentences = tuple(self.sentences[position] for position in positions)
        labels = tuple(self.labels[position] for position in positions)
        return replace(self, sentences=sentences, labels=labels)

    def has_positions(self, positions: Any) -> bool:
        """Return whether this is a list of positions: whole numbers, not True and False."""
        if not is_list(positions):
            return False
        count = len(self.sentences)
        for position in positions:
            is_number = isinstance(position, Integral) and not isinstance(position, bool)
            if not is_number or not 0 <= position < count:
                return False
        return True

    def find(self, facet: str) -> list[int]:
        """Return the positions of a facet's sentences; of all for the facet ""."""
        return list(find_facet(self.labels, facet))

    def find_or_all(self, facet: str, chosen: Sequence[int] | None = None) -> list[int]:
        """Return the positions of a facet's sentences; of all that count if none has the facet.

        Args:
            facet: or a label; "" for all sentences.
            chosen: as a row's `sentence_ids`: only the sentences at these positions count. None
                for all.

        Raises:
            ValueError: `chosen` is no list, has a position outside of the paper or one twice, or is
                a mask of True and False.
        """
        if chosen is None:
            return self.find(facet) or list(range(len(self.sentences)))
        if not self.has_positions(chosen) or len(set(chosen)) < len(chosen):
            raise ValueError(
                f"sentence_ids is {chosen!s:.60} for document {self.doc_id!r} of "
                f"{len(self.sentences)} sentences: pass a list of positions from 0, each once."
            )
        positions_of_facet = set(self.find(facet))
        return [position for position in chosen if position in positions_of_facet] or list(chosen)


def is_list(value: Any) -> bool:
    """Return whether a value is a list, a tuple or an array of texts or numbers."""
    return isinstance(value, (list, tuple)) or getattr(value, "ndim", 0) == 1


def labels_of(facet: str) -> tuple[str, ...]:
    """Return the sentence labels of a facet."""
    return FACETS.get(facet, (facet,))


@lru_cache(maxsize=2**16)  # papers have few patterns of labels, and scorers ask for each row
def find_facet(labels: tuple[str, ...], facet: str) -> tuple[int, ...]:
    """Return the positions of a facet's labels; all positions for the facet ""."""
    if not facet:
        return tuple(range(len(labels)))
    facet_labels = labels_of(facet)
    return tuple(position for position, label in enumerate(labels) if label in facet_labels)


def describe_missing_facet(facet: str, labels: Iterable[str]) -> str:
    """Say that no sentence of a text is of a facet, and of which facets its sentences are.

    >>> describe_missing_facet("result", ["background", "method"])
    "has no sentence of facet 'result', only of background, method"
    >>> describe_missing_facet("result", [""])
    "has no sentence of facet 'result': its one sentence has no label"
    """
    problem = f"has no sentence of facet {facet!r}"
    labels = list(labels)
    present_labels = set(labels) - {""}
    if present_labels:
        facets = [name for name in FACETS if not present_labels.isdisjoint(labels_of(name))]
        further_labels = present_labels.difference(*map(labels_of, facets))
        return f"{problem}, only of {', '.join([*facets, *sorted(further_labels)])}"
    if not labels:
        return f"{problem}: it has no sentences"
    if len(labels) == 1:
        return f"{problem}: its one sentence has no label"
    return f"{problem}: its {len(labels)} sentences have no labels"
