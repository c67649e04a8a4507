"""Chat by API, against a local server with scripted answers."""

import builtins
import pickle

import pytest

from pyterrier_scholarly import OpenAIChat

MESSAGES = [{"role": "user", "content": "Is this 1?"}]


def ask(client, **options):
    """Return the client's reply to one question."""
    return client.reply(client.request(MESSAGES, **options))


def problem(code="", message="no"):
    """Return the body of an error."""
    return {"error": {"message": message, "type": "t", "param": None, "code": code}}


def test_request_and_reply(chat_server):
    """Model, messages and options are sent; content and all other facts are returned."""
    reply = ask(OpenAIChat("m", chat_server.url), temperature=0, max_tokens=5)
    assert (reply.content, reply.finish_reason, reply.model) == ("yes", "stop", "m-2026")
    assert (reply.fingerprint, reply.refusal, reply.replayed) == ("fp", "", False)
    assert reply.usage["prompt_tokens"] == 10
    assert reply.date.startswith("20")
    ((path, headers, body),) = chat_server.requests
    assert (path, headers["Authorization"]) == (
        "/v1/chat/completions",
        f"Bearer {chat_server.KEY}",
    )
    assert body == {"model": "m", "messages": MESSAGES, "temperature": 0, "max_tokens": 5}


def test_options_go_over_the_prompts():
    """None removes an option, for models that name it differently."""
    client = OpenAIChat("m", options={"max_tokens": None, "seed": 1})
    assert client.request(MESSAGES, max_tokens=5, temperature=0) == {
        "model": "m",
        "messages": MESSAGES,
        "temperature": 0,
        "seed": 1,
    }


@pytest.mark.parametrize("statuses", [[429, 429], [500], [503, 429, 502]])
def test_what_passes_is_waited_out(chat_server, statuses):
    """The request is repeated until it is answered."""
    troubles = list(statuses)
    chat_server.answer = lambda body: (
        (troubles.pop(), problem()) if troubles else (200, chat_server.completion("yes"))
    )
    assert ask(OpenAIChat("m", chat_server.url)).content == "yes"
    assert len(chat_server.requests) == len(statuses) + 1


@pytest.mark.parametrize(
    ("status", "code", "message", "refusal"),
    [
        (400, "context_length_exceeded", "no", "context_length_exceeded"),
        (400, None, "This model's maximum context length is 9 tokens.", "context_length_exceeded"),
        (413, None, "Prompt is too long", "context_length_exceeded"),
        (400, "content_filter", "no", "content_filter"),
    ],
)
def test_a_refusal_is_a_reply(chat_server, status, code, message, refusal):
    """A refusal is recognised by its code or message, and not repeated."""
    chat_server.answer = lambda body: (status, problem(code, message))
    reply = ask(OpenAIChat("m", chat_server.url))
    assert (reply.content, reply.refusal) == (None, refusal)
    assert len(chat_server.requests) == 1


def test_filtered_content_is_a_refusal(chat_server):
    """A filtered answer has no content, and its finish reason says so."""
    chat_server.answer = lambda body: (
        200,
        chat_server.completion(None, finish_reason="content_filter"),
    )
    assert ask(OpenAIChat("m", chat_server.url)).refusal == "content_filter"


@pytest.mark.parametrize(
    ("status", "body", "kind", "said"),
    [
        (401, problem(message="bad key sk-not-to-be-seen"), PermissionError, "OPENAI_API_KEY"),
        (403, problem(), PermissionError, "model"),
        (429, problem("insufficient_quota"), PermissionError, "quota"),
        (404, problem(), OSError, "base_url"),
        (400, problem(message="unknown option"), ValueError, "unknown option"),
        (500, problem(), ConnectionError, "500"),
        (200, b"<html>", ConnectionError, "cannot be read"),
        (200, b'"a string"', ConnectionError, "is no chat completion"),
        (200, {"choices": []}, ConnectionError, "is no chat completion"),
        (200, {"choices": [{"message": {"content": 3}}]}, ConnectionError, "is no chat completion"),
    ],
)
def test_errors_are_built_in_ones(chat_server, status, body, kind, said):
    """Temporary errors are ConnectionErrors; all name problem and address, none shows the key."""
    chat_server.answer = lambda _: (status, body)
    with pytest.raises(kind, match=said) as caught:
        ask(OpenAIChat("m", chat_server.url, max_retries=1))
    assert type(caught.value) is kind
    assert chat_server.url in str(caught.value)
    assert chat_server.KEY not in str(caught.value)
    assert (caught.value.__context__, caught.value.__cause__) == (None, None)


