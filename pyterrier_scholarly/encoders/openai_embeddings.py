"""Embeddings by API: any endpoint that speaks OpenAI's protocol."""

from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np
import pyterrier as pt

from ..endpoints import check_url, url_of
from ..settings import BySettings
from ._endpoint import Endpoint
from ._store import Store
from .cache import as_cache

CHARACTERS = 250_000  # of a request: OpenAI takes 300,000 tokens, and few are below a character
PROBE = "text"  # asked for the number of dimensions, where there is nothing else to ask for


@dataclass(eq=False, repr=False)
class OpenAIEmbeddings(BySettings):
    """An embeddings model behind an API: OpenAI's, or any server with the same protocol.

    DORIS-MAE's ada-002 is ``OpenAIEmbeddings("text-embedding-ada-002")`` [Wang2023, C.2]. Each
    distinct text is asked for once and its vector kept in memory for equal encoders; batches that
    arrived stay when a later one fails. A blank text, which OpenAI refuses, gets the zero vector.

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
    memory: int = field(default=2**30, compare=False)
    cache: object = field(default=None, compare=False)
    verbose: bool = field(default=False, compare=False, repr=False)

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
        vector_of = self._vectors(list(asked) or [PROBE])
        nothing = np.zeros_like(next(iter(vector_of.values())))
        return np.stack([vector_of[prompt + text] if text.strip() else nothing for text in texts])

    def _vectors(self, texts):
        """From each of `texts`, distinct and not blank, to its vector (d,)."""
        store = _store(replace(self, base_url=self.url))
        store.limit = self.memory
        found = store.get_many(texts)
        sizes = self._sizes(found)
        for made in self._fetched([text for text in texts if text not in found]):
            sizes = self._sizes(made, sizes)
            found |= made
            store.put_many(made)
        return found

    def _sizes(self, made, known=frozenset()):
        """`known` and the sizes of the vectors in `made`: one in all, or none yet."""
        sizes = known | {len(vector) for vector in made.values()}
        if len(sizes) > 1:
            cache = as_cache(self.cache)
            again = "Start again" if cache is None else f"Run {cache!r}.clear() and start again"
            raise ValueError(
                f"{self.url} gave vectors of {sorted(sizes)} numbers for {self.model!r}: "
                f"has the model behind it changed? {again}, or name a fixed version of it."
            )
        return sizes

    def _fetched(self, texts):
        """Dicts from text to vector (d,): of what the cache has, then of each request.

        What was asked for is put into the cache when the next is wanted: not if it is refused.
        """
        about = {"by": "embeddings API", "url": self.url, "model": self.model}
        about["dimensions"] = self.dimensions
        cache = as_cache(self.cache)
        if texts and cache is not None:
            here = {text: rows[0] for text, rows in cache.get_many(about, texts).items()}
            yield here
            texts = [text for text in texts if text not in here]
        for made in self._asked(texts) if texts else ():
            yield made
            if cache is not None:
                cache.put_many(about, {text: vector[None] for text, vector in made.items()})

    def _asked(self, texts):
        """Dicts from text to vector (d,), one for each request as it is answered."""
        settings = (self.model, self.dimensions, self.key_variable, self.timeout, self.max_retries)
        endpoint = Endpoint(self.url, *settings)
        bar = pt.tqdm(total=len(texts), desc="embedding", unit="text", disable=not self.verbose)
        with endpoint.client() as client, bar:
            for batch in _batches(texts, self.batch_size):
                yield dict(zip(batch, endpoint.ask(client, batch)))
                bar.update(len(batch))


@lru_cache(maxsize=2)
def _store(encoder):
    return Store(encoder.memory)


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
