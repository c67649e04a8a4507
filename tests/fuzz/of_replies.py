"""What chat clients answer, and what is kept of it."""

import json
from pathlib import Path

from pyterrier_scholarly.chat import FunctionChat, Reply
from pyterrier_scholarly.chat.replies import Replies
from pyterrier_scholarly.collect._question_replies import parse_questions
from pyterrier_scholarly.collect.verdicts import PARSERS
from pyterrier_scholarly.ordering.permutation import is_order, read_order
from tests.fuzz.values import bent, garbled, odd

COMPLETION = {
    "id": "1",
    "model": "m",
    "choices": [{"finish_reason": "stop", "message": {"role": "a", "content": "[2] > [1]"}}],
    "usage": {"prompt_tokens": 3, "completion_tokens": 2},
    "system_fingerprint": "f",
}
TEXTS = ("[3] > [1] > [2]", "QUESTION: What?\nANSWER: one, two\n", "It is AGREE, not DISAGREE.")
LINE = {"key": "0" * 64, "reply": Reply("text", usage={"prompt_tokens": 1}).to_dict()}
LABELS = ("AGREE", "DISAGREE")


def draw_answer(random):
    """What a client returns: a completion that is bent, or something else."""
    return bent(random, COMPLETION, odd) if random.random() < 0.9 else odd(random)


def use_answer(answer):
    """Read it as a client does; what is a reply can be kept."""
    reply = FunctionChat(lambda messages: answer, max_retries=0).reply({"messages": []})
    assert Reply.from_dict(reply.to_dict()) == reply, "a reply that could not be kept"


def draw_text(random):
    """The text of an answer."""
    return garbled(random, random.choice(TEXTS))


def use_text(text):
    """Read it in every way that there is."""
    is_order(text, 3)
    assert sorted(read_order(text, 3)) == [0, 1, 2]
    for parse in PARSERS.values():
        parse(text, LABELS)
    parse_questions(text, ("one", "two"))


def draw_lines(random):
    """A file of replies."""
    text = json.dumps(bent(random, LINE)) if random.random() < 0.7 else json.dumps(LINE)
    return garbled(random, text.encode()) if random.random() < 0.5 else text.encode()


def use_lines(lines):
    """Import it."""
    Path("replies.jsonl").write_bytes(lines)
    Replies("replies").import_jsonl("replies.jsonl")
