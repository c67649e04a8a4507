"""Our rankings beside the authors': ties, documents on one side, and the report of a row."""

import json

import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly import systems
from pyterrier_scholarly.verification import Promise, Status, read_report, verify_papers
from pyterrier_scholarly.verification.order_check import compare_orders

ROW = "11:TF-IDF"
FILE = "tfidf.abstract-paragraph.query-paragraph.json"


def make_run(scores, qid="1"):
    """A run of one query, best first: document -> score."""
    rows = [(qid, docno, score, rank) for rank, (docno, score) in enumerate(scores.items())]
    return pd.DataFrame(rows, columns=["qid", "docno", "score", "rank"])


THEIRS = make_run({"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0})


@pytest.mark.parametrize(
    ("ours", "tau", "equal"),
    [
        ({"a": 0.9, "b": 0.8, "c": 0.7, "d": 0.1}, 1.0, 4),
        # one of six pairs is the other way round: (5 - 1) / 6
        ({"a": 0.9, "c": 0.8, "b": 0.7, "d": 0.1}, 4 / 6, 2),
        ({"d": 0.9, "c": 0.8, "b": 0.7, "a": 0.1}, -1.0, 0),
        # differences of rounding, and none at all, are ties
        ({"a": 0.9, "c": 0.8 + 1e-8, "b": 0.8, "d": 0.1}, 1.0, 4),
        ({"d": 0.5, "c": 0.5, "b": 0.5, "a": 0.5}, 1.0, 4),
        # a difference of a hundred-thousandth is none of rounding
        ({"a": 0.9, "c": 0.80001, "b": 0.8, "d": 0.1}, 4 / 6, 2),
    ],
)
def test_how_alike_two_orders_are(ours, tau, equal):
    """Kendall's τ by hand, and how many documents have the same place."""
    (order,) = compare_orders(make_run(ours), THEIRS).itertuples()
    assert order.tau == pytest.approx(tau)
    assert (order.equal_positions, order.documents) == (equal, 4)
    assert order.is_equal == (equal == 4)


def test_documents_of_one_ranking_alone_are_named():
    """Orders are those of the documents in both; queries of one ranking alone do not count."""
    ours = pd.concat([make_run({"a": 3.0, "x": 2.0, "b": 1.0}), make_run({"a": 1.0}, qid="2")])
    (order,) = compare_orders(ours, THEIRS).itertuples()
    assert (order.qid, order.documents, order.is_equal) == ("1", 2, True)
    assert (order.only_ours, order.only_theirs) == (["x"], ["c", "d"])
    with pytest.raises(ValueError, match="no query in common"):
        compare_orders(make_run({"a": 1.0}, qid="2"), THEIRS)


def verify_order(tmp_path, name, **options):
    """Verify the row, and return the outcome of its order."""
    folder = tmp_path / name
    report = verify_papers(
        "doris-mae", [ROW], save_dir=folder, report=tmp_path / f"{name}.json", **options
    )
    assert read_report(tmp_path / f"{name}.json") == report
    (outcome,) = [one for one in report.outcomes if one.promise is Promise.RANKING]
    return outcome, str(report)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_an_order_is_verified_or_differs_for_a_reason(real_home, tmp_path):
    """TF-IDF differs from the authors' ranking; its own ranking in the file's place is equal."""
    outcome, text = verify_order(tmp_path, "released")
    assert outcome.status is Status.DIFFERS
    found = {cell.label: cell.found for cell in outcome.cells}
    assert found["queries in equal order"] == 0
    assert 0.935 < found["mean τ"] < 0.945
    assert found["documents in ours alone"] == found["documents in theirs alone"] == "none"
    assert {cell.column for cell in outcome.differing} == set(outcome.known)
    assert "ranking verified 0" in text and "figures compared with the authors' ranking" in text

    topics = pt.get_dataset("irds:doris-mae/dev").get_topics("query")
    run = systems("doris-mae/dev")["tf_idf"](topics).sort_values("rank")
    rankings = run.groupby("qid")["docno"].agg(list).to_dict()
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / FILE).write_text(json.dumps(rankings))
    outcome, text = verify_order(tmp_path, "equal", rankings=tmp_path / "own")
    assert outcome.status is Status.EQUAL and "ranking verified 1" in text

    # a document that theirs lacks without a reason is a difference
    rankings["0"].pop()
    (tmp_path / "own" / FILE).write_text(json.dumps(rankings))
    outcome, _ = verify_order(tmp_path, "lacking", rankings=tmp_path / "own")
    (cell,) = outcome.differing
    assert cell.column == "documents in ours alone" and cell.found in run["docno"].tolist()
