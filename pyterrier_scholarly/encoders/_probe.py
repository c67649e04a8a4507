"""Time a small transformer in fp32 and in bf16, to say what ``precision="auto"`` would gain."""

from functools import lru_cache
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ._batches import budget, each

if TYPE_CHECKING:
    import torch

LAYERS, TOKENS, ROUNDS = 2, 128, 5  # of the model, of a text, of timing
MINILM: dict[str, Any] = {"hidden_size": 384, "num_attention_heads": 12, "intermediate_size": 1536}


@lru_cache
def bf16_gain(device: "torch.device") -> float:
    """Return how many times as fast layers of all-MiniLM-L6-v2's size are in bf16 as in fp32.

    The quotient of the shortest times, with random weights; takes about a second on two cores.
    """
    import torch
    from transformers import BertConfig, BertModel

    from ._processors import pack

    config = BertConfig(num_hidden_layers=LAYERS, vocab_size=2, **MINILM)
    models = {name: BertModel(config).eval() for name in (torch.float32, torch.bfloat16)}
    for dtype, model in models.items():
        pack(model.to(device, dtype))
    ids = torch.zeros((budget(None, device) // TOKENS, TOKENS), dtype=torch.long, device=device)
    batches = [ids] * 2 * torch.get_num_threads()  # as many as `each` needs to use all cores
    times: dict[object, list[float]] = {dtype: [] for dtype in models}
    for _ in range(ROUNDS):  # in turns
        for dtype, model in models.items():
            start = perf_counter()
            for output in each(torch.inference_mode()(model), batches, device):
                output.last_hidden_state[0, 0, 0].item()  # waits for a GPU
            times[dtype].append(perf_counter() - start)
    return min(times[torch.float32]) / min(times[torch.bfloat16])
