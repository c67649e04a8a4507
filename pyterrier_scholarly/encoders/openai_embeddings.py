"""Embeddings by API: any endpoint with OpenAI's protocol.

For example::

    encoder = OpenAIEmbeddings("text-embedding-ada-002")  # with a key in OPENAI_API_KEY
    encoder.encode_queries(["a question"])  # (1, 1536)
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from more_itertools import constrained_batches

from ir_datasets_ext.redaction import redact

from ..arguments import Count, Name, Natural, Positive
from ..chat.endpoints import check_url, create_sdk_client, endpoint_url, read_key, require_key
from .remembering_encoder import Part, RememberingEncoder

if TYPE_CHECKING:
    import openai

#: of a request: OpenAI accepts 300,000 tokens, and most tokens are longer than a character
LONGEST_REQUEST = 250_000  # characters
LONGEST_SHOWN_MESSAGE = 300  # characters of an endpoint's message that an error shows
PROBE = "text"  # encoded if there is no other text, to learn the number of dimensions

SLOW_DOWN = "Wait and run again (or raise max_retries, lower batch_size)"


class Refusal(NamedTuple):
    """What an endpoint's status means: the class of the error, and the remedy that it names."""

    error_class: type[Exception]
    remedy: str


SERVER_ERROR = 500  # statuses from here on all mean this one
REFUSALS = {
    401: Refusal(PermissionError, "Put a key of this endpoint into the environment, as {variable}"),
    403: Refusal(PermissionError, "May the key in {variable} use this model here?"),
    404: Refusal(OSError, "Check the model's name, and base_url: most end in /v1"),
    429: Refusal(ConnectionError, f"{SLOW_DOWN}; is the quota used up?"),
    SERVER_ERROR: Refusal(ConnectionError, SLOW_DOWN),
}


