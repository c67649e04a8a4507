"""Prompts that papers prescribe, as data: for a ranking and for a judgement."""

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
        parts = Formatter().parse(self.candidate)
        return tuple(dict.fromkeys(name for _, name, *_ in parts if name))

    def messages(self, query: str, texts: Sequence[str]) -> Messages:
        """Return the 2n + 4 messages that show n `texts`, unchanged, for `query`."""
        whole = {"n": len(texts), "query": query}
        messages = [
            message("system", self.system.format(**whole)),
            message("user", self.opening.format(**whole)),
            message("assistant", self.ready.format(**whole)),
        ]
        for number, text in enumerate(texts, 1):
            messages.append(message("user", self.shown.format(number=number, text=text)))
            messages.append(message("assistant", self.received.format(number=number)))
        return [*messages, message("user", self.closing.format(**whole))]

    def text_of(self, candidate: Mapping[str, str]) -> str:
        """Return the text shown for a `candidate`, a mapping from columns to texts."""
        shown = self.candidate.format(**{name: candidate[name] for name in self.columns})
        return " ".join(shown.split()[: self.words])


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


#: the prompt of RankGPT [Sun et al. 2023]
RANKGPT = {
    "rankgpt": ListwisePrompt(
        source="Sun et al. 2023, RankGPT, as in rerankers 0.10.0, models/rankgpt_rankers.py",
        system=(
            "You are RankGPT, an intelligent assistant that can rank passages based on their "
            "relevancy to the query."
        ),
        opening=(
            "I will provide you with {n} passages, each indicated by number identifier []. \n"
            "Rank the passages based on their relevance to query: {query}."
        ),
        ready="Okay, please provide the passages.",
        closing=(
            "Search Query: {query}. \nRank the {n} passages above based on their relevance to the "
            "search query. The passages should be listed in descending order using identifiers. "
            "The most relevant passages should be listed first. The output format should be [] > "
            "[], e.g., [1] > [2]. Only response the ranking results, do not say any word or "
            "explain."
        ),
        candidate="{text}",
        window=20,
        stride=10,
    ),
}
