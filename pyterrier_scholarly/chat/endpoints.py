"""Endpoints with OpenAI's protocol: their address and key, for chat and embeddings.

A key is read from the environment for each request and is stored nowhere. So are credentials in
``OPENAI_BASE_URL``: addresses are shown, compared and stored without them. Secrets are replaced by
``***`` in all messages of an endpoint or client, because some repeat the key that they refuse.
"""

import base64
import os
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, parse_qsl, unquote, unquote_to_bytes, urlsplit

if TYPE_CHECKING:
    from openai import OpenAI

OPENAI = "https://api.openai.com/v1"
BASE_URL = "OPENAI_BASE_URL"
NO_KEY = "none"  # the SDK needs one; most local servers do not
SHORTEST = 6  # characters of a secret: a shorter one is a word that may occur anywhere
SECRET_VARIABLE = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)$", re.I)
NAMED = r"(key|token|secret|password|signature)"
#: patterns of secrets, and their replacements
SECRET_TEXTS = (
    (re.compile(r"(://)[^/\s@]+@"), r"\1***@"),
    (re.compile(NAMED + r"""(['"]?\s*=|['"]\s*:)(\s*['"]?)[^\s'"&,)]{6,}""", re.I), r"\1\2\3***"),
    (re.compile(r"\b(Bearer|Basic) [\w.~+/=-]{6,}"), r"\1 ***"),
    (re.compile(r"\bsk-[\w*-]{6,}"), "***"),
)


def check_url(base_url: str | None, variable: str) -> None:
    """Raise ValueError if `base_url` may contain a key, which belongs in `variable`."""
    parts = _parts(base_url or "", "base_url")
    if "@" in parts.netloc or parts.query:  # not shown: it may be secret
        raise ValueError(
            f"base_url must have only scheme, host and path, as in '{OPENAI}'. "
            f"Put a key into the environment, as {variable}."
        )


def url_of(base_url: str | None) -> str:
    """Return the endpoint: `base_url`, else ``OPENAI_BASE_URL``, else OpenAI's.

    Credentials and parameters of ``OPENAI_BASE_URL`` are left out; `sdk_client` adds them. Raises
    ValueError if that is no address; the message does not show it.
    """
    return base_url or _bare(_environments()) or OPENAI


def _environments() -> SplitResult:
    """Return the parts of ``OPENAI_BASE_URL``, empty if it is not set."""
    return _parts(os.environ.get(BASE_URL, "").strip(), BASE_URL)


def _parts(url: str, name: str) -> SplitResult:
    """Return the parts of an address; ValueError, without secrets, if it is malformed."""
    try:
        parts: SplitResult | None = urlsplit(url)
    except ValueError:  # its message may contain the password
        parts = None
    if parts is None or "@" in parts.path + parts.fragment or (url and not parts.netloc):
        raise ValueError(f"{name} is no address: expected scheme, host and path, as '{OPENAI}'.")
    return parts


def _bare(parts: SplitResult) -> str:
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def key_in(variable: str) -> str:
    """Return the key in this environment variable, or "".

    Raises PermissionError if it has characters that cannot be sent; the message does not show it.
    """
    key = os.environ.get(variable, "").strip()
    if not (key.isascii() and key.isprintable()):
        raise PermissionError(
            f"The key in {variable} has characters that keys do not have: copy it again."
        )
    return key


def key_for(url: str, variable: str) -> str:
    """Return the key for `url`, or ""; PermissionError if it is missing for OpenAI's."""
    key = key_in(variable)
    if not key and url == OPENAI:
        raise PermissionError(
            f"{url} needs a key: put it into the environment, as {variable}. For your own server "
            "pass base_url, such as 'http://localhost:8000/v1'."
        )
    return key


def secrets(*more: str) -> list[str]:
    """Return the known secrets and `more`, longest first.

    They come from ``OPENAI_BASE_URL`` and from variables whose name ends in KEY, TOKEN, SECRET or
    PASSWORD, and have at least `SHORTEST` characters.
    """
    values = [value for name, value in os.environ.items() if SECRET_VARIABLE.search(name)]
    try:
        parts = _environments()
    except ValueError:
        values.append(os.environ[BASE_URL])
    else:
        user, _, password = parts.netloc.rpartition("@")[0].partition(":")
        values += [password or user, *(value for _, value in parse_qsl(parts.query))]
    known = {form.strip() for value in values for form in (value, unquote(value))}
    known = {secret for secret in known if len(secret) >= SHORTEST}
    return sorted(known.union(filter(None, more)), key=len, reverse=True)


def blotted(message: object, *more: str) -> str:
    """Return the message as text, without `secrets` and what looks like one."""
    text = str(message)
    for secret in secrets(*more):
        text = text.replace(secret, "***")
    for pattern, replacement in SECRET_TEXTS:
        text = pattern.sub(replacement, text)
    return text


def sdk_client(what: str, url: str, key: str, **settings: Any) -> "OpenAI":
    """Return an ``openai.OpenAI``; the ImportError says that `what` needs it."""
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
            basic = base64.b64encode(unquote_to_bytes(parts.netloc.rpartition("@")[0])).decode()
            settings["default_headers"] = {"Authorization": f"Basic {basic}"}
    return openai.OpenAI(api_key=key or NO_KEY, base_url=url, **settings)
