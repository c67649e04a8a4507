"""Measure the overhead of training: a tiny random BERT, by the number of steps.

``python benchmarks/training.py`` trains on triplets of a generated graph of citations, twice each
(the first run loads late imports). Nothing is downloaded. Printed: seconds, the first and the last
loss.
"""

import random
import string
import tempfile
from pathlib import Path
from time import perf_counter

from _running import clean, print_versions

STEPS = (15, 30, 60, 120)
WORDS = "the of a and in we to for is are with on model models data learning".split()
PAPERS = [f"p{number}" for number in range(40)]
CITES = {p: [q for q in PAPERS[place % 4 :: 4] if q != p][:5] for place, p in enumerate(PAPERS)}


def main():
    """Train, with one folder per number of steps."""
    clean(threads=1)
    print_versions("torch", "transformers", "sentence-transformers")
    from pyterrier_scholarly.training import CitationTriplets, TrainingSettings, train_encoder

    draw = random.Random(0)
    texts = {
        p: " ".join(draw.choices(WORDS[4 * (n % 4) :][:4], k=12)) for n, p in enumerate(PAPERS)
    }
    settings = TrainingSettings(batch_size=8, learning_rate=1e-3, log_every=5)
    triplets = CitationTriplets(CITES, PAPERS, seed=1)
    with tempfile.TemporaryDirectory() as scratch:
        model = tiny_bert(Path(scratch, "bert"))
        for steps in (STEPS[0], *STEPS):
            folder = Path(scratch, f"trained-{steps}-{perf_counter()}")
            start = perf_counter()
            trained = train_encoder(
                model, triplets, texts, folder, settings, steps=steps, verbose=False
            )
            taken = perf_counter() - start
            first, last = trained.losses[0][1], trained.losses[-1][1]
            print(f"{steps:4} steps: {taken:5.2f} s, loss {first:.3f} to {last:.3f}")


def tiny_bert(folder):
    """Save a random BERT of 16 dimensions and two layers, with letters and WORDS as tokens."""
    import torch
    import transformers

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    letters = string.ascii_lowercase
    words = [*special, *letters, *("##" + letter for letter in letters), *WORDS]
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=16,
        initializer_range=0.3,
    )
    transformers.BertModel(config).save_pretrained(folder)
    (folder / "vocab.txt").write_text("\n".join(dict.fromkeys(words)))
    transformers.BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    return str(folder)


if __name__ == "__main__":
    main()
