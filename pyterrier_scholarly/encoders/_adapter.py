"""Bottleneck adapters, the kind that SPECTER2 comes with.

The library `adapters`, which made them, holds to an older release of transformers than the one that
sentence-transformers 6 brings, and peft does not know this kind. So it is computed here: of each
layer's output (Pfeiffer et al. 2021, AdapterFusion, figure 3),

    plain:    norm(h + x)
    adapted:  norm(h + x + up(relu(down(norm(h + x)))))

with h what the feed-forward network makes of x. Its files are `adapter_config.json` and
`pytorch_adapter.bin`, which is read as weights alone.
"""

import re
from pathlib import Path

from ir_datasets_ext.store import read_json

FILES = CONFIG, WEIGHTS = "adapter_config.json", "pytorch_adapter.bin"
KEY = re.compile(
    r"layer\.(\d+)\.output\.adapters\.[^.]+\.adapter_(down|up)(?:\.0)?\.(weight|bias)$"
)
#: what is computed here, as the configuration calls it
COMPUTED = {
    "output_adapter": True,
    "mh_adapter": False,
    "non_linearity": "relu",
    "original_ln_before": True,
    "original_ln_after": True,
    "residual_before_ln": True,
    "adapter_residual_before_ln": False,
    "ln_before": False,
    "ln_after": False,
    "cross_adapter": False,
    "inv_adapter": None,
    "is_parallel": False,
    "use_gating": False,
    "phm_layer": False,
    "scaling": 1.0,
}


def adapt(transformer, source):
    """Put an adapter into a BERT-like transformer, for good.

    Args:
        source: a folder with FILES, or a name on the Hugging Face hub.

    Raises:
        OSError: there is no such adapter; says what to download.
        ValueError: an adapter of another kind, or one that does not fit the transformer.
    """
    import torch

    folder = folder_of(source)
    config = read_json(folder / CONFIG, remedy="Download the adapter again.")
    config = config.get("config", config)
    if not isinstance(config, dict):
        raise ValueError(f"{folder / CONFIG}: its config is {config!r:.80}: expected an object.")
    other = {key: config[key] for key, value in COMPUTED.items() if config.get(key, value) != value}
    if other or config.get("leave_out"):
        other |= {"leave_out": config["leave_out"]} if config.get("leave_out") else {}
        raise ValueError(f"{source!r} is another kind of adapter than SPECTER2's: it has {other}.")
    layers = getattr(getattr(transformer, "encoder", None), "layer", [])
    parts = _parts(torch.load(folder / WEIGHTS, map_location="cpu", weights_only=True))
    size = getattr(transformer.config, "hidden_size", 0)
    widths = {part["down"]["weight"].shape[1] for part in parts.values()}
    if sorted(parts) != list(range(len(layers))) or widths != {size}:
        raise ValueError(
            f"The adapter {source!r} is for {len(parts)} layers of width {sorted(widths)}; "
            f"this {type(transformer).__name__} has {len(layers)} of width {size}. "
            "Give the model that it was made for (for allenai/specter2: allenai/specter2_base)."
        )
    for number, part in parts.items():
        _put(layers[number].output, part)


def folder_of(source) -> Path:
    """The folder with an adapter's FILES, downloaded if it is a name; errors as of `adapt`."""
    if Path(source).is_dir():
        return Path(source)
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(source, allow_patterns=list(FILES)))
    except (OSError, ValueError) as error:
        raise OSError(
            f"The adapter {source!r} cannot be loaded: {error}\nGive a folder with "
            f"{' and '.join(FILES)}, or a name on the Hugging Face hub. Without network, run "
            f"`hf download {source}` beforehand where there is one."
        ) from error


def _parts(weights):
    """{layer: {"down" or "up": {"weight" or "bias": tensor}}}."""
    parts = {}
    for key, tensor in weights.items():
        found = KEY.search(key)
        if found:
            layer, side, kind = found.groups()
            parts.setdefault(int(layer), {}).setdefault(side, {})[kind] = tensor
    return parts


def _put(output, part):
    """Put an adapter into the output of a layer (`dense`, `dropout`, `LayerNorm`)."""
    from torch import nn

    def linear(weight, bias):
        layer = nn.Linear(*reversed(weight.shape))
        layer.load_state_dict({"weight": weight, "bias": bias})
        return layer.to(device=output.dense.weight.device, dtype=output.dense.weight.dtype)

    norm = output.LayerNorm
    norm.down, norm.up = linear(**part["down"]), linear(**part["up"])
    norm.register_forward_hook(_adapted)


def _adapted(norm, given, plain):
    """A hook: what an adapter makes of what a norm was given and made of it."""
    return norm.forward(norm.up(norm.down(plain).relu()) + given[0])
