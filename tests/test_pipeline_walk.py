"""The walk through a pipeline, which `explain` and `stages` share."""

import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly import LSA
from pyterrier_scholarly.pipeline_walk import (
    describe_steps,
    find_branching,
    list_steps,
    name_step,
    write_pipeline,
)
from pyterrier_scholarly.transformers import SentenceTransport, WeightedSum


class Named(pt.Transformer):
    """A step with a name."""

    def __init__(self, name):
        self.name = name

    def transform(self, frame):
        """Return the input."""
        return frame

    def __repr__(self):
        return self.name


A, B, C, D = map(Named, "abcd")


def test_steps_are_listed_in_their_order():
    """Steps of all branches come one after the other; numbers and cut-offs are steps."""
    pipeline = A >> (0.5 * B + (C | D) % 3) >> A
    assert [name_step(step) for step in list_steps(pipeline)] == "a,b,* 0.5,c,d,% 3,a".split(",")


def test_branches_of_one_operator():
    """A chain of sums has its summands as branches; another operator inside is one branch."""
    assert find_branching(A + B + C).branches == (A, B, C)
    assert find_branching(A**B**C).branches == (A, B, C)
    assert len(find_branching((A | B) + C).branches) == 2
    assert find_branching(A) is None


def test_a_weighted_sum_is_walked_as_a_sum():
    """Its branches are its scorers, each times its weight; a weight of 1 is no step."""
    weighted = WeightedSum([A, B >> C], [1, 0.5])
    assert [name_step(step) for step in list_steps(weighted >> D)] == ["a", "b", "c", "* 0.5", "d"]
    assert write_pipeline(weighted >> D) == "(a + (b >> c * 0.5)) >> d"

    candidates = pd.DataFrame({"qid": "q", "docno": ["d1", "d2"], "score": [1.0, 2.0]})
    branching = find_branching(weighted)
    finished = [branch(candidates) for branch in branching.branches]
    combined = branching.combine(candidates, finished)
    assert combined.equals(weighted(candidates))
    assert combined["score"].tolist() == [2 + 1.0, 1 + 0.5]


def test_steps_are_described_by_their_first_sentence():
    """A step of ours, also in a branch, has a sentence; others, and citations, are left out."""
    described = describe_steps(A >> (SentenceTransport(LSA(["x y"])) + B))
    (sentence,) = described.values()
    assert sentence == ("Score papers by the cost of moving the query's sentences onto theirs.")


def test_long_names_are_those_of_the_class():
    """A step whose repr is a page long is called by its class."""
    assert name_step(Named("x" * 500)) == "Named"


@pytest.mark.parametrize(
    "text",
    [
        "a >> (b + (c >> d % 3)) % 10 >> (a | b)",
        "(a * 0.5 + b % 3 * 2)",
        "a >> (b ** (c % 3)) >> d",
        "((a | (b >> c)) & d)",
    ],
)
def test_a_pipeline_is_written_as_python_reads_it(text):
    """Parentheses keep branches together: what is written makes the same pipeline again."""
    pipeline = eval(text, {"a": A, "b": B, "c": C, "d": D})
    assert write_pipeline(pipeline) == text
