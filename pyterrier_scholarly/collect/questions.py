"""Questions from paragraphs that cite papers: LitSearch's way [Ajith2024, 2.1]."""

from typing import NamedTuple

import pandas as pd

from .. import frames
from ..chat import Asking
from ..protocols import QUESTIONS, preset
from ..text.rewriting import MARK
from .overlapping import titled, titles_of
from .replies import parse_questions

NAME = "questions_from_citations"
PARAGRAPHS = ["paragraph_id", "text", "citations"]
ASKED = ["query_id", "query", "doc_ids", "paragraph_id"]


class AskedQuestions(NamedTuple):
    """What a model made of paragraphs.

    frame: a row per question: `query_id` (``<paragraph_id>_<number>``, from 1), `query`, `doc_ids`
        (list of str, the papers that answer it), and all columns of its paragraph but `text` and
        `citations`.
    faults: a row per paragraph that has no questions because of its reply: `paragraph_id`, `fault`
        (what is wrong), `content` (the reply, None where there is none). They are for a person to
        look at; asked anew, a recorded client gives the same reply.
    """

    frame: pd.DataFrame
    faults: pd.DataFrame


def questions_from_citations(
    paragraphs, papers, client, prompt="litsearch", workers=8, prices=None, verbose=False
):
    """Ask a language model for questions that the papers cited in paragraphs answer.

    The model is shown a paragraph and the titles of what it cites. Its reply is read strictly
    (`parse_questions`): where it names a key that the paragraph does not have, or is anything but
    questions and answers, none of it is used. The paper does not say how the authors read replies.

    Args:
        paragraphs: a frame with `paragraph_id` (each once), `text` with keys like ``{cite_001}``,
            and `citations`, a dict from these keys to ids of papers, as `mark_citations` makes
            them; other columns (`source`, …) stay with the questions.
        papers: a frame with `doc_id` and `title`: of all papers that are cited.
        client: an ``OpenAIChat(model)``, in a ``Recorded`` so that nothing is asked twice; or what
            `FunctionChat` takes.
        prompt: ``"litsearch"``, or a `QuestionPrompt` of your own.
        workers: how many paragraphs are asked about at once.
        prices: of a million tokens (in, out), for the cost in the line that is printed.
        verbose: show progress.

    Returns:
        `AskedQuestions`. One line to stderr says what was asked, replayed, and came of it.

    Raises:
        pt.validate.InputValidationError: a column is missing, or is called as one that is made.
        ValueError: paragraphs without keys or text, a key without a paper, a paper without a title,
            an unknown prompt; names the paragraphs.
        Exception: what ends the client's run, and ConnectionError when nothing is answered.
    """
    prompt = preset("prompt", prompt, QUESTIONS)
    titles = _checked(paragraphs, papers)
    rows = paragraphs.to_dict("records")
    asking = Asking(client, prices)
    labelled = [
        (f"Paragraph {row['paragraph_id']!r}", (asking, prompt, row, shown))
        for row, shown in zip(rows, titles)
    ]
    counted = "questions", "faulty", "refused", "failed"
    replies = asking.all(_asked, labelled, workers, NAME, counted, verbose)
    return _gathered(paragraphs, rows, replies)


def _checked(paragraphs, papers) -> list:
    """The titles that each paragraph is shown with, by key."""
    made = ASKED[:3]
    remedy = f"The columns {', '.join(made)} are made: rename or drop yours of these names."
    own = ["paragraph_id"]
    paragraphs = frames.check(paragraphs, NAME, PARAGRAPHS, without=made, remedy=remedy, keys=own)
    title_of = titles_of(papers, NAME)
    return [
        _titles(*row, title_of) for row in paragraphs[PARAGRAPHS].itertuples(index=False, name=None)
    ]


def _titles(paragraph, text, citations, title_of):
    marked = list(dict.fromkeys(MARK.findall(text)))
    if not isinstance(citations, dict) or not marked or set(marked) - set(citations):
        raise ValueError(
            f"Paragraph {paragraph!r} has the keys {marked} and the citations {citations!r:.80}: "
            "expected a dict from each key like cite_001, which stands in the text as {cite_001}, "
            "to the id of a paper."
        )
    return dict(zip(citations, titled(citations.values(), title_of, f"Paragraph {paragraph!r}")))


def _asked(asking, prompt, row, titles):
    """The questions of a paragraph, what is wrong with the reply, and its content."""
    label = f"paragraph {row['paragraph_id']!r}"
    reply, missing = asking.told(label, prompt, row["text"], titles)
    if missing:
        return [], missing, None
    try:
        questions = parse_questions(reply.content, titles)
    except ValueError as error:
        asking.count(faulty=1)
        return [], str(error), reply.content
    asking.count(questions=len(questions))
    return questions, None, reply.content


def _gathered(paragraphs, rows, replies) -> AskedQuestions:
    more = [name for name in paragraphs.columns if name not in PARAGRAPHS]
    asked, faults = [], []
    for row, (questions, fault, content) in zip(rows, replies):
        if fault is not None:
            faults.append((row["paragraph_id"], fault, content))
        for number, (question, keys) in enumerate(questions, 1):
            # two keys may be of one paper
            cited = list(dict.fromkeys(row["citations"][key] for key in keys))
            # no hyphen: spreadsheets take 12-1 for a day
            own = (f"{row['paragraph_id']}_{number}", question, cited, row["paragraph_id"])
            asked.append((*own, *(row[name] for name in more)))
    return AskedQuestions(
        pd.DataFrame(asked, columns=[*ASKED, *more]),
        pd.DataFrame(faults, columns=["paragraph_id", "fault", "content"], dtype=object),
    )
