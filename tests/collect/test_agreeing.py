"""Agreement of annotators: CSFCube's table from its ratings, small frames by hand, bad input."""

import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly.collect import agreement, single_ratings, write_collection

REFERENCE = json.loads(
    Path(__file__).parents[1].joinpath("reference", "krippendorff_alpha.json").read_text()
)
SCALE = (0, 1, 2, 3)
#: facet -> ρ, α, κ, % before and after adjudication: medians over queries, computed from the
#: release by other code (scipy, scikit-learn, the reference package)
TABLE = {
    "background": [(0.4553, 0.4288, 0.2814, 57.07), (0.7310, 0.7201, 0.6214, 77.68)],
    "method": [(0.3086, 0.2557, 0.2029, 69.60), (0.6258, 0.6107, 0.5434, 84.38)],
    "result": [(0.4363, 0.3518, 0.2632, 67.46), (0.6980, 0.6681, 0.5903, 83.53)],
    "all": [(0.3749, 0.3322, 0.2393, 66.36), (0.6865, 0.6632, 0.5714, 82.77)],
}
#: pairs with a -1 of either annotator there
MISSING = {"background": 3, "method": 8, "result": 6, "all": 17}
#: agreed, one of the two kept, both over-ruled; percent over-ruled, mean over queries: counted in
#: relevance_ann1, _ann2 and _adju of the release's test-pid2anns files, read as plain JSON
RULED = {
    "background": (1108, 708, 58, 3.45),
    "method": (1445, 677, 44, 2.41),
    "result": (1425, 724, 38, 2.13),
}
COLUMNS = ["spearman", "alpha_ordinal", "kappa", "percent"]


def rated(**annotators):
    """Ratings of documents 0, 1, … of query q, a list for each annotator."""
    rows = [
        ("q", str(number), annotator, rating)
        for annotator, ratings in annotators.items()
        for number, rating in enumerate(ratings)
    ]
    return pd.DataFrame(rows, columns=["qid", "docno", "annotator", "rating"])


@pytest.mark.parametrize("facet", TABLE)
def test_csfcubes_table(csfcube_home, facet):
    """To four decimals, before and after adjudication, with the missing ratings counted."""
    found = agreement(single_ratings(f"csfcube/{facet}"), "reference", SCALE)
    medians = found.table[found.table["over"] == "median"]
    for (_, row), printed in zip(medians.iterrows(), TABLE[facet], strict=True):
        *coefficients, percent = row[COLUMNS]
        assert [round(value, 4) for value in coefficients] == list(printed[:3])
        assert round(100 * percent, 2) == printed[3]
    assert set(found.table["missing"]) == {MISSING[facet]}
    assert set(found.table["undefined"]) == {0}


def test_alpha_of_csfcubes_50_queries(csfcube_home):
    """α equals the reference package's, for each query and level."""
    found = agreement(single_ratings("csfcube/all"), "reference", SCALE).perquery
    among = found[found["compared"] == "annotators"].set_index("qid")
    expected = pd.DataFrame(REFERENCE["csfcube"]).T
    own = among.loc[expected.index, ["alpha_nominal", "alpha_ordinal", "alpha_interval"]]
    assert len(own) == 50
    np.testing.assert_allclose(own.to_numpy(), expected.to_numpy(), rtol=0, atol=1e-12)


@pytest.mark.parametrize("facet", RULED)
def test_what_csfcubes_adjudicator_ruled(csfcube_home, facet):
    """Over the pairs that both rated; where both agree the adjudicator never changes it."""
    rulings = agreement(single_ratings(f"csfcube/{facet}"), "reference").rulings
    *counts, percent = RULED[facet]
    assert rulings[["agreed", "one_kept", "overruled"]].sum().tolist() == counts
    assert rulings["rated"].sum() == sum(counts) and rulings["changed"].sum() == 0
    assert round(100 * (rulings["overruled"] / rulings["rated"]).mean(), 2) == percent


