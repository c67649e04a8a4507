"""A pyterrier_dr bi-encoder as an encoder."""

from dataclasses import dataclass, field

import pyterrier as pt

from ..settings import BySettings


@dataclass(eq=False, repr=False)
class BiEncoder(BySettings):
    """A `pyterrier_dr.BiEncoder`: queries and documents may be encoded differently."""

    model: object
    batch_size: int = 32
    verbose: bool = field(default=False, compare=False, repr=False)

    symmetric = False

    @staticmethod
    def accepts(source) -> bool:
        """Whether `source` has the two methods of pyterrier_dr's bi-encoders."""
        return hasattr(source, "encode_queries") and hasattr(source, "encode_docs")

    def encode_queries(self, texts):
        """Vectors (n, d) by the model's query side."""
        return self.model.encode_queries(self._shown(texts), batch_size=self.batch_size)

    def encode_documents(self, texts):
        """Vectors (n, d) by the model's document side."""
        return self.model.encode_docs(self._shown(texts), batch_size=self.batch_size)

    def _shown(self, texts):
        # pyterrier_dr's models show progress when their texts come inside a tqdm
        return pt.tqdm(texts, desc="encoding", unit="text") if self.verbose else texts
