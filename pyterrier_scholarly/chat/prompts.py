"""Prompts for list-wise ranking, as data, each with its source."""

from dataclasses import dataclass, replace
from string import Formatter


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


def _message(role, content):
    return {"role": role, "content": content}


_LITSEARCH = ListwisePrompt(
    source="Ajith et al. 2024, LitSearch, Table 13 (adapted from Sun et al. 2023)",
    system=(
        "You are RankGPT, an intelligent assistant that can rank papers based on their relevancy "
        "to a research query."
    ),
    opening=(
        "I will provide you with the abstracts of {n} papers, each indicated by number identifier "
        "[]. \nRank the papers based on their relevance to research question: {query}."
    ),
    ready="Okay, please provide the papers.",
    closing=(
        "Search Query: {query}. \nRank the {n} papers above based on their relevance to the "
        "research query. The papers should be listed in descending order using identifiers. The "
        "most relevant papers should be listed first. The output format should be [] > [], e.g., "
        "[1] > [2]. Only respond with the ranking results, do not say any words or explain."
    ),
)

LISTWISE = {
    "litsearch": _LITSEARCH,
    "litsearch-full-paper": replace(
        _LITSEARCH,
        source="Ajith et al. 2024, LitSearch, released code; no figure of it is printed",
        opening=_LITSEARCH.opening.replace("the abstracts of ", ""),
        candidate="{full_text}",
        words=10_000,
    ),
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
"""The presets of `ListwiseRerank`, by name."""
