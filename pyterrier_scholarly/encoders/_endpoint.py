"""One request to an embeddings endpoint: client, answer, and errors that say what to do."""

from typing import NamedTuple

import numpy as np

from ..endpoints import blotted, key_for, key_in, sdk_client

SHOWN = 300  # characters of an endpoint's message that an error shows

TIRED = "Wait and run again (or raise max_retries, lower batch_size)"
REMEDIES = {
    401: (PermissionError, "Put a key of this endpoint into the environment, as {variable}"),
    403: (PermissionError, "May the key in {variable} use this model here?"),
    404: (OSError, "Check the model's name, and base_url: most end in /v1"),
    429: (ConnectionError, f"{TIRED}; is the quota used up?"),
}
"""For a status: the class of the error, and the remedy that it names."""


class Endpoint(NamedTuple):
    """Where and how to ask; `variable` names the environment's variable with the key."""

    url: str
    model: str
    dimensions: int | None
    variable: str
    timeout: float
    max_retries: int

    def client(self):
        """An `openai.OpenAI`, to be closed.

        Raises:
            ImportError: openai is not installed; names the extra that brings it.
            PermissionError: OpenAI's own endpoint and no key in the environment; a broken key.
        """
        return sdk_client(
            f"Embeddings of {self.model!r}",
            self.url,
            key_for(self.url, self.variable),
            timeout=self.timeout,
            max_retries=self.max_retries,
        )

    def ask(self, client, texts):
        """The vectors of `texts`, (n, d) float32, in their order.

        Raises:
            OSError: no answer (ConnectionError, TimeoutError), a refusal (PermissionError).
            ValueError: a request that the endpoint cannot take, or an answer that is no n vectors.
        """
        import openai

        optional = {} if self.dimensions is None else {"dimensions": self.dimensions}
        try:
            # floats are longer than base64, but every server knows them
            answer = client.embeddings.create(
                model=self.model, input=texts, encoding_format="float", **optional
            )
        except openai.APIConnectionError as error:
            failure = self._silent(error, isinstance(error, openai.APITimeoutError))
        except openai.APIStatusError as error:
            failure = self._refused(error, texts)
        except (openai.OpenAIError, ValueError) as error:  # JSON that is none, among others
            failure = self._odd(f"cannot be read ({self._said(error)})")
        else:
            return self._checked(answer, texts)
        raise failure  # outside of the handlers: their errors may hold the key

    def _silent(self, error, late):
        kind = TimeoutError if late else ConnectionError
        got = f"no answer within {self.timeout} s" if late else self._said(error.__cause__ or error)
        remedy = "raise timeout or lower batch_size" if late else "check base_url and the network"
        return kind(
            f"{self.url} did not answer in {self.max_retries + 1} tries: {got}. "
            f"Is the server running? If so, {remedy}."
        )

    def _refused(self, error, texts):
        status = error.status_code
        if status >= 500:
            kind, remedy = ConnectionError, TIRED
        else:
            longest = max(map(len, texts))
            remedy = f"The longest of the {len(texts)} texts has {longest} characters: too many?"
            kind, remedy = REMEDIES.get(status, (ValueError, remedy))
        return kind(
            f"{self.url} answered {status} to a request for {self.model!r}: {self._said(error)}. "
            f"{remedy.format(variable=self.variable)}"
        )

    def _odd(self, what):
        return ValueError(
            f"The answer of {self.url} for {self.model!r} {what}: is it an OpenAI-compatible "
            "embeddings endpoint, and this an embeddings model? Try again, or another server."
        )

    def _said(self, error):
        """What an error says, without the key, and not all of it."""
        return f"{blotted(error, key_in(self.variable)):.{SHOWN}}".rstrip(". ")

    def _checked(self, answer, texts):
        rows = getattr(answer, "data", None)
        if not isinstance(rows, list):
            raise self._odd("has no list of vectors")
        numbers = [getattr(row, "index", None) for row in rows]
        if len(rows) != len(texts):
            raise self._odd(f"has {len(rows)} vectors, not one for each of {len(texts)} texts")
        if None not in numbers:  # where they are numbered, any order is right
            if sorted(numbers) != list(range(len(texts))):
                raise self._odd(f"numbers {len(texts)} vectors {numbers}"[:SHOWN])
            rows = sorted(rows, key=lambda row: row.index)
        vectors = [getattr(row, "embedding", None) for row in rows]
        try:
            array = np.array(vectors, dtype=np.float32)  # NaN for null
        except (TypeError, ValueError):
            array = np.empty(0)
        if array.ndim != 2 or self.dimensions not in (None, array.shape[1]):
            sizes = sorted({np.size(vector) for vector in vectors})
            raise self._odd(f"has vectors of {sizes} numbers, not {self.dimensions or 'as many'}")
        broken = np.flatnonzero(~np.isfinite(array).all(axis=1))
        if len(broken):
            raise self._odd(f"has NaN or infinity, first for {texts[broken[0]]!r:.{SHOWN}}")
        return array
