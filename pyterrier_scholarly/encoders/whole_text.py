"""Whole texts as one vector each: by any model, pooling, prompt and precision."""

from dataclasses import dataclass, field
from functools import lru_cache

from ..settings import BySettings
from . import _whole_model


@dataclass(eq=False, repr=False)
class WholeText(BySettings):
    """A Hugging Face or sentence-transformers model that makes one vector of a text.

    For models that a name alone does not describe: SPECTER's first token, SimCSE's pooler, E5's or
    GritLM's prompts. Each distinct text of a call is encoded once. What is longer than `max_length`
    tokens is cut, as the papers' systems do; `Contextual` cuts nothing. A named model is loaded
    when first needed, and kept while it is among the last two.

    Args:
        model: a name on the hub or a folder, or a SentenceTransformer, which stays as it is.
        pooling: how tokens become one vector: ``"model"``, the model's own way (of plain Hugging
            Face models the mean); ``"mean"``, ``"cls"`` (the first token) or ``"last"`` of the last
            layer; ``"pooler"``, what the model makes of its first token (a layer and tanh, in
            BERT; random where its files have none, which transformers warns of);
            ``"penultimate"``, the mean of the layer before the last.
        query_prompt: put before each query; None for the model's own prompt, if it brings one.
        document_prompt: the same for documents.
        prompt_pooled: whether a prompt's tokens count in the vector; not for Instructor and GritLM.
            ("cls" and "last" then mean the first and last token behind the prompt.)
        bidirectional: let the tokens of a decoder see those behind them: GritLM as an encoder
            (needs transformers 5.2).
        adapter: a bottleneck adapter for the model (a name on the hub or a folder): SPECTER2's.
        precision: ``"fp32"``, ``"bf16"``, ``"fp16"``, or ``"auto"``: bf16 where the device computes
            in it, else fp32. Vectors come back as float32.
        device: as PyTorch names it (``"cuda"``); None for the best there is.
        max_length: tokens of a text, prompt and special tokens counted; None for the model's own.
        trust_remote_code: run Python code that comes with the model. Only if you have read it.
        batch_size: texts per batch; it changes vectors by rounding alone.
        verbose: show progress.

    Raises:
        ImportError: (when encoding) sentence-transformers is missing; names the extra.
        OSError: (when encoding) there is no such model or adapter; says what to download.
        ValueError: (when encoding) an unknown pooling or precision, a model without a pooler, an
            adapter of another kind or for another model.
    """

    model: object
    pooling: str = field(default="model", kw_only=True)
    query_prompt: str | None = field(default=None, kw_only=True)
    document_prompt: str | None = field(default=None, kw_only=True)
    prompt_pooled: bool = field(default=True, kw_only=True)
    bidirectional: bool = field(default=False, kw_only=True)
    adapter: str | None = field(default=None, kw_only=True)
    precision: str = field(default="fp32", kw_only=True)
    device: str | None = field(default=None, kw_only=True)
    max_length: int | None = field(default=None, kw_only=True)
    trust_remote_code: bool = field(default=False, kw_only=True)
    batch_size: int = field(default=32, compare=False, kw_only=True)
    verbose: bool = field(default=False, compare=False, repr=False, kw_only=True)

    @property
    def symmetric(self) -> bool:
        """Whether queries and documents get the same prompt (asks the model where it is None)."""
        return _whole_model.alike(self._model(), self.query_prompt, self.document_prompt)

    def encode_queries(self, texts):
        """Vectors (n, d) with the queries' prompt."""
        return self._encode(texts, "encode_query", self.query_prompt)

    def encode_documents(self, texts):
        """Vectors (n, d) with the documents' prompt."""
        return self._encode(texts, "encode_document", self.document_prompt)

    def _encode(self, texts, side, prompt):
        number = {text: n for n, text in enumerate(dict.fromkeys(texts))}
        model = self._model()
        found = getattr(model, side)(
            list(number),
            prompt=prompt,
            batch_size=self.batch_size,
            show_progress_bar=self.verbose,
        )
        return found.astype("float32", copy=False)[[number[text] for text in texts]]

    def _model(self):
        return _model(self)


@lru_cache(maxsize=2)
def _model(encoder):
    return _whole_model.assembled(encoder)
