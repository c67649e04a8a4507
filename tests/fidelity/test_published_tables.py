"""The papers' tables on real data: printed rows, published rankings, rows of one's own."""

import json

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly import published, read_ranked_pools, reproduce
from pyterrier_scholarly.entries import Entries

pytestmark = pytest.mark.filterwarnings("ignore:.*is not the release's file")
#: names in the output of DORIS-MAE's code, in the order of the tables' columns
NAMES = ["recall@5", "recall@20", "r_precision", "ndcg@0.1", "ndcg_exp@0.1", "mrr@10", "map"]


@pytest.mark.slow
def test_doris_maes_table_over_the_development_queries(data, real_home, tmp_path):
    """Published rankings reach what the authors' code computes for them, beside the word-based
    systems over the same forty queries; the printed rows are as printed.
    """
    paths = sorted(data("doris-mae", "rankings").glob("*.json"))
    rankings = {path.stem: read_ranked_pools(path) for path in paths}
    systems = {"bm25": "bm25", "tf_idf": "tf_idf", **rankings}
    table = reproduce("doris-mae/dev", systems, 11, save_dir=tmp_path)
    frame = table.frame.set_index("name")
    computed = json.loads(data("doris-mae", "reference-metrics.json").read_text())
    expected = pd.DataFrame(computed).T[NAMES].loc[list(rankings)] / 100
    columns = ["R@5", "R@20", "RP", "NDCG%10", "NDCGexp%10", "MRR@10", "MAP"]
    assert list(frame)[1:] == columns
    found = frame.loc[list(rankings), columns].to_numpy(dtype=float)
    assert found == pytest.approx(expected.to_numpy(), rel=0, abs=1e-6)
    own = table.figures[table.figures["source"] == "this run"]
    assert (set(own["queries"]), set(own["of"])) == ({40}, {100})
    assert frame.loc["ada-002", "MAP"] == 0.4037
    assert set(own["part"]) == {""}  # the forty pools are whole, though not the release
    assert len(Entries(tmp_path)) == 2


@pytest.mark.slow
def test_csfcubes_table(data, csfcube_home):
    """The lexical rows of the paper; SPECTER's published rankings reach its printed figures on the
    two facets that they are of, have none on the third, and count it as 0 over all.
    """
    folder = data("csfcube", "sample_ranked_pools")
    name = "test-pid2pool-csfcube-specter-{}-ranked.json"
    files = [folder / name.format(facet) for facet in ("background", "result")]
    table = reproduce("csfcube", {"fabs_tfidf": "fabs_tfidf", "SPECTER's rankings": files})
    frame = table.frame.set_index(["source", "name"])
    printed, own = (
        frame.loc[("published", "SPECTER")],
        frame.loc[("this run", "SPECTER's rankings")],
    )
    there = [column for column in frame if column.startswith(("background", "result"))]
    assert len(there) == 2 * 6
    for column in there:
        assert f"{100 * own[column]:.2f}" == f"{100 * printed[column]:.2f}"
    assert np.isnan(own["method NDCG%20"])
    assert 0 < own["all NDCG%20"] < printed["all NDCG%20"]
    whole = table.figures.query("name == \"SPECTER's rankings\" and subset == 'all'")
    assert set(zip(whole["queries"], whole["answered"])) == {(50, 33)}
    assert frame.loc[("this run", "fabs_tfidf")].notna().all()
    assert any("paper's own tables are not included" in remark for remark in table.remarks)


@pytest.mark.slow
@pytest.mark.parametrize("table", [3, 4, 6, 7])
def test_litsearchs_tables(data, litsearch_home, table):
    """The authors' run of GritLM-7B over all papers gives its printed row in every column."""
    run = pt.io.read_results(str(data("litsearch", "runs", "gritlm-7b.title_abstract.trec.gz")))
    figures = reproduce("litsearch", {"run": run}, table).figures
    rows = published("litsearch").query(f"table == '{table}' and name == 'GritLM-7B'")
    own = figures[figures["name"] == "run"].merge(rows, on=["subset", "measure"])
    assert len(own) == len(rows) > 1
    assert [f"{value:.3f}" for value in own["value_x"]] == [f"{v:.3f}" for v in own["value_y"]]
    assert (own["queries"] == own["of"]).all()


def test_litsearchs_ndcg(data, litsearch_home):
    """Table 8 at 10, as its heading says: 44.2, where 44.1 is printed, and a remark says so."""
    run = pt.io.read_results(str(data("litsearch", "runs", "gritlm-7b.title_abstract.trec.gz")))
    table = reproduce("litsearch", {"run": run}, 8)
    frame = 100 * table.frame.set_index("name").loc[["GritLM-7B", "run"], table.frame.columns[2:]]
    assert frame.round(2).to_numpy(dtype=float).tolist() == [[44.1, 60.3], [44.23, 60.32]]
    assert any("44.1 at cut-off 9" in remark for remark in table.remarks)
