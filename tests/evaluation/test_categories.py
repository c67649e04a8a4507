"""Frames with columns of categories or of PyArrow's types give what plain ones give."""

import pandas as pd
import pyarrow as pa
import pyterrier as pt
import pytest

from pyterrier_scholarly import check_run, compare
from pyterrier_scholarly.collect import agreement, judge
from pyterrier_scholarly.evaluation import bootstrap, condense, from_all, unjudged_effects

ALL = "scholarly-mini/all"
TEXTS = ["qid", "docno", "name", "measure", "query", "text"]


def rank_pools():
    """Return the pools as a run."""
    run = pt.get_dataset(f"irds:{ALL}").get_results()
    return run.assign(score=-run.groupby("qid").cumcount().astype(float))[["qid", "docno", "score"]]


def read_qrels():
    """Return the judgements."""
    return pt.get_dataset(f"irds:{ALL}").get_qrels()


def evaluate(run):
    """Return values of two systems for each query."""
    topics = pt.get_dataset(f"irds:{ALL}").get_topics("query")
    runs = [run, run.assign(score=-run["score"])]
    return pt.Experiment(runs, topics, read_qrels(), ["NDCG%20"], names=["a", "b"], perquery=True)


PAIRS = pd.DataFrame({"qid": "a", "query": "It is.", "docno": ["p", "q", "r"], "text": "It was."})

#: function of a conversion of frames -> a frame or text
FUNCTIONS = {
    "check_run": lambda typed: str(check_run(typed(rank_pools()), ALL)),
    "compare": lambda typed: str(
        compare({"a": typed(rank_pools()), "b": typed(rank_pools()).assign(score=1.0)}, ALL)
    ),
    "bootstrap": lambda typed: bootstrap(typed(evaluate(rank_pools())), resamples=3),
    "condense": lambda typed: condense(typed(rank_pools()), typed(read_qrels())),
    "from_all": lambda typed: pd.concat(from_all(typed(rank_pools()))),
    "unjudged_effects": lambda typed: unjudged_effects(
        typed(rank_pools()), typed(read_qrels()), ["NDCG%20"]
    ),
    "judge": lambda typed: judge(typed(PAIRS), lambda messages: "AGREE", verbose=False).frame,
    "agreement": lambda typed: (
        agreement(
            {
                name: typed(PAIRS[["qid", "docno"]].assign(label=labels))
                for name, labels in {"Ada": [0, 1, 2], "Ben": [0, 2, 2]}.items()
            }
        ).table
    ),
}


def read_plainly(result):
    """Return a result as text, whatever the types of its columns are."""
    if isinstance(result, str):
        return result
    return result.reset_index(drop=True).astype(object).to_csv()


@pytest.mark.parametrize(
    "dtype", ["category", pd.ArrowDtype(pa.string())], ids=["category", "arrow"]
)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_types_of_ids_change_nothing(name, dtype):
    """Categories without rows, as after a selection, are no queries of their own."""

    def drop_first_query(frame):
        """Return the frame without the first query's rows, if there are others."""
        return frame[frame["qid"] != frame["qid"].iloc[0]] if frame["qid"].nunique() > 1 else frame

    def convert(frame):
        """Return the frame with texts of the type, of which the first query is a category alone."""
        columns = [column for column in TEXTS if column in frame.columns]
        return drop_first_query(frame.astype(dict.fromkeys(columns, dtype)))

    expected = read_plainly(FUNCTIONS[name](drop_first_query))
    assert read_plainly(FUNCTIONS[name](convert)) == expected
