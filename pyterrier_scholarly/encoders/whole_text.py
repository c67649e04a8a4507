"""Whole texts as one embedding each: by any model, pooling, prompt, precision and adapter.

For example::

    encoder = WholeText("allenai/specter", pooling="cls", max_length=512)
    encoder.encode_documents(["A title[SEP]An abstract."])  # (1, 768)

`ModelEncoder` loads the model, and calls these methods of `WholeText`::

    _check_loading         do the settings suit each other?
    _loading_arguments     what else does the model's class take?
    _changes_model         must an object be copied, because settings change it?
    _prepare_model         change the model that was loaded or copied
    _assemble_model        put its transformer and the chosen pooling together

When it encodes, it calls `_chosen_prompt`, and with a cache `_identify_part`.
"""

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, TypeAlias

from ..arguments import Name
from ._adapters import add_adapter, find_adapter_folder
from ._model_parts import count_positions, get_transformer_module
from .encoder_protocols import Side
from .model_protocols import LoadedModel, NetworkModule, TextModel, Tokenizer
from .remembering_encoder import Part
from .sentence_transformer import TextEncoder

#: what a SentenceTransformer has beside its modules; copied to the one that is put together
MODEL_SETTINGS = ("prompts", "default_prompt_name", "truncate_dim")

Pooling: TypeAlias = Literal["model", "mean", "cls", "last", "pooler", "penultimate"]


class PoolingRecipe(NamedTuple):
    """How sentence-transformers computes a pooling: what it pools, and how.

    output: the output of the network that it pools: a name, or the name of a list and a position.
    mode: how its pooling module makes one embedding of all tokens'; None if the output is one
        embedding of the text already.
    """

    output: str | tuple[str, int]
    mode: str | None


#: for each pooling but "model"
POOLING_RECIPES: dict[Pooling, PoolingRecipe] = {
    "mean": PoolingRecipe("last_hidden_state", mode="mean"),
    "cls": PoolingRecipe("last_hidden_state", mode="cls"),
    "last": PoolingRecipe("last_hidden_state", mode="lasttoken"),
    "pooler": PoolingRecipe("pooler_output", mode=None),
    "penultimate": PoolingRecipe(("hidden_states", -2), mode="mean"),
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
        name, precision, device, max_length, revision, batch_tokens, memory, cache, room, verbose:
            see `ModelEncoder`.

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

    def _check_loading(self) -> None:
        """Raise if the precision does not compute what the pooling takes."""
        if self.pooling == "penultimate" and self.precision == "int8":
            raise ValueError(
                "precision='int8' computes only the last layer: choose another precision for "
                "pooling='penultimate'."
            )

    def _loading_arguments(self) -> Mapping[str, object]:
        """Return whether the model's own Python code may run; only for a model loaded by name."""
        return {"trust_remote_code": self.trust_remote_code}

    def _changes_model(self) -> bool:
        """Return whether settings change the model, so that an object must be copied first."""
        return super()._changes_model() or self.bidirectional or self.adapter is not None

    def _prepare_model(self, model: LoadedModel) -> None:
        """Let tokens see later ones, set the length, and add the adapter, as the settings say."""
        if self.bidirectional:
            module = get_transformer_module(model, "bidirectional=True")
            module.auto_model.config.is_causal = False

        if self.max_length is not None:
            _check_length(model, self.max_length)
        super()._prepare_model(model)

        if self.adapter is not None:
            module = get_transformer_module(model, "An adapter")
            add_adapter(module.auto_model, self.adapter)

    def _assemble_model(self, model: Any) -> TextModel:
        """Return a SentenceTransformer of the model's transformer and the chosen pooling."""
        from sentence_transformers import SentenceTransformer

        _ensure_padding_token(getattr(model, "tokenizer", None))
        modules = _list_modules(model, self.pooling)
        if not self.prompt_pooled:
            for module in modules:
                module.include_prompt = False  # only poolings read it

        assembled = SentenceTransformer(modules=modules, device=str(model.device)).eval()
        for setting in MODEL_SETTINGS:
            setattr(assembled, setting, getattr(model, setting))
        return assembled

    def _chosen_prompt(self, side: Side) -> str | None:
        """Return what the settings put before a side's texts; None for the model's own prompt."""
        return self.query_prompt if side == "query" else self.document_prompt

    def _identify_part(self, part: Part) -> "WholeText":
        """Return an encoder without the other side's prompt, and with its adapter's own folder.

        Neither the other prompt nor the adapter's name changes the embeddings of a side.
        """
        prompt = self._chosen_prompt(part.side)
        adapter = self.adapter
        if adapter is not None:
            adapter = str(find_adapter_folder(adapter))
        return replace(self, query_prompt=prompt, document_prompt=prompt, adapter=adapter)


def _check_length(model: LoadedModel, length: int) -> None:
    """Raise ValueError if a model has fewer positions than `length`."""
    network = getattr(model[0], "auto_model", None)
    config = getattr(network, "config", None)
    if network is None or not hasattr(config, "max_position_embeddings"):
        return  # its positions are relative, or it has none, so any length suits it

    most = count_positions(network, model.tokenizer)
    if not 1 <= length <= most:
        raise ValueError(f"max_length={length} does not suit this model: give 1 to {most} tokens.")


def _ensure_padding_token(tokenizer: Tokenizer | None) -> None:
    """Give a tokenizer a token for padding if it has none, as LLAMA's."""
    if tokenizer is None:
        return
    lacks_padding = getattr(tokenizer, "pad_token", "") is None
    if lacks_padding:
        tokenizer.pad_token = tokenizer.eos_token  # any token will do: padding is masked


def _list_modules(model: LoadedModel, pooling: Pooling) -> list[Any]:
    """Return the modules that encode: all of the model's, or its transformer and a pooling.

    They are copies that share the model's weights, so that changing them does not change the model.
    """
    if pooling == "model":
        return [copy.copy(module) for module in model]

    recipe = POOLING_RECIPES[pooling]
    original_module = get_transformer_module(model, f"{pooling=}")
    network = original_module.auto_model
    if pooling == "pooler" and getattr(network, "pooler", None) is None:
        raise ValueError(f"{type(network).__name__} has no pooler: choose another pooling.")

    transformer_module = _copy_with_output(original_module, recipe.output)
    if recipe.mode is None:  # the network's output is one vector per text: nothing to pool
        # the name under which sentence-transformers looks for the finished embedding
        transformer_module.module_output_name = "sentence_embedding"
        return [transformer_module]

    from sentence_transformers.sentence_transformer.modules import Pooling as PoolingModule

    transformer_module.module_output_name = "token_embeddings"  # what the pooling module reads
    width = transformer_module.get_embedding_dimension()
    return [transformer_module, PoolingModule(width, recipe.mode)]


def _copy_with_output(
    original_module: NetworkModule, output: str | tuple[str, int]
) -> NetworkModule:
    """Return a copy of a transformer's module that takes another output of the network."""
    # new dicts, because a shallow copy shares those of the original, which must not change
    text_config = dict(original_module.modality_config["text"])
    text_config["method_output_name"] = output
    modality_config = dict(original_module.modality_config)
    modality_config["text"] = text_config

    copied_module: NetworkModule = copy.copy(original_module)
    copied_module.modality_config = modality_config
    return copied_module
