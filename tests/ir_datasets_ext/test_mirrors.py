"""A mirror's address may have a login and a token: they are sent, and are nowhere else."""

import base64
import hashlib
import logging
import re
import traceback
import warnings

import pytest

from ir_datasets_ext.releases import DownloadError, Source, ZenodoFile

CONTENT = bytes(range(256)) * 40
MD5 = hashlib.md5(CONTENT).hexdigest()
SECRETS = ("mirror-reader", "pa55%40word", "pa55@word", "t0ken-of-mine")
PATH = "/file.bin?release=1&access_token=t0ken-of-mine"
LOGIN = "mirror-reader:pa55%40word@"


@pytest.fixture
def mirror(site):
    """The site with the file, behind an address with all secrets."""
    site.pages[PATH] = CONTENT
    return site.url(PATH).replace("://", f"://{LOGIN}")


@pytest.fixture
def seen(capfd, caplog):
    """A function that returns all that was printed and logged, at any level."""
    caplog.set_level(logging.DEBUG)
    return lambda: "".join(capfd.readouterr()) + caplog.text


def assert_hidden(*texts):
    """No text has a secret."""
    for text in texts:
        for secret in SECRETS:
            assert secret not in str(text)


def written(home):
    """The names and contents of all files below the home."""
    files = [path for path in home.rglob("*") if path.is_file()]
    return [(str(path), path.read_bytes()) for path in files]


def test_a_mirrors_login_is_sent_and_in_no_log(mirror, site, home, seen):
    """The server gets login and token; logs, bars, files and the source's repr have neither."""
    source = Source("collection", "file.bin", mirror, "md5", MD5)
    assert source.path().read_bytes() == CONTENT
    assert site.requests == [(PATH, None)]
    assert site.logins == ["Basic " + base64.b64encode(b"mirror-reader:pa55@word").decode()]
    said = seen()
    assert site.url("/file.bin") in said
    assert_hidden(said, repr(source), str(source), *written(home))
    assert site.url("/file.bin") in repr(source)


@pytest.mark.parametrize("fault", ["missing", "wrong", "truncated", "silent", "no address"])
def test_a_mirrors_login_is_in_no_error(fault, mirror, site, home, seen):
    """Neither the error nor what led to it shows a secret, in its message and its traceback."""
    source = Source("collection", "file.bin", mirror, "md5", MD5)
    if fault == "missing":
        site.pages.clear()
    elif fault == "wrong":
        site.pages[PATH] = b"another"
    elif fault == "truncated":
        site.stop_after, site.ranges = 1_000, False
    elif fault == "silent":
        source.url = re.sub(r":\d+/", ":9/", mirror)
    else:
        source.url = f"https://{LOGIN}[::1/file.bin?access_token=t0ken-of-mine"
    with pytest.raises(DownloadError, match=r"file\.bin") as caught:
        source.path()
    shown = "".join(traceback.format_exception(caught.value))
    assert_hidden(shown, repr(caught.value), seen(), repr(source), *written(home))


def test_a_repositorys_record_behind_a_login(site, home, seen):
    """The record's address is shown without its login, in errors and in warnings."""
    record = site.url("/api/records/1?access_token=t0ken-of-mine").replace("://", f"://{LOGIN}")
    source = ZenodoFile("collection", "file.bin", record)
    with pytest.raises(DownloadError, match="could not be requested") as caught:
        source.path()
    source.place().write_bytes(b"placed by hand")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        source.check()
    shown = "".join(traceback.format_exception(caught.value))
    assert_hidden(shown, seen(), repr(source), *[str(one.message) for one in told])


def test_an_address_without_secrets_is_shown_as_it_is(site, home):
    """An error names the address that was asked."""
    source = Source("collection", "file.bin", site.url("/none.bin"), "md5", MD5)
    with pytest.raises(DownloadError, match=re.escape(site.url("/none.bin"))):
        source.path()


def test_an_address_that_is_no_text(home):
    """It is refused at once, and not after hours."""
    with pytest.raises(ValueError, match="the address is 5: expected a text"):
        Source("collection", "file.bin", 5).path()
