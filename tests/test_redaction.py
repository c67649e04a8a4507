"""What looks like a secret, and what the environment holds, is replaced in texts."""

import pytest

from pyterrier_scholarly.redaction import (
    environment_secrets,
    redact,
    redact_error,
    split_address,
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("https://me:hidden@host/x", "https://***@host/x"),
        ("https://token-alone@host/x", "https://***@host/x"),
        ("GET /x?api_key=123456&n=1", "GET /x?api_key=***&n=1"),
        ("/x?X-Amz-Signature=abcdef0123&n=1", "/x?X-Amz-Signature=***&n=1"),
        ("{'Authorization': 'Bearer abc.def'}", "{'Authorization': 'Bearer ***'}"),
        ("{'password': 'abcdef'}", "{'password': '***'}"),
        ("Authorization: Basic bWU6aGlkZGVu", "Authorization: Basic ***"),
        ("bad key sk-proj-12345678.", "bad key ***."),
        ("bad token hf_" + "a" * 30, "bad token ***"),
        ("this key: is unknown; 12 tokens", "this key: is unknown; 12 tokens"),
        ("https://host/a@b", "https://host/a@b"),
        ("me@example.org", "me@example.org"),
    ],
)
def test_what_looks_like_a_secret(text, shown):
    """A login, a named value, a header and a key are replaced; other texts stay."""
    assert redact(text) == shown


def test_what_the_caller_names():
    """A named secret is replaced wherever it stands, also encoded."""
    assert redact("a s3%40t and a s3@t", "s3%40t") == "a *** and a ***"
    assert redact("unchanged", "") == "unchanged"


def test_what_the_environment_holds(monkeypatch):
    """Keys by their variables' names, and logins of addresses; short ones are words."""
    monkeypatch.setenv("MY_OWN_TOKEN", "tok-en-of-mine")
    monkeypatch.setenv("SHORT_KEY", "no")
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy-user:proxy-pass@proxy:8080")
    monkeypatch.setenv("PLAIN", "plain-text")
    assert {"tok-en-of-mine", "proxy-pass"} <= set(environment_secrets())
    said = "tok-en-of-mine, no, proxy-pass, plain-text"
    assert redact(said) == "***, no, ***, plain-text"


def test_an_error_and_its_causes():
    """Messages of an error, of its causes and of errors inside it are all redacted."""
    error = ConnectionError(OSError("deep s3cret-x"), 7)
    error.__cause__ = ValueError("inner s3cret-x")
    redact_error(error, "s3cret-x")
    assert error.args == ("deep ***", 7)
    assert str(error.__cause__) == "inner ***"


def test_an_error_that_is_its_own_cause_ends():
    """A circle of errors is followed once."""
    first, second = ValueError("s3cret-x"), ValueError("s3cret-x")
    first.__context__, second.__context__ = second, first
    redact_error(first, "s3cret-x")
    assert (str(first), str(second)) == ("***", "***")


def test_addresses():
    """An address is divided; what is none shows nothing of itself."""
    address = split_address("https://me:p%40ss@host:8/v1?version=2&key=abcdef#part")
    assert (address.bare, address.host) == ("https://host:8/v1", "host:8")
    assert (address.user, address.password) == ("me", "p%40ss")
    assert address.secrets == ("p%40ss", "abcdef")
    assert split_address("https://token@host/v1").secrets[0] == "token"
    for wrong in ("https://[half", "me:hidden@host/v1", "https://me:hid/den@host"):
        assert split_address(wrong) == ("", "", "", "", "", (wrong,))
