"""Value: a float that is averaged as its collection says, by hosts that only add and divide."""

import copy
import json
import pickle
from math import fsum, isnan, nan
from statistics import median

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import MeanAgg

from pyterrier_scholarly.measures import Value

NUMBERS = st.floats(-1e6, 1e6)
WEIGHTS = st.sampled_from([0.0, 0.25, 1.0, 1.0, 3.0])


def mean(values):
    """What PyTerrier and ir_measures compute."""
    total = 0.0
    for value in values:
        total = total + value
    return total / len(values)


@given(st.lists(st.tuples(NUMBERS, st.booleans()), min_size=1))
def test_the_ordinary_mean_bit_for_bit(pairs):
    """With all weights 1, plain floats among them or not, not one bit differs from floats' mean."""
    plain = [number for number, _ in pairs]
    mixed = [Value(number) if is_value else number for number, is_value in pairs]
    assert mean(mixed).hex() == mean(plain).hex()


@given(st.lists(st.tuples(NUMBERS, WEIGHTS, st.booleans()), min_size=1))
def test_the_weighted_mean(triples):
    """Sum of weight times value over the sum of weights, wherever the plain floats stand."""
    values = [number if plain else Value(number, weight) for number, weight, plain in triples]
    weights = [1.0 if plain else weight for _, weight, plain in triples]
    expected = (
        fsum(w * n for w, (n, _, _) in zip(weights, triples)) / sum(weights or [0])
        if any(weights)
        else nan
    )
    assert mean(values) == pytest.approx(expected, rel=1e-9, abs=1e-6, nan_ok=True)


def test_a_query_left_out():
    """Weight 0: NaN by itself, and neither the sum nor the number of the mean counts it."""
    values = [Value(0.5), Value(weight=0), 0.25, Value(weight=0)]
    assert isnan(values[1]) and isnan(Value(0.7, weight=0))
    assert mean(values) == mean(values[::-1]) == (0.5 + 0.25) / 2


def test_no_query_left():
    """The mean over no query is NaN, as ir_measures' own is."""
    assert isnan(mean([Value(weight=0), Value(weight=0)]))
    assert isnan(MeanAgg().result())


def test_a_value_that_is_nan_counts():
    """NaN with weight 1 makes the mean NaN, as among floats: only weight 0 leaves a query out."""
    assert isnan(mean([Value(0.5), Value(nan)])) and isnan(mean([Value(0.5), nan]))


def test_ir_measures_averages_it():
    """MeanAgg, which adds in place, gives the weighted mean."""
    aggregator = MeanAgg()
    for value in (Value(1.0, weight=3), 0.0, Value(weight=0)):
        aggregator.add(value)
    assert aggregator.result() == 3 / 4


class Median(Value):
    """A figure that is no mean: the median of all queries' samples."""

    def __new__(cls, samples=()):
        """By itself, the median of one query's samples."""
        self = super().__new__(cls, median(samples) if samples else nan)
        self.samples = samples
        return self

    @staticmethod
    def pooled(total, count):
        """The median of what all values carry."""
        return median(s for value in total.values for s in getattr(value, "samples", ()))

    def __reduce__(self):
        return type(self), (self.samples,)


def test_a_pooled_figure_overrides_one_method():
    """`pooled` sees the values themselves, whatever plain floats stand among them."""
    values = [0.0, Median((1, 2, 9)), 0.0, Median((4, 5))]
    assert [float(value) for value in values] == [0.0, 2.0, 0.0, 4.5]
    assert mean(values) == median([1, 2, 9, 4, 5])
    assert pickle.loads(pickle.dumps(values[1])).samples == (1, 2, 9)


def test_a_sum_is_not_changed_by_adding_to_it():
    """Two sums that start alike are independent."""
    start = 0.0 + Value(1.0) + Value(weight=0)
    first, second = start + Value(2.0), start + Value(5.0)
    assert (first / 3, second / 3, start / 2) == (1.5, 3.0, 1.0)
    assert float(first) == 3.0


def test_sums_of_sums():
    """Parts summed on their own come to the same mean, and plain numbers go on either side."""
    left, right = 0.0 + Value(1.0) + Value(weight=0), 0.0 + Value(4.0, weight=2)
    assert (left + right) / 3 == (1 + 2 * 4) / 3
    assert (1.0 + left) / 3 == (1 + 1) / 2
    assert sum([Value(1.0), 2, Value(6.0)]) / 3 == 3.0


def test_other_arithmetic_is_that_of_floats():
    """Differences, products, quotients and comparisons of single values are floats."""
    value = Value(0.5, weight=3)
    assert (value - 0.25, value * 2, value / 2, -value) == (0.25, 1.0, 0.25, -0.5)
    assert value == 0.5 and value > Value(0.25) and hash(value) == hash(0.5)


def test_what_hosts_do_with_values():
    """Rounding, printing, JSON, numpy and pandas see an ordinary float."""
    values = [Value(0.123456), Value(weight=0)]
    assert round(values[0], 4) == 0.1235 and f"{values[0]:.3f}" == "0.123"
    assert repr(values[0]) == "0.123456" and json.dumps(values[0]) == "0.123456"
    assert np.array(values).dtype == pd.DataFrame({"value": values})["value"].dtype == float
    assert (np.array([1.0, 2.0]) + Value(0.5)).tolist() == [1.5, 2.5]
    assert (Value(0.5) + np.array([1.0, 2.0])).tolist() == [1.5, 2.5]


def test_what_is_no_number_is_not_added():
    """Adding text or dividing by it stays a TypeError."""
    for wrong in (
        lambda: Value(1.0) + "1",
        lambda: "1" + Value(1.0),
        lambda: (0.0 + Value(1.0)) / "1",
        lambda: (0.0 + Value(1.0)) + "1",
    ):
        with pytest.raises(TypeError):
            wrong()


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_values_and_sums_are_copied_and_pickled(protocol):
    """A value keeps its weight and a sum its values, through every protocol."""
    values = [Value(0.5, weight=2), 1.0, Value(weight=0)]
    total = 0.0 + values[0] + values[1] + values[2]
    for make in (copy.copy, copy.deepcopy, lambda o: pickle.loads(pickle.dumps(o, protocol))):
        assert (make(values[0]), make(values[0]).weight) == (0.5, 2)
        assert make(total) / 3 == total / 3 == (2 * 0.5 + 1) / 3


def test_a_sum_of_many_values_is_no_deep_structure():
    """A hundred thousand values are summed, divided, pickled and let go without recursion."""
    total = sum([Value(1.0)] * 100_000)
    assert total / 100_000 == 1.0
    assert pickle.loads(pickle.dumps(total)) / 100_000 == 1.0


@pytest.mark.parametrize("weight", [-1, nan, float("inf")])
def test_a_weight_is_finite_and_not_negative(weight):
    """A wrong weight is a ValueError that names it."""
    with pytest.raises(ValueError, match=f"weight {weight!r}.*expected a finite number, 0 or more"):
        Value(0.5, weight)
