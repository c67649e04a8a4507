"""Bottleneck adapters, SPECTER2's kind, for BERT-like models.

The library `adapters`, which made them, needs an older transformers than sentence-transformers 6
does, and peft does not know this kind. So they are computed here, from each layer's output
(Pfeiffer et al. 2021, AdapterFusion, figure 3),

    plain:    norm(h + x)
    adapted:  norm(h + x + up(relu(down(norm(h + x)))))

with h the feed-forward network's output for x. An adapter's files are `adapter_config.json` and
`pytorch_adapter.bin`, of which only weights are read.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ir_datasets_ext.redaction import redact_error
from ir_datasets_ext.store import read_json

from ._model_identity import ADAPTER_CONFIG
from .model_protocols import Network

if TYPE_CHECKING:
    import torch

WEIGHTS = "pytorch_adapter.bin"
ADAPTER_FILES = [ADAPTER_CONFIG, WEIGHTS]
LONGEST_SHOWN_CONFIG = 80  # characters that an error shows

#: the name of a tensor in the weights' file
TENSOR_NAME = re.compile(
    r"layer\.(?P<layer>\d+)\.output\.adapters\.[^.]+"
    r"\.adapter_(?P<direction>down|up)(?:\.0)?\.(?P<kind>weight|bias)$"
)
#: the configuration of the adapters that are computed here
COMPUTED_CONFIG = {
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


@dataclass
class LayerAdapter:
    """The adapter of one layer of width d: two linear maps, to fewer dimensions and back.

    Each has a `weight` (outputs, inputs) and a `bias` (outputs,).
    """

    down: "dict[str, torch.Tensor]" = field(default_factory=dict)
    up: "dict[str, torch.Tensor]" = field(default_factory=dict)

    @property
    def width(self) -> int:
        """The dimensions d of the layer's states."""
        return self.down["weight"].shape[1]


def add_adapter(network: Network, source: str) -> None:
    """Add an adapter to a BERT-like network, which cannot be undone.

    Args:
        source: a folder with ADAPTER_FILES, or a name on the Hugging Face hub.

    Raises:
        OSError: the adapter is missing; says what to download.
        ValueError: an adapter of another kind, or one that does not fit the network.
    """
    import torch

    folder = find_adapter_folder(source)
    _check_kind(folder / ADAPTER_CONFIG, source)
    weights = torch.load(folder / WEIGHTS, map_location="cpu", weights_only=True)
    adapters = _read_layer_adapters(weights)

    layers = getattr(getattr(network, "encoder", None), "layer", [])
    _check_fit(network, layers, adapters, source)
    for number, adapter in adapters.items():
        _add_to_layer(layers[number].output, adapter)


def find_adapter_folder(source: str) -> Path:
    """Return the folder of an adapter, downloaded if it is a name; errors: see `add_adapter`."""
    if Path(source).is_dir():
        return Path(source)
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(source, allow_patterns=ADAPTER_FILES))
    except (OSError, ValueError) as error:
        redact_error(error)  # the hub's address may have a login
        raise OSError(
            f"The adapter {source!r} cannot be loaded: {error}\nPass a folder with "
            f"{' and '.join(ADAPTER_FILES)}, or a name on the Hugging Face hub. Without network, "
            f"first run `hf download {source}` where there is network."
        ) from error


def _check_kind(path: Path, source: str) -> None:
    """Raise ValueError if an adapter's configuration is none that is computed here."""
    content = read_json(path, remedy="Download the adapter again.")
    config = content.get("config", content)
    if not isinstance(config, dict):
        raise ValueError(
            f"{path}: its config is {config!r:.{LONGEST_SHOWN_CONFIG}}, expected an object."
        )

    other_settings = {}
    for name, computed_value in COMPUTED_CONFIG.items():
        value = config.get(name, computed_value)
        if value != computed_value:
            other_settings[name] = value
    if other_settings:
        raise ValueError(
            f"{source!r} is another kind of adapter than SPECTER2's: it has {other_settings}."
        )


def _read_layer_adapters(weights: "Mapping[str, torch.Tensor]") -> dict[int, LayerAdapter]:
    """Return the adapters by the numbers of their layers."""
    adapters: dict[int, LayerAdapter] = {}
    for name, tensor in weights.items():
        match = TENSOR_NAME.search(name)
        if match is None:
            continue
        adapter = adapters.setdefault(int(match["layer"]), LayerAdapter())
        linear_map = adapter.down if match["direction"] == "down" else adapter.up
        linear_map[match["kind"]] = tensor
    return adapters


def _check_fit(
    network: Network, layers: Any, adapters: Mapping[int, LayerAdapter], source: str
) -> None:
    """Raise ValueError unless each layer of the network has an adapter of its width."""
    network_width = getattr(network.config, "hidden_size", 0)
    adapter_widths = {adapter.width for adapter in adapters.values()}
    has_all_layers = sorted(adapters) == list(range(len(layers)))
    if not has_all_layers or adapter_widths != {network_width}:
        raise ValueError(
            f"The adapter {source!r} is for {len(adapters)} layers of width "
            f"{sorted(adapter_widths)}; this {type(network).__name__} has {len(layers)} of width "
            f"{network_width}. Pass the model that the adapter was made for (for allenai/specter2: "
            "allenai/specter2_base)."
        )


def _add_to_layer(output: Any, adapter: LayerAdapter) -> None:
    """Add an adapter to a layer's `output`, the module with `dense`, `dropout` and `LayerNorm`.

    From now on, its norm returns norm(s + up(relu(down(norm(s))))) for its input s.
    """
    norm = output.LayerNorm
    # as parts of the norm they move with the model to another device, and are saved with it
    norm.down = _make_linear(adapter.down, like=output.dense.weight)
    norm.up = _make_linear(adapter.up, like=output.dense.weight)
    # PyTorch calls it after the norm, with the norm; it computes by the maps that were just added
    norm.register_forward_hook(_adapt_output)


def _make_linear(tensors: "Mapping[str, torch.Tensor]", like: "torch.Tensor") -> "torch.nn.Linear":
    """Return a linear layer with these weights, on the device and in the type of `like`."""
    from torch import nn

    outputs, inputs = tensors["weight"].shape
    layer = nn.Linear(inputs, outputs)
    layer.load_state_dict(tensors)
    return layer.to(device=like.device, dtype=like.dtype)


def _adapt_output(
    norm: Any, inputs: "tuple[torch.Tensor, ...]", plain_output: "torch.Tensor"
) -> "torch.Tensor":
    """Return the adapted output of a norm; PyTorch calls this hook after the norm.

    `inputs` is (h + x,), and `plain_output` is norm(h + x).
    """
    (summed,) = inputs
    correction = norm.up(norm.down(plain_output).relu())
    # not norm(…), which would call this hook again
    return norm.forward(correction + summed)
