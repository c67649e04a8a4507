"""What papers, releases and their code say of systems and tables, typed in our own words."""

from collections import Counter

import ir_datasets
import pytest

from pyterrier_scholarly import published, systems
from pyterrier_scholarly.evaluation import printed_tables
from pyterrier_scholarly.protocols import ERROR_TYPES, PROTOCOLS


def values(collection, table):
    """Return the column `value` of a printed table, by its column `quantity`."""
    frame = printed_tables(collection)[table]
    assert frame["source"].notna().all() and frame["quantity"].is_unique
    return frame.set_index("quantity")["value"].to_dict()


def test_csfcubes_pilot_on_full_texts():
    """One expert, nine abstracts, 45 pairs: ρ .78, α .77, κ .63, 73 % equal; 5 minutes, 15 s."""
    assert values("csfcube", "pilot") == {
        "annotators": 1,
        "query papers": 9,
        "query papers of each facet": 3,
        "candidates of each query paper": 5,
        "pairs": 45,
        "Spearman's ρ": 0.78,
        "Krippendorff's α": 0.77,
        "Cohen's κ": 0.63,
        "percent of equal grades": 73,
        "minutes for a pair by full texts": 5,
        "seconds for a pair by abstracts": 15,
    }


def test_csfcube_beside_neves_and_solvent():
    """Eight papers with 70 to 90 candidates of biomedicine; 50 papers of social computing."""
    rows = printed_tables("csfcube")["comparisons"].set_index("dataset")
    neves, solvent = rows.loc["Neves 2019"], rows.loc["SOLVENT [Chan et al. 2018]"]
    assert (neves["query papers"], neves["candidates of each"]) == ("8", "70 to 90")
    assert (neves["domain"], neves["alike in"]) == ("biomedicine", "the papers' research goal")
    assert (solvent["query papers"], solvent["candidates of each"]) == ("50", "the 49 others")
    assert (solvent["domain"], solvent["alike in"]) == ("social computing", "purpose or mechanism")


def test_how_csfcubes_papers_were_selected(csfcube_home):
    """What the paper says of its queries is true of the release: years, facets of a paper."""
    printed = values("csfcube", "selection")
    queries = list(ir_datasets.load("csfcube/all").queries_iter())
    facets = Counter(Counter(query.paper_id for query in queries).values())
    years = [query.paper_year for query in queries if query.paper_year]
    assert len(queries) == int(printed["pairs of a paper and a facet"]) == 50
    assert facets[2] == int(printed["papers with two facets"]) == 16
    assert facets[1] == int(printed["papers with one facet"]) == 18
    assert int(printed["first year"]) <= min(years) and max(years) <= int(printed["last year"])
    assert (printed["first year"], printed["last year"]) == ("1995", "2019")
    assert printed["papers drawn at random over the period"] == "100"
    assert printed["drawn of each method for these"] == "33"


def test_litsearchs_figure_3_has_the_points_of_its_table_3():
    """At 5 and 20, typed again; what else the curves show was not read."""
    points = printed_tables("litsearch")["figure-3"]
    table = published("litsearch").query("table == '3'")
    for point in points.to_dict("records"):
        place = {
            "name": point["system"],
            "subset": f"{point['source']}/{point['specificity']}",
            "label": f"R@{point['k']}",
        }
        row = table
        for column, value in place.items():
            row = row[row[column] == value]
        assert (100 * row["value"]).round(1).tolist() == [point["recall"]], place
    assert set(points["k"]) == {5, 20} and set(points["read from"]) == {"Table 3"}
    assert points["system"].nunique() == 4 and len(points) == 4 * 6


def test_doris_maes_second_pools():
    """C.6: 4 % less relevant on average, but for 30 % of the queries more relevant, by 12 %."""
    printed = printed_tables("doris-mae")["C.6"]
    assert printed.query("unit == 'percent'")["value"].tolist() == [4, 30, 12]
    assert printed.query("unit == 'abstracts'")["value"].tolist() == [150, 75, 75]


def test_doris_maes_development_pairs_are_in_the_authors_codebase():
    """A.3: 90 pairs of two annotators, outside of the release; 250 test pairs of three in it."""
    printed = printed_tables("doris-mae")["A.3"].set_index("quantity")
    assert printed.loc["development pairs", "value"] == 90
    assert printed.loc["development pairs", "where"] == "the authors' codebase; not in the release"
    assert printed.loc["annotators of the development pairs", "value"] == 2
    assert printed.loc[["test pairs", "annotators of the test pairs"], "value"].tolist() == [250, 3]


def test_doris_mae_names_three_types_of_a_judges_errors():
    """B.4: definition, inference and key component, the last the most common."""
    types = ERROR_TYPES["doris-mae"].types
    assert list(types) == ["Definition", "Inference", "Key component"]
    assert [name for name, meaning in types.items() if "most often" in meaning] == ["Key component"]


def test_rhsas_log_has_the_printed_counts():
    """23 million downloads, 3,898,994 pairs, 90,395 documents, 36,338 words of which 16,448."""
    printed = values("rhsa", "log")
    assert printed["downloads"] == "23 million"
    counts = {
        "pairs of consecutive downloads": 3_898_994,
        "documents of these pairs": 90_395,
        "words of the vocabulary": 36_338,
        "words of it that occur in the documents": 16_448,
        "queries of the set 100q": 100,
    }
    assert {name: int(printed[name]) for name in counts} == counts
    ranked = int(printed["documents that are ranked (no query among them)"])
    assert ranked == 90_395 - 100 == 90_295


@pytest.mark.parametrize("number", ["1", "2", "3", "F"])
def test_csfcubes_unread_tables_are_told(number):
    """They are printed in the paper, and not in the copy that was read."""
    table = PROTOCOLS["csfcube"].other_tables[number]
    assert not table.was_read and "not in our copy" in table.text


@pytest.mark.parametrize(("number", "name"), [("12", "QUESTIONS"), ("13", "LISTWISE")])
def test_litsearchs_prompts_are_where_its_tables_are_said_to_be(number, name):
    """Tables 12 and 13 hold prompts, which are data here."""
    table = PROTOCOLS["litsearch"].other_tables[number]
    assert table.was_read and f"{name}['litsearch']" in table.text


def test_the_precision_of_litsearchs_released_code_is_told():
    """E5 encodes papers in bfloat16, GritLM in its checkpoint's type; ours is fp32."""
    notes = systems("litsearch").table.drop_duplicates("key").set_index("key")["note"]
    for key, said in (
        ("e5_large_v2", "encodes papers in bfloat16, and questions in fp32"),
        ("gritlm_7b", "the type of the checkpoint"),
    ):
        for note in (notes[key], notes[f"{key}_full"]):
            assert said in note and "fp32 here" in note


def test_gritlms_length_is_the_papers_and_the_codes_is_told():
    """2,048 tokens by footnote 6; the released code passes no length, and the default is 512."""
    rows = systems("litsearch").table.set_index("key").loc[["gritlm_7b", "gritlm_7b_full"]]
    assert set(rows["max_length"]) == {2048}
    for text in (*rows["note"], PROTOCOLS["litsearch"].remarks["5"]):
        assert "2,048" in text and "no length" in text and "512" in text
