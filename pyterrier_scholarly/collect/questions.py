"""Questions from paragraphs that cite papers, as in LitSearch [Ajith2024, 2.1]."""

import re
from collections.abc import Collection, Mapping
from typing import NamedTuple

import pandas as pd

from .. import frames
from ..chat import Asking
from ..protocols import QUESTIONS, QuestionPrompt, preset
from ..text.rewriting import MARK
from .reviewing import titled, titles_of

NAME = "questions_from_citations"
PARAGRAPHS = ["paragraph_id", "text", "citations"]
ASKED = ["query_id", "query", "doc_ids", "paragraph_id"]
QUESTION = re.compile(r"QUESTION:(?P<question>.*?)^ANSWER:(?P<answer>[^\n]*)\s*", re.M | re.S)
EXPECTED = "expected QUESTION: … and ANSWER: … with the paragraph's keys, in turns"
#: a question and the keys that answer it
Parsed = tuple[str, tuple[str, ...]]


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


def questions_from_citations(
    paragraphs: pd.DataFrame,
    papers: pd.DataFrame,
    client: object,
    prompt: str | QuestionPrompt = "litsearch",
    workers: int = 8,
    prices: tuple[float, float] | None = None,
    verbose: bool = False,
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
    prompt = preset("prompt", prompt, QUESTIONS)
    titles = _titles(paragraphs, papers)
    rows = paragraphs.to_dict("records")
    asking = Asking(client, prices)
    labelled = [
        (f"Paragraph {row['paragraph_id']!r}", (asking, prompt, row, shown))
        for row, shown in zip(rows, titles)
    ]
    counted = "questions", "faulty", "refused", "failed"
    replies = asking.all(_asked, labelled, workers, NAME, counted, verbose)
    return _gathered(paragraphs, rows, replies)


def _gathered(paragraphs: pd.DataFrame, rows: list[dict], replies: list) -> AskedQuestions:
    more = [name for name in paragraphs.columns if name not in PARAGRAPHS]
    asked, faults = [], []
    for row, (questions, fault, content) in zip(rows, replies):
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


def _titles(paragraphs: pd.DataFrame, papers: pd.DataFrame) -> list[dict[str, str]]:
    """Check the paragraphs; return the titles that are shown with each, by key."""
    new, keys = ASKED[:3], ["paragraph_id"]
    remedy = f"The columns {', '.join(new)} are added: rename or drop yours of these names."
    paragraphs = frames.check(paragraphs, NAME, PARAGRAPHS, without=new, remedy=remedy, keys=keys)
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


def _asked(
    asking: Asking, prompt: QuestionPrompt, row: Mapping[str, str], titles: Mapping[str, str]
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


def parse_questions(content: str, keys: Collection[str]) -> list[Parsed]:
    """Parse a reply into questions and the keys that answer each: [(question, (key, …)), …].

    A reply consists of pairs of ``QUESTION: …`` (one or more lines) and ``ANSWER: key, key``, and
    nothing else. A blank reply has no questions: a model may skip all citations.

    Args:
        content: the reply's text.
        keys: those of the paragraph.

    Raises:
        ValueError: any other text, an empty question or answer, an unknown key, or a duplicate key
            in an answer.
    """
    questions: list[Parsed] = []
    end, content = 0, content.strip()
    while end < len(content):
        pair = QUESTION.match(content, end)
        if pair is None:
            raise ValueError(f"{EXPECTED}; found {content[end:]!r:.80}")
        question = " ".join(pair["question"].split())
        if not question or "QUESTION:" in question:
            raise ValueError(f"{EXPECTED}; found the question {question!r:.80}")
        questions.append((question, _keys(pair["answer"], keys)))
        end = pair.end()
    return questions


def _keys(answer: str, keys: Collection[str]) -> tuple[str, ...]:
    named = tuple(part.strip() for part in answer.split(","))
    unknown = [key for key in named if key not in keys]
    if unknown or len(set(named)) < len(named):
        fault = f"the unknown key {unknown[0]!r}" if unknown else "a duplicate key"
        raise ValueError(
            f"an answer names {fault}: {answer.strip()!r:.80}; the paragraph has {', '.join(keys)}"
        )
    return named
