"""Read the questions, and the papers that answer them, in a language model's reply.

>>> parse_questions("QUESTION: What is known of bees?\\nANSWER: cite_001", ["cite_001"])
[ParsedQuestion(question='What is known of bees?', keys=('cite_001',))]
"""

import re
from collections.abc import Collection
from typing import NamedTuple

from ..arguments import check_arguments

PAIR_PATTERN = re.compile(r"QUESTION:(?P<question>.*?)^ANSWER:(?P<answer>[^\n]*)\s*", re.M | re.S)
EXPECTED = "expected QUESTION: … and ANSWER: … with the paragraph's keys, in turns"


class ParsedQuestion(NamedTuple):
    """A question, and the keys of the papers that answer it."""

    question: str
    keys: tuple[str, ...]


@check_arguments
def parse_questions(content: str, keys: Collection[str]) -> list[ParsedQuestion]:
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
    text = content.strip()
    questions = []
    end = 0
    while end < len(text):
        pair = PAIR_PATTERN.match(text, end)
        if pair is None:
            raise ValueError(f"{EXPECTED}; found {text[end:]!r:.80}")

        question = " ".join(pair["question"].split())
        if not question or "QUESTION:" in question:
            raise ValueError(f"{EXPECTED}; found the question {question!r:.80}")

        answer_keys = _read_keys(pair["answer"], keys)
        questions.append(ParsedQuestion(question, answer_keys))
        end = pair.end()
    return questions


def _read_keys(answer: str, keys: Collection[str]) -> tuple[str, ...]:
    """Return the keys in an answer; ValueError for one that is unknown or repeated."""
    answer_keys = tuple(key.strip() for key in answer.split(","))
    unknown_keys = [key for key in answer_keys if key not in keys]
    has_duplicate = len(set(answer_keys)) < len(answer_keys)
    if not unknown_keys and not has_duplicate:
        return answer_keys

    fault = f"the unknown key {unknown_keys[0]!r}" if unknown_keys else "a duplicate key"
    raise ValueError(
        f"an answer names {fault}: {answer.strip()!r:.80}; the paragraph has {', '.join(keys)}"
    )
