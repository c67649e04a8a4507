"""Whole texts as one embedding each: by any model, pooling, prompt, precision and adapter."""

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from ..arguments import Name
from ._adapters import adapt, folder_of
from ._batches import Model, Module, Tokenizer, positions
from ._loading import transformer_of
from .sentence_transformer import TextEncoder

OWN = ("prompts", "default_prompt_name", "truncate_dim")  # a model's, besides its modules
Pooling: TypeAlias = Literal["model", "mean", "cls", "last", "pooler", "penultimate"]
#: pooling -> its name in sentence-transformers ("" for none), and the transformer's output it takes
POOLINGS: dict[Pooling, tuple] = {
    "model": (),
    "mean": ("mean", "last_hidden_state"),
    "cls": ("cls", "last_hidden_state"),
    "last": ("lasttoken", "last_hidden_state"),
    "pooler": ("", "pooler_output"),
    "penultimate": ("mean", ("hidden_states", -2)),
}


@dataclass(eq=False, repr=False)
class WholeText(TextEncoder):
    """A Hugging Face or sentence-transformers model that computes one embedding of a text.

    For models that need more settings than a name: SPECTER's first token, SimCSE's pooler, E5's or
    GritLM's prompts. Texts longer than `max_length` tokens are truncated, as in the papers' systems
    (`Contextual` truncates nothing).

    Args:
        model: a name on the hub or a folder, or a SentenceTransformer, which stays unchanged.
        pooling: how tokens become one embedding: ``"model"``, the model's own way (the mean for
            plain Hugging Face models); ``"mean"``, ``"cls"`` (the first token) or ``"last"`` of the
            last layer; ``"pooler"``, the model's output for its first token (in BERT, a layer and
            tanh; random if its files have none, of which transformers warns); ``"penultimate"``,
            the mean of the layer before the last.
        query_prompt: put before each query; default: the model's own prompt, if it has one.
        document_prompt: the same for documents.
        prompt_pooled: whether a prompt's tokens count in the embedding; not for Instructor and
            GritLM. (Otherwise "cls" and "last" are the first and last token after the prompt.)
        bidirectional: let a decoder's tokens see later ones: GritLM as an encoder (needs
            transformers 5.2).
        adapter: a bottleneck adapter for the model (a name on the hub or a folder): SPECTER2's.
        trust_remote_code: run the model's own Python code. Only after reading it.
        name, precision, device, max_length, revision, batch_tokens, memory, cache, verbose: see
            `ModelEncoder`.

    Raises:
        ImportError, OSError, ValueError: (when encoding) see `ModelEncoder`; an unknown pooling, a
            model without a pooler, an adapter of another kind or for another model.
    """

    pooling: Pooling = field(default="model", kw_only=True)
    query_prompt: str | None = field(default=None, kw_only=True)
    document_prompt: str | None = field(default=None, kw_only=True)
    prompt_pooled: bool = field(default=True, kw_only=True)
    bidirectional: bool = field(default=False, kw_only=True)
    adapter: Name | None = field(default=None, kw_only=True)
    trust_remote_code: bool = field(default=False, kw_only=True)

    CHANGING = (*TextEncoder.CHANGING, "bidirectional", "adapter")

    @property
    def loading(self) -> Mapping[str, object]:
        """Arguments that allow or forbid a model's own code, which only the hub has."""
        return {"trust_remote_code": self.trust_remote_code}

    def prepared(self, model: Model) -> None:
        """Add the adapter, set the direction and the length."""
        if self.bidirectional:
            transformer_of(model, "bidirectional=True").auto_model.config.is_causal = False
        if self.max_length is not None:
            _check_length(model, self.max_length)
        super().prepared(model)
        if self.adapter is not None:
            adapt(transformer_of(model, "An adapter").auto_model, self.adapter)
        if self.pooling == "penultimate" and self.precision == "int8":
            raise ValueError(
                "precision='int8' computes only the last layer: choose another precision for "
                "pooling='penultimate'."
            )

    def assembled(self, model: Model) -> Model:
        """Return a SentenceTransformer of the transformer and the pooling."""
        from sentence_transformers import SentenceTransformer

        tokenizer: Tokenizer = getattr(model, "tokenizer", None)
        if getattr(tokenizer, "pad_token", "") is None:  # LLAMA's; any token can pad, because
            tokenizer.pad_token = tokenizer.eos_token  # padding is masked
        modules = _modules(model, self.pooling)
        if not self.prompt_pooled:
            for module in modules:
                module.include_prompt = False  # only poolings read it
        assembled = SentenceTransformer(modules=modules, device=str(model.device)).eval()
        for name in OWN:
            setattr(assembled, name, getattr(model, name))
        return assembled

    def _of_part(self, part: str) -> "WholeText":
        """Ignore the other side's prompt, and the path to an adapter."""
        prompt, adapter = self.prompt(part), self.adapter and str(folder_of(self.adapter))
        return replace(self, query_prompt=prompt, document_prompt=prompt, adapter=adapter)


def _check_length(model: Model, length: int) -> None:
    transformer = getattr(model[0], "auto_model", None)
    if not hasattr(getattr(transformer, "config", None), "max_position_embeddings"):
        return  # positions are relative, or there are none
    most = positions(transformer, model.tokenizer)
    if not 1 <= length <= most:
        raise ValueError(f"max_length={length} does not suit this model: give 1 to {most} tokens.")


def _modules(model: Model, pooling: Pooling) -> list[Module]:
    """Return the modules that encode: copies that share the model's weights."""
    if pooling == "model":
        return list(map(copy.copy, model))
    from sentence_transformers.sentence_transformer.modules import Pooling

    first, (mode, taken) = copy.copy(transformer_of(model, f"{pooling=}")), POOLINGS[pooling]
    if not mode and getattr(first.auto_model, "pooler", None) is None:
        raise ValueError(
            f"{type(first.auto_model).__name__} has no pooler: choose another pooling."
        )
    text = first.modality_config["text"] | {"method_output_name": taken}
    first.modality_config = first.modality_config | {"text": text}
    first.module_output_name = "token_embeddings" if mode else "sentence_embedding"
    return [first, Pooling(first.get_embedding_dimension(), mode)] if mode else [first]
