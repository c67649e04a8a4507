"""Judgements by a language model: whether an abstract meets an aspect [Wang2023, 4].

judged = judge(pairs, Recorded(OpenAIChat("gpt-3.5-turbo-0301"), "replies"))
judged.frame, judged.unclear
"""

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Literal, NamedTuple

import pandas as pd

from .. import frames, protocols
from ..arguments import Count, check_arguments
from ..chat import ChatRun, Job
from ..chat.chat_run import Prices
from ..chat.client_protocol import ChatLike
from ..choices import choose_preset
from .verdict_parsers import VERDICT_PARSERS

ADDED_COLUMNS = ["label", "verdict", *VERDICT_PARSERS, "content", "reason"]
SHOWN_COUNTS = ("judged", "unclear", "refused", "failed", "differ")


class Judgements(NamedTuple):
    """Hold a model's judgements of pairs.

    frame: a row per pair with a verdict: `qid`, `docno`, `label` (int, the grade), `verdict`, the
        reading of each parser (`released`, `last`: a verdict or None), `content` (the reply), and
        all columns of the pair except its texts.
    unclear: a row per pair without a verdict: all columns of the pair, the reading of each parser,
        `content` (None without a reply) and `reason`. A person should add a label.
    """

    frame: pd.DataFrame
    unclear: pd.DataFrame

    def __repr__(self) -> str:
        return frames.fit_screen(self)


@check_arguments
def judge(
    pairs: pd.DataFrame,
    client: ChatLike,
    preset: str | protocols.JudgingPrompt = "anno-gpt",
    parser: Literal["released", "last"] = "released",
    workers: Count = 8,
    prices: Prices = None,
    verbose: bool = True,
) -> Judgements:
    """Grade pairs of an aspect and an abstract by a language model, as DORIS-MAE did.

    The model is asked once for each pair. A reply without a verdict gets no grade, nor does one
    that was cut off, whatever labels it weighs.
    ``parser="released"`` is the rule of the authors' code, which gives their figures: exactly one
    label may occur. It reads "it would be wrong to DISAGREE, so: AGREE" as DISAGREE; ``"last"``
    reads AGREE. Both readings are returned, and the line to stderr counts where they differ.

    Args:
        pairs: frame of `qid`, `query` (the aspect), `docno`, `text` (the abstract). Other columns
            are kept.
        client: an ``OpenAIChat(model)``, in a ``Recorded`` so that nothing is asked twice; or
            anything that `FunctionChat` takes.
        preset: ``"anno-gpt"``, or your own `JudgingPrompt`.
        parser: ``"released"`` or ``"last"``.
        workers: number of pairs that are asked in parallel.
        prices: of a million tokens (in, out), for the cost in the printed line.
        verbose: show progress.

    Returns:
        `Judgements`, each frame in the order of `pairs`.

    Raises:
        pt.validate.InputValidationError: a missing column, or one with the name of a new column.
        ValueError: a duplicate pair, an empty aspect or abstract, an unknown preset or parser.
        Exception: an error that ends the client's run; ConnectionError if nothing is answered.
    """
    prompt = choose_preset("preset", preset, protocols.JUDGING)
    names = ", ".join(ADDED_COLUMNS)
    pairs = frames.check(
        pairs,
        "judge",
        ["qid", "query", "docno", "text"],
        without=ADDED_COLUMNS,
        remedy=f"The columns {names} are added: rename or drop yours of these names.",
    )
    frames.check_texts(pairs, "text", by="docno")

    run = ChatRun(client, prices)
    jobs = []
    for pair in pairs.to_dict("records"):
        label = f"pair {pair['qid']!r} {pair['docno']!r}"
        jobs.append(Job(label, partial(_judge_pair, label, run, prompt, pair, parser)))
    verdicts = run.run_all(jobs, workers, "judge", SHOWN_COUNTS, verbose)

    rows = pairs.reset_index(drop=True).join(_tabulate(verdicts))
    is_unclear = rows["reason"].notna()
    judged = rows[~is_unclear].drop(columns=["query", "text", "reason"])
    unclear = rows[is_unclear].drop(columns=["label", "verdict"])
    return Judgements(
        judged.astype({"label": int}).reset_index(drop=True), unclear.reset_index(drop=True)
    )


class Verdict(NamedTuple):
    """What came of asking about one pair.

    label: the grade; None without a verdict.
    verdict: what the chosen parser reads; None if it reads nothing.
    readings: dict from each parser's name to what it reads.
    content: the reply; None without one.
    reason: why there is no label; None if there is one.
    """

    label: int | None
    verdict: str | None
    readings: Mapping[str, str | None]
    content: str | None
    reason: str | None


def _judge_pair(
    label: str, run: ChatRun, prompt: protocols.JudgingPrompt, pair: Mapping[str, str], parser: str
) -> Verdict:
    """Ask about one pair, and return what all parsers read in the reply.

    label: names the pair in the run's report.
    parser: whose reading decides on the grade.
    """
    answer = run.ask(
        label,
        prompt.messages(pair["query"], pair["text"]),
        temperature=prompt.temperature,
        max_tokens=prompt.max_tokens,
    )
    content = answer.content
    if content is None or answer.reason:
        run.add_counts(unclear=int(content is not None))
        no_readings = dict.fromkeys(VERDICT_PARSERS)
        return Verdict(
            label=None, verdict=None, readings=no_readings, content=content, reason=answer.reason
        )

    readings = {name: parse(content, prompt.grades) for name, parse in VERDICT_PARSERS.items()}
    parsers_differ = len(set(readings.values())) > 1
    run.add_counts(differ=int(parsers_differ))

    decision = readings[parser]
    if decision is None:
        run.add_counts(unclear=1)
        reason = _describe_unclear(content, prompt.grades)
        return Verdict(label=None, verdict=None, readings=readings, content=content, reason=reason)

    run.add_counts(judged=1)
    grade = prompt.grades[decision]
    return Verdict(label=grade, verdict=decision, readings=readings, content=content, reason=None)


def _describe_unclear(content: str, labels: Collection[str]) -> str:
    """Say why a whole reply has no verdict."""
    present_labels = [label for label in labels if label in content]
    return f"several labels: {', '.join(present_labels)}" if present_labels else "no label"


def _tabulate(verdicts: Sequence[Verdict]) -> pd.DataFrame:
    """Return the verdicts as ADDED_COLUMNS, of objects, so that None stays None."""
    columns: dict[str, list] = {
        "label": [verdict.label for verdict in verdicts],
        "verdict": [verdict.verdict for verdict in verdicts],
        "content": [verdict.content for verdict in verdicts],
        "reason": [verdict.reason for verdict in verdicts],
    }
    for parser in VERDICT_PARSERS:
        columns[parser] = [verdict.readings[parser] for verdict in verdicts]
    return pd.DataFrame(columns, columns=ADDED_COLUMNS, dtype=object)
