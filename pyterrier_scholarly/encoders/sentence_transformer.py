"""A sentence-transformers model as an encoder."""

from dataclasses import dataclass, field
from functools import lru_cache

from ..settings import BySettings


@dataclass(eq=False, repr=False)
class SentenceTransformer(BySettings):
    """A model of sentence-transformers, or its name (a folder or a name on the Hugging Face hub).

    A named model is loaded when first needed and kept while it is among the last two. Prompts that
    the model brings for queries and documents are used.

    Raises:
        ImportError: sentence-transformers is not installed (names the extra that brings it).
    """

    model: object
    batch_size: int = 32
    verbose: bool = field(default=False, compare=False, repr=False)

    @staticmethod
    def accepts(source) -> bool:
        """Whether `source` is a name, or has the method `encode`."""
        return isinstance(source, str) or hasattr(source, "encode")

    @property
    def symmetric(self) -> bool:
        """Whether the model treats queries and documents alike."""
        model = self._loaded()
        prompts = getattr(model, "prompts", {})
        # A Router sends queries and documents through modules of their own.
        modules = getattr(model, "_modules", {}).values()
        routed = any(type(module).__name__ == "Router" for module in modules)
        return prompts.get("query", "") == prompts.get("document", "") and not routed

    def encode_queries(self, texts):
        """Vectors (n, d) by the model's query side."""
        return self._encode("encode_query", texts)

    def encode_documents(self, texts):
        """Vectors (n, d) by the model's document side."""
        return self._encode("encode_document", texts)

    def _encode(self, method, texts):
        model = self._loaded()
        encode = getattr(model, method, model.encode)  # before version 5 there is `encode` alone
        return encode(texts, batch_size=self.batch_size, show_progress_bar=self.verbose)

    def _loaded(self):
        return _load(self.model) if isinstance(self.model, str) else self.model


@lru_cache(maxsize=2)
def _load(name):
    try:
        from sentence_transformers import SentenceTransformer as Model
    except ImportError as error:
        raise ImportError(
            f"Encoding with {name!r} needs sentence-transformers: "
            'run `pip install "pyterrier-scholarly[dense]"`.'
        ) from error
    return Model(name)
