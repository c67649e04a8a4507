"""Try names of measures, and values of qrels and runs."""

from contextlib import suppress

import ir_measures
import pandas as pd

from pyterrier_scholarly import measures
from tests.fuzz.values import column, garbled, odd

NAMES = (
    "NDCG%20",
    "NDCG(discount='log2',pool='ranked')%10",
    "NDCG(discount='reciprocal')@10",
    "NDCG(gain='exp2-1')%100",
    "PLastRel",
    "DorisR@20",
    "DorisRprec",
    "DorisAP",
    "DorisRR@10",
    "rHSA",
    "rHSA(bins=10,low=0,high=1)",
    "rHSA(distances=True,fit='observed')",
)
OURS = tuple(measures.__all__)


def draw(random):
    """Draw a name, maybe damaged, and two frames, maybe with an odd number."""
    name = random.choice(NAMES)
    if random.random() < 0.5:
        # what cannot be encoded is an error of Python's own
        name = garbled(random, name).encode(errors="ignore").decode()
    qrels = _table(random, {"relevance": [0, 1, 2, 1], "iteration": ["1", "1", "2", "2"]})
    run = _table(random, {"score": [0.5, 1.0, 0.25, 3.0]})
    return name, qrels, run


def _table(random, more):
    columns = {"query_id": ["1", "1", "2", "2"], "doc_id": ["a", "b", "a", "c"], **more}
    if random.random() < 0.4:
        name = random.choice(list(more))
        columns[name] = [*columns[name][:-1], odd(random)]
    frame = pd.DataFrame({name: column(held) for name, held in columns.items()})
    if random.random() < 0.7:
        with suppress(UnicodeEncodeError):  # of an unpaired surrogate, in pandas
            frame = frame.infer_objects()
    return frame.iloc[: random.choice((0, 1, 4, 4, 4))]


def use(drawn):
    """Parse the name, and compute it if it is one of our measures."""
    name, qrels, run = drawn
    if "%" not in name and not name.strip().startswith(OURS):
        return
    measure = ir_measures.parse_measure(name)
    if type(measure).__module__.startswith("pyterrier_scholarly"):
        values = [metric.value for metric in measure.runtime_impl(qrels, run)]
        assert len(values) == qrels["query_id"].nunique(dropna=False), "queries without a value"
        sum(values, 0.0)  # in the way of pt.Experiment
