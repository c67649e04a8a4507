"""Replies with questions, read strictly."""

import pytest

from pyterrier_scholarly.collect import parse_questions
from pyterrier_scholarly.protocols import QUESTIONS

KEYS = ("cite_001", "cite_002", "cite_003")


def test_pairs_in_their_order():
    """Questions over several lines become one, keys are split at commas, blank lines do no harm."""
    reply = """
QUESTION: Which papers
  prune trees?
ANSWER: cite_001,cite_003

QUESTION: Who came first?
ANSWER: cite_002
"""
    assert parse_questions(reply, KEYS) == [
        ("Which papers prune trees?", ("cite_001", "cite_003")),
        ("Who came first?", ("cite_002",)),
    ]


def test_the_papers_own_demonstration_is_a_reply():
    """What the prompt shows as an answer is read as what it shows."""
    (shown,) = QUESTIONS["litsearch"].demonstrations
    content = QUESTIONS["litsearch"].messages("", {})[0]["content"]
    reply = content[content.index("QUESTION:") : content.rindex("TEXT:")]
    assert parse_questions(reply, shown.titles) == list(shown.questions)


@pytest.mark.parametrize("reply", ["", " \n"])
def test_a_model_may_ask_nothing(reply):
    """A blank reply has no questions: the prompt allows to skip citations."""
    assert parse_questions(reply, KEYS) == []


@pytest.mark.parametrize(
    "reply, message",
    [
        ("QUESTION: Which?\nANSWER: cite_004", r"unknown key 'cite_004'.*has cite_001, cite_002"),
        ("QUESTION: Which?\nANSWER: cite_001 and cite_002", "unknown key 'cite_001 and cite_002'"),
        ("QUESTION: Which?\nANSWER: {cite_001}", r"unknown key '\{cite_001\}'"),
        ("QUESTION: Which?\nANSWER: Cite_001", "unknown key 'Cite_001'"),
        ("QUESTION: Which?\nANSWER: cite_001,", "unknown key ''"),
        ("QUESTION: Which?\nANSWER:", "unknown key ''"),
        ("QUESTION: Which?\nANSWER: cite_001, cite_001", "names a duplicate key"),
        ("QUESTION: Which?", "in turns; found 'QUESTION: Which"),
        ("QUESTION:\nANSWER: cite_001", "found the question ''"),
        ("QUESTION: A?\nQUESTION: B?\nANSWER: cite_001", r"found the question 'A\? QUESTION: B"),
        ("ANSWER: cite_001", "in turns; found 'ANSWER"),
        ("Sure!\nQUESTION: Which?\nANSWER: cite_001", "in turns; found 'Sure"),
        ("QUESTION: Which?\nANSWER: cite_001\nI hope this helps.", "found 'I hope this helps"),
        ("**QUESTION:** Which?\n**ANSWER:** cite_001", "in turns; found"),
        ("QUESTION: A?\nANSWER: cite_001\nANSWER: cite_002", "found 'ANSWER: cite_002"),
        ("No questions.", "in turns; found 'No questions"),
    ],
)
def test_anything_else_is_an_error(reply, message):
    """The error shows the found and the expected text."""
    with pytest.raises(ValueError, match=message):
        parse_questions(reply, KEYS)
