"""The published figures: every one parses, and they are what the papers print."""

import csv
import json
from math import isnan

import ir_datasets
import ir_measures
import pyterrier as pt
import pytest

from pyterrier_scholarly import official_measures, protocols, published, systems

COLLECTIONS = ["csfcube", "litsearch", "doris-mae"]


def row(figures, **wanted):
    """The one row of `figures` with these values."""
    for column, value in wanted.items():
        figures = figures[figures[column] == value]
    (found,) = figures.to_dict("records")
    return found


@pytest.mark.parametrize("collection", COLLECTIONS)
def test_every_figure_is_a_fraction_of_a_measure_of_ours(collection):
    """Each measure parses to one that prints the same, each value lies in 0..1."""
    figures = published(collection)
    expected = ["name", "subset", "measure", "label", "value", "std", "table", "paper"]
    expected += ["measure_verified", "system_verified"]
    assert list(figures) == expected
    for text in figures["measure"].unique():
        assert str(ir_measures.parse_measure(text)) == text
    assert figures["value"].between(0, 1).all() and (figures["std"].dropna() < 0.1).all()
    assert (figures["name"] != "").all() and (figures["paper"] != "").all()
    assert not figures.duplicated(["name", "subset", "measure", "table", "paper"]).any()


@pytest.mark.parametrize("collection", COLLECTIONS)
def test_no_figure_is_lost_or_changed(collection):
    """As many rows as the CSV has, and 100 times the values are the printed ones."""
    path = protocols.PROTOCOLS[collection].folder / "figures.csv"
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    figures = published(collection)
    assert [float(r["value"]) for r in rows] == pytest.approx((figures["value"] * 100).tolist())
    assert [r["name"] for r in rows] == figures["name"].tolist()
    assert [r["label"] for r in rows] == figures["label"].tolist()


def test_figures_of_litsearch_as_its_paper_has_them():
    """GritLM-7B's row of Table 3, and one each of the other tables."""
    figures = published("litsearch")
    expected = {
        ("inline/broad", "R@20"): 0.697,
        ("inline/specific", "R@5"): 0.677,
        ("inline/specific", "R@20"): 0.779,
        ("author/broad", "R@20"): 0.743,
        ("author/specific", "R@5"): 0.825,
        ("author/specific", "R@20"): 0.891,
        ("broad", "R@20"): 0.708,
        ("specific", "R@5"): 0.748,
    }
    table = figures[(figures["table"] == "3") & (figures["name"] == "GritLM-7B")]
    assert {(r["subset"], r["measure"]): r["value"] for r in table.to_dict("records")} == expected
    for number, subset, system, value in (
        ("4", "author/quality-2", "BM25", 0.55),
        ("5", "full-text (author/broad)", "BM25", 0.657),
        ("5", "author/broad", "BM25", 0.486),
        ("6", "inline-acl/specific", "GritLM-7B", 0.659),
        ("7", "(search engines) author/specific", "Elicit", 0.175),
        ("8", "specific", "GritLM-7B", 0.603),
        ("8", "(SCIDOCS)", "E5-large-v2", 0.205),
    ):
        assert row(figures, table=number, subset=subset, name=system)["value"] == value
    counts = {"3": 9 * 8, "4": 5 * 4, "5": 10 * 4, "6": 9 * 4, "7": 5 * 2, "8": 4 * 6}
    assert figures.groupby("table").size().to_dict() == counts


@pytest.mark.parametrize("number", ["5", "7"])
def test_litsearch_prints_figures_of_its_table_3_again(number):
    """On titles and abstracts those of tables 5 and 7 are the same, so typed twice."""
    keys = ["name", "subset", "measure"]
    figures = published("litsearch")
    again = figures[
        (figures["table"] == number) & ~figures["subset"].str.contains("(", regex=False)
    ]
    both = again.merge(figures[figures["table"] == "3"], on=keys)
    assert len(both) == len(again) > 0 and both["value_x"].equals(both["value_y"])


