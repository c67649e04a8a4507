"""Prompts that papers prescribe, as data: for a ranking, a judgement, and questions."""

from dataclasses import dataclass, field
from string import Formatter
from typing import NamedTuple


@dataclass(frozen=True)
class ListwisePrompt:
    """The words and numbers of a list-wise ranking.

    The texts may hold ``{n}`` (how many candidates are shown) and ``{query}``; `received` holds
    ``{number}`` (of the candidate, from 1), `shown` that and ``{text}``.

    Args:
        source: where the words are from.
        system, opening, ready: the messages before the candidates, by system, user and assistant.
        shown, received: a pair of messages for each candidate, by user and assistant.
        closing: the user's last message.
        candidate: what of a candidate is shown: ``{title}`` stands for its column `title`, etc.
        words: cut that to so many words, separated by white space; line breaks become blanks.
        window: how many candidates are shown at once.
        stride: None for one window; else windows slide to the front by so many.
        temperature, max_tokens: what a request asks for.

    Raises:
        ValueError: a window, stride or number of words below 1.
    """

    source: str
    system: str
    opening: str
    ready: str
    closing: str
    shown: str = "[{number}] {text}"
    received: str = "Received passage [{number}]."
    candidate: str = "Title: {title}\nAbstract: {text}"
    words: int = 300
    window: int = 100
    stride: int | None = None
    temperature: float = 0
    max_tokens: int = 2000

    def __post_init__(self):
        numbers = {"window": self.window, "stride": self.stride, "words": self.words}
        for name, value in numbers.items():
            if value is not None and value < 1:
                raise ValueError(f"{name}={value!r}: it must be 1 at least.")

    @property
    def columns(self) -> tuple:
        """The columns of a candidate that are shown."""
        parts = Formatter().parse(self.candidate)
        return tuple(dict.fromkeys(name for _, name, *_ in parts if name))

    def messages(self, query, texts) -> list:
        """The 2n + 4 messages that show n `texts`, as they are, for `query`."""
        whole = {"n": len(texts), "query": query}
        messages = [
            _message("system", self.system.format(**whole)),
            _message("user", self.opening.format(**whole)),
            _message("assistant", self.ready.format(**whole)),
        ]
        for number, text in enumerate(texts, 1):
            messages.append(_message("user", self.shown.format(number=number, text=text)))
            messages.append(_message("assistant", self.received.format(number=number)))
        return [*messages, _message("user", self.closing.format(**whole))]

    def text_of(self, candidate) -> str:
        """What is shown of a `candidate`, a mapping from columns to texts."""
        shown = self.candidate.format(**{name: candidate[name] for name in self.columns})
        return " ".join(shown.split()[: self.words])


@dataclass(frozen=True)
class JudgingPrompt:
    """The words that ask for a judgement, and the verdicts that may come.

    Args:
        source: where the words are from.
        template: the one message, with ``{aspect}`` and ``{abstract}``.
        grades: verdict, as it stands in a reply, to grade (a whole number).
        temperature, max_tokens: what a request asks for.

    Raises:
        ValueError: a grade that is no whole number.
    """

    source: str
    template: str
    grades: dict = field(hash=False)
    temperature: float = 0
    max_tokens: int = 310

    def __post_init__(self):
        wrong = {name: grade for name, grade in self.grades.items() if not isinstance(grade, int)}
        if wrong:
            raise ValueError(f"grades={wrong}: they must be whole numbers, as judgements are.")

    def messages(self, aspect, abstract) -> list:
        """The message that asks about an aspect and an abstract, as they are."""
        content = self.template.format(aspect=aspect, abstract=abstract)
        return [_message("user", content)]


class Demonstration(NamedTuple):
    """A paragraph, the titles of what it cites by key, and (question, keys of the answer) pairs."""

    text: str
    titles: dict
    questions: tuple


@dataclass(frozen=True)
class QuestionPrompt:
    """The words that ask for questions.

    Args:
        source: where the words are from.
        instruction: what the model is to do.
        demonstrations: examples of it.
        temperature, max_tokens: what a request asks for.
    """

    source: str
    instruction: str
    demonstrations: tuple = ()
    temperature: float = 0
    max_tokens: int = 2000

    def messages(self, text, titles) -> list:
        """One message: instruction, demonstrations, the paragraph `text` and `titles` by key."""
        shown = [
            _paragraph(one.text, one.titles)
            + "".join(f"\nQUESTION: {asked}\nANSWER: {', '.join(k)}" for asked, k in one.questions)
            for one in self.demonstrations
        ]
        content = "\n\n".join([self.instruction, *shown, _paragraph(text, titles)])
        return [_message("user", content)]


def _message(role, content):
    return {"role": role, "content": content}


def _paragraph(text, titles):
    lines = "".join(f"\n- {key}: {title}" for key, title in titles.items())
    return f"TEXT: {text}\nPAPER TITLES:{lines}"
