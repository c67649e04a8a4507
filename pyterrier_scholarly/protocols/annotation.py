"""What papers tell their annotators, and those who write questions, as data."""

import re
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from ..arguments import Count, NotNegative, check_arguments, check_fields
from .prompts import Messages, message

FIELD = re.compile(r"\{\{(.+?)\}\}")


@dataclass(frozen=True)
class Guidelines:
    """The words above a sheet for grading.

    Args:
        source: where the words are from.
        words: paragraphs that annotators read first.
        meanings: dict from each possible answer to its meaning.
        grades: dict from each possible answer to its grade (a whole number).
        shown: columns of the pairs that people read, unless others are chosen.
        facets: dict from a facet to its own guidelines, which a sheet of this facet alone has at
            its top; {} if answers mean the same everywhere.

    Raises:
        ValueError: meanings and grades have different answers, or a grade is no whole number.
    """

    source: str
    words: tuple[str, ...]
    meanings: dict[str, str] = field(hash=False)
    grades: dict[str, int] = field(hash=False)
    shown: tuple[str, ...] = ("query", "text")
    facets: dict[str, "Guidelines"] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        check_fields(self)
        if self.meanings.keys() != self.grades.keys():
            raise ValueError(
                f"meanings of {', '.join(self.meanings)}, grades of {', '.join(self.grades)}: "
                "expected the same words."
            )


@dataclass(frozen=True)
class ErrorTypes:
    """The types of error that a paper names, as tags for a reader.

    Args:
        source: where the paper names them.
        words: what the reader is told, above the table.
        shown: columns of the rows that the reader looks at.
        types: dict from each type to its meaning.
    """

    source: str
    words: tuple[str, ...]
    shown: tuple[str, ...]
    types: dict[str, str] = field(hash=False)


@dataclass(frozen=True)
class Invitation:
    """An e-mail to authors, and the form where they write a question that their paper answers.

    Both texts have fields such as ``{{author name}}``, as printed.

    Args:
        source: where the words are from.
        email: asks an author to take part, and names the form's address.
        form: the instructions above the form's field for the question.
    """

    source: str
    email: str
    form: str

    def __post_init__(self) -> None:
        check_fields(self)

    @check_arguments
    def written(self, text: Literal["email", "form"], **fields: str) -> str:
        """Return the text ``"email"`` or ``"form"`` with its fields filled in.

        Args:
            text: which of the two.
            fields: the value of each field, by the field's name with "_" for each blank.

        Raises:
            ValueError: an unknown `text`, a field without a value, or a value without a field.
        """
        words = getattr(self, text)
        known = dict.fromkeys(name.replace(" ", "_") for name in FIELD.findall(words))
        if set(fields) != set(known):
            raise ValueError(
                f"{text}: expected the fields {', '.join(known)}, got {', '.join(fields) or 'none'}"
            )
        return FIELD.sub(lambda match: fields[match[1].replace(" ", "_")], words)


class Demonstration(NamedTuple):
    """A paragraph, its cited titles by key, and pairs of a question and the keys of its answer."""

    text: str
    titles: dict[str, str]
    questions: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class QuestionPrompt:
    """The words that ask a language model for questions.

    Args:
        source: where the words are from.
        instruction: what the model should do.
        demonstrations: examples of it.
        temperature, max_tokens: parameters of the request.
    """

    source: str
    instruction: str
    demonstrations: tuple[Demonstration, ...] = ()
    temperature: NotNegative = 0
    max_tokens: Count = 2000

    def __post_init__(self) -> None:
        check_fields(self)

    def messages(self, text: str, titles: dict[str, str]) -> Messages:
        """Return one message: instruction, demonstrations, paragraph `text`, `titles` by key."""
        shown = [
            _paragraph(one.text, one.titles)
            + "".join(f"\nQUESTION: {asked}\nANSWER: {', '.join(k)}" for asked, k in one.questions)
            for one in self.demonstrations
        ]
        content = "\n\n".join([self.instruction, *shown, _paragraph(text, titles)])
        return [message("user", content)]


def _paragraph(text: str, titles: dict[str, str]) -> str:
    lines = "".join(f"\n- {key}: {title}" for key, title in titles.items())
    return f"TEXT: {text}\nPAPER TITLES:{lines}"
