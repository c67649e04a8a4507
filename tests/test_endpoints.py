"""Endpoints and their keys, which chat and embeddings share."""

import pytest

from pyterrier_scholarly.endpoints import OPENAI, blotted, check_url, key_for, url_of


@pytest.mark.parametrize("url", ["https://sk-1@host/v1", "https://host/v1?key=sk-1"])
def test_a_key_in_an_address_is_refused_unseen(url):
    """The error says where it belongs, and does not repeat it."""
    with pytest.raises(ValueError, match="as OWN_KEY") as caught:
        check_url(url, "OWN_KEY")
    assert "sk-1" not in str(caught.value)
    check_url(None, "OWN_KEY")
    check_url("http://localhost:8000/v1", "OWN_KEY")


def test_which_endpoint_is_asked(monkeypatch):
    """What is given, else what the environment says, else OpenAI's."""
    monkeypatch.setenv("OPENAI_BASE_URL", "http://mine/v1")
    assert (url_of("http://given/v1"), url_of(None)) == ("http://given/v1", "http://mine/v1")
    monkeypatch.delenv("OPENAI_BASE_URL")
    assert url_of(None) == OPENAI


def test_only_openais_own_endpoint_must_have_a_key(monkeypatch):
    """Blanks around a key are none of it; a key that no header can carry is refused unseen."""
    monkeypatch.delenv("OWN_KEY", raising=False)
    assert key_for("http://mine/v1", "OWN_KEY") == ""
    with pytest.raises(PermissionError, match="as OWN_KEY"):
        key_for(OPENAI, "OWN_KEY")
    monkeypatch.setenv("OWN_KEY", " sk-1\n")
    assert key_for(OPENAI, "OWN_KEY") == "sk-1"
    monkeypatch.setenv("OWN_KEY", "sk-é")
    with pytest.raises(PermissionError, match="OWN_KEY") as caught:
        key_for("http://mine/v1", "OWN_KEY")
    assert "sk-é" not in str(caught.value)


def test_keys_are_blotted_out():
    """Wherever they stand; without a key a text is what it was."""
    assert blotted(ValueError("bad sk-1: sk-1"), "sk-1") == "bad ***: ***"
    assert blotted("bad", "") == "bad"
