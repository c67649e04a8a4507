"""Keep secrets (keys, tokens, passwords) out of what is shown, logged, raised and stored.

Whatever repeats an address, a server's answer or a user's object calls `redact`:

    >>> redact("GET https://reader:pa55word@mirror.example/papers.jsonl failed")
    'GET https://***@mirror.example/papers.jsonl failed'

Three kinds of secrets are recognised:

- those that the caller names: the key of a request, the login of an address;
- those of the environment, see `environment_secrets`;
- what looks like one: ``https://user:password@…``, ``token=…``, ``Authorization: Bearer …``.
"""

import logging
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

HIDDEN = "***"
SHORTEST_SECRET = 6  # characters; what is shorter is a word that may occur anywhere
SECRET_VARIABLE = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)$", re.I)
ADDRESS_VARIABLE = re.compile(r"(URL|PROXY|ENDPOINT)$", re.I)
SECRET_NAME = r"(key|token|secret|password|passwd|signature|credential|authorization|cookie|\bsig)"
LOGIN = re.compile(r"(://)[^/\s@]+@")  # user and password of an address
#: patterns of secrets, and what is shown instead
PATTERNS = (
    (LOGIN, rf"\1{HIDDEN}@"),
    (
        # name=value and "name": value; what follows the word Bearer is the next pattern's
        re.compile(
            SECRET_NAME + r"""(['"]?\s*=|['"]\s*:)(\s*['"]?)(?!Bearer |Basic )[^\s'"&,)]{6,}""",
            re.I,
        ),
        rf"\1\2\3{HIDDEN}",
    ),
    (re.compile(r"\b(Bearer|Basic) [\w.~+/=-]{6,}"), rf"\1 {HIDDEN}"),
    (re.compile(r"\bsk-[\w*-]{6,}|\b(hf|gh[a-z])_\w{20,}"), HIDDEN),
)


def redact(message: object, *secrets: str) -> str:
    """Return a message as text, with `***` for `secrets`, the environment's, and what looks so."""
    text = replace_secrets(str(message), [*secrets, *environment_secrets()])
    for pattern, replacement in PATTERNS:
        text = pattern.sub(replacement, text)
    return text


def replace_secrets(text: str, secrets: Iterable[str]) -> str:
    """Return `text` with `***` for these secrets, as they are and decoded."""
    forms = {form.strip() for secret in secrets for form in (secret, unquote(secret))}
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
    waiting: list[BaseException | None] = [error]
    done: list[BaseException] = []
    while waiting:
        current = waiting.pop()
        if current is None or any(current is earlier for earlier in done):
            continue
        done.append(current)
        waiting += [current.__cause__, current.__context__]
        # an error may hold another one, whose message is then shown
        current.args = tuple(
            redact(part, *secrets) if isinstance(part, (str, Exception)) else part
            for part in current.args
        )


@contextmanager
def redacted_logs(names: Iterable[str], *secrets: str) -> Iterator[None]:
    """Redact what loggers of other libraries, by name, log meanwhile."""

    def redact_record(record: logging.LogRecord) -> bool:
        record.msg = redact(record.getMessage(), *secrets)
        record.args = ()
        return True

    with ExitStack() as stack:
        for name in names:
            logger = logging.getLogger(name)
            logger.addFilter(redact_record)
            stack.callback(logger.removeFilter, redact_record)
        yield


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
    """Divide an address; ValueError if it is no text."""
    if not isinstance(address, str):
        raise ValueError(f"the address is {address!r:.100}: expected a text")
    try:
        parts = urlsplit(address.strip())
    except ValueError:  # its message may contain the password
        return Address("", "", "", "", "", (address,))

    login, _, host = parts.netloc.rpartition("@")
    user, _, password = login.partition(":")
    if "@" in parts.path + parts.fragment:  # a slash in the password, or no scheme
        return Address("", "", "", "", "", (address,))

    bare = parts._replace(netloc=host, query="", fragment="").geturl()
    named = [value for name, value in parse_qsl(parts.query) if re.search(SECRET_NAME, name, re.I)]
    return Address(bare, host, user, password, parts.query, (password or user, *named))
