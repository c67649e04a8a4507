"""Endpoints that speak OpenAI's protocol: where they are, and the key that they want.

A key is read from the environment when a request is made and kept nowhere. So are credentials that
``OPENAI_BASE_URL`` holds: addresses are shown, compared and kept without them. All secrets are
blotted out of what an endpoint or a client says, for some repeat the key that they refuse.
"""

import base64
import os
import re
from urllib.parse import parse_qsl, unquote, urlsplit

OPENAI = "https://api.openai.com/v1"
BASE_URL = "OPENAI_BASE_URL"
NO_KEY = "none"  # the SDK wants one; servers of one's own mostly do not
SHORTEST = 6  # characters of a secret: what is shorter is a word that may stand anywhere
SECRET_VARIABLE = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)$", re.I)
NAMED = r"(key|token|secret|password|signature)"
SECRET_TEXTS = (
    (re.compile(r"(://)[^/\s@]+@"), r"\1***@"),
    (re.compile(NAMED + r"""(['"]?\s*=|['"]\s*:)(\s*['"]?)[^\s'"&,)]{6,}""", re.I), r"\1\2\3***"),
    (re.compile(r"\b(Bearer|Basic) [\w.~+/=-]{6,}"), r"\1 ***"),
    (re.compile(r"\bsk-[\w*-]{6,}"), "***"),
)
"""Patterns of secrets, and what takes their place."""


def check_url(base_url, variable):
    """Raise ValueError if `base_url` may hold a key, which belongs into `variable`."""
    parts = _parts(base_url or "", "base_url")
    if "@" in parts.netloc or parts.query:  # not shown here: it is what should not be shown
        raise ValueError(
            f"base_url must be no more than scheme, host and path, as in '{OPENAI}': "
            f"put a key into the environment, as {variable}."
        )


def url_of(base_url) -> str:
    """The endpoint that is asked: `base_url`, else ``OPENAI_BASE_URL``'s, else OpenAI's.

    Credentials and parameters of ``OPENAI_BASE_URL`` are left out; `sdk_client` adds them.

    Raises:
        ValueError: ``OPENAI_BASE_URL`` is no address; does not show it.
    """
    return base_url or _bare(_environments()) or OPENAI


def _environments():
    """The parts of ``OPENAI_BASE_URL``, empty where it is not set."""
    return _parts(os.environ.get(BASE_URL, "").strip(), BASE_URL)


def _parts(url, name):
    """The parts of an address; ValueError, which does not show it, where a secret may be astray."""
    try:
        parts = urlsplit(url)
    except ValueError:  # whose message may have the password in it
        parts = None
    if parts is None or "@" in parts.path + parts.fragment or (url and not parts.netloc):
        raise ValueError(f"{name} is no address: expected scheme, host and path, as '{OPENAI}'.")
    return parts


def _bare(parts):
    host = parts.netloc.rpartition("@")[2]
    return parts._replace(netloc=host, query="", fragment="").geturl()


def key_in(variable) -> str:
    """The key in that variable of the environment, "" for none.

    Raises:
        PermissionError: it cannot be sent, and would show in the error that says so.
    """
    key = os.environ.get(variable, "").strip()
    if not (key.isascii() and key.isprintable()):
        raise PermissionError(
            f"The key in {variable} has characters that no key has: copy it again."
        )
    return key


def key_for(url, variable) -> str:
    """The key to ask `url` with, "" for none; PermissionError, too, where OpenAI's has none."""
    key = key_in(variable)
    if not key and url == OPENAI:
        raise PermissionError(
            f"{url} needs a key: put it into the environment, as {variable}. For a server of your "
            "own give base_url, such as 'http://localhost:8000/v1'."
        )
    return key


def secrets(*more) -> list:
    """The secrets that are known, and `more`, the longest first.

    They are those of ``OPENAI_BASE_URL`` and of variables whose name ends in KEY, TOKEN, SECRET or
    PASSWORD, with `SHORTEST` characters or more.
    """
    named = [value for name, value in os.environ.items() if SECRET_VARIABLE.search(name)]
    try:
        parts = _environments()
    except ValueError:
        named.append(os.environ[BASE_URL])
    else:
        user, _, password = parts.netloc.rpartition("@")[0].partition(":")
        named += [password or user, *(value for _, value in parse_qsl(parts.query))]
    found = {form.strip() for secret in named for form in (secret, unquote(secret))}
    found = {secret for secret in found if len(secret) >= SHORTEST}
    return sorted(found.union(filter(None, more)), key=len, reverse=True)


def blotted(said, *more) -> str:
    """What was said, as text, without `secrets` and what looks like one."""
    text = str(said)
    for secret in secrets(*more):
        text = text.replace(secret, "***")
    for pattern, instead in SECRET_TEXTS:
        text = pattern.sub(instead, text)
    return text


def sdk_client(what, url, key, **settings):
    """An ``openai.OpenAI``; `what` needs it, as the ImportError says where it is missing."""
    try:
        import openai
    except ImportError as error:
        raise ImportError(
            f'{what} by API needs the openai package: run `pip install "pyterrier-scholarly[api]"`.'
        ) from error
    parts = _environments()
    if url == _bare(parts):
        settings["default_query"] = dict(parse_qsl(parts.query))
        if "@" in parts.netloc:
            user = unquote(parts.netloc.rpartition("@")[0])
            basic = base64.b64encode(user.encode()).decode()
            settings["default_headers"] = {"Authorization": f"Basic {basic}"}
    return openai.OpenAI(api_key=key or NO_KEY, base_url=url, **settings)
