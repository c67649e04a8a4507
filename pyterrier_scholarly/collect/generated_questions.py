"""Questions from paragraphs that cite papers, as in LitSearch [Ajith2024, 2.1]."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import pandas as pd

from .. import frames, protocols
from ..arguments import Count, check_arguments
from ..chat import Asking
from ..chat.chat_requests import Prices
from ..text import MARK
from .reply_parsers import Parsed, parse_questions

NAME = "questions_from_citations"
PARAGRAPHS = ["paragraph_id", "text", "citations"]
ASKED = ["query_id", "query", "doc_ids", "paragraph_id"]
QUESTION = ASKED[:3]


class AskedQuestions(NamedTuple):
    """Hold the questions that a model wrote about paragraphs.

    frame: a row per question: `query_id` (``<paragraph_id>_<number>``, from 1), `query`, `doc_ids`
        (list of str, the papers that answer it), and all columns of its paragraph except `text` and
        `citations`.
    faults: a row per paragraph with an invalid or missing reply: `paragraph_id`, `fault` (what is
        wrong), `content` (the reply, or None). A person should look at them; asking again does not
        help, because a recorded client returns the same reply.
    """

    frame: pd.DataFrame
    faults: pd.DataFrame

    def __repr__(self) -> str:
        return frames.fit_screen(self)


@check_arguments
def questions_from_citations(
    paragraphs: pd.DataFrame,
    papers: pd.DataFrame,
    client: object,
    prompt: str | protocols.QuestionPrompt = "litsearch",
    workers: Count = 8,
    prices: Prices = None,
    verbose: bool = True,
) -> AskedQuestions:
    """Ask a language model for questions that the papers cited in paragraphs answer.

    The model sees a paragraph and the titles of the cited papers. `parse_questions` reads its reply
    strictly: a reply with an unknown key, or with anything besides questions and answers, is not
    used. The paper does not say how the authors read replies.

    Args:
        paragraphs: frame of `paragraph_id` (unique), `text` with keys like ``{cite_001}``, and
            `citations`, a dict from these keys to ids of papers (see `mark_citations`). Other
            columns (`source`, …) are kept.
        papers: frame of `doc_id` and `title`, with all cited papers.
        client: an ``OpenAIChat(model)``, in a ``Recorded`` so that nothing is asked twice; or
            anything that `FunctionChat` takes.
        prompt: ``"litsearch"``, or your own `QuestionPrompt`.
        workers: number of paragraphs that are asked about in parallel.
        prices: of a million tokens (in, out), for the cost in the printed line.
        verbose: show progress.

    Returns:
        `AskedQuestions`. One line to stderr counts requests, replayed replies and questions.

    Raises:
        pt.validate.InputValidationError: a missing column, or one with the name of a new column.
        ValueError: paragraphs without keys or text, a key without a paper, a paper without a title,
            an unknown prompt; names the paragraphs.
        Exception: an error that ends the client's run; ConnectionError if nothing is answered.
    """
    prompt = protocols.preset("prompt", prompt, protocols.QUESTIONS)
    titles = _titles(paragraphs, papers)
    asking = Asking(client, prices)
    labelled = [
        (f"Paragraph {row['paragraph_id']!r}", (asking, prompt, row, shown))
        for row, shown in zip(paragraphs.to_dict("records"), titles)
    ]
    counted = "questions", "faulty", "refused", "failed"
    return _gathered(paragraphs, asking.all(_asked, labelled, workers, NAME, counted, verbose))


def _titles(paragraphs: pd.DataFrame, papers: pd.DataFrame) -> list[dict[str, str]]:
    """Check the paragraphs; return the titles that are shown with each, by key."""
    paragraphs = frames.check(
        paragraphs,
        NAME,
        PARAGRAPHS,
        without=QUESTION,
        remedy=f"The columns {', '.join(QUESTION)} are added: rename or drop yours of these names.",
        keys=PARAGRAPHS[:1],
    )
    title_of = titles_of(papers, NAME)
    shown = []
    for name, text, citations in paragraphs[PARAGRAPHS].itertuples(index=False, name=None):
        marked = list(dict.fromkeys(MARK.findall(text)))
        if not isinstance(citations, dict) or not marked or set(marked) - set(citations):
            raise ValueError(
                f"Paragraph {name!r} has the keys {marked} and the citations {citations!r:.80}: "
                "expected a dict from each key to the id of a paper. The text contains a key like "
                "cite_001 as {cite_001}."
            )
        titles = titled(citations.values(), title_of, f"Paragraph {name!r}")
        shown.append(dict(zip(citations, titles)))
    return shown


def titles_of(papers: pd.DataFrame, name: str) -> dict[str, str]:
    """Return the titles of a frame with `doc_id` and `title`, by id, for the function `name`."""
    papers = frames.check(papers, name, ["doc_id", "title"], keys=["doc_id"])
    return dict(zip(papers["doc_id"], papers["title"]))


def titled(ids: Iterable[str], titles: Mapping[str, str], owner: str) -> list[str]:
    """Return the titles of papers, in the order of their ids.

    Raises:
        ValueError: a paper without a title; names it and `owner`, the question or paragraph.
    """
    untitled = [doc_id for doc_id in ids if not frames.has_text(titles.get(doc_id))]
    if untitled:
        raise ValueError(
            f"{owner} names {frames.some(untitled)}, without a title in `papers`: add the title, "
            "or leave the paper out."
        )
    return [titles[doc_id] for doc_id in ids]


def _asked(
    asking: Asking, prompt: protocols.QuestionPrompt, row: Mapping, titles: Mapping[str, str]
) -> tuple[list[Parsed], str | None, str | None]:
    """Ask about a paragraph; return its questions, the fault of the reply, and its content."""
    reply, missing = asking.told(f"paragraph {row['paragraph_id']!r}", prompt, row["text"], titles)
    if reply is None or reply.content is None:
        return [], missing, None
    try:
        questions = parse_questions(reply.content, titles)
    except ValueError as error:
        asking.count(faulty=1)
        return [], str(error), reply.content
    asking.count(questions=len(questions))
    return questions, None, reply.content


def _gathered(paragraphs: pd.DataFrame, replies: list) -> AskedQuestions:
    more = [name for name in paragraphs.columns if name not in PARAGRAPHS]
    asked, faults = [], []
    for row, (questions, fault, content) in zip(paragraphs.to_dict("records"), replies):
        if fault is not None:
            faults.append((row["paragraph_id"], fault, content))
        for number, (question, keys) in enumerate(questions, 1):
            # two keys may be of one paper
            cited = list(dict.fromkeys(row["citations"][key] for key in keys))
            # no hyphen: spreadsheets read 12-1 as a date
            query_id = f"{row['paragraph_id']}_{number}"
            asked.append((query_id, question, cited, *(row[name] for name in ASKED[3:] + more)))
    return AskedQuestions(
        pd.DataFrame(asked, columns=[*ASKED, *more]),
        pd.DataFrame(faults, columns=["paragraph_id", "fault", "content"], dtype=object),
    )
