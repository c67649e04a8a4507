"""The prompt that asks for questions."""

import re

from pyterrier_scholarly.protocols import QUESTIONS, Demonstration, QuestionPrompt

LITSEARCH = QUESTIONS["litsearch"]


def test_litsearchs_prompt_as_printed():
    """One message: the printed instruction, the one printed demonstration, the paragraph."""
    (message,) = LITSEARCH.messages("Trees {cite_001} {grow}.", {"cite_001": "On trees"})
    content = message["content"]
    assert message["role"] == "user"
    assert content.startswith("I will provide you with a excerpt from an scientific article")
    assert len(re.findall(r"^\(\d\) ", content, re.M)) == 4
    assert content.count("TEXT: ") == content.count("PAPER TITLES:") == 1 + 1
    assert content.count("QUESTION: ") == content.count("ANSWER: ") == 4
    assert "\nANSWER: cite_016, cite_017, cite_018, cite_019\nQUESTION: Has anyone" in content
    assert content.endswith("TEXT: Trees {cite_001} {grow}.\nPAPER TITLES:\n- cite_001: On trees")


def test_what_is_not_printed_is_said():
    """The second demonstration is missing in the paper, and the source says so."""
    assert "second demonstration is not printed" in LITSEARCH.source
    assert len(LITSEARCH.demonstrations) == 1


def test_a_prompt_of_ones_own():
    """Any instruction and demonstrations make a message of the same form."""
    shown = Demonstration("A {cite_001}.", {"cite_001": "T"}, (("Q?", ("cite_001",)),))
    prompt = QuestionPrompt("me", "Ask.", (shown,))
    assert prompt.messages("B", {})[0]["content"] == (
        "Ask.\n\nTEXT: A {cite_001}.\nPAPER TITLES:\n- cite_001: T\nQUESTION: Q?\nANSWER: cite_001"
        "\n\nTEXT: B\nPAPER TITLES:"
    )
