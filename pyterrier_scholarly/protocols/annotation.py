"""What papers tell people, as data: annotators, readers of errors, and authors who are invited.

::

    guidelines = Guidelines(
    source="ours",
    words=("Read both abstracts.",),
    meanings={"yes": "They answer the same question.", "no": "They do not."},
    grades={"yes": 1, "no": 0},
    )
"""

import re
from dataclasses import dataclass, field
from typing import Literal

from ..choices import check_option

TEMPLATE_FIELD = re.compile(r"\{\{(.+?)\}\}")  # {{author name}}


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

    def written(self, text: Literal["email", "form"], **fields: str) -> str:
        """Return the text ``"email"`` or ``"form"`` with its fields filled in.

        Args:
            text: which of the two.
            fields: the value of each field, by the field's name with "_" for each blank.

        Raises:
            ValueError: an unknown `text`, a field without a value, or a value without a field.
        """
        templates = {"email": self.email, "form": self.form}
        check_option("text", text, templates)
        template = templates[text]
        names = [name.replace(" ", "_") for name in TEMPLATE_FIELD.findall(template)]
        if set(fields) != set(names):
            raise ValueError(
                f"{text}: expected the fields {', '.join(dict.fromkeys(names))}, got "
                f"{', '.join(fields) or 'none'}"
            )
        # all at once: a value may have braces of its own
        return TEMPLATE_FIELD.sub(lambda match: fields[match[1].replace(" ", "_")], template)
