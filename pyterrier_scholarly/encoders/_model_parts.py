"""Find the parts of a loaded model: its transformer, and how many tokens that takes."""

from .model_protocols import LoadedModel, Network, NetworkModule, Tokenizer

USUAL_POSITIONS = 512  # where neither model nor tokenizer states a limit
#: a tokenizer without a limit states 10^30; no model has as many positions as this
UNLIMITED_TOKENS = 1_000_000


def get_transformer_module(model: LoadedModel, setting: str) -> NetworkModule:
    """Return the model's first module; ValueError if it is no transformer.

    A model of sentence-transformers may begin with another module, such as static embeddings.
    `setting` is what needs a transformer, for the error.
    """
    first_module = model[0]
    if not hasattr(first_module, "auto_model"):
        raise ValueError(
            f"{setting} needs a transformer, but the model begins with a "
            f"{type(first_module).__name__}: choose fp32, pooling='model' and no adapter."
        )
    return first_module


def count_positions(network: Network, tokenizer: Tokenizer) -> int:
    """Return how many tokens the network can take, with special tokens.

    Not sentence-transformers' limit, which is far lower for many models, and lowers the
    tokenizer's.
    """
    embedded_positions = _count_embedded_positions(network)
    if embedded_positions is not None:
        return embedded_positions

    stated_limit = getattr(network.config, "max_position_embeddings", None)
    if not stated_limit:
        stated_limit = tokenizer.model_max_length
    if 0 < stated_limit < UNLIMITED_TOKENS:
        return stated_limit
    return USUAL_POSITIONS


def _count_embedded_positions(network: Network) -> int | None:
    """Count the positions that have embeddings; None if positions are computed otherwise."""
    for name, layer in network.named_modules():
        is_embedding = hasattr(layer, "num_embeddings")
        if is_embedding and name.endswith("position_embeddings"):
            padding_position = layer.padding_idx
            if padding_position is None:
                return layer.num_embeddings
            # RoBERTa's kind counts from the position after that of padding
            return layer.num_embeddings - (padding_position + 1)
    return None
