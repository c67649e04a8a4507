"""What tells encoders apart: a folder has vectors of one."""

import re
from dataclasses import fields
from hashlib import sha256

from ..encoders._identity import identity, pinned
from ..settings import BySettings

ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def encoder_identity(encoder) -> str:
    """A string that differs between encoders that give other vectors: their settings.

    Models are their weights, folders their files, names the commit that is on this machine; long
    settings, such as the texts that LSA is fitted on, are hashed.

    Raises:
        ValueError: the encoder shows no more than where it is in memory.
    """
    shown = repr(encoder)
    if isinstance(encoder, BySettings):
        parts = [_setting(encoder, field.name) for field in fields(encoder) if field.compare]
        shown = f"{type(encoder).__name__}({', '.join(parts)})"
    if ADDRESS.search(shown):
        raise ValueError(
            f"{shown} cannot be told from other encoders, so a folder of its vectors could not be "
            'gone on with: give encoder_name="…", a name of your own that changes with it.'
        )
    return shown


def _setting(encoder, name):
    value = getattr(encoder, name)
    if name == "model":
        value = _model(value, getattr(encoder, "revision", None))
    text = repr(value)
    return f"{name}={text if len(text) < 200 else sha256(text.encode()).hexdigest()}"


def _model(model, revision):
    if not isinstance(model, str):
        return identity(model, None, None) if hasattr(model, "state_dict") else model
    commit = pinned(model, revision)
    return f"{model}@{commit}" if commit else _files(model)


def _files(model):
    from pathlib import Path

    return identity(model, None, None) if Path(model).is_dir() else model
