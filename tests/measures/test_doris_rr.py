"""DorisRR, derived by hand."""

import pandas as pd

from pyterrier_scholarly.measures import DorisRR

TOTALS = {"q": {"a": 3, "b": 5, "c": 1, "d": 5}}


def test_the_first_of_those_that_tie_at_the_highest_total(values_of):
    """Two tie at 5, b and d; in c a d b the first of them stands at rank 3."""
    assert values_of("DorisRR@10", TOTALS, {"q": 4}, {"q": "cadb"}) == {"q": 1 / 3}


def test_beyond_the_cut_off_there_is_nothing(values_of):
    """At rank 3 it is within the first three, and not within the first two."""
    assert values_of("DorisRR@2", TOTALS, {"q": 4}, {"q": "cadb"}) == {"q": 0.0}
    assert values_of("DorisRR@3", TOTALS, {"q": 4}, {"q": "cadb"}) == {"q": 1 / 3}


def test_no_abstract_need_be_relevant(values_of):
    """With |Q| = 9 none of the totals makes an abstract relevant; the best is the best still."""
    assert values_of("DorisRR@10", TOTALS, {"q": 9}, {"q": "db"}) == {"q": 1.0}


def test_abstracts_that_never_count_as_relevant_stay(values_of):
    """The five long abstracts are part of this measure's gold ranking."""
    assert values_of("DorisRR@10", TOTALS, {"q": 4}, {"q": "cadb"}, never="d") == {"q": 1 / 3}


def test_it_needs_no_iteration():
    """Qrels of three columns will do."""
    pairs = pd.DataFrame({"query_id": "q", "doc_id": ["a", "b"]})
    qrels, run = pairs.assign(relevance=[1, 2]), pairs.assign(score=[2, 1])
    assert DorisRR.calc_aggregate(qrels, run) == 1 / 2
