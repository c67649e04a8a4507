"""Putting together the sentence-transformers model behind `WholeText`."""

import copy

from ._packed import pack
from ._pooling import POOLINGS, transformer_of
from ._transformer import named, positions, resolved

DTYPES = {"fp32": "float32", "bf16": "bfloat16", "fp16": "float16"}
LASTING = ("device", "max_length", "adapter", "bidirectional")  # settings that change a model
OWN = ("prompts", "default_prompt_name", "truncate_dim")  # of a model, beside its modules


def assembled(settings):
    """A SentenceTransformer that does what the `settings`, a `WholeText`, say.

    Raises:
        ValueError: an unknown pooling or precision, or one that the model does not have.
    """
    if settings.pooling not in POOLINGS:
        known = ", ".join(POOLINGS)
        raise ValueError(f"Unknown pooling {settings.pooling!r}: choose one of {known}.")
    model = _loaded(settings)
    if settings.adapter is not None:
        from ._adapter import adapt

        adapt(transformer_of(model, settings, "An adapter").auto_model, settings.adapter)
    from sentence_transformers import SentenceTransformer

    modules = POOLINGS[settings.pooling](model, settings)
    if not settings.prompt_pooled:
        modules = [_without_prompt(module) for module in modules]
    made = SentenceTransformer(modules=modules, device=str(model.device)).eval()
    for name in OWN:
        setattr(made, name, getattr(model, name))
    if isinstance(settings.model, str):
        pack(made)
    return made


def _loaded(settings):
    """The model by its name, or a given one, copied if it is to be changed."""
    kind = dtype_of(settings)
    if isinstance(settings.model, str):
        model = named(
            settings.model,
            settings.device,
            model_kwargs={"dtype": kind},
            trust_remote_code=settings.trust_remote_code,
            revision=settings.revision,
        )
    else:
        model = settings.model
        if _changes(model, settings, kind):
            import torch

            model = copy.deepcopy(model)
            model.to(device=settings.device or model.device, dtype=getattr(torch, kind))
    if settings.bidirectional:
        transformer_of(model, settings, "bidirectional=True").auto_model.config.is_causal = False
    if settings.max_length is not None:
        _check_length(model, settings.max_length)
        model.max_seq_length = settings.max_length
    tokenizer = getattr(model, "tokenizer", None)
    if getattr(tokenizer, "pad_token", "") is None:  # LLAMA's; which token pads is all the same,
        tokenizer.pad_token = tokenizer.eos_token  # for padding is masked
    return model


def _check_length(model, length):
    transformer = getattr(model[0], "auto_model", None)
    if not hasattr(getattr(transformer, "config", None), "max_position_embeddings"):
        return  # positions are relative, or there are none
    most = positions(transformer, model.tokenizer)
    if not 1 <= length <= most:
        raise ValueError(f"max_length={length} does not suit this model: give 1 to {most} tokens.")


def _changes(model, settings, dtype):
    other = str(next(model.parameters()).dtype) != f"torch.{dtype}"
    penultimate = settings.pooling == "penultimate"
    return other or penultimate or any(getattr(settings, name) for name in LASTING)


def dtype_of(settings):
    """The name of PyTorch's type for the `precision` that a `WholeText` asks for.

    Without PyTorch, loading the model says what to install.
    """
    name = settings.precision
    if name == "auto":
        import torch

        best = "cuda" if torch.cuda.is_available() else "cpu"
        name = resolved(name, torch.device(settings.device or best))
    if name not in DTYPES:
        known = ", ".join([*DTYPES, "auto"])
        raise ValueError(f"Unknown precision {name!r}: choose one of {known}.")
    return DTYPES[name]


def _without_prompt(module):
    """A pooling that leaves the prompt out, of the same weights; other modules as they are."""
    if not hasattr(module, "include_prompt"):
        return module
    module = copy.copy(module)
    module.include_prompt = False
    return module
