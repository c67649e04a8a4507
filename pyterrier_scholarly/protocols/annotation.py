"""What papers tell those who annotate for them, or write questions, as data."""

import re
from dataclasses import dataclass, field

FIELD = re.compile(r"\{\{(.+?)\}\}")


@dataclass(frozen=True)
class Guidelines:
    """The words above a sheet for grading.

    Args:
        source: where the words are from.
        words: paragraphs that annotators read first.
        meanings: from what may be filled in to what it means.
        grades: from what may be filled in to a grade (a whole number).

    Raises:
        ValueError: meanings and grades are not of the same words, or a grade is no whole number.
    """

    source: str
    words: tuple
    meanings: dict = field(hash=False)
    grades: dict = field(hash=False)

    def __post_init__(self):
        whole = all(isinstance(grade, int) for grade in self.grades.values())
        if self.meanings.keys() != self.grades.keys() or not whole:
            raise ValueError(
                f"meanings of {', '.join(self.meanings)}, grades {self.grades}: expected the same "
                "words, each with a whole number."
            )


@dataclass(frozen=True)
class Invitation:
    """An e-mail to authors, and the form in which they write a question that their paper answers.

    Both texts have fields such as ``{{author name}}``, as printed.

    Args:
        source: where the words are from.
        email: asks an author to take part, and names the form's address.
        form: the instructions above the form's field for the question.
    """

    source: str
    email: str
    form: str

    def written(self, text, **fields) -> str:
        """Return ``"email"`` or ``"form"`` with its fields filled in.

        Args:
            text: which of the two.
            fields: from a field's name, "_" for each blank, to what stands there.

        Raises:
            ValueError: another `text`; a field without a value, or a value without a field.
        """
        if text not in ("email", "form"):
            raise ValueError(f"text={text!r}: expected 'email' or 'form'")
        words = getattr(self, text)
        known = dict.fromkeys(name.replace(" ", "_") for name in FIELD.findall(words))
        if set(fields) != set(known):
            raise ValueError(
                f"{text}: expected the fields {', '.join(known)}, got {', '.join(fields) or 'none'}"
            )
        return FIELD.sub(lambda found: fields[found[1].replace(" ", "_")], words)
