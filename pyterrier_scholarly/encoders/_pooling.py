"""From the states of a text's tokens to one vector, as sentence-transformers' modules."""

from ._loading import transformer_of

PENULTIMATE = -2


def _pooling(mode):
    """What makes the modules of a pooling that sentence-transformers has, under its name there."""

    def modules(model):
        from sentence_transformers.sentence_transformer.modules import Pooling

        first = transformer_of(model, "A pooling other than 'model'")
        return [first, Pooling(first.get_embedding_dimension(), mode)]

    return modules


def _pooler(model):
    first = transformer_of(model, "pooling='pooler'")
    pooler = getattr(first.auto_model, "pooler", None)
    if pooler is None:
        raise ValueError(
            f"{type(first.auto_model).__name__} has no pooler: choose another pooling."
        )

    def pooled(states):
        return pooler(states.to(first.auto_model.dtype)).float()

    return [first, _step("token_embeddings", pooled, "sentence_embedding")]


def _penultimate(model):
    first, pooling = _pooling("mean")(model)
    first.auto_model.config.output_hidden_states = True
    layer = _step("all_layer_embeddings", lambda layers: layers[PENULTIMATE], "token_embeddings")
    return [first, layer, pooling]


#: what a pooling is called -> from a model to its modules
POOLINGS = {
    "model": list,
    "mean": _pooling("mean"),
    "cls": _pooling("cls"),
    "last": _pooling("lasttoken"),
    "pooler": _pooler,
    "penultimate": _penultimate,
}


def _step(taken, function, given):
    """A module that makes the feature `given` of the feature `taken`."""
    from torch import nn

    class Step(nn.Module):
        def __init__(self):
            super().__init__()
            self.function = function

        def forward(self, features, **_):
            features[given] = self.function(features[taken])
            return features

    return Step()