def test_single_ratings_of_csfcube(csfcube_home):
    """Two annotators and the reference for each of the 6,244 pairs; what is coded -1 is NaN."""
    ratings = single_ratings("csfcube/all")
    assert list(ratings.columns) == ["qid", "docno", "annotator", "rating"]
    assert len(ratings) == 3 * 6244
    assert ratings["rating"].isna().sum() == 17
    assert set(ratings["annotator"]) == {"reference", "ann1", "ann2", "ann3", "ann4"}
    assert set(ratings["rating"].dropna()) == {0, 1, 2, 3}


def test_single_ratings_of_a_collection_of_ones_own(tmp_path, monkeypatch):
    """As they were written, with the judgements as the reference."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path))
    docs = [{"doc_id": "a"}, {"doc_id": "b"}]
    rows = [("q", "a", "M", 1), ("q", "a", "O", None)]
    names = ("query_id", "doc_id", "annotator", "rating")
    write_collection(
        "x",
        docs,
        [{"query_id": "q", "query": "?"}],
        qrels=[{"query_id": "q", "doc_id": "a", "relevance": 2}],
        annotators=[dict(zip(names, row)) for row in rows],
        description="D",
        licence="CC0-1.0",
    )
    found = single_ratings("made/x")
    assert found["annotator"].tolist() == ["M", "O", "reference"]
    assert found["rating"].fillna(-1).tolist() == [1, -1, 2]


@pytest.mark.filterwarnings("ignore:.*was not compared", "ignore:.*pairs of Test_set")
def test_single_ratings_of_doris_maes_test_set(tmp_path, monkeypatch):
    """Three people's, from the datasets of each, and the majority's as the reference."""
    small = Path(__file__).parents[1] / "ir_datasets_ext" / "doris-mae-small.json"
    (tmp_path / "doris-mae").mkdir()
    shutil.copyfile(small, tmp_path / "doris-mae" / "DORIS-MAE_dataset_v1.json")
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path))
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")  # nobody answers for Zenodo
    found = single_ratings("doris-mae/human").pivot(
        index=["qid", "docno"], columns="annotator", values="rating"
    )
    scores = {
        (entry["aspect_id"], str(entry["abstract_id"])): list(entry["human_annotation"].values())
        for entry in json.loads(small.read_text())["Test_set"]
    }
    assert len(found) == len(scores) > 0
    people = ["annotator-1", "annotator-2", "annotator-3"]
    assert {pair: row for pair, *row in found[people].itertuples(name=None)} == scores
    assert found["reference"].tolist() == found[people].median(axis=1).tolist()


def test_a_collection_without_single_ratings():
    """The error names datasets with ratings."""
    with pytest.raises(ValueError, match=r"scholarly-mini keeps no ratings .* csfcube/all"):
        single_ratings("scholarly-mini")


def test_three_annotators_by_hand():
    """κ and percent are means over the three pairs; α is of the three together."""
    found = agreement(rated(a=[0, 1, 1, 0], b=[0, 1, 0, 0], c=[0, 1, 1, 1]))
    row = found.perquery.iloc[0]
    assert row["percent"] == pytest.approx((3 / 4 + 3 / 4 + 2 / 4) / 3)
    # 12 ratings, 6 of each; two things with one of three apart: 2 · 2 ordered pairs, each by half
    assert row["alpha_nominal"] == pytest.approx(1 - (4 / 2 * 2 / 12) / (2 * 36 / (12 * 11)))
    assert row["pairs"] == 12 and np.isnan(row["f1"])
    pooled = found.table.set_index("over").loc["pooled"]
    assert pooled["alpha_nominal"] == row["alpha_nominal"]  # of a single query
    assert list(found.confusions) == ["annotators"] and found.rulings.empty


def test_a_missing_row_and_nan_are_both_missing():
    """Missing ratings are not compared, and counted."""
    ratings = rated(a=[0, 1, 2, 2], b=[0, 1, 1, np.nan]).drop(index=0)
    found = agreement(ratings)
    assert found.perquery[["pairs", "missing"]].to_numpy().tolist() == [[2, 2]]
    assert found.perquery["percent"].tolist() == [1 / 2]


def test_one_judge_against_a_reference():
    """A model's judgements against a person's: rows are the person's grades."""
    found = agreement(rated(person=[0, 0, 2, 1], model=[0, 1, 2, 2]), reference="person")
    assert found.confusions["reference"].to_numpy().tolist() == [[1, 1, 0], [0, 0, 1], [0, 0, 1]]
    row = found.table.set_index("over").loc["pooled"]
    assert row["percent"] == 2 / 4
    assert row["precision"] == pytest.approx((1 / 1 + 0 / 1 + 1 / 2) / 3)
    assert row["recall"] == pytest.approx((1 / 2 + 0 + 1 / 1) / 3)
    assert "annotators" not in set(found.table["compared"])


