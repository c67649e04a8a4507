"""CSFCube's figures are under two protocols: pools without the query paper, and as released."""

import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly import fold_mean, published, reproduce, systems
from pyterrier_scholarly.evaluation import read_run
from pyterrier_scholarly.verification import PrintedRow, Promise
from pyterrier_scholarly.verification.planning import plan_checks

pytestmark = [
    pytest.mark.usefixtures("csfcube_home"),
    pytest.mark.filterwarnings("ignore:.*is not the release's file"),
]
RELEASED = "csfcube/with-query-paper"


def remarks_on_protocols(table):
    """Return the remarks that tell of two protocols."""
    return [remark for remark in table.remarks if remark.startswith("Two protocols")]


def test_a_table_with_figures_of_both_says_so():
    """ASPIRE's rows are named, with the dataset that ranks so; the collection's own are not."""
    (remark,) = remarks_on_protocols(reproduce("csfcube", ["fabs_tfidf"], verbose=False))
    assert "all-mpnet-base-v2, sentence max-sim" in remark
    assert "SPECTER" not in remark and "SciFACE" not in remark
    assert remark.endswith(f"To rank so, pass {RELEASED} as the dataset.")


def test_the_table_of_the_released_pools_has_their_rows_alone():
    """Its own figures are those of an experiment with that dataset's pools and judgements."""
    table = reproduce(RELEASED, ["fabs_tfidf"], verbose=False)
    assert not remarks_on_protocols(table)
    printed = table.figures.query("source == 'published'")
    assert set(printed["name"]) == set(published(RELEASED)["name"])
    assert "SPECTER" not in set(printed["name"])

    dataset = pt.get_dataset(f"irds:{RELEASED}")
    topics, qrels = dataset.get_topics("query"), dataset.get_qrels()
    named = systems(RELEASED)[["fabs_tfidf"]]
    perquery = pt.Experiment(named, topics, qrels, ["NDCG%20"], perquery=True)
    (expected,) = fold_mean(perquery, RELEASED).query("split == 'test'")["value"]
    (found,) = table.figures.query("name == 'fabs_tfidf' and label == 'NDCG%20'")["value"]
    assert found == pytest.approx(expected, abs=1e-12)


def test_a_query_paper_that_comes_first_raises_its_querys_figures():
    """A ranking by id, with the query paper first or left out: only two queries differ."""
    dataset = pt.get_dataset(f"irds:{RELEASED}")
    pools = pd.DataFrame(dataset.irds_ref().scoreddocs_iter(), columns=["qid", "docno", "score"])
    is_query_paper = pools["docno"] == pools["qid"].str.partition("_")[0]
    released = pools.assign(score=is_query_paper.astype(float))
    strict = released[~is_query_paper]

    topics = dataset.get_topics("query")
    of_all = pt.get_dataset("irds:csfcube/all").get_qrels()
    higher = pt.Experiment([released], topics, dataset.get_qrels(), ["NDCG%20"], perquery=True)
    lower = pt.Experiment([strict], topics, of_all, ["NDCG%20"], perquery=True)
    differences = higher.set_index("qid")["value"] - lower.set_index("qid")["value"]
    assert set(differences.index[differences > 0]) == {"8781666_background", "8781666_result"}
    assert (differences >= 0).all()


def test_a_file_keeps_the_query_paper_for_the_released_pools_alone(tmp_path):
    """A ranking in the form of ASPIRE's code: [id, distance] pairs, the query paper first."""
    path = tmp_path / "mine-background-ranked.json"
    path.write_text('{"8781666": [["8781666", 0.0], ["1198964", 0.5]]}')
    assert read_run(path, RELEASED)["docno"].tolist() == ["8781666", "1198964"]
    assert read_run(path, "csfcube/all")["docno"].tolist() == ["1198964"]
    assert set(read_run(path, RELEASED)["qid"]) == {"8781666_background"}


def test_aspires_rows_are_verified_over_the_released_pools():
    """The check of a printed row ranks the pools that the row's figures are over."""
    commands = {}
    for name in ("all-mpnet-base-v2, sentence max-sim", "SPECTER"):
        for check in plan_checks(PrintedRow("csfcube", "", name)):
            if check.promise is Promise.SYSTEM:
                commands[name] = check.command
    assert commands == {
        "all-mpnet-base-v2, sentence max-sim": f'reproduce("{RELEASED}", ["mpnet"])',
        "SPECTER": 'reproduce("csfcube", ["specter"])',
    }
