"""Questions from paragraphs that cite papers, as in LitSearch [Ajith2024, 2.1].

client = Recorded(OpenAIChat("gpt-4-1106-preview"), "replies")
asked = questions_from_citations(paragraphs, papers, client)
asked.frame, asked.faults
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import pandas as pd

from .. import frames, protocols
from ..arguments import Count, check_arguments
from ..chat import ChatRun, Job
from ..chat.chat_run import Prices
from ..chat.client_protocol import ChatLike
from ..choices import choose_preset
from ..text import MARK
from .paper_titles import find_titles, read_titles
from .question_parser import ParsedQuestion, parse_questions

NAME = "questions_from_citations"
PARAGRAPH_COLUMNS = ["paragraph_id", "text", "citations"]
#: the columns of a question, here and where questions are reviewed and written
QUESTION_COLUMNS = ["query_id", "query", "doc_ids"]
SHOWN_COUNTS = ("questions", "faulty", "refused", "failed")

Paragraph: TypeAlias = Mapping[Any, Any]  # a row of the frame, by column


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
    client: ChatLike,
    prompt: str | protocols.QuestionPrompt = "litsearch",
    workers: Count = 8,
    prices: Prices = None,
    verbose: bool = True,
) -> AskedQuestions:
    """Ask a language model for questions that the papers cited in paragraphs answer.

    The model sees a paragraph and the titles of the cited papers. `parse_questions` reads its reply
    strictly: a reply with an unknown key, or with anything besides questions and answers, is not
    used, nor is one that was cut off. The paper does not say how the authors read replies.

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
    prompt = choose_preset("prompt", prompt, protocols.QUESTIONS)
    names = ", ".join(QUESTION_COLUMNS)
    paragraphs = frames.check(
        paragraphs,
        NAME,
        PARAGRAPH_COLUMNS,
        without=QUESTION_COLUMNS,
        remedy=f"The columns {names} are added: rename or drop yours of these names.",
        keys=["paragraph_id"],
    )
    title_of_paper = read_titles(papers, NAME)
    records = paragraphs.to_dict("records")

    run = ChatRun(client, prices)
    jobs = []
    for paragraph in records:
        titles = _find_cited_titles(paragraph, title_of_paper)
        label = f"paragraph {paragraph['paragraph_id']!r}"
        work = partial(_ask_about, label, run, prompt, paragraph["text"], titles)
        jobs.append(Job(label, work))
    replies = run.run_all(jobs, workers, NAME, SHOWN_COUNTS, verbose)

    kept_columns = [name for name in paragraphs.columns if name not in PARAGRAPH_COLUMNS]
    return AskedQuestions(
        frame=_tabulate_questions(records, replies, kept_columns),
        faults=_tabulate_faults(records, replies),
    )


def _find_cited_titles(paragraph: Paragraph, title_of_paper: Mapping[str, str]) -> dict[str, str]:
    """Check a paragraph; return the titles of the papers it cites, by their keys in its text."""
    name = f"Paragraph {paragraph['paragraph_id']!r}"
    citations = paragraph["citations"]
    keys_in_text = list(dict.fromkeys(MARK.findall(paragraph["text"])))
    has_papers = isinstance(citations, dict) and citations.keys() >= set(keys_in_text)
    if not keys_in_text or not has_papers:
        raise ValueError(
            f"{name} has the keys {keys_in_text} and the citations {citations!r:.80}: "
            "expected a dict from each key to the id of a paper. The text contains a key like "
            "cite_001 as {cite_001}."
        )

    titles = find_titles(citations.values(), title_of_paper, name)
    return dict(zip(citations, titles))


class ParsedReply(NamedTuple):
    """What came of asking about one paragraph.

    questions: those in the reply.
    fault: what is wrong with the reply, or why there is none; None if it was read.
    content: the reply; None without one.
    """

    questions: list[ParsedQuestion]
    fault: str | None
    content: str | None


def _ask_about(
    label: str,
    run: ChatRun,
    prompt: protocols.QuestionPrompt,
    text: str,
    titles: dict[str, str],
) -> ParsedReply:
    """Ask about a paragraph, and parse the reply."""
    answer = run.ask(
        label,
        prompt.messages(text, titles),
        temperature=prompt.temperature,
        max_tokens=prompt.max_tokens,
    )
    if answer.content is None or answer.reason:
        run.add_counts(faulty=int(answer.content is not None))
        return ParsedReply([], answer.reason, answer.content)

    try:
        questions = parse_questions(answer.content, titles)
    except ValueError as error:
        run.add_counts(faulty=1)
        return ParsedReply([], str(error), answer.content)

    run.add_counts(questions=len(questions))
    return ParsedReply(questions, None, answer.content)


def _tabulate_questions(
    paragraphs: Sequence[Paragraph], replies: Sequence[ParsedReply], kept_columns: Sequence[str]
) -> pd.DataFrame:
    """Return a row per question: QUESTION_COLUMNS, and the kept columns of its paragraph."""
    rows = []
    for paragraph, reply in zip(paragraphs, replies):
        kept_values = {name: paragraph[name] for name in kept_columns}
        for number, question in enumerate(reply.questions, 1):
            cited_ids = [paragraph["citations"][key] for key in question.keys]
            rows.append(
                {
                    # no hyphen: spreadsheets read 12-1 as a date
                    "query_id": f"{paragraph['paragraph_id']}_{number}",
                    "query": question.question,
                    "doc_ids": list(dict.fromkeys(cited_ids)),  # two keys may be of one paper
                    "paragraph_id": paragraph["paragraph_id"],
                    **kept_values,
                }
            )
    return pd.DataFrame(rows, columns=[*QUESTION_COLUMNS, "paragraph_id", *kept_columns])


def _tabulate_faults(
    paragraphs: Sequence[Paragraph], replies: Sequence[ParsedReply]
) -> pd.DataFrame:
    """Return a row per paragraph whose reply is invalid or missing."""
    rows = [
        (paragraph["paragraph_id"], reply.fault, reply.content)
        for paragraph, reply in zip(paragraphs, replies)
        if reply.fault is not None
    ]
    return pd.DataFrame(rows, columns=["paragraph_id", "fault", "content"], dtype=object)
