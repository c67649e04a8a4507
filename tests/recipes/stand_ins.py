"""Tiny random models in the place of the papers' own."""

import json

import numpy as np

from pyterrier_scholarly.protocols import PROTOCOLS

#: the architecture of a model on the hub, where it is not BERT
KINDS = {
    "sentence-transformers/nli-roberta-base-v2": "roberta",
    "sentence-transformers/msmarco-roberta-base-ance-firstp": "roberta",
    "princeton-nlp/sup-simcse-roberta-large": "roberta",
    "sentence-transformers/all-mpnet-base-v2": "mpnet",
    "nghuyong/ernie-2.0-large-en": "ernie",
    "huggyllama/llama-7b": "llama",
    "sentence-transformers/gtr-t5-large": "t5",
    "hkunlp/instructor-xl": "t5",
    "GritLM/GritLM-7B": "mistral",
    "naver/splade_v2_distil": "masked",
    "v2_marco_ce": "cross",
}
TRANSFORMERS = ("SentenceTransformer", "Contextual", "SparseEncoder", "CrossEncoder")


def letters(texts):
    """How often each letter is in a text: in the place of models that are no transformers."""
    return np.array([[text.count(letter) + 0.1 for letter in "abcdefghijklm"] for text in texts])


def stand_ins(collection, tiny, adapter):
    """Return `models` for `systems`: for each key a tiny one of its architecture.

    tiny: from an architecture to a folder. adapter: the folder where a random adapter is made.
    """
    found = {}
    for row in [row for row in PROTOCOLS[collection].systems if row.encoder != "OpenAIChat"]:
        transformer = row.encoder in TRANSFORMERS
        found[row.key] = tiny(KINDS.get(row.model, "bert")) if transformer else letters
        if "adapter" in row.settings:
            found[row.settings["adapter"]] = _adapter(adapter)
    return found


def _adapter(folder):
    """A random adapter for the tiny BERT."""
    import torch

    if not folder.exists():
        folder.mkdir()
        shapes = {"down.0.weight": (4, 16), "down.0.bias": (4,)}
        shapes |= {"up.weight": (16, 4), "up.bias": (16,)}
        torch.manual_seed(0)
        weights = {
            f"layer.{layer}.output.adapters.p.adapter_{name}": torch.randn(shape)
            for layer in range(2)
            for name, shape in shapes.items()
        }
        torch.save(weights, folder / "pytorch_adapter.bin")
        (folder / "adapter_config.json").write_text(json.dumps({"config": {}}))
    return str(folder)


def backwards(messages):
    """A language model that turns the order round."""
    return " > ".join(f"[{number}]" for number in range((len(messages) - 4) // 2, 0, -1))
