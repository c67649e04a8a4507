"""How many texts does `explain` encode behind a search? None, if the encoder keeps them.

    python -m tests.explanation.encoded

prints a line per system and way to keep embeddings: the texts that a model reads when the system
ranks, and those that it reads when `explain` follows.
"""

import tempfile
from contextlib import contextmanager
from pathlib import Path

import pyterrier as pt

from pyterrier_scholarly import (
    Contextual,
    FacetQuery,
    PaperLoader,
    PaperSimilarity,
    Pool,
    SentenceCentroid,
    SentenceMaxSim,
    SentenceTransformer,
    SentenceTransport,
    VectorCache,
    explain,
    one_encoding,
    six_parts,
    three_parts,
)

MINI = "scholarly-mini/all"
#: name -> function from an encoder to a scorer
SCORERS = {
    "sentences alone": SentenceMaxSim,
    "one_encoding": lambda encoder: one_encoding(MINI, encoder),
    "three_parts": lambda encoder: three_parts(MINI, encoder),
    "six_parts": lambda encoder: six_parts(MINI, encoder),
    "centroids": lambda encoder: SentenceCentroid(encoder, "facet"),
    "transport": lambda encoder: SentenceTransport(encoder, "abstract"),
    "passages": lambda encoder: PaperSimilarity(encoder, facet_only=True),
    "whole passages": lambda encoder: PaperSimilarity(encoder),
}
#: how embeddings are kept: in memory, or on disk alone, as for another process
WAYS = ("in memory", "on disk")


def counted_texts(name, way, model, folder, counting):
    """Return how many texts a system reads to rank, and how many more to explain.

    counting: a context that gives a list, which grows by the texts of each pass of a model.
    """
    topic = pt.get_dataset(f"irds:{MINI}").get_topics("query").head(1)

    def system():
        kind = SentenceTransformer if name == "sentences alone" else Contextual
        kept = {} if way == "in memory" else {"cache": VectorCache(folder), "memory": 0}
        scorer = SCORERS[name](kind(model, **kept))
        return Pool(MINI) >> FacetQuery(MINI) >> PaperLoader(MINI) >> scorer

    ranking_system = system()
    with counting() as passes:
        best = ranking_system(topic).sort_values("rank")["docno"].iloc[0]
        searched = sum(passes)
        # on disk, another process has another encoder
        explaining_system = ranking_system if way == "in memory" else system()
        explanation = explain(explaining_system, topic, best)
        explained = sum(passes) - searched
    assert explanation.docno == best
    return searched, explained


@contextmanager
def counting_passes():
    """Give a list that grows by the number of texts with each pass of a model."""
    from torch.nn.modules.module import register_module_forward_pre_hook

    passes = []

    def note(module, given):
        if getattr(module, "padding_idx", None) is not None:  # words, not positions
            passes.append(len(given[0]))

    handle = register_module_forward_pre_hook(note)
    try:
        yield passes
    finally:
        handle.remove()


def main():
    """Print the table."""
    from ..conftest import _save_tiny

    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "bert"
        model.mkdir()
        _save_tiny("bert", model)
        print(f"{'system':20}{'kept':12}{'search':>8}{'explain':>9}")
        for name in SCORERS:
            for way in WAYS:
                kept = Path(folder) / f"{name} {way}"
                counts = counted_texts(name, way, str(model), kept, counting_passes)
                print(f"{name:20}{way:12}{counts[0]:8}{counts[1]:9}")


if __name__ == "__main__":
    main()