def test_ndcg_is_litsearchs_own_on_its_questions_alone():
    """Other benchmarks' figures are a leaderboard's: the usual nDCG, under the same label."""
    table = published("litsearch").query("table == '8'")
    assert set(table["label"]) == {"nDCG@10"}
    measures = table.drop_duplicates("subset").set_index("subset")["measure"].to_dict()
    others = dict.fromkeys(["(MSMARCO)", "(SCIDOCS)", "(NQ)", "(ArXiv)"], "nDCG@10")
    own = dict.fromkeys(["broad", "specific"], "LitSearchNDCG@10")
    assert measures == others | own


def test_figures_of_doris_mae_as_its_paper_has_them():
    """ada-002's row of Table 11 with ±, and the random baseline of the test queries (Table 14)."""
    figures = published("doris-mae")
    table = figures[(figures["table"] == "11") & (figures["name"] == "ada-002")]
    assert table["measure"].tolist() == [str(m) for m in official_measures("doris-mae")]
    assert table["label"].tolist() == "R@5 R@20 RP NDCG%10 NDCGexp%10 MRR@10 MAP".split()
    assert table["value"].tolist() == [0.1538, 0.4284, 0.3581, 0.7248, 0.2746, 0.1988, 0.4037]
    assert table["std"].tolist() == [0.0195, 0.0253, 0.0267, 0.011, 0.0248, 0.0321, 0.0255]
    assert set(table["subset"]) == {""}
    test = row(figures, table="14", name="random", label="MAP")
    assert (test["subset"], test["measure"], test["value"]) == ("test", "DorisAP", 0.2069)
    assert isnan(test["std"])


def test_figures_of_rhsa_as_its_paper_has_them():
    """Not in percent: all 39 numbers of Tables 1 and 2 are as printed; the sets are subsets."""
    figures = published("rhsa")
    assert len(figures) == 3 * (4 + 9) and set(figures["subset"]) == {"100q", "1M"}
    assert figures["measure"].tolist() == ["AP", "rHSA", "rHSA"] * 13
    lda = figures[figures["name"] == "LDA T=2000"]
    assert lda["value"].tolist() == [0.306, 21.46, 17.21]
    assert lda["label"].tolist() == ["MAP(100q)", "rHSA(100q)", "rHSA(1M)"]
    assert set(published("rhsa/1M")["label"]) == {"rHSA(1M)"}


def test_figures_of_csfcube_as_their_sources_have_them():
    """Each row names its source; MAP is with relevance 2 and more."""
    best = row(published("csfcube"), name="otAspire", subset="with-query-paper", label="NDCG%20")
    assert (best["measure"], best["value"]) == ("NDCG%20", 0.6141)
    assert "average of runs" in best["paper"]
    specter = row(published("csfcube"), name="SPECTER", subset="result", label="MAP")
    assert (specter["measure"], specter["value"]) == ("AP(rel=2)", 0.3679)


def test_specters_figures_for_method_and_all_are_those_of_the_authors_script():
    """What the script prints of its SPECTER rankings on test, in fractions of 1."""
    printed = {
        "method": [0.1172, 0.1358, 0.4081, 0.3741, 0.6277],
        "all": [0.1829, 0.2397, 0.5014, 0.5328, 0.7330],
    }
    for facet, values in printed.items():
        rows = published(f"csfcube/{facet}").query("name == 'SPECTER' and label != 'MAP'")
        assert rows["label"].tolist() == ["R-Precision", "P@20", "R@20", "NDCG%20", "NDCG%100"]
        assert rows["value"].tolist() == values
        assert set(rows["paper"]) == {"the collection's script on its sample rankings"}


#: row of ASPIRE's model card -> MAP and NDCG%20 in percent, a word of what it is
ASPIRE_ROWS = {
    "aspire-biencoder-compsci-spec*": (37.90, 58.16, "average of three re-runs"),
    "aspire-biencoder-compsci-spec": (37.17, 57.91, "best single run, on the hub"),
    "aspire-biencoder-compsci-spec-full": (37.67, 59.26, "best single run, a zip"),
    "otAspire": (40.79, 61.41, "average of runs"),
}


