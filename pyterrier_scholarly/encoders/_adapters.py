"""Bottleneck adapters, SPECTER2's kind, for BERT-like models.

The library `adapters`, which made them, needs an
older transformers than sentence-transformers 6 does, and peft does not know this kind. So they
are computed here, from each layer's output (Pfeiffer et al. 2021, AdapterFusion, figure 3),

    plain:    norm(h + x)
    adapted:  norm(h + x + up(relu(down(norm(h + x)))))

with h the feed-forward network's output for x. An adapter's files are `adapter_config.json` and
`pytorch_adapter.bin`, of which only weights are read.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ir_datasets_ext.redaction import redact_error
from ir_datasets_ext.store import read_json

from ._batches import Module, Transformer
from ._models import ADAPTER_CONFIG

if TYPE_CHECKING:
    import torch

WEIGHTS = "pytorch_adapter.bin"
FILES = [ADAPTER_CONFIG, WEIGHTS]
KEY = re.compile(
    r"layer\.(\d+)\.output\.adapters\.[^.]+\.adapter_(down|up)(?:\.0)?\.(weight|bias)$"
)
#: the adapters that are computed here, by their configuration
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
    "leave_out": [],
    "scaling": 1.0,
}


def adapt(transformer: Transformer, source: str) -> None:
    """Add an adapter to a BERT-like transformer, which cannot be undone.

    Args:
        source: a folder with FILES, or a name on the Hugging Face hub.

    Raises:
        OSError: the adapter is missing; says what to download.
        ValueError: an adapter of another kind, or one that does not fit the transformer.
    """
    import torch

    folder = folder_of(source)
    config = read_json(folder / ADAPTER_CONFIG, remedy="Download the adapter again.")
    config = config.get("config", config)
    if not isinstance(config, dict):
        raise ValueError(
            f"{folder / ADAPTER_CONFIG}: its config is {config!r:.80}, expected an object."
        )
    other = {key: config[key] for key, value in COMPUTED.items() if config.get(key, value) != value}
    if other:
        raise ValueError(f"{source!r} is another kind of adapter than SPECTER2's: it has {other}.")
    layers = getattr(getattr(transformer, "encoder", None), "layer", [])
    parts = _adapters(torch.load(folder / WEIGHTS, map_location="cpu", weights_only=True))
    size = getattr(transformer.config, "hidden_size", 0)
    widths = {part["down"]["weight"].shape[1] for part in parts.values()}
    if sorted(parts) != list(range(len(layers))) or widths != {size}:
        raise ValueError(
            f"The adapter {source!r} is for {len(parts)} layers of width {sorted(widths)}; "
            f"this {type(transformer).__name__} has {len(layers)} of width {size}. Pass the model "
            "that the adapter was made for (for allenai/specter2: allenai/specter2_base)."
        )
    for number, part in parts.items():
        _put(layers[number].output, part)


def folder_of(source: str) -> Path:
    """Return the folder of an adapter, downloaded if it is a name; errors: see `adapt`."""
    if Path(source).is_dir():
        return Path(source)
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(source, allow_patterns=FILES))
    except (OSError, ValueError) as error:
        redact_error(error)  # the hub's address may have a login
        raise OSError(
            f"The adapter {source!r} cannot be loaded: {error}\nPass a folder with "
            f"{' and '.join(FILES)}, or a name on the Hugging Face hub. Without network, first run "
            f"`hf download {source}` where there is network."
        ) from error


def _adapters(
    weights: "Mapping[str, torch.Tensor]",
) -> "dict[int, dict[str, dict[str, torch.Tensor]]]":
    """Return {layer: {"down" or "up": {"weight" or "bias": tensor}}}."""
    parts: dict[int, dict[str, dict[str, torch.Tensor]]] = {}
    for key, tensor in weights.items():
        if match := KEY.search(key):
            layer, side, kind = match.groups()
            parts.setdefault(int(layer), {}).setdefault(side, {})[kind] = tensor
    return parts


def _put(output: Module, part: "Mapping[str, Mapping[str, torch.Tensor]]") -> None:
    """Add an adapter to the output of a layer (`dense`, `dropout`, `LayerNorm`)."""
    from torch import nn

    def linear(weight: "torch.Tensor", bias: "torch.Tensor") -> nn.Linear:
        layer = nn.Linear(weight.shape[1], weight.shape[0])
        layer.load_state_dict({"weight": weight, "bias": bias})
        return layer.to(device=output.dense.weight.device, dtype=output.dense.weight.dtype)

    norm = output.LayerNorm
    norm.down, norm.up = linear(**part["down"]), linear(**part["up"])
    norm.register_forward_hook(_adapted)


def _adapted(
    norm: Module, inputs: "tuple[torch.Tensor, ...]", plain: "torch.Tensor"
) -> "torch.Tensor":
    """Return an adapter's output, from a norm's inputs and its plain output; a forward hook."""
    return norm.forward(norm.up(norm.down(plain).relu()) + inputs[0])
