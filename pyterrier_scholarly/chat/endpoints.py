"""Endpoints with OpenAI's protocol: their address and key, for chat and embeddings.

    url = endpoint_url("http://localhost:8000/v1")
    key = require_key(url, "OPENAI_API_KEY")
    sdk = create_sdk_client("Chat", url, key, timeout=60)

A key is read from the environment for each request and is stored nowhere. So are credentials in
``OPENAI_BASE_URL``: addresses are shown, compared and stored without them. All messages of an
endpoint or client go through `redact`, because some repeat the key that they refuse.
"""

import base64
import os
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote_to_bytes

from ..redaction import Address, split_address

if TYPE_CHECKING:
    from openai import OpenAI

OPENAI = "https://api.openai.com/v1"
BASE_URL = "OPENAI_BASE_URL"
NO_KEY = "none"  # the SDK needs one; most local servers do not


def check_url(base_url: str | None, variable: str) -> None:
    """Raise ValueError if `base_url` or `variable` may be a key, which belongs in that variable."""
    if not variable.isidentifier():  # not shown: it may be the key itself
        raise ValueError(
            "key_variable must be the name of an environment variable, such as 'OPENAI_API_KEY'. "
            "Put the key into that variable."
        )
    address = _split_checked(base_url or "", "base_url")
    if address.user or address.password or address.query:  # not shown: it may be secret
        raise ValueError(
            f"base_url must have only scheme, host and path, as in '{OPENAI}'. "
            f"Put a key into the environment, as {variable}."
        )


def endpoint_url(base_url: str | None) -> str:
    """Return the endpoint: `base_url`, else ``OPENAI_BASE_URL``, else OpenAI's.

    Credentials and parameters of ``OPENAI_BASE_URL`` are left out; `create_sdk_client` adds them.
    Raises ValueError if that is no address; the message does not show it.
    """
    return base_url or environment_address().bare or OPENAI


def environment_address() -> Address:
    """Return the address in ``OPENAI_BASE_URL``, empty if it is not set.

    Raises ValueError if that is no address; the message does not show it.
    """
    return _split_checked(os.environ.get(BASE_URL, ""), BASE_URL)


def read_key(variable: str) -> str:
    """Return the key in this environment variable, or "".

    Raises PermissionError if it has characters that cannot be sent; the message does not show it.
    """
    key = os.environ.get(variable, "").strip()
    if not (key.isascii() and key.isprintable()):
        raise PermissionError(
            f"The key in {variable} has characters that keys do not have: copy it again."
        )
    return key


def require_key(url: str, variable: str) -> str:
    """Return the key for `url`, or ""; PermissionError if it is missing for OpenAI's."""
    key = read_key(variable)
    if not key and url == OPENAI:
        raise PermissionError(
            f"{url} needs a key: put it into the environment, as {variable}. For your own server "
            "pass base_url, such as 'http://localhost:8000/v1'."
        )
    return key


def create_sdk_client(purpose: str, url: str, key: str, **settings: Any) -> "OpenAI":
    """Return an ``openai.OpenAI``; the ImportError says that `purpose` needs it.

    settings: further arguments of ``openai.OpenAI``.
    """
    try:
        import openai
    except ImportError as error:
        raise ImportError(
            f"{purpose} by API needs the openai package: "
            'run `pip install "pyterrier-scholarly[api]"`.'
        ) from error

    # `endpoint_url` has left out the secrets of the environment's address: only here they are sent
    environment = environment_address()
    if url == environment.bare:
        settings.update(_list_secret_settings(environment))
    return openai.OpenAI(api_key=key or NO_KEY, base_url=url, **settings)


def _list_secret_settings(address: Address) -> dict[str, Any]:
    """Return an address's parameters and login, as arguments of ``openai.OpenAI``."""
    settings: dict[str, Any] = {"default_query": dict(parse_qsl(address.query))}
    if address.user or address.password:
        settings["default_headers"] = {"Authorization": _basic_authorization(address)}
    return settings


def _split_checked(text: str, name: str) -> Address:
    """Return the parts of an address; those of a blank text are empty.

    name: what the message calls the address.

    Raises ValueError, without secrets, if it is malformed.
    """
    address = split_address(text)
    is_blank = not text.strip()
    if not is_blank and not address.host:
        raise ValueError(f"{name} is no address: expected scheme, host and path, as '{OPENAI}'.")
    return address


def _basic_authorization(address: Address) -> str:
    """Return the header for a login in an address, where it is percent-encoded."""
    login = unquote_to_bytes(f"{address.user}:{address.password}")
    encoded_login = base64.b64encode(login).decode()
    return f"Basic {encoded_login}"
