"""From the states of a text's tokens to one vector, as sentence-transformers' modules."""

PENULTIMATE = -2


def transformer_of(model, settings, what):
    """The model's first module, which must be a transformer (`what` needs it), or ValueError."""
    if not hasattr(model[0], "auto_model"):
        raise ValueError(
            f"{what} needs a transformer, and {settings.model!r} begins with a "
            f"{type(model[0]).__name__}: use pooling='model'."
        )
    return model[0]


def _own(model, settings):
    return list(model)


def _pooling(mode):
    """What makes the modules of a pooling that sentence-transformers has, under its name there."""

    def modules(model, settings):
        from sentence_transformers.sentence_transformer.modules import Pooling

        first = transformer_of(model, settings, f"pooling={settings.pooling!r}")
        return [first, Pooling(first.get_embedding_dimension(), mode)]

    return modules


def _pooler(model, settings):
    first = transformer_of(model, settings, "pooling='pooler'")
    pooler = getattr(first.auto_model, "pooler", None)
    if pooler is None:
        raise ValueError(f"{settings.model!r} has no pooler: choose another pooling.")
    return [first, _step("token_embeddings", pooler, "sentence_embedding")]


def _penultimate(model, settings):
    first, pooling = _pooling("mean")(model, settings)
    first.auto_model.config.output_hidden_states = True
    layer = _step("all_layer_embeddings", lambda layers: layers[PENULTIMATE], "token_embeddings")
    return [first, layer, pooling]


#: what a pooling is called -> from a model and the settings to its modules
POOLINGS = {
    "model": _own,
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