@pytest.mark.parametrize("name", ASPIRE_ROWS)
def test_aspires_rows_are_those_of_its_model_cards(name):
    """Three rows of the bi-encoder and otAspire's: each source says what the figures are of."""
    precision, ndcg, described = ASPIRE_ROWS[name]
    rows = published("csfcube/all").query("name == @name").set_index("label")
    assert (100 * rows["value"]).round(2).to_dict() == {"MAP": precision, "NDCG%20": ndcg}
    assert all(described in source for source in rows["paper"])
    assert set(rows["subset"]) == {"with-query-paper"}  # the pools that ASPIRE's code ranks


def test_of_aspires_rows_the_single_models_of_the_hub_are_run():
    """An average has no model; the zip's scalar mix is applied by no encoder of ours."""
    named = systems("csfcube")
    table = named.table.set_index("name")
    released = "aspire-biencoder-compsci-spec"
    assert table.loc[released, "model"] == f"allenai/{released}"
    assert set(ASPIRE_ROWS) - {released} == set(ASPIRE_ROWS) & set(named.left_out)
    for name in (f"{released}*", "otAspire"):
        assert "average" in named.left_out[name] and name not in table.index
    full = named.left_out[f"{released}-full"]
    assert full.startswith("public") and "zip" in full and "scalar mix" in full


def test_specters_cells_are_those_of_the_collections_script(data):
    """Each label of the script's own output, in percent with two decimals."""
    printed = json.loads(data("csfcube", "reference-metrics.json").read_text())["facets"]
    script = {
        "R-Precision": "precision-at-full-recall (called R-Precision by the script)",
        "P@20": "P@20",
        "R@20": "R@20",
        "NDCG%20": "nDCG%20",
        "NDCG%100": "nDCG",
    }
    for facet, splits in printed.items():
        found = published(f"csfcube/{facet}").query("name == 'SPECTER' and label != 'MAP'")
        expected = {label: splits["test"][name] for label, name in script.items()}
        assert dict(zip(found["label"], found["value"])) == expected


@pytest.mark.parametrize(
    ("collection", "others"),
    [
        ("csfcube", set()),
        (
            "litsearch",
            {
                *("(search engines) inline/specific", "(search engines) author/specific"),
                *("(MSMARCO)", "(SCIDOCS)", "(NQ)", "(ArXiv)"),
            },
        ),
        ("doris-mae", {"(extended pools)"}),
    ],
)
def test_subsets_are_datasets(collection, others):
    """Each is the id of a dataset below the collection, but for settings of the papers' own."""
    subsets = set(published(collection)["subset"])
    ids = {s: f"{collection}/{s.split(' (')[0]}".rstrip("/") for s in subsets - others}
    assert others < subsets or not others
    assert {s for s, dataset in ids.items() if dataset not in ir_datasets.registry} == set()


def test_a_subset_has_its_own_rows_and_those_below_it():
    """By id, as PyTerrier's object or as ir_datasets' own."""
    assert set(published("litsearch/author")["subset"]) == {
        *("author/broad", "author/specific", "author/quality-1", "author/quality-2")
    }
    assert set(published("litsearch/full-text")["table"]) == {"5"}
    method = published("csfcube/method")
    assert set(method["subset"]) == {"method"} and set(method["name"]) == {"SPECTER", "SciFACE"}
    for dataset in (pt.get_dataset("irds:csfcube/method"), ir_datasets.load("csfcube/method")):
        assert published(dataset).equals(method)


@pytest.mark.parametrize(
    ("dataset", "message"),
    [
        ("doris-mae/dev", "doris-mae/dev has no published figures.* one of: doris-mae, .*test"),
        ("vaswani", "Choose one of: csfcube, doris-mae, litsearch, rhsa"),
        ("litsaerch", "Did you mean 'litsearch'"),
        (7, "7 has no published figures"),
    ],
)
def test_what_is_not_published_is_told(dataset, message):
    """With what is."""
    with pytest.raises(ValueError, match=message):
        published(dataset)
