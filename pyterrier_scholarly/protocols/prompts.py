"""Prompts that papers prescribe, as data: for a ranking, a judgement, and questions.

::

    prompt = LISTWISE["rankgpt"]
    prompt.messages("graph neural networks", ["first abstract", "second abstract"])
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from string import Formatter
from typing import Annotated, TypeAlias

from ..arguments import Count, NotNegative, Template, check_fields, template

Messages = list[dict[str, str]]  # each with `role` and `content`

#: the templates of messages, by what their fields are about
OfQuery: TypeAlias = Annotated[str, template(n=1, query="")]
OfCandidate: TypeAlias = Annotated[str, template(number=1, text="")]
OfNumber: TypeAlias = Annotated[str, template(number=1)]
OfPair: TypeAlias = Annotated[str, template(aspect="", abstract="")]


def message(role: str, content: str) -> dict[str, str]:
    """Return one message of a chat."""
    return {"role": role, "content": content}


@dataclass(frozen=True)
class ListwisePrompt:
    """The words and numbers of a list-wise ranking.

    The texts may contain ``{n}`` (the number of candidates shown) and ``{query}``. `received` may
    contain ``{number}`` (a candidate's number, from 1), and `shown` also ``{text}``.

    Args:
        source: where the words are from.
        system, opening, ready: messages before the candidates, by system, user and assistant.
        shown, received: a pair of messages for each candidate, by user and assistant.
        closing: the user's last message.
        candidate: template of a candidate's text; ``{title}`` is its column `title`, and so on.
        words: the text's maximum length in words, separated by white space; line breaks become
            blanks.
        window: how many candidates are shown at once.
        stride: how far each window slides towards the front; None for one window.
        temperature, max_tokens: parameters of the request.

    Raises:
        ValueError: a number out of range, a text with other fields.
    """

    source: str
    system: OfQuery
    opening: OfQuery
    ready: OfQuery
    closing: OfQuery
    shown: OfCandidate = "[{number}] {text}"
    received: OfNumber = "Received passage [{number}]."
    candidate: Template = "Title: {title}\nAbstract: {text}"
    words: Count = 300
    window: Count = 100
    stride: Count | None = None
    temperature: NotNegative = 0
    max_tokens: Count = 2000

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of a candidate that are shown."""
        field_names = [name for _, name, _, _ in Formatter().parse(self.candidate) if name]
        return tuple(dict.fromkeys(field_names))

    def messages(self, query: str, texts: Sequence[str]) -> Messages:
        """Return the 2n + 4 messages that show n `texts`, unchanged, for `query`."""
        query_fields = {"n": len(texts), "query": query}
        messages = [
            message("system", self.system.format(**query_fields)),
            message("user", self.opening.format(**query_fields)),
            message("assistant", self.ready.format(**query_fields)),
        ]
        for number, text in enumerate(texts, 1):
            messages.append(message("user", self.shown.format(number=number, text=text)))
            messages.append(message("assistant", self.received.format(number=number)))
        messages.append(message("user", self.closing.format(**query_fields)))
        return messages

    def text_of(self, candidate: Mapping[str, str]) -> str:
        """Return the text shown for a `candidate`, a mapping from columns to texts."""
        words = self.candidate.format_map(candidate).split()
        return " ".join(words[: self.words])


@dataclass(frozen=True)
class JudgingPrompt:
    """The words that ask for a judgement, and the possible verdicts.

    Args:
        source: where the words are from.
        template: the only message, with ``{aspect}`` and ``{abstract}``.
        grades: dict from a verdict, as it stands in a reply, to its grade (a whole number).
        temperature, max_tokens: parameters of the request.

    Raises:
        ValueError: a grade is no whole number, or the template has other fields.
    """

    source: str
    template: OfPair
    grades: dict[str, int] = field(hash=False)
    temperature: NotNegative = 0
    max_tokens: Count = 310

    def __post_init__(self) -> None:
        check_fields(self)

    def messages(self, aspect: str, abstract: str) -> Messages:
        """Return the message that asks about an aspect and an abstract, both unchanged."""
        return [message("user", self.template.format(aspect=aspect, abstract=abstract))]


@dataclass(frozen=True)
class Demonstration:
    """An example of questions about a paragraph."""

    #: the paragraph
    text: str
    #: dict from the key of a citation to the title of the cited paper
    titles: dict[str, str]
    #: pairs of a question and the keys of the papers that answer it
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
    temperature: float = 0
    max_tokens: int = 2000

    def messages(self, text: str, titles: dict[str, str]) -> Messages:
        """Return one message: instruction, demonstrations, paragraph `text`, `titles` by key."""
        demonstrations = map(_write_demonstration, self.demonstrations)
        sections = [self.instruction, *demonstrations, _write_paragraph(text, titles)]
        return [message("user", "\n\n".join(sections))]


def _write_demonstration(demonstration: Demonstration) -> str:
    """Return a paragraph with its questions and answers, as a model reads it."""
    lines = [_write_paragraph(demonstration.text, demonstration.titles)]
    for question, answer_keys in demonstration.questions:
        lines.append(f"QUESTION: {question}")
        lines.append(f"ANSWER: {', '.join(answer_keys)}")
    return "\n".join(lines)


def _write_paragraph(text: str, titles: Mapping[str, str]) -> str:
    """Return a paragraph and the titles that it cites, as a model reads them."""
    lines = [f"TEXT: {text}", "PAPER TITLES:"]
    for key, title in titles.items():
        lines.append(f"- {key}: {title}")
    return "\n".join(lines)