def test_a_key_in_an_answer_is_blotted_out(chat_server, monkeypatch):
    """Secrets are removed from replies; a short word that serves as a key stays."""
    chat_server.answer = lambda body: (200, chat_server.completion(f"Bearer {chat_server.KEY}, 1"))
    assert ask(OpenAIChat("m", chat_server.url)).content == "Bearer ***, 1"
    monkeypatch.setenv("OPENAI_API_KEY", "1")
    chat_server.answer = lambda body: (200, chat_server.completion("[1]"))
    assert ask(OpenAIChat("m", chat_server.url)).content == "[1]"


def test_credentials_of_the_environments_endpoint_are_nowhere(chat_server, monkeypatch):
    """An error hides the address's password; a repr hides keys in headers."""
    address = chat_server.url.replace("://", "://me:password-of-mine@")
    monkeypatch.setenv("OPENAI_BASE_URL", address)
    chat_server.answer = lambda _: (401, problem(message="bad password-of-mine"))
    client = OpenAIChat("m", options={"extra_headers": {"Authorization": "Bearer own-key"}})
    with pytest.raises(PermissionError, match=r"bad \*\*\*") as caught:
        ask(client)
    assert chat_server.url in str(caught.value)
    assert "of-mine" not in str(caught.value) + repr(client) + client.url
    assert "own-key" not in repr(client)


def test_a_text_that_cannot_be_sent(chat_server):
    """Half a surrogate pair cannot be encoded: the error is not the server's."""
    client = OpenAIChat("m", chat_server.url)
    with pytest.raises(UnicodeError):
        client.reply(client.request([{"role": "user", "content": "\ud800"}]))
    assert chat_server.requests == []


def test_a_hanging_server_is_left(chat_server):
    """Each try ends after `timeout` seconds."""
    chat_server.answer = lambda body: chat_server.held.wait() and (200, {})
    with pytest.raises(TimeoutError, match="in time"):
        ask(OpenAIChat("m", chat_server.url, timeout=0.1, max_retries=1))
    chat_server.wait_for(2)
    assert len(chat_server.requests) == 2


def test_no_server(chat_server):
    """A refused connection is a temporary error that names the server."""
    chat_server.stop()
    with pytest.raises(ConnectionError, match="Is the server running"):
        ask(OpenAIChat("m", chat_server.url, max_retries=1))


def test_keys_that_cannot_be(monkeypatch):
    """OpenAI needs a key; it must be sendable, and must not be in the address."""
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(PermissionError, match="OPENAI_API_KEY"):
        ask(OpenAIChat("m"))
    monkeypatch.setenv("OPENAI_API_KEY", "schlüssel")
    with pytest.raises(PermissionError, match="copy it again") as caught:
        ask(OpenAIChat("m"))
    assert "schlüssel" not in str(caught.value)
    with pytest.raises(ValueError, match="base_url") as caught:
        OpenAIChat("m", "https://me:secret@host/v1")
    assert "secret" not in str(caught.value)


def test_a_client_is_its_settings(chat_server):
    """Clients are equal by model, address and options; repr and pickle have no key."""
    client = OpenAIChat("m", chat_server.url, options={"seed": 1})
    assert client == OpenAIChat("m", chat_server.url, options={"seed": 1}, timeout=3)
    assert client != OpenAIChat("m", chat_server.url)
    ask(client)
    assert eval(repr(client)) == pickle.loads(pickle.dumps(client)) == client
    assert chat_server.KEY.encode() not in pickle.dumps(client)


def test_what_is_missing_is_named(monkeypatch):
    """Without the openai package the error names the extra to install."""
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name == "openai":
            raise ModuleNotFoundError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"pyterrier-scholarly\[api\]"):
        ask(OpenAIChat("m", "http://127.0.0.1:1/never/asked"))
