"""Do contributions add up to the score? For every system of the papers that `explain` can explain.

    SCHOLARLY_DATA=… python -m tests.explanation.sums

prints a line per system: the score, the sum of its contributions, and the difference as a share of
their size. Models are tiny random ones in the place of the papers' own.
"""

import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pyterrier as pt

from pyterrier_scholarly import Pool, explain, systems
from pyterrier_scholarly.pipeline_walk import list_steps

COLLECTIONS = ("csfcube/all", "doris-mae/dev", "litsearch")
CANDIDATES = 6  # per query
EXACT = 1e-9


class Row(NamedTuple):
    """A system's explanation.

    size: the sum of the contributions' absolute values, or of the score if that is larger.
    """

    collection: str
    key: str
    score: float
    total: float
    size: float

    @property
    def difference(self):
        """Of the score and the contributions, as a share of their size."""
        return abs(self.score - self.total) / self.size


def explained_rows(collection, models):
    """Yield a Row for each system of a collection that compares sentences."""
    candidates = None if collection == "litsearch" else Pool(collection) % CANDIDATES
    named = systems(collection, models=models, candidates=candidates, verbose=False)
    topics = topics_of(collection)
    for key in named:
        pipeline = named[key]
        if not any(hasattr(step, "explained") for step in list_steps(pipeline)):
            continue
        ranking = pipeline(topics).sort_values("rank", ignore_index=True)
        has_sentences = [len(paper.sentences) > 0 for paper in ranking["paper"]]
        best = ranking["docno"][has_sentences].iloc[0]
        explanation = explain(pipeline, topics, best)
        contributions = explanation.frame["contribution"]
        size = max(contributions.abs().sum(), abs(explanation.score))
        yield Row(collection, key, explanation.score, contributions.sum(), size)


def topics_of(collection):
    """Return the collection's shortest query; LitSearch's with some candidates."""
    dataset = pt.get_dataset(f"irds:{collection}")
    topics = dataset.get_topics("query")
    shortest = topics.loc[[topics["query"].str.len().idxmin()]]
    if collection != "litsearch":
        return shortest
    documents = dataset.irds_ref().docs_iter()
    docnos = [document.doc_id for document, _ in zip(documents, range(CANDIDATES))]
    return shortest.merge(pd.DataFrame({"docno": docnos}), how="cross")


def main():
    """Print the table."""
    from ..net.__main__ import prepare
    from ..net.outputs import _tiny
    from ..recipes.stand_ins import stand_ins

    wrong = 0
    with tempfile.TemporaryDirectory() as home:
        prepare(Path(home))
        tiny = partial(_tiny, Path(home))
        print(f"{'collection':16}{'system':36}{'score':>12}{'contributions':>15}{'difference':>12}")
        for collection in COLLECTIONS:
            models = stand_ins(collection.partition("/")[0], tiny, Path(home) / "adapter")
            for row in explained_rows(collection, models):
                wrong += row.difference > EXACT
                print(
                    f"{row.collection:16}{row.key:36}{row.score:12.6f}{row.total:15.6f}"
                    f"{row.difference:12.1e}"
                )
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
