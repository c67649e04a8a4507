"""Time the encoding of CSFCube's sentences, isolated and in context, and compare other ways.

    python benchmarks/encoding.py [--sample N] [--model NAME_OR_FOLDER] [--precision P …]
                                  [--device D] [--repeats R]

Isolated: all distinct sentences (or N of them) with `SentenceTransformer.encode` and its defaults,
and with our encoder. In context: abstracts one at a time with transformers only, and with our
encoder, one at a time and in batches. Our encoder runs in fp32 and in the given precisions (default
"auto"). Printed: times, the smallest cosine with the first way's embeddings, and NDCG%20 of max-sim
if all are encoded. The model (default all-MiniLM-L6-v2) is loaded first. Ways are called in turns,
once without --sample (half an hour on two cores), else three times; medians. Read the figures as
ratios: differences below 1.3 times are noise.
"""

import argparse
import random
from functools import partial

from _common import minilm
from _plain import by_transformers
from _running import alternating, clean, csfcube, print_versions
from _worth import context_figure, isolated_figure, quality

SEED, PAPER = 0, 7  # sentences of a paper, about


def main():
    """Measure and print."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--sample", type=int)
    arguments.add_argument("--model")
    arguments.add_argument("--precision", nargs="+", default=["auto"])
    arguments.add_argument("--device")
    arguments.add_argument("--repeats", type=int)
    options = arguments.parse_args()
    options.repeats = options.repeats or (3 if options.sample else 1)
    clean()
    print_versions("torch", "transformers", "sentence-transformers", "numpy")
    options.model = options.model or minilm()
    with csfcube() as name:
        isolated(name, options)
        in_context(name, options)


def isolated(name, options):
    """Compare ways for isolated sentences."""
    from sentence_transformers import SentenceTransformer as Model

    from pyterrier_scholarly.datasets import irds
    from pyterrier_scholarly.encoders import SentenceTransformer

    sentences = sorted({text for doc in irds(name).docs_iter() for text in doc.sentences})
    chosen = sampled(sentences, options.sample)
    usual = Model(options.model, device=options.device)
    ways = {"SentenceTransformer.encode, defaults": usual.encode}
    for precision in dict.fromkeys(["fp32", *options.precision]):
        settings = {"precision": precision, "device": options.device}
        ours = SentenceTransformer(options.model, memory=0, **settings)
        way = f"batches by tokens, {ours.precision_used}"
        ways[way] = partial(ours.encode, side="document")
    for way in ways.values():
        way(chosen[:64])
    print(f"\n{len(chosen)} of {len(sentences)} distinct sentences, isolated")
    figure = None if options.sample else isolated_figure
    quality(name, chosen, compare(ways, chosen, options.repeats), figure)
    growth(ways, chosen)


def in_context(name, options):
    """Compare ways for sentences in their abstracts."""
    from pyterrier_scholarly.datasets import irds
    from pyterrier_scholarly.encoders import Contextual

    passages = [(doc.title, *doc.sentences) for doc in irds(name).docs_iter()]
    chosen = sampled(passages, options.sample and options.sample // PAPER)

    def alone(encoder):
        return lambda given: [encoder.encode_passages([one])[0] for one in given]

    ways = {"one document at a time, transformers": by_transformers(options.model, options.device)}
    for precision in dict.fromkeys(["fp32", *options.precision]):
        ours = Contextual(options.model, precision=precision, device=options.device, memory=0)
        used = ours.precision_used
        ways[f"one document at a time, ours, {used}"] = alone(ours)
        ways[f"batches by tokens, {used}"] = ours.encode_passages
    for way in ways.values():
        way(chosen[:8])
    print(f"\n{len(chosen)} of {len(passages)} abstracts, sentences in context")
    figure = None if options.sample else context_figure
    quality(name, chosen, compare(ways, chosen, options.repeats), figure)
    growth(ways, chosen)


def sampled(items, size):
    """Choose `size` of the items, or all."""
    return random.Random(SEED).sample(items, min(size, len(items))) if size else items


def compare(ways, chosen, repeats):
    """Print each way's time relative to the first; return the results."""
    calls = {name: lambda way=way: way(chosen) for name, way in ways.items()}
    seconds, given = alternating(calls, repeats)
    first = next(iter(seconds.values()))
    for name, took in seconds.items():
        print(f"{name:44}{took:10.2f} s{first / took:9.2f} times faster")
    return given


def growth(ways, chosen):
    """Print milliseconds per text for a quarter, a half and all of at most 500 texts."""
    print("cost per text, growing:")
    chosen = chosen[:500]
    for name, way in ways.items():
        shown = []
        for part in (chosen[: len(chosen) // 4], chosen[: len(chosen) // 2], chosen):
            seconds, _ = alternating({name: lambda part=part, way=way: way(part)}, 1)
            shown.append(f"{len(part)}: {1e3 * seconds[name] / len(part):.2f} ms")
        print(f"{name:44}{'   '.join(shown)}")


if __name__ == "__main__":
    main()