@dataclass(eq=False, repr=False)
class OpenAIEmbeddings(RememberingEncoder[str]):
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
        """Return embeddings (n, d) of texts behind a prompt; zero for blank texts."""
        is_blank = np.array([not text.strip() for text in texts], dtype=bool)
        prompted_texts = [prompt + text for text in texts if text.strip()]

        # if all are blank, another text says how wide the zero embeddings are
        encoded_texts = prompted_texts or [PROBE]
        arrays = self.encode_once(encoded_texts, Part(self.url))
        width = arrays[0].shape[1]
        embeddings = np.zeros((len(texts), width), dtype=np.float32)
        if prompted_texts:
            embeddings[~is_blank] = np.concatenate(arrays)
        return embeddings

    def _memory_state(self) -> tuple:
        """Return what embeddings depend on, beside the texts."""
        return self.url, self.model, self.dimensions

    def _cache_settings(self, part: Part) -> dict[str, object]:
        """Return the settings without the prompts, which are parts of the texts."""
        return {
            "by": "embeddings API",
            "url": self.url,
            "model": self.model,
            "dimensions": self.dimensions,
        }

    def _encode_keys(self, texts: list[str], part: Part) -> Iterator[tuple[str, np.ndarray]]:
        """Yield each text with its embedding (1, d) once its request is answered."""
        with create_sdk_client(
            f"Embeddings of {self.model!r}",
            self.url,
            require_key(self.url, self.key_variable),
            timeout=self.timeout,
            max_retries=self.max_retries,
        ) as client:
            # not strict: a text that is too long for a request is one by itself
            batches = constrained_batches(texts, LONGEST_REQUEST, self.batch_size, strict=False)
            for batch in batches:
                rows = self._request(client, list(batch))  # (n, d)
                yield from zip(batch, rows[:, None])

    def _request(self, client: "openai.OpenAI", texts: list[str]) -> np.ndarray:
        """Return the embeddings of `texts`, (n, d) float32, in order; errors: see the class."""
        import openai

        optional: dict[str, Any] = {}
        if self.dimensions is not None:
            optional["dimensions"] = self.dimensions

        failure: Exception
        try:
            # floats are longer than base64, but every server knows them
            answer = client.embeddings.create(
                model=self.model, input=texts, encoding_format="float", **optional
            )
        except openai.APIConnectionError as error:
            failure = self._explain_silence(error, isinstance(error, openai.APITimeoutError))
        except openai.APIStatusError as error:
            failure = self._explain_refusal(error, texts)
        except (openai.OpenAIError, ValueError) as error:  # invalid JSON, among others
            failure = self._explain_odd_answer(f"cannot be read ({self._show_error(error)})")
        else:
            return self._read_answer(answer, texts)
        raise failure  # outside of the handlers: their errors may hold the key

    def _read_answer(self, answer: object, texts: list[str]) -> np.ndarray:
        """Return the embeddings in an answer (n, d), in the order of `texts`; check all of it."""
        rows = self._sort_rows(answer, len(texts))
        vectors: list[Any] = [getattr(row, "embedding", None) for row in rows]
        try:
            embeddings = np.array(vectors, dtype=np.float32)  # null becomes NaN
        except (TypeError, ValueError):
            embeddings = np.empty(0, dtype=np.float32)  # refused below

        has_width = embeddings.ndim == 2 and self.dimensions in (None, embeddings.shape[1])
        if not has_width:
            sizes = sorted({np.size(vector) for vector in vectors})
            expected = self.dimensions or "as many"
            raise self._explain_odd_answer(f"has vectors of {sizes} numbers, not {expected}")

        broken_rows = np.flatnonzero(~np.isfinite(embeddings).all(axis=1))
        if len(broken_rows):
            first_text = texts[broken_rows[0]]
            raise self._explain_odd_answer(
                f"has NaN or infinity, first for {first_text!r:.{LONGEST_SHOWN_MESSAGE}}"
            )
        return embeddings

    def _sort_rows(self, answer: object, count: int) -> list[Any]:
        """Return the rows of an answer in the order of the texts: `index` may number them."""
        rows = getattr(answer, "data", None)
        if not isinstance(rows, list):
            raise self._explain_odd_answer("has no list of vectors")
        if len(rows) != count:
            raise self._explain_odd_answer(
                f"has {len(rows)} vectors, not one for each of {count} texts"
            )

        numbers: list[Any] = [getattr(row, "index", None) for row in rows]
        if None in numbers:  # without numbers, rows are in order
            return rows
        if sorted(numbers) != list(range(count)):
            fault = f"numbers {count} vectors {numbers}"
            raise self._explain_odd_answer(fault[:LONGEST_SHOWN_MESSAGE])
        return sorted(rows, key=lambda row: row.index)

    # Errors, each returned to be raised.

    def _explain_silence(self, error: "openai.APIConnectionError", is_late: bool) -> Exception:
        """Return the error for an endpoint that does not answer, or not in time."""
        silence = f"{self.url} did not answer in {self.max_retries + 1} tries"
        if is_late:
            return TimeoutError(
                f"{silence}: no answer within {self.timeout} s. Is the server running? If so, "
                "raise timeout or lower batch_size."
            )
        cause = self._show_error(error.__cause__ or error)
        return ConnectionError(
            f"{silence}: {cause}. Is the server running? If so, check base_url and the network."
        )

    def _explain_refusal(self, error: "openai.APIStatusError", texts: list[str]) -> Exception:
        """Return the error for an answer with a status that is none of success.

        For a status that is not in REFUSALS it is a ValueError: the endpoint rejects the texts.
        """
        longest = max(len(text) for text in texts)
        too_many = f"The longest of the {len(texts)} texts has {longest} characters: too many?"
        rejected_texts = Refusal(ValueError, too_many)

        is_server_error = error.status_code >= SERVER_ERROR  # such as 502 and 503
        status = SERVER_ERROR if is_server_error else error.status_code
        refusal = REFUSALS.get(status, rejected_texts)

        remedy = refusal.remedy.format(variable=self.key_variable)
        return refusal.error_class(
            f"{self.url} answered {error.status_code} to a request for {self.model!r}: "
            f"{self._show_error(error)}. {remedy}"
        )

    def _explain_odd_answer(self, fault: str) -> ValueError:
        """Return the error for an answer that is no list of embeddings."""
        return ValueError(
            f"The answer of {self.url} for {self.model!r} {fault}. Is it an OpenAI-compatible "
            "embeddings endpoint, and this an embeddings model? Try again, or another server."
        )

    def _show_error(self, error: BaseException) -> str:
        """Return an error's message, without the key, and shortened."""
        message = redact(error, read_key(self.key_variable))
        return message[:LONGEST_SHOWN_MESSAGE].rstrip(". ")
