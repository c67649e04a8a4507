"""DorisR and DorisRprec, derived by hand."""

#: |Q| = 4, so a, c and e are relevant
TOTALS = {"q": {"a": 4, "b": 3, "c": 8, "d": 0, "e": 5}}
ASPECTS = {"q": 4}


def test_recall_is_the_share_of_abstracts_with_a_total_of_at_least_q(values_of):
    """Of a, c, e the ranking b c d e a has c among the first two, c and e among the first four."""
    run = {"q": "bcdea"}
    assert values_of("DorisR@2", TOTALS, ASPECTS, run) == {"q": 1 / 3}
    assert values_of("DorisR@4", TOTALS, ASPECTS, run) == {"q": 2 / 3}
    assert values_of("DorisR", TOTALS, ASPECTS, run) == {"q": 3 / 3}


def test_r_precision_looks_at_as_many_as_are_relevant(values_of):
    """Three are relevant, so the first three of b c d e a count: c alone."""
    assert values_of("DorisRprec", TOTALS, ASPECTS, {"q": "bcdea"}) == {"q": 1 / 3}
    assert values_of("DorisRprec", TOTALS, ASPECTS, {"q": "ace"}) == {"q": 1.0}


def test_the_threshold_is_each_querys_own(values_of):
    """The same totals with |Q| = 5 and 8: two and one relevant."""
    totals = {"q5": TOTALS["q"], "q8": TOTALS["q"]}
    run = {"q5": "ca", "q8": "ca"}
    found = values_of("DorisR@2", totals, {"q5": 5, "q8": 8}, run)
    assert found == {"q5": 1 / 2, "q8": 1 / 1}


def test_an_unjudged_abstract_takes_a_rank_only_when_told(values_of):
    """One that is not of the pool is taken out, unless judged_only is false."""
    run = {"q": "xcb"}
    assert values_of("DorisR@1", TOTALS, ASPECTS, run) == {"q": 1 / 3}
    assert values_of("DorisR(judged_only=False)@1", TOTALS, ASPECTS, run) == {"q": 0.0}
