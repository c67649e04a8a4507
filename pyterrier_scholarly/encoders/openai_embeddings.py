"""Embeddings by API: any endpoint with OpenAI's protocol.

For example::

    encoder = OpenAIEmbeddings("text-embedding-ada-002")  # with a key in OPENAI_API_KEY
    encoder.encode(["a question"], "query")  # (1, 1536)
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from more_itertools import constrained_batches

from ..arguments import Count, Name, Natural, Positive
from ..chat.client_errors import LONGEST_SHOWN_MESSAGE, shorten_message, translate_error
from ..chat.endpoints import check_url, create_sdk_client, endpoint_url, require_key
from .cache import KeyArrays, RememberingEncoder
from .encoder_protocols import Side, check_finite, read_array

if TYPE_CHECKING:
    import openai

#: of a request: OpenAI accepts 300,000 tokens, and most tokens are longer than a character
LONGEST_REQUEST = 250_000  # characters
PROBE = "text"  # encoded if there is no other text, to learn the number of dimensions


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
        ValueError: a key inside `base_url` or in place of `key_variable`; (when encoding) a request
            that the endpoint rejects, too few embeddings, NaN, other dimensions than requested or
            than before.
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
        check_url(self.base_url, self.key_variable)

    @property
    def url(self) -> str:
        """The endpoint's address."""
        return endpoint_url(self.base_url)

    def encode(self, texts: Sequence[str], side: Side) -> np.ndarray:
        """Return embeddings (n, d) float32; zero for blank texts."""
        prompt = getattr(self, f"{side}_prompt")
        prompted_texts = [prompt + text if text.strip() else "" for text in texts]
        # if all are blank, another text says how wide the zero embeddings are
        asked_texts = [text for text in prompted_texts if text] or [PROBE]
        arrays = self.encode_once(asked_texts, self.url, self._request_all)
        array_of_text = dict(zip(asked_texts, arrays))
        array_of_text[""] = np.zeros_like(arrays[0])
        return np.concatenate([array_of_text[text] for text in prompted_texts])

    def __fingerprint__(self) -> dict[str, object]:
        """Return the compared settings, with the endpoint that is asked."""
        return super().__fingerprint__() | {"base_url": self.url}

    def identify(self, part: str) -> object:
        """Return the settings without the prompts, which are parts of the texts."""
        return ["embeddings API", self.url, self.model, self.dimensions]

    def _request_all(self, texts: list[str], url: str) -> KeyArrays[str]:
        """Yield each text with its embedding (1, d) once its request is answered."""
        key = require_key(self.url, self.key_variable)
        with create_sdk_client(
            f"Embeddings of {self.model!r}",
            self.url,
            key,
            timeout=self.timeout,
            max_retries=self.max_retries,
        ) as client:
            # not strict: a text that is too long for a request is one by itself
            batches = constrained_batches(texts, LONGEST_REQUEST, self.batch_size, strict=False)
            for batch in batches:
                rows = self._request(client, list(batch), key)  # (n, d)
                yield from zip(batch, rows[:, None])

    def _request(self, client: "openai.OpenAI", texts: list[str], key: str) -> np.ndarray:
        """Return the embeddings of `texts`, (n, d) float32, in order; errors: see the class."""
        numbers, vectors = self._ask_endpoint(client, texts, key)

        are_unnumbered = all(number is None for number in numbers)
        are_consecutive = numbers == list(range(len(numbers)))
        if not are_unnumbered and not are_consecutive:
            # whose vectors they are cannot be known
            fault = f"numbers {len(numbers)} vectors {numbers}"
            raise self._describe_odd_answer(fault[:LONGEST_SHOWN_MESSAGE])

        embeddings = read_array(vectors, self, (len(texts), self.dimensions or "dimensions"))
        check_finite(embeddings, self, texts)  # before the first is kept
        return embeddings

    def _ask_endpoint(
        self, client: "openai.OpenAI", texts: list[str], key: str
    ) -> tuple[list[int | None], list[list[float]]]:
        """Return the numbers of the answer's vectors, ascending, and the vectors in that order."""
        options: dict[str, Any] = {} if self.dimensions is None else {"dimensions": self.dimensions}
        try:
            # floats are longer than base64, but every server knows them
            answer = client.embeddings.create(
                model=self.model, input=texts, encoding_format="float", **options
            )
            # servers that number no vectors send them in order
            rows = sorted(answer.data, key=lambda row: row.index or 0)
            return [row.index for row in rows], [row.embedding for row in rows]
        except Exception as error:
            failure = self._translate(error, key, texts)

        # outside of the handler, where Python would attach the SDK's error: it may contain the key
        raise failure

    def _translate(self, error: Exception, key: str, texts: list[str]) -> Exception:
        """Return the built-in exception for an error of the SDK, without the key."""
        message = shorten_message(error, key)
        endpoint = f"{self.url} ({self.model})"
        failure = translate_error(error, endpoint, message, self.key_variable)
        if failure is None:  # Python's own error: it is no JSON, or lacks what is read of it
            return self._describe_odd_answer(f"cannot be read: {message}")
        if isinstance(failure, ValueError):  # the request is refused, perhaps for its length
            longest_text = max(texts, key=len)
            return ValueError(f"{failure} Its longest text has {len(longest_text)} characters.")
        return failure

    def _describe_odd_answer(self, fault: str) -> ValueError:
        """Return the error for an answer that is no list of embeddings."""
        return ValueError(
            f"The answer of {self.url} for {self.model!r} {fault}. Is it an OpenAI-compatible "
            "embeddings endpoint, and this an embeddings model? Try again, or another server."
        )
