"""The walk through a pipeline, which `explain` and `stages` share."""

import pyterrier as pt

from pyterrier_scholarly.pipeline_walk import find_branching, list_steps, name_step


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


def test_long_names_are_those_of_the_class():
    """A step whose repr is a page long is called by its class."""
    assert name_step(Named("x" * 500)) == "Named"