def test_rulings_by_hand():
    """Agreed and kept; agreed and yet changed; one kept; none kept; not rated by all."""
    ratings = rated(a=[1, 1, 0, 0, 0], b=[1, 1, 2, 1, np.nan], r=[1, 2, 2, 3, 0])
    found = agreement(ratings, reference="r").rulings
    assert found.to_dict("records") == [
        {"qid": "q", "rated": 4, "agreed": 2, "one_kept": 1, "overruled": 1, "changed": 1}
    ]


def test_a_constant_query_is_left_out_and_counted():
    """Its α and κ are not defined: the mean is over the other query, and the table says so."""
    varied, constant = rated(a=[0, 1, 2], b=[0, 1, 2]), rated(a=[0, 0], b=[0, 0])
    found = agreement(pd.concat([varied, constant.assign(qid="p")]))
    table = found.table.set_index("over")
    assert table.loc["mean", "kappa"] == table.loc["median", "alpha_ordinal"] == 1
    assert table["undefined"].tolist() == [1, 1, 1]
    assert found.perquery.set_index("qid").loc["p", "percent"] == 1


def test_the_whole_table_is_shown():
    """With four decimals, in a shell and in a notebook."""
    found = agreement(rated(a=[0, 1, 2], b=[0, 1, 1]))
    assert "0.6667" in repr(found) and "0.6667" in found._repr_html_()


@pytest.mark.parametrize(
    ("ratings", "more", "said"),
    [
        (rated(a=[0, 5], b=[0, 1]), {"scale": SCALE}, r"outside the scale 0, 1, 2, 3: 5 by a for"),
        (rated(a=[0, -1], b=[0, 1]), {"scale": SCALE}, r"-1 by a for q 1.*make them NaN"),
        (rated(a=[0, 1.5], b=[0, 1]), {"scale": SCALE}, r"1\.5 by a for q 1"),
        (rated(a=[0, 1]), {}, r"Query q has ratings of a alone: agreement needs two annotators"),
        (rated(a=[0, 1]), {"reference": "a"}, r"ratings of a alone.*the reference 'a'"),
        (rated(a=[0, 1], b=[0, 1]), {"reference": "z"}, r"'z' has no ratings: choose one of a, b"),
        (rated(a=[np.nan], b=[np.nan]), {}, r"no ratings to compare"),
        (rated(), {}, r"no ratings to compare"),
        (rated(a=["x"], b=[0]), {}, r"'rating' must hold numbers.* docno 0: .*'x' \(str\)"),
        (rated(a=[0, 1], b=[0, 1]), {"scale": (1, 0)}, r"expected grades in ascending order"),
        (pd.concat([rated(a=[0])] * 2), {}, r"Duplicate qid docno annotator: q 0 a"),
    ],
)
def test_bad_input(ratings, more, said):
    """The error names the value, what was expected, and the remedy."""
    with pytest.raises(ValueError, match=said):
        agreement(ratings, **more)


def test_a_missing_column():
    """The error names the missing column."""
    with pytest.raises(pt.validate.InputValidationError, match=r"these columns.*'annotator'"):
        agreement(rated(a=[0], b=[0]).drop(columns="annotator"))


@pytest.mark.parametrize("missing", ["qid", "docno", "label"])
def test_an_annotators_frame_without_a_column(missing):
    """The error names the annotator and the column."""
    good = pd.DataFrame({"qid": ["q"] * 2, "docno": ["a", "b"], "label": [0, 1]})
    with pytest.raises(pt.validate.InputValidationError, match=missing) as caught:
        agreement({"ann1": good, "ann2": good.drop(columns=missing)})
    assert "ratings of 'ann2'" in str(caught.value)
