"""Recording, replaying, and repeating no request."""

import pytest

from pyterrier_scholarly import FunctionChat, OpenAIChat, Recorded
from pyterrier_scholarly.chat import NotRecorded, Replies, Reply

MESSAGES = [{"role": "user", "content": "Is this 1?"}]


class Model:
    """Return the next answer; raise it if it is an exception."""

    def __init__(self, *answers):
        self.answers, self.asked = list(answers), 0

    def request(self, messages, **options):
        """Return a request with a model's name."""
        return {"model": "m", "messages": messages, **options}

    def reply(self, request):
        """Return the next answer."""
        self.asked += 1
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.fixture
def path(tmp_path):
    """The path of a store."""
    return str(tmp_path / "replies")


def ask(client, **options):
    """Return the reply to one question."""
    return client.reply(client.request(MESSAGES, **options))


def test_a_request_is_asked_once(path):
    """The second reply comes from the store, marked as such; other options make another request."""
    model = Model(Reply("one"), Reply("two"))
    recorded = Recorded(model, path)
    assert not ask(recorded).replayed
    assert ask(recorded) == Reply("one")
    assert ask(recorded).replayed
    assert ask(recorded, temperature=1) == Reply("two")
    assert (model.asked, len(Replies(path))) == (2, 2)


@pytest.mark.parametrize(
    "reply", [Reply(None), Reply(""), Reply(None, refusal="context_length_exceeded")]
)
def test_what_stays_is_recorded(path, reply):
    """Refusals and empty replies are replayed, so that runs with reduced windows are."""
    assert ask(Recorded(Model(reply), path)) == reply
    assert ask(Recorded(Model(), path, mode="replay")) == reply


@pytest.mark.parametrize("error", [ConnectionError("429"), TimeoutError("late"), PermissionError()])
def test_what_passes_is_not(path, error):
    """A failed request is asked again."""
    recorded = Recorded(Model(error, Reply("yes")), path)
    with pytest.raises(type(error)):
        ask(recorded)
    assert len(Replies(path)) == 0
    assert ask(recorded) == Reply("yes")


def test_replay_asks_nothing(path):
    """A missing reply raises with the request's hash; a missing store raises, too."""
    model = Model(Reply("yes"))
    with pytest.raises(FileNotFoundError, match="replies"):
        ask(Recorded(model, path, mode="replay"))
    ask(Recorded(model, path))
    with pytest.raises(NotRecorded, match=r"request [0-9a-f]{64}"):
        ask(Recorded(model, path, mode="replay"), temperature=1)
    assert model.asked == 1


def test_replay_needs_no_key(path, monkeypatch):
    """The endpoint's address is no part of a request."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    ask(Recorded(Model(Reply("yes")), path))
    assert (
        ask(Recorded(OpenAIChat("m", "http://elsewhere/v1"), path, mode="replay")).content == "yes"
    )


def test_live_neither_reads_nor_writes(path, tmp_path):
    """In mode 'live' each request is asked."""
    live = Recorded(Model(Reply("one"), Reply("two")), path, mode="live")
    assert [ask(live).content, ask(live).content] == ["one", "two"]
    assert list(tmp_path.iterdir()) == []


def test_unknown_modes_and_nameless_models(path):
    """A function without a model name cannot be recorded."""
    with pytest.raises(ValueError, match="mode='reply': expected one of 'live', 're"):
        ask(Recorded(Model(), path, mode="reply"))
    with pytest.raises(ValueError, match="FunctionChat"):
        ask(Recorded(lambda messages: "1", path))
    assert ask(Recorded(FunctionChat(lambda messages: "1", "ones"), path)).content == "1"


def test_a_recorded_client_is_its_settings(path):
    """Recorded clients are equal by client, path and mode; the repr can be pasted."""
    recorded = Recorded(OpenAIChat("m"), path, mode="replay")
    assert recorded == eval(repr(recorded)) != Recorded(OpenAIChat("m"), path)


def test_nothing_is_asked_that_cannot_be_kept(tmp_path):
    """An unwritable store raises before a reply is paid for."""
    (tmp_path / "file").touch()
    model = Model(Reply("yes"))
    with pytest.raises(OSError, match="file"):
        ask(Recorded(model, str(tmp_path / "file" / "replies")))
    assert model.asked == 0
