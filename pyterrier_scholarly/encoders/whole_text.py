"""Whole texts as one vector each: by any model, pooling, prompt and precision."""

import copy
from dataclasses import dataclass, field, replace

from ._adapter import adapt, folder_of
from ._loading import positions, transformer_of
from .sentence_transformer import TextEncoder

OWN = ("prompts", "default_prompt_name", "truncate_dim")  # of a model, beside its modules
#: pooling -> its name in sentence-transformers ("" for none), and what of the transformer it takes
POOLINGS = {
    "model": (),
    "mean": ("mean", "last_hidden_state"),
    "cls": ("cls", "last_hidden_state"),
    "last": ("lasttoken", "last_hidden_state"),
    "pooler": ("", "pooler_output"),
    "penultimate": ("mean", ("hidden_states", -2)),
}


@dataclass(eq=False, repr=False)
class WholeText(TextEncoder):
    """A Hugging Face or sentence-transformers model that makes one vector of a text.

    For models that a name alone does not describe: SPECTER's first token, SimCSE's pooler, E5's or
    GritLM's prompts. What is longer than `max_length` tokens is cut, as the papers' systems do;
    `Contextual` cuts nothing.

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
        trust_remote_code: run Python code that comes with the model. Only if you have read it.
        name, precision, device, max_length, revision, batch_tokens, memory, cache, verbose: see
            `ModelEncoder`.

    Raises:
        ImportError, OSError, ValueError: (when encoding) see `ModelEncoder`; an unknown pooling, a
            model without a pooler, an adapter of another kind or for another model.
    """

    pooling: str = field(default="model", kw_only=True)
    query_prompt: str | None = field(default=None, kw_only=True)
    document_prompt: str | None = field(default=None, kw_only=True)
    prompt_pooled: bool = field(default=True, kw_only=True)
    bidirectional: bool = field(default=False, kw_only=True)
    adapter: str | None = field(default=None, kw_only=True)
    trust_remote_code: bool = field(default=False, kw_only=True)

    CHANGING = (*TextEncoder.CHANGING, "bidirectional", "adapter")

    @property
    def loading(self):
        """Code comes from the hub alone."""
        return {"trust_remote_code": self.trust_remote_code}

    def prepared(self, model):
        """With the adapter, in both directions, and cut where it is asked for."""
        if self.bidirectional:
            transformer_of(model, "bidirectional=True").auto_model.config.is_causal = False
        if self.max_length is not None:
            _check_length(model, self.max_length)
        super().prepared(model)
        if self.adapter is not None:
            adapt(transformer_of(model, "An adapter").auto_model, self.adapter)
        if self.pooling == "penultimate" and self.precision == "int8":
            raise ValueError(
                "precision='int8' computes the last layer alone: choose another precision for "
                "pooling='penultimate'."
            )

    def assembled(self, model):
        """A SentenceTransformer of the transformer and the pooling that is asked for."""
        from sentence_transformers import SentenceTransformer

        if self.pooling not in POOLINGS:
            known = ", ".join(POOLINGS)
            raise ValueError(f"Unknown pooling {self.pooling!r}: choose one of {known}.")
        tokenizer = getattr(model, "tokenizer", None)
        if getattr(tokenizer, "pad_token", "") is None:  # LLAMA's; which token pads is all the
            tokenizer.pad_token = tokenizer.eos_token  # same, for padding is masked
        modules = _modules(model, self.pooling)
        if not self.prompt_pooled:
            for module in modules:
                module.include_prompt = False  # poolings know it, others do not ask
        made = SentenceTransformer(modules=modules, device=str(model.device)).eval()
        for name in OWN:
            setattr(made, name, getattr(model, name))
        return made

    def _of_part(self, part):
        """A prompt of the other side changes nothing, nor does the way to an adapter."""
        prompt, adapter = self.prompt(part), self.adapter and str(folder_of(self.adapter))
        return replace(self, query_prompt=prompt, document_prompt=prompt, adapter=adapter)


def _check_length(model, length):
    transformer = getattr(model[0], "auto_model", None)
    if not hasattr(getattr(transformer, "config", None), "max_position_embeddings"):
        return  # positions are relative, or there are none
    most = positions(transformer, model.tokenizer)
    if not 1 <= length <= most:
        raise ValueError(f"max_length={length} does not suit this model: give 1 to {most} tokens.")


def _modules(model, pooling):
    """The modules that encode, copies that share their weights with the model's."""
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
