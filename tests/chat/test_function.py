"""A user's objects as chat clients."""

import re
import time
from enum import Enum
from functools import partial
from types import SimpleNamespace

import openai
import pytest

from pyterrier_scholarly import FunctionChat
from pyterrier_scholarly.chat import Reply, as_chat

MESSAGES = [{"role": "user", "content": "Is this 1?"}]


@pytest.fixture(autouse=True)
def waits(monkeypatch):
    """Record the waits instead of waiting."""
    seconds = []
    monkeypatch.setattr(time, "sleep", seconds.append)
    return seconds


def ask(client, **options):
    """Return the reply to one question."""
    chat = as_chat(client)
    return chat.reply(chat.request(MESSAGES, **options))


def test_a_plain_function():
    """A function gets the parts of the request that it has parameters for."""
    seen = []
    assert ask(lambda messages: seen.append(messages) or "1", temperature=0).content == "1"
    assert ask(lambda messages, **rest: seen.append(rest) or None, temperature=0).content is None
    assert seen == [MESSAGES, {"temperature": 0}]


def test_a_function_that_returns_completions():
    """A function like litellm's gets the model's name and returns a completion."""

    def complete(model, messages, temperature):
        choice = {"message": {"content": f"{model} {temperature}"}, "finish_reason": "stop"}
        return {"choices": [choice], "model": "m-1", "usage": {"prompt_tokens": 3, "x": None}}

    reply = ask(FunctionChat(complete, "m"), temperature=0, max_tokens=3)
    assert (reply.content, reply.model, reply.usage) == ("m 0", "m-1", {"prompt_tokens": 3})


def test_how_a_reply_ended_is_read_from_any_client():
    """A text, an enum of some library, and the attribute of a backend's output."""
    ended = Enum("FinishReason", {"whole": "stop", "cut": "length"})
    for reason, expected in [(ended.whole, "stop"), (ended.cut, "length"), (None, "")]:
        choice = {"message": {"content": "1"}, "finish_reason": reason}
        assert ask(lambda messages, choice=choice: {"choices": [choice]}).finish_reason == expected

    output = SimpleNamespace(text="1", finish_reason="length")
    assert ask(lambda messages: output).is_cut_off


def test_an_sdk_client(chat_server):
    """A client like the openai SDK's gets the request's parts by name."""
    sdk = openai.OpenAI(base_url=chat_server.url)
    assert ask(FunctionChat(sdk, "m")).content == "yes"
    assert chat_server.asked == [{"model": "m", "messages": MESSAGES}]


class Backend:
    """A backend like pyterrier-rag's."""

    def __init__(self, *texts):
        self.texts, self.seen = list(texts), []

    def generate(self, inps, *, max_new_tokens=None):
        """Return the next text, for a batch of one."""
        self.seen.append((inps, max_new_tokens))
        return [SimpleNamespace(text=self.texts.pop(0), logprobs=None)]


def test_a_backend():
    """A backend gets a batch of one conversation, and the number of tokens."""
    backend = Backend("[2] > [1]")
    assert ask(backend, max_tokens=2000, temperature=0).content == "[2] > [1]"
    assert backend.seen == [([MESSAGES], 2000)]


def test_texts_of_errors_are_no_replies():
    """Texts of errors become refusals or temporary errors."""
    assert ask(Backend("ERROR::reduce_length")).refusal == "context_length_exceeded"
    assert ask(Backend("ERROR::response_filtered")).refusal == "content_filter"
    assert ask(Backend("ERROR::other", "ERROR::other", "1")).content == "1"
    with pytest.raises(ConnectionError, match="ERROR::other"):
        ask(Backend(*["ERROR::other"] * 4))
    with pytest.raises(ConnectionError, match="Fehler"):
        ask(FunctionChat(lambda messages: "Fehler 7", max_retries=0, error_text="Fehler"))


class StatusError(Exception):
    """An error like the openai SDK's and litellm's."""

    def __init__(self, status_code, code=None, message="no"):
        super().__init__(message)
        self.status_code, self.code = status_code, code


@pytest.mark.parametrize(
    "trouble", [StatusError(429), StatusError(500), TimeoutError("t"), ConnectionResetError("c")]
)
def test_what_passes_is_repeated(trouble):
    """Temporary errors are repeated `max_retries` times, then raised."""
    troubles = [trouble] * 3

    def moody(messages):
        if troubles:
            raise troubles.pop()
        return "1"

    assert ask(moody).content == "1"
    troubles[:] = [trouble] * 5
    said = re.escape(str(trouble))
    with pytest.raises((ConnectionError, TimeoutError), match=said):
        ask(moody)
    assert len(troubles) == 1


@pytest.mark.parametrize(
    "kind", [ConnectionError, ValueError, lambda text: StatusError(401, message=text)]
)
def test_keys_in_a_clients_own_errors_are_blotted_out(kind):
    """Keys are removed from any error's message and from the repr."""

    def refuse(messages, api_key):
        raise kind(f"Incorrect API key provided: {api_key}")

    client = FunctionChat(partial(refuse, api_key="sk-not-to-be-seen"))
    assert "api_key='***'" in repr(client)
    with pytest.raises((OSError, ValueError), match=r"provided: \*\*\*") as caught:
        ask(client)
    assert "not-to-be-seen" not in str(caught.value)


def test_waits_grow(waits):
    """Waits double from half a second up to eight."""

    def busy(messages):
        raise StatusError(429)

    with pytest.raises(ConnectionError):
        ask(FunctionChat(busy, max_retries=6))
    assert waits == [0.5, 1, 2, 4, 8, 8]


def test_errors_that_do_not_pass():
    """A refusal is a reply; a wrong key and a bug raise at once."""
    calls = []

    def failing(error):
        def call(messages):
            calls.append(1)
            raise error

        return call

    assert ask(failing(StatusError(400, "context_length_exceeded"))).refusal
    with pytest.raises(PermissionError):
        ask(failing(StatusError(401)))
    for bug in (ZeroDivisionError(), OSError("File name too long")):
        with pytest.raises(type(bug)):
            ask(failing(bug))
    assert len(calls) == 4


def test_what_is_no_client():
    """The error says what a client can be."""
    with pytest.raises(TypeError, match="OpenAIChat"):
        ask(3)


def test_a_client_stays_as_it_is():
    """An object with `request` and `reply` is used itself."""

    class Own:
        def request(self, messages, **options):
            return {"messages": messages}

        def reply(self, request):
            return Reply("own")

    own = Own()
    assert as_chat(own) is own
    assert FunctionChat(print, "a") == FunctionChat(print, "a") != FunctionChat(print, "b")
