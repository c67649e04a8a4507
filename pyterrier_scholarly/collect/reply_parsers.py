"""Replies of language models, read: a judge's verdict, and questions with their answers.

A label counts wherever it stands in capitals, also inside a longer word (``DISAGREES``). If one
label ends with another (DISAGREE, AGREE), the longer one is not counted as the shorter.
"""

import re
from collections.abc import Collection, Iterable
from typing import NamedTuple

import pandas as pd

from .. import datasets, frames, protocols
from ..arguments import check_arguments
from ..datasets import DatasetLike

ANSWERED = re.compile(r"QUESTION:(?P<question>.*?)^ANSWER:(?P<answer>[^\n]*)\s*", re.M | re.S)
EXPECTED = "expected QUESTION: … and ANSWER: … with the paragraph's keys, in turns"
#: a question and the keys that answer it
Parsed = tuple[str, tuple[str, ...]]


def released(reply: str, labels: Iterable[str]) -> str | None:
    """Read the only label in the reply, as DORIS-MAE's released code does; None if none or several.

    A label that is part of another one counts only if the other does not occur. So a reply that
    weighs DISAGREE and ends on AGREE is read as DISAGREE, without a warning: see `last`.
    """
    present = [label for label in labels if label in reply]
    whole = [one for one in present if not any(one in other for other in present if other != one)]
    return whole[0] if len(whole) == 1 else None


def last(reply: str, labels: Iterable[str]) -> str | None:
    """Read the label that ends last, where prompts ask for the verdict; None if none occurs."""
    ends = {label: reply.rfind(label) + len(label) for label in labels if label in reply}
    return max(ends, key=lambda label: (ends[label], len(label)), default=None)


#: name -> function that reads a verdict
PARSERS = {"released": released, "last": last}


class Reread(NamedTuple):
    """Hold the readings of replies, beside the scores that were released with them.

    frame: a row per annotation with a reply: `qid` (the aspect), `docno`, `label` (the released
        score) and, for each parser of `judge` (`released`, `last`), its grade or NaN.
    table: a row per `parser`: `annotations`, `replies` (those with text), `read` (replies with a
        verdict), `equal` (replies whose grade is the released score), `share` (equal / replies;
        NaN without replies).
    """

    frame: pd.DataFrame
    table: pd.DataFrame

    def __repr__(self) -> str:
        return frames.fit_screen(self)

    def __str__(self) -> str:
        return self.table.to_string(index=False, float_format="{:.4f}".format)


@check_arguments
def reread_replies(
    dataset: DatasetLike = "doris-mae", preset: str | protocols.JudgingPrompt = "anno-gpt"
) -> Reread:
    """Read released replies by both parsers of `judge`, and compare with the released scores.

    DORIS-MAE releases each reply with the score that its authors read. Their parser left -1 if it
    found no single label, for a person to correct (README of their code). So `equal` is below
    `replies` for ``released``, too. Replies are read one at a time and not kept in memory.

    Args:
        dataset: one with annotations: ``"doris-mae"``, ``"doris-mae/v0"``.
        preset: ``"anno-gpt"``, or the `JudgingPrompt` whose labels the replies use.

    Raises:
        ValueError: a dataset without annotations.
    """
    source = datasets.irds(dataset)
    if not hasattr(source, "annotations_iter"):
        raise ValueError(f"{dataset} has no annotations with replies: pass doris-mae.")
    grades = protocols.preset("preset", preset, protocols.JUDGING).grades
    annotations, rows = 0, []
    for aspect_id, abstract_id, reply, score in source.annotations_iter():
        annotations += 1
        if reply:
            readings = [grades.get(parse(reply, grades) or "") for parse in PARSERS.values()]
            rows.append((aspect_id, abstract_id, score, *readings))
    frame = pd.DataFrame(rows, columns=["qid", "docno", "label", *PARSERS])
    frame = frame.astype(dict.fromkeys(PARSERS, float))
    readings_of = frame[list(PARSERS)]
    equal = readings_of.eq(frame["label"], axis=0)
    return Reread(
        frame,
        pd.DataFrame(
            {
                "parser": list(PARSERS),
                "annotations": annotations,
                "replies": len(frame),
                "read": readings_of.notna().sum().to_numpy(),
                "equal": equal.sum().to_numpy(),
                "share": equal.mean().to_numpy(),
            }
        ),
    )


@check_arguments
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
        pair = ANSWERED.match(content, end)
        if pair is None:
            raise ValueError(f"{EXPECTED}; found {content[end:]!r:.80}")
        question = " ".join(pair["question"].split())
        if not question or "QUESTION:" in question:
            raise ValueError(f"{EXPECTED}; found the question {question!r:.80}")
        answer = tuple(key.strip() for key in pair["answer"].split(","))
        unknown = [key for key in answer if key not in keys]
        if unknown or len(set(answer)) < len(answer):
            fault = f"the unknown key {unknown[0]!r}" if unknown else "a duplicate key"
            raise ValueError(
                f"an answer names {fault}: {pair['answer'].strip()!r:.80}; the paragraph has "
                f"{', '.join(keys)}"
            )
        questions.append((question, answer))
        end = pair.end()
    return questions
