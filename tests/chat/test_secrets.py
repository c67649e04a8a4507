"""Keys, logins and secret headers are sent to their endpoint, and are kept and shown nowhere."""

import pickle
import traceback
from types import SimpleNamespace

import pytest

from pyterrier_scholarly import FunctionChat, OpenAIChat, Recorded
from pyterrier_scholarly.chat import ChatRun, Replies, Reply

QUESTION = [{"role": "user", "content": "Hello"}]
KEY = "gateway-key-0123"
PASSWORD = "pa55wd"  # shorter than a key, and longer than a word that could be anything


def ask(client):
    """Ask one question."""
    return client.reply(client.request(QUESTION))


def stored(folder):
    """All bytes in a folder."""
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def test_a_pickled_client_holds_no_secret(chat_server, tmp_path):
    """A header with a key is sent, and left out of pickle and repr; then it is missed by name."""
    headers = {"api-key": KEY, "Authorization": f"Bearer {KEY}", "X-Title": "an experiment"}
    client = OpenAIChat("m", chat_server.url, options={"extra_headers": headers, "seed": 1})
    assert ask(client).content == "yes"
    ((_, sent, _),) = chat_server.requests
    assert (sent["api-key"], sent["X-Title"]) == (KEY, "an experiment")
    assert KEY.encode() not in pickle.dumps(client)
    assert KEY not in repr(client)
    again = pickle.loads(pickle.dumps(client))
    assert again.options["extra_headers"]["X-Title"] == "an experiment"
    assert again.options["seed"] == 1
    with pytest.raises(PermissionError, match="without the secret 'api-key' of extra_headers") as e:
        ask(again)
    assert "$GATEWAY_KEY" in str(e.value)
    assert KEY not in str(e.value)
    assert len(chat_server.requests) == 1


def test_a_header_may_name_its_variable(chat_server, monkeypatch):
    """It is read for each request, also by a copy; an error names a variable that is missing."""
    options = {"extra_headers": {"api-key": "$GATEWAY_KEY", "X-Of": "the $5 model"}}
    client = pickle.loads(pickle.dumps(OpenAIChat("m", chat_server.url, options=options)))
    assert client.options == options
    with pytest.raises(PermissionError, match="no GATEWAY_KEY, which 'api-key' of extra_headers"):
        ask(client)
    monkeypatch.setenv("GATEWAY_KEY", KEY)
    chat_server.answer = lambda body: (200, chat_server.completion(f"your key is {KEY}"))
    assert ask(client).content == "your key is ***"
    ((_, sent, _),) = chat_server.requests
    assert (sent["api-key"], sent["X-Of"]) == (KEY, "the $5 model")


def test_a_recording_does_not_depend_on_a_secret(chat_server, tmp_path):
    """Somebody with another key, or with none, replays what was recorded."""
    folder = tmp_path / "recorded"
    for key in (KEY, "another-key-4567"):
        options = {"extra_headers": {"api-key": key, "X-Title": "one"}}
        ask(Recorded(OpenAIChat("m", chat_server.url, options=options), folder))
    assert len(chat_server.requests) == 1
    assert KEY.encode() not in stored(folder)
    other = {"extra_headers": {"api-key": key, "X-Title": "two"}}
    ask(Recorded(OpenAIChat("m", chat_server.url, options=other), folder))
    assert len(chat_server.requests) == 2


def test_a_password_that_a_reply_repeats_is_not_kept(chat_server, monkeypatch, tmp_path):
    """The endpoint's address may be echoed; what is recorded and exported has no password."""
    address = chat_server.url.replace("://", f"://reader:{PASSWORD}@")
    monkeypatch.setenv("OPENAI_BASE_URL", address)
    echo = f"You asked {address}, password {PASSWORD}"
    chat_server.answer = lambda body: (200, {**chat_server.completion(echo), "model": address})
    reply = ask(Recorded(OpenAIChat("m"), tmp_path / "recorded"))
    assert PASSWORD not in str(reply)
    assert "You asked http://***@" in reply.content
    Replies(tmp_path / "recorded").export_jsonl(tmp_path / "exported.jsonl")
    assert PASSWORD.encode() not in stored(tmp_path)


def test_an_sdks_own_key_and_password_are_not_kept(tmp_path):
    """A client of the openai SDK, or alike, has them as attributes; errors hide them, too."""

    def create(messages, **options):
        return f"{sdk.base_url} with {sdk.api_key} and {PASSWORD}"

    sdk = SimpleNamespace(
        base_url=f"https://reader:{PASSWORD}@host/v1",
        api_key="own-key-0123456789",
        chat=SimpleNamespace(completions=SimpleNamespace(create=create)),
    )
    reply = ask(Recorded(FunctionChat(sdk, "m"), tmp_path / "recorded"))
    assert reply.content == "https://***@host/v1 with *** and ***"
    assert PASSWORD.encode() not in stored(tmp_path)

    def fail(messages, **options):
        raise RuntimeError(f"refused {sdk.api_key} for {sdk.base_url}")

    sdk.chat.completions.create = fail
    with pytest.raises(RuntimeError, match=r"refused \*\*\* for https://\*\*\*@host/v1"):
        ask(FunctionChat(sdk, "m"))


def test_a_store_keeps_no_secret_of_the_environment(monkeypatch, tmp_path):
    """Whichever client answered: the store is the door to the disk."""
    monkeypatch.setenv("SOME_API_KEY", KEY)
    kept = Replies(tmp_path / "store").put("0" * 64, Reply(f"key {KEY}", usage={KEY: 1}))
    assert kept == Reply("key ***", usage={"***": 1})
    assert KEY.encode() not in stored(tmp_path)


def test_short_words_of_the_environment_stay_in_replies(monkeypatch, tmp_path):
    """A key such as "none" is a word, and a reply may have it."""
    monkeypatch.setenv("LOCAL_API_KEY", "relevant")
    kept = Replies(tmp_path / "store").put("0" * 64, Reply("the relevant one is [1]"))
    assert kept.content == "the relevant one is [1]"


@pytest.mark.parametrize("kind", [RuntimeError, ConnectionError])
def test_an_error_of_a_client_of_ones_own(kind, monkeypatch):
    """A run's error, and what led to it, hides the environment's secrets."""
    monkeypatch.setenv("SOME_API_KEY", KEY)

    class Own:
        def request(self, messages, **options):
            return {"messages": messages}

        def reply(self, request):
            try:
                raise ValueError(f"inside {KEY}")
            except ValueError as error:
                raise kind(f"outside {KEY}") from error

    with pytest.raises((kind, ConnectionError)) as caught:
        ChatRun(Own()).send(QUESTION)
    shown = "".join(traceback.format_exception(caught.value))
    assert KEY not in shown
    assert "outside ***" in shown
