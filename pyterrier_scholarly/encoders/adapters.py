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
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..typed_records import read_json
from .loading import ADAPTER_CONFIG, find_commit

if TYPE_CHECKING:
    import torch

WEIGHTS = "pytorch_adapter.bin"
ADAPTER_FILES = [ADAPTER_CONFIG, WEIGHTS]

#: the name of a tensor in the weights' file: layer, direction and kind
TENSOR_NAME = re.compile(
    r"layer\.(\d+)\.output\.adapters\.[^.]+\.adapter_(down|up)(?:\.0)?\.(weight|bias)$"
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


def add_adapter(network: Any, source: str) -> None:
    """Add an adapter to a BERT-like network of transformers, which cannot be undone.

    Args:
        source: a folder with ADAPTER_FILES, or a name on the Hugging Face hub.

    Raises:
        OSError: the adapter is missing; says what to download.
        ValueError: an adapter of another kind, or one that does not fit the network.
    """
    folder = find_adapter_folder(source)
    _check_kind(folder, source)
    tensors_of_layers = _read_layers(folder)

    layers = getattr(getattr(network, "encoder", None), "layer", [])
    width = getattr(network.config, "hidden_size", 0)
    adapter_widths = {tensors["down_weight"].shape[1] for tensors in tensors_of_layers.values()}
    has_all_layers = sorted(tensors_of_layers) == list(range(len(layers)))
    if not has_all_layers or adapter_widths != {width}:
        raise ValueError(
            f"The adapter {source!r} is for {len(tensors_of_layers)} layers of width "
            f"{sorted(adapter_widths)}; this {type(network).__name__} has {len(layers)} of width "
            f"{width}. Pass the model that the adapter was made for (for allenai/specter2: "
            "allenai/specter2_base)."
        )
    for number, tensors in tensors_of_layers.items():
        _add_to_layer(layers[number].output, tensors)


def find_adapter_folder(source: str) -> Path:
    """Return the folder of an adapter, downloaded if it is a name; errors: see `add_adapter`."""
    if Path(source).is_dir():
        return Path(source)
    from huggingface_hub import snapshot_download

    # the commit that names embeddings on disk is loaded: the branch could have moved since
    commit = find_commit(source, is_adapter=True)
    try:
        return Path(snapshot_download(source, revision=commit, allow_patterns=ADAPTER_FILES))
    except (OSError, ValueError) as error:
        raise OSError(
            f"The adapter {source!r} cannot be loaded: {error}\nPass a folder with "
            f"{' and '.join(ADAPTER_FILES)}, or a name on the Hugging Face hub. Without network, "
            f"first run `hf download {source}` where there is network."
        ) from error


def _check_kind(folder: Path, source: str) -> None:
    """Raise ValueError if an adapter's configuration is none that is computed here."""
    content = read_json(folder / ADAPTER_CONFIG, remedy="Download the adapter again.")
    config = content.get("config", content)
    other_settings = {
        name: config[name]
        for name, computed_value in COMPUTED_CONFIG.items()
        if config.get(name, computed_value) != computed_value
    }
    if other_settings:
        raise ValueError(
            f"{source!r} is another kind of adapter than SPECTER2's: it has {other_settings}."
        )


def _read_layers(folder: Path) -> "dict[int, dict[str, torch.Tensor]]":
    """Return the weights of an adapter, by layer: "down_weight", "down_bias", "up_weight", …"""
    import torch

    weights = torch.load(folder / WEIGHTS, map_location="cpu", weights_only=True)
    tensors_of_layers: dict[int, dict[str, Any]] = {}
    for name, tensor in weights.items():
        if match := TENSOR_NAME.search(name):
            layer, direction, kind = match.groups()
            tensors_of_layers.setdefault(int(layer), {})[f"{direction}_{kind}"] = tensor
    return tensors_of_layers


def _add_to_layer(output: Any, tensors: "dict[str, torch.Tensor]") -> None:
    """Add an adapter to a layer's `output`, the module with `dense`, `dropout` and `LayerNorm`.

    From now on, its norm returns norm(s + up(relu(down(norm(s))))) for its input s.
    """
    norm = output.LayerNorm
    for name, tensor in tensors.items():
        # as parts of the norm they move with the model to another device, and are saved with it
        norm.register_buffer(name, tensor.to(output.dense.weight))  # its device and type
    # PyTorch calls it after the norm, with the norm; it computes by the buffers just added
    norm.register_forward_hook(_adapt_output)


def _adapt_output(
    norm: Any, inputs: "tuple[torch.Tensor, ...]", plain_output: "torch.Tensor"
) -> "torch.Tensor":
    """Return norm(s + up(relu(down(norm(s))))), which replaces a norm's output for its input s.

    PyTorch calls this hook after the norm.

    Args:
        norm: with the weights and biases that `_add_to_layer` put into it.
        inputs: (s,); here s is h + x.
        plain_output: norm(s).
    """
    from torch.nn.functional import linear

    norm_input = inputs[0]

    reduced = linear(plain_output, norm.down_weight, norm.down_bias)
    activated = reduced.relu()
    correction = linear(activated, norm.up_weight, norm.up_bias)
    adapted_input = norm_input + correction

    # not norm(…), which would call this hook again
    return norm.forward(adapted_input)
