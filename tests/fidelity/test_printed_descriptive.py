"""Printed tables that describe a collection: typed as printed, so what is known twice agrees."""

import pytest

from pyterrier_scholarly import protocols, statistics, systems
from pyterrier_scholarly.evaluation import printed_tables

TABLES = [c for c, one in protocols.PROTOCOLS.items() if (one.folder / "tables").is_dir()]

#: a table's heading -> the column of `statistics`, and its printed decimals
COLUMNS = {"#Q": ("questions", 0), "Avg. Len": ("words", 1), "Avg. L": ("words", 1)}
COLUMNS |= {"Avg. #P": ("papers", 2)}


@pytest.mark.parametrize("collection", TABLES)
def test_every_table_has_headings_and_rows(collection):
    """No heading is empty or there twice, and no row is empty."""
    for number, table in printed_tables(collection).items():
        assert len(table) and not table.isna().all(axis=1).any(), number
        assert not any("Unnamed" in name or name.endswith(".1") for name in table), number


def test_numbers_are_in_the_papers_order():
    """Section 2.5 stands behind table 2, words behind all numbers; a part has its collection's."""
    expected = ["1", "2", "2.5", "3.2", "9", "14", "figure-3", "selection"]
    assert list(printed_tables("litsearch")) == expected
    assert list(printed_tables("irds:litsearch/inline")) == expected
    assert list(printed_tables("doris-mae")) == ["9", "10", "A.3", "C.6", "text"]


@pytest.mark.parametrize(("number", "name"), [("2", "questions"), ("14", "sets")])
def test_litsearchs_questions_are_as_printed(real_home, number, name):
    """Of tables 2 and 14 the numbers, words and papers are those of the released questions."""
    printed, own = printed_tables("litsearch")[number], statistics("litsearch")[name]
    for specificity in ("Broad", "Specific"):
        rows = own[own["specificity"] == specificity.lower()]
        for heading, (column, decimals) in COLUMNS.items():
            if f"{specificity} {heading}" in printed:
                rounded = [float(f"{value:.{decimals}f}") for value in rows[column]]
                assert printed[f"{specificity} {heading}"].tolist() == rounded
    parts = printed["Broad #Q"] + printed["Specific #Q"]
    assert parts.tolist() == printed["Total #Q"].tolist() and parts.sum() == 597


def test_litsearchs_papers_add_up():
    """Section 2.5: those of both venues, less those common to both, are the 64,183."""
    papers = printed_tables("litsearch")["2.5"].set_index("papers")
    every, acl, iclr, both = papers["number"]
    assert every == acl + iclr - both == 64_183
    assert papers.loc["all"].tolist() == [64_183, 134, 6041]


def test_litsearchs_checkpoints_are_those_that_are_run():
    """Table 9: the retrievers' names and places on the hub, as in the table of systems."""
    table = systems("litsearch").table.drop_duplicates("name").set_index("name")["model"]
    for retriever, checkpoint in printed_tables("litsearch")["9"].itertuples(index=False):
        assert table[retriever] == checkpoint


def test_litsearchs_rubric_has_two_specificities_and_three_qualities():
    """Table 1, with an example for each specificity alone."""
    rubric = printed_tables("litsearch")["1"]
    assert rubric["name"].tolist() == ["Broad", "Specific", "Discarded", "Acceptable", "Good"]
    assert rubric["example"].notna().tolist() == [True, True, False, False, False]


@pytest.mark.parametrize("dataset", ["vaswani", "..", 7])
def test_what_has_no_tables_is_told(dataset):
    """With what has."""
    with pytest.raises(ValueError, match=f"^{dataset} has no printed tables. .* litsearch"):
        printed_tables(dataset)


def test_doris_maes_types_make_up_all_queries():
    """Table 9: 20 queries a type. The variance of all is the types' mean one, and their means'."""
    table = printed_tables("doris-mae")["9"].query("of == 'Query'").set_index("type")
    types, every = table.drop("All"), table.loc["All"]
    assert f"{types['Mean'].mean():.2f}" == f"{every['Mean']:.2f}"
    variance = (types["Std"] ** 2).mean() + types["Mean"].var(ddof=0)  # of populations, not samples
    assert f"{variance**0.5:.2f}" == f"{every['Std']:.2f}"


@pytest.mark.parametrize(("number", "name"), [("9", "relevant"), ("10", "scores")])
def test_doris_maes_queries_at_hand_are_within_the_printed_ones(real_home, number, name):
    """Pools at hand are parts of the released ones: nothing exceeds the printed extremes of all."""
    printed = printed_tables("doris-mae")[number].query("type == 'All' and of == 'Query'").iloc[0]
    own = statistics("doris-mae")[name].iloc[-1]
    assert own["query_type"] == "all" and own["min"] == printed["Min"] == 0
    assert 0 < own["max"] <= printed["Max"] + 0.0005
    for _, rows in printed_tables("doris-mae")[number].set_index("type").groupby("of"):
        assert rows.loc["All", "Max"] == rows["Max"].max()
        assert rows["Mean"].min() < rows.loc["All", "Mean"] < rows["Mean"].max()
