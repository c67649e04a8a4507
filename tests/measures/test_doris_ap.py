"""DorisAP, derived by hand."""

TOTALS = {"q": {"a": 2, "b": 1, "c": 4, "d": 0, "e": 3}}


def test_the_mean_of_the_precisions_at_the_relevant_ranks(values_of):
    """Totals of 2 and more stand at ranks 2, 3 and 5: precisions 1/2, 2/3, 3/5."""
    expected = (1 / 2 + 2 / 3 + 3 / 5) / 3
    assert values_of("DorisAP", TOTALS, {"q": 2}, {"q": "bacde"}) == {"q": expected}


def test_an_abstract_that_is_not_ranked_has_precision_0(values_of):
    """Of a, c, e the first two stand at ranks 1 and 2, and e nowhere."""
    assert values_of("DorisAP", TOTALS, {"q": 2}, {"q": "acb"}) == {"q": (1 + 1) / 3}


def test_a_perfect_ranking_scores_1(values_of):
    """Relevant abstracts first, in any order among themselves."""
    assert values_of("DorisAP", TOTALS, {"q": 2}, {"q": "eacdb"}) == {"q": 1.0}
