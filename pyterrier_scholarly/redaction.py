"""Keep secrets (keys, tokens, passwords) out of what is shown, logged, raised and stored.

What repeats an endpoint's address or answer calls `redact`:

    >>> redact("POST https://reader:pa55word@llm.example/v1 failed")
    'POST https://***@llm.example/v1 failed'

Three kinds of secrets are recognised:

- those that the caller names: the key of a request, the login of an address;
- those of the environment, see `environment_secrets`;
- what looks like one: ``https://user:password@…``, ``token=…``, ``Authorization: Bearer …``.
"""

import os
import re
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

HIDDEN = "***"
SHORTEST_SECRET = 6  # characters; what is shorter is a word that may occur anywhere
SECRET_VARIABLE = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)$", re.I)  # ends of variables' names
ADDRESS_VARIABLE = re.compile(r"(URL|PROXY|ENDPOINT)$", re.I)
#: in the name of a header, a field or a parameter that has a secret
SECRET_NAME = r"(key|token|secret|password|passwd|signature|credential|authorization|cookie|\bsig)"

#: user and password of an address
LOGIN = re.compile(r"(://)[^/\s@]+@")
#: name=value and "name": value; what follows the word Bearer is left to BEARER
NAMED_SECRET = re.compile(
    SECRET_NAME + r"""(['"]?\s*=|['"]\s*:)(\s*['"]?)(?!Bearer |Basic )[^\s'"&,)]{6,}""", re.I
)
BEARER = re.compile(r"\b(Bearer|Basic) [\w.~+/=-]{6,}")
#: keys of OpenAI, Hugging Face and GitHub
KNOWN_KEY = re.compile(r"\bsk-[\w*-]{6,}|\b(hf|gh[a-z])_\w{20,}")


def redact(message: object, *secrets: str) -> str:
    """Return a message as text, with `***` in place of each secret in it.

    Hidden are `secrets`, those of the environment, logins of addresses, and what follows a name
    such as "api_key=" or looks like a key.
    """
    known_secrets = [*secrets, *environment_secrets()]
    text = replace_secrets(str(message), known_secrets)
    text = hide_logins(text)
    text = NAMED_SECRET.sub(rf"\1\2\3{HIDDEN}", text)
    text = BEARER.sub(rf"\1 {HIDDEN}", text)
    return KNOWN_KEY.sub(HIDDEN, text)


def replace_secrets(text: str, secrets: Iterable[str]) -> str:
    """Return `text` with `***` for these secrets, as they are and decoded."""
    forms = set()
    for secret in secrets:
        forms.add(secret.strip())
        forms.add(unquote(secret).strip())

    # the longest first, because a secret may be part of another one
    for form in sorted(forms, key=len, reverse=True):
        if form:
            text = text.replace(form, HIDDEN)
    return text


def hide_logins(text: str) -> str:
    """Return `text` with `***` for user and password of the addresses in it."""
    return LOGIN.sub(rf"\1{HIDDEN}@", text)


def redact_error(error: BaseException, *secrets: str) -> None:
    """Redact the messages of an error, and of all errors that led to it.

    A traceback shows them all, and logs store it.
    """
    waiting_errors: list[BaseException | None] = [error]
    redacted_errors: list[BaseException] = []
    while waiting_errors:
        current = waiting_errors.pop()
        # by identity, because two errors may be equal; a chain of errors may have a circle
        if current is None or any(current is redacted for redacted in redacted_errors):
            continue
        redacted_errors.append(current)
        waiting_errors += [current.__cause__, current.__context__]

        # an error may hold another one, whose message is then shown
        current.args = tuple(
            redact(argument, *secrets) if isinstance(argument, (str, Exception)) else argument
            for argument in current.args
        )


def environment_secrets() -> list[str]:
    """Return all `environment_keys` and `environment_logins`."""
    return [*environment_keys(), *environment_logins()]


def environment_keys() -> list[str]:
    """Return the values of variables such as ``OPENAI_API_KEY`` or ``HF_TOKEN``."""
    keys = [value for name, value in os.environ.items() if SECRET_VARIABLE.search(name)]
    return [key for key in keys if len(key.strip()) >= SHORTEST_SECRET]


def environment_logins() -> list[str]:
    """Return the secrets of addresses in variables such as ``OPENAI_BASE_URL``, ``HTTPS_PROXY``."""
    addresses = [value for name, value in os.environ.items() if ADDRESS_VARIABLE.search(name)]
    secrets = [secret for address in addresses for secret in split_address(address).secrets]
    return [secret for secret in secrets if len(secret.strip()) >= SHORTEST_SECRET]


class Address(NamedTuple):
    """An address of the web, divided into what may be shown and what may not.

    bare: scheme, host and path; "" for a text that is no address, as `host`.
    user, password: as in the address, so maybe encoded; "" if there are none.
    query: what is behind the question mark; it may have tokens.
    secrets: the password, or a user without one, and parameters with a secret's name. All of a
        text that is no address.
    """

    bare: str
    host: str
    user: str
    password: str
    query: str
    secrets: tuple[str, ...]


def split_address(address: str) -> Address:
    """Return an address in its parts, and the secrets in it; ValueError if it is no text.

    Of an address that cannot be divided safely, all is secret.
    """
    if not isinstance(address, str):
        raise ValueError(f"the address is {address!r:.100}: expected a text")
    all_secret = Address("", "", "", "", "", secrets=(address,))
    try:
        parts = urlsplit(address.strip())
    except ValueError:  # not shown: its message may contain the password
        return all_secret
    if "@" in parts.path + parts.fragment:  # a slash in the password, or no scheme
        return all_secret

    login, _, host = parts.netloc.rpartition("@")
    user, _, password = login.partition(":")
    secret_of_login = password or user  # a user without a password is a token
    secret_parameters = [
        value for name, value in parse_qsl(parts.query) if re.search(SECRET_NAME, name, re.I)
    ]
    return Address(
        bare=parts._replace(netloc=host, query="", fragment="").geturl(),
        host=host,
        user=user,
        password=password,
        query=parts.query,
        secrets=(secret_of_login, *secret_parameters),
    )
