"""PLastRel, against interpolated precision at recall 1 as pytrec_eval has it."""

from random import Random

import pandas as pd
import pytest
from ir_measures import IPrec

from pyterrier_scholarly.measures import PLastRel


def evaluate(measure, judged, ranked):
    """Values by query, of ``{query: {document: relevance}}`` and ``{query: [document]}``."""
    qrels = pd.DataFrame(
        [(q, d, rel) for q, rels in judged.items() for d, rel in rels.items()],
        columns=["query_id", "doc_id", "relevance"],
    )
    run = pd.DataFrame(
        [(q, d, -place) for q, docs in ranked.items() for place, d in enumerate(docs)],
        columns=["query_id", "doc_id", "score"],
    )
    return {m.query_id: m.value for m in measure.iter_calc(qrels, run)}


JUDGED = {"q": {"a": 1, "b": 0, "c": 2, "d": 0, "e": 3}}


def test_precision_at_the_rank_of_the_last_relevant_document():
    """Three relevant documents, the last at rank 4; from relevance 2 on, two and rank 3."""
    assert evaluate(PLastRel, JUDGED, {"q": "cbead"}) == {"q": 3 / 4}
    assert evaluate(PLastRel(rel=2), JUDGED, {"q": "cbead"}) == {"q": 2 / 3}


def test_unjudged_documents_count_only_when_told():
    """An unjudged document is taken out of the ranking, unless judged_only is false."""
    assert evaluate(PLastRel(rel=3), JUDGED, {"q": "xye"}) == {"q": 1.0}
    assert evaluate(PLastRel(rel=3, judged_only=False), JUDGED, {"q": "xye"}) == {"q": 1 / 3}


def test_zero_where_a_relevant_document_is_not_ranked_or_none_exists():
    """Full recall that is never reached has no precision."""
    assert evaluate(PLastRel, JUDGED, {"q": "cbe"}) == {"q": 0.0}
    assert evaluate(PLastRel(rel=4), JUDGED, {"q": "abcde"}) == {"q": 0.0}
    assert evaluate(PLastRel, JUDGED, {}) == {"q": 0.0}


@pytest.mark.parametrize("judged_only", [True, False])
def test_it_is_interpolated_precision_at_recall_one(judged_only):
    """On full and on truncated rankings it is IPrec@1.0, computed by other code."""
    random, judged, ranked = Random(3), {}, {}
    for number in range(200):
        documents = [f"d{n}" for n in range(random.randint(1, 40))]
        judged[f"q{number}"] = {d: random.choice([0, 0, 1, 2, 3]) for d in documents}
        order = [*documents, "x", "y"]
        random.shuffle(order)
        ranked[f"q{number}"] = order[: random.choice([len(order), len(order), 30, 5])]
    ours = evaluate(PLastRel(rel=2, judged_only=judged_only), judged, ranked)
    theirs = evaluate(IPrec(rel=2, recall=1.0, judged_only=judged_only), judged, ranked)
    assert ours == pytest.approx(theirs, abs=1e-9)
    assert sum(value > 0 for value in ours.values()) > 50 < sum(v == 0 for v in ours.values())
