"""Linear layers whose weights are laid out for the processor once, not with every product.

PyTorch's usual library for single precision does not use the whole vector unit of every processor.
oneDNN does, which PyTorch brings too, and which `torch.compile` takes for texts of any length.
"""

LARGEST = 2**30  # bytes of weights; of larger models a second layout would not be worth its memory
OPERATORS = ("_reorder_linear_weight", "_linear_pointwise")


def pack(module):
    """Let the linear layers of a module on the processor multiply by packed weights from now on.

    For a module that is only read: its own weights stay beside, but changing or moving them changes
    nothing any more. In other types, on other devices, and where PyTorch came without oneDNN, a
    module stays as it is.
    """
    import torch

    operators, there = torch.ops.mkldnn, torch.backends.mkldnn.is_available()
    if not (there and all(hasattr(operators, name) for name in OPERATORS)):
        return
    layers = [layer for layer in module.modules() if _suits(layer)]
    if sum(layer.weight.nbytes for layer in layers) > LARGEST:
        return
    for layer in layers:
        layer.forward = _forward(layer, operators)


def _suits(layer):
    import torch

    if type(layer) is not torch.nn.Linear:  # whose heirs may do more than multiply
        return False
    weight = layer.weight
    return weight.device.type == "cpu" and weight.dtype == torch.float32


def _forward(layer, operators):
    packed = operators._reorder_linear_weight(layer.weight.detach(), None)
    bias = None if layer.bias is None else layer.bias.detach()

    def forward(given):
        return operators._linear_pointwise(given, packed, bias, "none", [], "none")

    return forward
