"""What a model answered when it was asked for questions: read strictly, or not at all."""

import re

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
