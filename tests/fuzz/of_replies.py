"""Try answers of chat clients, and stored replies."""

import json
import shutil
from functools import lru_cache
from pathlib import Path

from pyterrier_scholarly.chat import FunctionChat, Replies, Reply
from pyterrier_scholarly.collect import parse_questions
from pyterrier_scholarly.collect.verdict_parsers import VERDICT_PARSERS
from pyterrier_scholarly.transformers.listwise_rerank import is_order, read_order
from tests.fuzz.values import bent, garbled, odd

COMPLETION = {
    "id": "1",
    "model": "m",
    "choices": [{"finish_reason": "stop", "message": {"role": "a", "content": "[2] > [1]"}}],
    "usage": {"prompt_tokens": 3, "completion_tokens": 2},
    "system_fingerprint": "f",
}
TEXTS = ("[3] > [1] > [2]", "QUESTION: What?\nANSWER: one, two\n", "It is AGREE, not DISAGREE.")
LABELS = ("AGREE", "DISAGREE")


def draw_answer(random):
    """Draw the return value of a client: a changed completion, or something else."""
    return bent(random, COMPLETION, odd) if random.random() < 0.9 else odd(random)


def use_answer(answer):
    """Read it like a client; check that a reply can be stored."""
    reply = FunctionChat(lambda messages: answer, max_retries=0).reply({"messages": []})
    assert Reply.from_dict(reply.to_dict()) == reply, "a reply that could not be kept"


def draw_text(random):
    """Draw the text of an answer."""
    return garbled(random, random.choice(TEXTS))


def use_text(text):
    """Parse it with every parser."""
    is_order(text, 3)
    assert sorted(read_order(text, 3)) == [0, 1, 2]
    for parse in VERDICT_PARSERS.values():
        parse(text, LABELS)
    parse_questions(text, ("one", "two"))


@lru_cache
def _lines():
    """Return an exported file of two replies."""
    store = Replies("recorded")
    for key in "01":
        store.put(key * 64, Reply(f"text {key}", usage={"prompt_tokens": 1}))
    store.export_jsonl("recorded.jsonl")
    return Path("recorded.jsonl").read_bytes()


def draw_lines(random):
    """Draw a file of replies."""
    lines = _lines().splitlines()
    if random.random() < 0.4:
        lines[-1] = json.dumps(bent(random, json.loads(lines[-1]))).encode()
    lines = b"\n".join(lines)
    return garbled(random, lines) if random.random() < 0.4 else lines


def use_lines(lines):
    """Import the file."""
    shutil.rmtree("replies", ignore_errors=True)
    Path("replies.jsonl").write_bytes(lines)
    Replies("replies").import_jsonl("replies.jsonl")
