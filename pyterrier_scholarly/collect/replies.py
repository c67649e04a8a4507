"""What models answered, read strictly: questions and keys, and verdicts of judges.

Labels of verdicts count as they stand in capitals, also inside of longer words (``DISAGREES``);
where one label ends with another (DISAGREE, AGREE), an occurrence of the longer is none of the
shorter.
"""

import re
from typing import NamedTuple

import pandas as pd

from .. import protocols
from ..datasets import irds

PAIR = re.compile(r"QUESTION:(?P<question>.*?)^ANSWER:(?P<answer>[^\n]*)\s*", re.M | re.S)
EXPECTED = "expected QUESTION: … and ANSWER: … with the paragraph's keys, by turns"


def parse_questions(content, keys) -> list:
    """The questions of a reply and the keys that answer each: [(question, (key, …)), …].

    A reply is pairs of ``QUESTION: …``, which may go over several lines, and ``ANSWER: key, key``,
    one behind the other and nothing else; a blank one has none (a model may skip all citations).

    Args:
        content: the reply's text.
        keys: those that the paragraph has.

    Raises:
        ValueError: anything else: other words, an empty question or answer, a key that the
            paragraph does not have, or one that occurs twice in an answer.
    """
    found, end = [], 0
    content = content.strip()
    while end < len(content):
        pair = PAIR.match(content, end)
        if pair is None:
            raise ValueError(f"{EXPECTED}; found {content[end:]!r:.80}")
        question = " ".join(pair["question"].split())
        if not question or "QUESTION:" in question:
            raise ValueError(f"{EXPECTED}; found the question {question!r:.80}")
        found.append((question, _keys(pair["answer"], keys)))
        end = pair.end()
    return found


def _keys(answer, keys) -> tuple:
    named = tuple(part.strip() for part in answer.split(","))
    unknown = [key for key in named if key not in keys]
    if unknown or len(set(named)) < len(named):
        fault = f"the unknown key {unknown[0]!r}" if unknown else "a key twice"
        raise ValueError(
            f"an answer names {fault}: {answer.strip()!r:.80}; the paragraph has {', '.join(keys)}"
        )
    return named


def released(reply, labels):
    """The verdict by the rule of DORIS-MAE's released code: the only label in the reply.

    A label that is part of another one counts only where that other does not occur at all. So a
    reply that weighs DISAGREE and ends on AGREE is DISAGREE, in silence: see `last`.

    Returns:
        One of `labels`; None where none of them occurs, or several do.
    """
    found = [label for label in labels if label in reply]
    found = [label for label in found if not any(label in o for o in found if o != label)]
    return found[0] if len(found) == 1 else None


def last(reply, labels):
    """The verdict by the end of the reply, where it was asked for: the label that ends last.

    Returns:
        One of `labels`; None where none of them occurs.
    """
    ends = {label: reply.rfind(label) + len(label) for label in labels if label in reply}
    return max(ends, key=lambda label: (ends[label], len(label)), default=None)


PARSERS = {"released": released, "last": last}
COLUMNS = ["qid", "docno", "label", *PARSERS]


class Reread(NamedTuple):
    """What parsers read in replies, beside the scores that were released with them.

    frame: a row per annotation that has a reply: `qid` (the aspect), `docno`, `label` (the released
        score) and, for each parser of `judge` (`released`, `last`), the grade it reads or NaN.
    table: a row per `parser`: `annotations`, `replies` (those with text), `read` (replies with a
        verdict), `equal` (those whose grade is the released score), `share` (equal / replies; NaN
        without any).
    """

    frame: pd.DataFrame
    table: pd.DataFrame

    def __str__(self):
        return self.table.to_string(index=False, float_format="{:.4f}".format)


def reread_replies(dataset="doris-mae", preset="anno-gpt"):
    """Read the verdicts of released replies by both parsers of `judge`, and compare the scores.

    DORIS-MAE releases each reply with the score that its authors read from it. Their parser left
    -1 where it found no single label, for a person to correct (README of their code): there `equal`
    is below `replies` with ``released``, too. Replies are read one at a time and not kept.

    Args:
        dataset: one with annotations: ``"doris-mae"``, ``"doris-mae/v0"``.
        preset: ``"anno-gpt"``, or the `JudgingPrompt` whose labels the replies use.

    Returns:
        `Reread`; print it.

    Raises:
        ValueError: a dataset without annotations.
    """
    found = irds(dataset)
    if not hasattr(found, "annotations_iter"):
        raise ValueError(f"{dataset} has no annotations with replies: pass doris-mae.")
    grades = protocols.preset("preset", preset, protocols.JUDGING).grades
    count, rows = 0, []
    for aspect_id, abstract_id, reply, score in found.annotations_iter():
        count += 1
        if reply:
            read = [grades.get(parse(reply, grades)) for parse in PARSERS.values()]
            rows.append((aspect_id, abstract_id, score, *read))
    frame = pd.DataFrame(rows, columns=COLUMNS).astype(dict.fromkeys(PARSERS, float))
    return Reread(frame, pd.DataFrame([_compared(frame, name, count) for name in PARSERS]))


def _compared(frame, parser, annotations):
    equal = frame[parser].eq(frame["label"])
    return {
        "parser": parser,
        "annotations": annotations,
        "replies": len(frame),
        "read": int(frame[parser].notna().sum()),
        "equal": int(equal.sum()),
        "share": equal.mean(),
    }
