"""Embeddings by API: any endpoint that speaks OpenAI's protocol."""

from dataclasses import dataclass, field

import numpy as np

from ..endpoints import check_url, key_for, sdk_client, url_of
from ._endpoint import ask
from ._memory import Remembering

CHARACTERS = 250_000  # of a request: OpenAI takes 300,000 tokens, and few are below a character
PROBE = "text"  # asked for the number of dimensions, where there is nothing else to ask for


@dataclass(eq=False, repr=False)
class OpenAIEmbeddings(Remembering):
    """An embeddings model behind an API: OpenAI's, or any server with the same protocol.

    DORIS-MAE's ada-002 is ``OpenAIEmbeddings("text-embedding-ada-002")`` [Wang2023, C.2]. Each
    distinct text is asked for once and its vector kept in memory; batches that arrived
    stay when a later one fails. A blank text, which OpenAI refuses, gets the zero vector.

    The key is read from the environment when a request is made; it is no setting and in no error.

    Args:
        model: the model's name there.
        base_url: of the endpoint, up to ``/v1``; None for ``OPENAI_BASE_URL`` from the environment,
            or else OpenAI's.
        dimensions: d to ask for, of a model that can shorten its vectors; None for its own.
        query_prompt, document_prompt: put before each text of that side.
        key_variable: the variable of the environment with the key; servers without keys need none.
        batch_size: texts of a request, fewer where they are long.
        max_retries: how often a request is repeated after 429, 5xx or no answer, waiting 0.5 s,
            then twice as long each time up to 8 s, or as long as the endpoint says.
        timeout: seconds that a single try may take.
        memory: bytes of vectors, and of their texts, that are kept for later calls.
        cache: keep vectors on disk too, for later runs: True for the default folder, a folder, a
            `VectorCache`, or an object with its methods `get_many` and `put_many`.
        verbose: show progress.

    Raises:
        ImportError: (when encoding) openai is not installed; names the extra.
        OSError: (when encoding) the endpoint is silent or in trouble (ConnectionError,
            TimeoutError), refuses the key (PermissionError, at once), or has no such model.
        ValueError: a key inside `base_url`; (when encoding) a request that the endpoint cannot
            take, too few vectors, NaN, other dimensions than were asked for or came before.
    """

    model: str
    base_url: str | None = None
    dimensions: int | None = None
    query_prompt: str = ""
    document_prompt: str = ""
    key_variable: str = field(default="OPENAI_API_KEY", compare=False)
    batch_size: int = field(default=128, compare=False)
    max_retries: int = field(default=5, compare=False)
    timeout: float = field(default=60.0, compare=False)

    def __post_init__(self):
        check_url(self.base_url, self.key_variable)

    @property
    def symmetric(self) -> bool:
        """Whether queries and documents are treated alike."""
        return self.query_prompt == self.document_prompt

    @property
    def url(self) -> str:
        """The endpoint that is asked."""
        return url_of(self.base_url)

    def encode_queries(self, texts):
        """Vectors (n, d) float32; zero for blank texts."""
        return self._encode(self.query_prompt, texts)

    def encode_documents(self, texts):
        """Vectors (n, d) float32; zero for blank texts."""
        return self._encode(self.document_prompt, texts)

    def _encode(self, prompt, texts):
        asked = dict.fromkeys(prompt + text for text in texts if text.strip())
        found = self.arrays(list(asked) or [PROBE], self.url)
        nothing = np.zeros_like(next(iter(found.values())))
        rows = [found[prompt + text] if text.strip() else nothing for text in texts]
        return np.concatenate(rows)

    def _state(self):
        return self.url, self.model, self.dimensions

    def _about(self, part):
        about = {"by": "embeddings API", "url": self.url, "model": self.model}
        return about | {"dimensions": self.dimensions}

    def _encoded(self, texts, part):
        """Yield each text with its vector (1, d), once its request is answered."""
        key = key_for(self.url, self.key_variable)
        settings = {"timeout": self.timeout, "max_retries": self.max_retries}
        with sdk_client(f"Embeddings of {self.model!r}", self.url, key, **settings) as client:
            for batch in _batches(texts, self.batch_size):
                yield from zip(batch, ask(self, client, batch)[:, None])


def _batches(texts, most):
    """Lists of at most `most` texts and, from two texts on, CHARACTERS characters."""
    batch, characters = [], 0
    for text in texts:
        if batch and (len(batch) == most or characters + len(text) > CHARACTERS):
            yield batch
            batch, characters = [], 0
        batch.append(text)
        characters += len(text)
    if batch:
        yield batch
