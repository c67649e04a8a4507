"""Real data that are not on this machine."""

import pytest


def test_what_is_absent_is_skipped_or_required(data, monkeypatch):
    """One file or collection at a time; a message names it."""
    monkeypatch.delenv("SCHOLARLY_REQUIRE_DATA", raising=False)
    with pytest.raises(pytest.skip.Exception, match=r"no .*absent.a\.json: set SCHOLARLY_DATA"):
        data("absent", "a.json")
    monkeypatch.setenv("SCHOLARLY_REQUIRE_DATA", "1")
    with pytest.raises(pytest.fail.Exception, match="folder that has absent/"):
        data("absent", "a.json")
