"""Endpoints and keys, shared by chat and embeddings."""

import base64

import pytest

from pyterrier_scholarly.chat.endpoints import (
    OPENAI,
    check_url,
    create_sdk_client,
    endpoint_url,
    require_key,
)
from pyterrier_scholarly.redaction import redact


@pytest.mark.parametrize(
    "url", ["https://sk-1@host/v1", "https://host/v1?key=sk-1", "me:sk-1@host"]
)
def test_a_key_in_an_address_is_refused_unseen(url):
    """The error says where a key belongs, and does not show it."""
    with pytest.raises(ValueError, match=r"as OWN_KEY|no address") as caught:
        check_url(url, "OWN_KEY")
    assert "sk-1" not in str(caught.value)
    check_url(None, "OWN_KEY")
    check_url("http://localhost:8000/v1", "OWN_KEY")


def test_a_key_in_place_of_its_variable_is_refused_unseen():
    """The error says that the variable's name is expected, and does not show the key."""
    with pytest.raises(ValueError, match="name of an environment variable") as caught:
        check_url(None, "sk-1")
    assert "sk-1" not in str(caught.value)


def test_which_endpoint_is_asked(monkeypatch):
    """The endpoint is the argument, else the environment's, else OpenAI's."""
    monkeypatch.setenv("OPENAI_BASE_URL", "http://mine/v1")
    assert (endpoint_url("http://given/v1"), endpoint_url(None)) == (
        "http://given/v1",
        "http://mine/v1",
    )
    monkeypatch.delenv("OPENAI_BASE_URL")
    assert endpoint_url(None) == OPENAI


SECRET = "https://me:hid%40den@host:8/v1?version=2&key=sought-after"


def test_an_endpoint_is_shown_without_its_credentials(monkeypatch):
    """The address has no user, password or parameters; a malformed one raises, unseen."""
    monkeypatch.setenv("OPENAI_BASE_URL", SECRET)
    assert endpoint_url(None) == "https://host:8/v1"
    for wrong in ("https://me:hid/den@host/v1", "me:hidden@host/v1", "https://me:hid[den@h]/v1"):
        monkeypatch.setenv("OPENAI_BASE_URL", wrong)
        with pytest.raises(ValueError, match="OPENAI_BASE_URL is no address") as caught:
            endpoint_url(None)
        assert "den" not in str(caught.value)
        assert redact(f"not {wrong}") == "not ***"


def test_credentials_are_blotted_out(monkeypatch):
    """The environment's secrets are removed, raw or decoded, and what looks like one."""
    monkeypatch.setenv("OPENAI_BASE_URL", SECRET)
    monkeypatch.setenv("OTHER_API_KEY", "otherwise")
    said = "me, hid%40den, hid@den, sought-after, otherwise, version=2"
    assert redact(said) == "me, ***, ***, ***, ***, version=2"
    looks = "GET http://a:b@c/d?api_key=123456&n=1 with Bearer abc.def-1 or {'token': 'abcdef'}"
    shown = "GET http://***@c/d?api_key=***&n=1 with Bearer *** or {'token': '***'}"
    assert redact(looks) == shown
    assert redact("Incorrect API key provided: sk-proj-12345678.") == (
        "Incorrect API key provided: ***."
    )
    assert redact("this key: is unknown; 12 tokens") == "this key: is unknown; 12 tokens"


def test_the_environments_credentials_are_sent(api_server, monkeypatch):
    """Credentials of the address are sent to its endpoint, and to no other."""
    server, other = (api_server(lambda text: (200, {}), "input") for _ in range(2))
    address = server.url.replace("://", "://me:hid%40den@") + "?version=2&key=sought-after"
    monkeypatch.setenv("OPENAI_BASE_URL", address)
    for url in (endpoint_url(None), other.url):
        create_sdk_client("Test", url, "own").post("/x", cast_to=object, body={"input": "a"})
    (path, headers, _), (other_path, other_headers, _) = *server.requests, *other.requests
    assert (path, other_path) == ("/v1/x?version=2&key=sought-after", "/v1/x")
    assert headers["Authorization"] == "Basic " + base64.b64encode(b"me:hid@den").decode()
    assert other_headers["Authorization"] == "Bearer own"


def test_only_openais_own_endpoint_must_have_a_key(monkeypatch):
    """Blanks around a key are removed; a key that cannot be sent raises, unseen."""
    monkeypatch.delenv("OWN_KEY", raising=False)
    assert require_key("http://mine/v1", "OWN_KEY") == ""
    with pytest.raises(PermissionError, match="as OWN_KEY"):
        require_key(OPENAI, "OWN_KEY")
    monkeypatch.setenv("OWN_KEY", " sk-1\n")
    assert require_key(OPENAI, "OWN_KEY") == "sk-1"
    monkeypatch.setenv("OWN_KEY", "sk-é")
    with pytest.raises(PermissionError, match="OWN_KEY") as caught:
        require_key("http://mine/v1", "OWN_KEY")
    assert "sk-é" not in str(caught.value)


def test_keys_are_blotted_out():
    """Keys are removed anywhere in a text; other texts stay as they are."""
    assert redact(ValueError("bad sk-1: sk-1"), "sk-1") == "bad ***: ***"
    assert redact("bad", "") == "bad"
