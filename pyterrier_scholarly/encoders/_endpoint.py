"""One request to an embeddings endpoint: its answer, and errors that say what to do."""

import numpy as np

from ..endpoints import blotted, key_in

SHOWN = 300  # characters of an endpoint's message that an error shows

TIRED = "Wait and run again (or raise max_retries, lower batch_size)"
REMEDIES = {
    401: (PermissionError, "Put a key of this endpoint into the environment, as {variable}"),
    403: (PermissionError, "May the key in {variable} use this model here?"),
    404: (OSError, "Check the model's name, and base_url: most end in /v1"),
    429: (ConnectionError, f"{TIRED}; is the quota used up?"),
    500: (ConnectionError, TIRED),
}
"""For a status, up to 500: the class of the error, and the remedy that it names."""


def ask(encoder, client, texts):
    """The vectors of `texts`, (n, d) float32, in their order.

    Args:
        encoder: an `OpenAIEmbeddings`.
        client: an `openai.OpenAI`.

    Raises:
        OSError: no answer (ConnectionError, TimeoutError), a refusal (PermissionError).
        ValueError: a request that the endpoint cannot take, or an answer that is no n vectors.
    """
    import openai

    optional = {} if encoder.dimensions is None else {"dimensions": encoder.dimensions}
    try:
        # floats are longer than base64, but every server knows them
        answer = client.embeddings.create(
            model=encoder.model, input=texts, encoding_format="float", **optional
        )
    except openai.APIConnectionError as error:
        failure = _silent(encoder, error, isinstance(error, openai.APITimeoutError))
    except openai.APIStatusError as error:
        failure = _refused(encoder, error, texts)
    except (openai.OpenAIError, ValueError) as error:  # JSON that is none, among others
        failure = _odd(encoder, f"cannot be read ({_said(encoder, error)})")
    else:
        return _checked(encoder, answer, texts)
    raise failure  # outside of the handlers: their errors may hold the key


def _silent(encoder, error, late):
    kind, got = ConnectionError, _said(encoder, error.__cause__ or error)
    remedy = "check base_url and the network"
    if late:
        kind, got = TimeoutError, f"no answer within {encoder.timeout} s"
        remedy = "raise timeout or lower batch_size"
    return kind(
        f"{encoder.url} did not answer in {encoder.max_retries + 1} tries: {got}. "
        f"Is the server running? If so, {remedy}."
    )


def _refused(encoder, error, texts):
    longest = max(map(len, texts))
    other = f"The longest of the {len(texts)} texts has {longest} characters: too many?"
    kind, remedy = REMEDIES.get(min(error.status_code, 500), (ValueError, other))
    return kind(
        f"{encoder.url} answered {error.status_code} to a request for {encoder.model!r}: "
        f"{_said(encoder, error)}. {remedy.format(variable=encoder.key_variable)}"
    )


def _odd(encoder, what):
    return ValueError(
        f"The answer of {encoder.url} for {encoder.model!r} {what}: is it an OpenAI-compatible "
        "embeddings endpoint, and this an embeddings model? Try again, or another server."
    )


def _said(encoder, error):
    """What an error says, without the key, and not all of it."""
    return f"{blotted(error, key_in(encoder.key_variable)):.{SHOWN}}".rstrip(". ")


def _checked(encoder, answer, texts):
    rows = getattr(answer, "data", None)
    if not isinstance(rows, list):
        raise _odd(encoder, "has no list of vectors")
    if len(rows) != len(texts):
        what = f"has {len(rows)} vectors, not one for each of {len(texts)} texts"
        raise _odd(encoder, what)
    numbers = [getattr(row, "index", None) for row in rows]
    if None not in numbers:  # where they are numbered, any order is right
        if sorted(numbers) != list(range(len(texts))):
            raise _odd(encoder, f"numbers {len(texts)} vectors {numbers}"[:SHOWN])
        rows = sorted(rows, key=lambda row: row.index)
    vectors = [getattr(row, "embedding", None) for row in rows]
    try:
        array = np.array(vectors, dtype=np.float32)  # NaN for null
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.ndim != 2 or encoder.dimensions not in (None, array.shape[1]):
        sizes = sorted({np.size(vector) for vector in vectors})
        what = f"has vectors of {sizes} numbers, not {encoder.dimensions or 'as many'}"
        raise _odd(encoder, what)
    broken = np.flatnonzero(~np.isfinite(array).all(axis=1))
    if len(broken):
        raise _odd(encoder, f"has NaN or infinity, first for {texts[broken[0]]!r:.{SHOWN}}")
    return array
