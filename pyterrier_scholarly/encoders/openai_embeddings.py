"""Embeddings by API: any endpoint with OpenAI's protocol."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from more_itertools import constrained_batches

from ir_datasets_ext.redaction import redact

from ..arguments import Count, Name, Natural, Positive
from ..chat.endpoints import check_url, create_sdk_client, endpoint_url, read_key, require_key
from ._memory import Remembering

if TYPE_CHECKING:
    import openai

CHARACTERS = 250_000  # of a request: OpenAI accepts 300,000 tokens, mostly longer than a character
PROBE = "text"  # encoded if there is no other text, to learn the number of dimensions
SHOWN = 300  # characters of an endpoint's message that an error shows

TIRED = "Wait and run again (or raise max_retries, lower batch_size)"
#: status, up to 500 -> the error's class, and the remedy that it names
REMEDIES: dict[int, tuple[type[Exception], str]] = {
    401: (PermissionError, "Put a key of this endpoint into the environment, as {variable}"),
    403: (PermissionError, "May the key in {variable} use this model here?"),
    404: (OSError, "Check the model's name, and base_url: most end in /v1"),
    429: (ConnectionError, f"{TIRED}; is the quota used up?"),
    500: (ConnectionError, TIRED),
}


@dataclass(eq=False, repr=False)
class OpenAIEmbeddings(Remembering):
    """An embeddings model behind an API: OpenAI's, or any server with the same protocol.

    DORIS-MAE's ada-002 is ``OpenAIEmbeddings("text-embedding-ada-002")`` [Wang2023, C.2]. Each
    distinct text is requested once, and its embedding kept in memory; finished batches are kept if
    a later one fails. A blank text, which OpenAI rejects, gets the zero embedding.

    The key is read from the environment for each request; it is no setting, and in no error.

    Args:
        model: the model's name there.
        base_url: of the endpoint, up to ``/v1``; default: ``OPENAI_BASE_URL`` from the environment,
            else OpenAI's.
        dimensions: d to request, of a model that can shorten its embeddings; default: its own.
        query_prompt, document_prompt: put before each text of that side.
        key_variable: the environment's variable with the key; servers without keys need none.
        batch_size: texts of a request, fewer if they are long.
        max_retries: how often a request is repeated after 429, 5xx or no answer, waiting 0.5 s,
            then twice as long each time up to 8 s, or as long as the endpoint states.
        timeout: seconds of a single try.
        memory: bytes of embeddings, and of their texts, kept for later calls.
        cache: keep embeddings on disk for later runs: True for the default folder, a folder, a
            `VectorCache`, or an object with its methods `get_many` and `put_many`.
        verbose: show progress.

    Raises:
        ImportError: (when encoding) openai is not installed; names the extra.
        OSError: (when encoding) the endpoint is silent or in trouble (ConnectionError,
            TimeoutError), refuses the key (PermissionError, at once), or has no such model.
        ValueError: a key inside `base_url`; (when encoding) a request that the endpoint rejects,
            too few embeddings, NaN, other dimensions than requested or than before.
    """

    model: Name
    base_url: str | None = None
    dimensions: Count | None = None
    query_prompt: str = ""
    document_prompt: str = ""
    key_variable: Name = field(default="OPENAI_API_KEY", compare=False)
    batch_size: Count = field(default=128, compare=False)
    max_retries: Natural = field(default=5, compare=False)
    timeout: Positive = field(default=60.0, compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_url(self.base_url, self.key_variable)

    @property
    def symmetric(self) -> bool:
        """Whether queries and documents are treated alike."""
        return self.query_prompt == self.document_prompt

    @property
    def url(self) -> str:
        """The endpoint's address."""
        return endpoint_url(self.base_url)

    def encode_queries(self, texts: Sequence[str]) -> np.ndarray:
        """Return embeddings (n, d) float32; zero for blank texts."""
        return self._encode(self.query_prompt, texts)

    def encode_documents(self, texts: Sequence[str]) -> np.ndarray:
        """Return embeddings (n, d) float32; zero for blank texts."""
        return self._encode(self.document_prompt, texts)

    def _encode(self, prompt: str, texts: Sequence[str]) -> np.ndarray:
        prompted = [prompt + text for text in texts if text.strip()]
        arrays = self.arrays(prompted or [PROBE], self.url)
        zero, found = np.zeros_like(arrays[0]), iter(arrays)
        return np.concatenate([next(found) if text.strip() else zero for text in texts])

    def _state(self) -> tuple:
        return self.url, self.model, self.dimensions

    def _about(self, part: str) -> dict[str, object]:
        return {
            "by": "embeddings API",
            "url": self.url,
            "model": self.model,
            "dimensions": self.dimensions,
        }

    def _encoded(self, texts: list[str], part: str) -> Iterator[tuple[str, np.ndarray]]:
        """Yield each text with its embedding (1, d) once its request is answered."""
        with create_sdk_client(
            f"Embeddings of {self.model!r}",
            self.url,
            require_key(self.url, self.key_variable),
            timeout=self.timeout,
            max_retries=self.max_retries,
        ) as client:
            # at most CHARACTERS from two texts on
            for batch in constrained_batches(texts, CHARACTERS, self.batch_size, strict=False):
                yield from zip(batch, self._request(client, list(batch))[:, None])

    def _request(self, client: "openai.OpenAI", texts: list[str]) -> np.ndarray:
        """Return the embeddings of `texts`, (n, d) float32, in their order; errors: see above."""
        import openai

        optional: dict[str, Any] = (
            {} if self.dimensions is None else {"dimensions": self.dimensions}
        )
        try:
            # floats are longer than base64, but every server knows them
            answer = client.embeddings.create(
                model=self.model, input=texts, encoding_format="float", **optional
            )
        except openai.APIConnectionError as error:
            failure: Exception = self._silent(error, isinstance(error, openai.APITimeoutError))
        except openai.APIStatusError as error:
            failure = self._refused(error, texts)
        except (openai.OpenAIError, ValueError) as error:  # invalid JSON, among others
            failure = self._odd(f"cannot be read ({self._shown(error)})")
        else:
            return self._checked(answer, texts)
        raise failure  # outside of the handlers: their errors may hold the key

    def _silent(self, error: "openai.APIConnectionError", late: bool) -> Exception:
        silent = f"{self.url} did not answer in {self.max_retries + 1} tries"
        if late:
            return TimeoutError(
                f"{silent}: no answer within {self.timeout} s. Is the server running? If so, raise "
                "timeout or lower batch_size."
            )
        return ConnectionError(
            f"{silent}: {self._shown(error.__cause__ or error)}. Is the server running? If so, "
            "check base_url and the network."
        )

    def _refused(self, error: "openai.APIStatusError", texts: list[str]) -> Exception:
        size = f"The longest of the {len(texts)} texts has {max(map(len, texts))} characters"
        kind, remedy = REMEDIES.get(min(error.status_code, 500), (ValueError, f"{size}: too many?"))
        return kind(
            f"{self.url} answered {error.status_code} to a request for {self.model!r}: "
            f"{self._shown(error)}. {remedy.format(variable=self.key_variable)}"
        )

    def _odd(self, fault: str) -> ValueError:
        return ValueError(
            f"The answer of {self.url} for {self.model!r} {fault}. Is it an OpenAI-compatible "
            "embeddings endpoint, and this an embeddings model? Try again, or another server."
        )

    def _shown(self, error: BaseException) -> str:
        """Return an error's message, without the key, and shortened."""
        return f"{redact(error, read_key(self.key_variable)):.{SHOWN}}".rstrip(". ")

    def _checked(self, answer: object, texts: list[str]) -> np.ndarray:
        rows = getattr(answer, "data", None)
        if not isinstance(rows, list):
            raise self._odd("has no list of vectors")
        if len(rows) != len(texts):
            raise self._odd(f"has {len(rows)} vectors, not one for each of {len(texts)} texts")
        numbers: list[Any] = [getattr(row, "index", None) for row in rows]
        if None not in numbers:  # numbered rows may come in any order
            if sorted(numbers) != list(range(len(texts))):
                raise self._odd(f"numbers {len(texts)} vectors {numbers}"[:SHOWN])
            rows = sorted(rows, key=lambda row: row.index)
        vectors: list[Any] = [getattr(row, "embedding", None) for row in rows]
        try:
            array = np.array(vectors, dtype=np.float32)  # null becomes NaN
        except (TypeError, ValueError):
            array = np.empty(0, dtype=np.float32)
        if array.ndim != 2 or self.dimensions not in (None, array.shape[1]):
            sizes = sorted({np.size(vector) for vector in vectors})
            raise self._odd(f"has vectors of {sizes} numbers, not {self.dimensions or 'as many'}")
        broken = np.flatnonzero(~np.isfinite(array).all(axis=1))
        if len(broken):
            raise self._odd(f"has NaN or infinity, first for {texts[broken[0]]!r:.{SHOWN}}")
        return array
