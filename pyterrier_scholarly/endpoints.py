"""Endpoints that speak OpenAI's protocol: where they are, and the key that they want.

A key is read from the environment when a request is made and kept nowhere. It is blotted out of
what an endpoint says, for some repeat the key that they refuse.
"""

import os
from urllib.parse import urlsplit

OPENAI = "https://api.openai.com/v1"
NO_KEY = "none"  # the SDK wants one; servers of one's own mostly do not


def check_url(base_url, variable):
    """Raise ValueError if `base_url` may hold a key, which belongs into `variable`."""
    parts = urlsplit(base_url or "")
    if "@" in parts.netloc or parts.query:  # not shown here: it is what should not be shown
        raise ValueError(
            f"base_url must be no more than scheme, host and path, as in '{OPENAI}': "
            f"put a key into the environment, as {variable}."
        )


def url_of(base_url) -> str:
    """The endpoint that is asked: `base_url`, else ``OPENAI_BASE_URL``'s, else OpenAI's."""
    return base_url or os.environ.get("OPENAI_BASE_URL") or OPENAI


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


def blotted(said, key) -> str:
    """What was said, as text, without the key."""
    return str(said).replace(key, "***") if key else str(said)


def sdk_client(what, url, key, **settings):
    """An ``openai.OpenAI``; `what` needs it, as the ImportError says where it is missing."""
    try:
        import openai
    except ImportError as error:
        raise ImportError(
            f'{what} by API needs the openai package: run `pip install "pyterrier-scholarly[api]"`.'
        ) from error
    return openai.OpenAI(api_key=key or NO_KEY, base_url=url, **settings)
