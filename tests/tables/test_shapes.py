"""Which tables there are, their columns, and which queries each column is over."""

import ir_datasets
import pytest

from pyterrier_scholarly import published
from pyterrier_scholarly.datasets import irds
from pyterrier_scholarly.protocols import protocol_of
from pyterrier_scholarly.tables.shape import find_shape, list_tables


def sizes(shape):
    """Subset -> number of queries present, and in the papers."""
    present = shape.groups.groupby("subset")["qid"].nunique()
    return {
        column.subset: (present.get(column.subset, 0), column.of)
        for column in shape.columns.itertuples()
    }


def test_facets_have_each_measure_over_two_folds():
    """Of a collection of facets: four subsets times the papers' six measures, in two test parts.

    Section 5 of the CSFCube paper reports the first four, its appendix F the fifth, ASPIRE MAP.
    """
    shape = find_shape("scholarly-mini")
    assert (shape.run, shape.printed) == ("scholarly-mini/all", None)
    labels = ["R-Precision", "P@20", "R@20", "NDCG%20", "NDCG%100", "MAP"]
    facets = ["background", "method", "result", "all"]
    assert shape.columns[["subset", "label"]].values.tolist() == [
        [facet, label] for facet in facets for label in labels
    ]
    assert sizes(shape) == {
        "background": (6, 6),
        "method": (5, 5),
        "result": (5, 5),
        "all": (16,) * 2,
    }
    assert shape.groups.groupby("subset")["part"].nunique().eq(2).all()
    assert not shape.groups.duplicated(["subset", "qid"]).any()


def test_a_facet_alone_keeps_its_own_ids():
    """`…/method` is one subset, whose ids are papers; a fold of it has no folds."""
    shape = find_shape("irds:scholarly-mini/method")
    own = {query.query_id for query in irds("scholarly-mini/method").queries_iter()}
    assert set(shape.groups["qid"]) == own
    fold = find_shape("scholarly-mini/method/fold1/test")
    assert fold.groups["part"].nunique() == 1


def test_csfcube_has_its_printed_rows(csfcube_home):
    """All printed figures stand in a column over the fifty queries."""
    shape = find_shape("csfcube")
    columns = set(zip(shape.columns["subset"], shape.columns["measure"]))
    assert set(zip(shape.printed["subset"], shape.printed["measure"])) <= columns
    assert len(shape.printed) == len(published("csfcube")) > 0
    assert sizes(shape) == {
        "background": (16,) * 2,
        "method": (17,) * 2,
        "result": (17,) * 2,
        "all": (50,) * 2,
    }


@pytest.mark.parametrize(
    ("dataset", "tables"),
    [
        ("litsearch", ["3", "4", "5", "6", "7", "8"]),
        ("litsearch/inline", ["3", "4", "5", "7"]),
        ("litsearch/full-text", ["5"]),
        ("doris-mae", ["11", "12", "13", "14"]),  # no sub-queries in the files at hand
        ("doris-mae/dev", ["11", "12", "13"]),
        ("doris-mae/test", ["14"]),
        ("doris-mae/subqueries-3", []),
    ],
)
def test_tables_over_queries_of_a_dataset(real_home, dataset, tables):
    """A dataset has the tables with a column over its queries."""
    assert list_tables(dataset) == tables


def test_litsearchs_main_table(real_home):
    """Table 3 has eight columns, over the sizes of the paper's Table 2, run once."""
    shape = find_shape("litsearch", 3)
    assert shape.run == "litsearch"
    assert list(zip(shape.columns["subset"], shape.columns["label"])) == [
        ("inline/broad", "R@20"),
        ("inline/specific", "R@5"),
        ("inline/specific", "R@20"),
        ("author/broad", "R@20"),
        ("author/specific", "R@5"),
        ("author/specific", "R@20"),
        ("broad", "R@20"),
        ("specific", "R@5"),
    ]
    counts = [120, 231, 231, 35, 211, 211, 155, 442]
    assert shape.columns["of"].tolist() == counts
    assert [sizes(shape)[subset][0] for subset in shape.columns["subset"]] == counts


def test_a_table_is_over_the_datasets_that_are_at_hand(real_home):
    """Tables 4, 7 and 8 have both specificities, without search engines and other benchmarks."""
    columns = {number: find_shape("litsearch", number).columns for number in (4, 5, 7, 8)}
    inline_1, inline_2, author_1, author_2 = columns[4]["of"]
    assert (inline_1 + inline_2, author_1 + author_2) == (351, 246)  # the totals of table 2
    assert columns[5]["subset"].str.startswith("full-text (").all()
    assert columns[7]["subset"].tolist() == ["inline/specific", "author/specific"]
    assert columns[8]["subset"].tolist() == ["broad", "specific"]


def test_other_texts_are_run_as_such(real_home):
    """Full texts and concatenated aspects are datasets of their own, with the same ids."""
    assert find_shape("litsearch", "5").run == "litsearch/full-text"
    assert find_shape("doris-mae", 13).run == "doris-mae/aspect-queries"
    shape = find_shape("doris-mae/dev", 13)
    assert (shape.run, sizes(shape)) == (
        "doris-mae/aspect-queries/dev",
        {"aspect-queries": (40, 100)},
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("litsearch", 99), "Unknown table '99' of litsearch. Choose one of: 3, 4, 5, 6, 7, 8"),
        (("litsearch", 35), "of litsearch. Choose one of"),  # no 'did you mean' of numbers
        (("litsearch", 9), r"Table 9 .* of systems: printed_tables\('litsearch'\)\['9'\] has"),
        (("litsearch", 12), r"Table 12 of LitSearch cannot be made. .*QUESTIONS\['litsearch'\]"),
        (("csfcube", 3), "Table 3 of CSFCube cannot be made. .* not in our copy of it"),
        (("csfcube", "F"), "Table F of CSFCube cannot be made. .* not in our copy of it"),
        (
            ("doris-mae", 15),
            "15 of DORIS-MAE is over doris-mae/subqueries-2, without queries in the files",
        ),
        (("doris-mae/subqueries-2", 12), "12 of DORIS-MAE is over doris-mae, .* Pass 'doris-mae'"),
        (("doris-mae/dev", 14), "14 of DORIS-MAE is over doris-mae/test, .* 'doris-mae/test'"),
        (("doris-mae", 16), "over queries or candidates that were not published"),
        (("litsearch/inline", 6), "Pass 'litsearch' as dataset"),
        (("scholarly-mini", 3), "one without a number"),
        (("no-such",), "Unknown dataset"),
    ],
)
def test_what_there_is_no_table_of(real_home, arguments, said):
    """An error lists the known tables."""
    with pytest.raises(ValueError, match=said):
        find_shape(*arguments)


@pytest.mark.parametrize("collection", ["csfcube", "litsearch", "doris-mae"])
def test_a_printed_subset_is_a_dataset_or_says_what_it_is(collection):
    """Every subset's queries are a dataset's or unpublished; a name with ( is never an id."""
    protocol = protocol_of(collection)
    for name in published(collection)["subset"].unique():
        subset = protocol.find_subset(name)
        assert (subset.queries is None) == name.startswith("("), name
        assert bool(subset.texts) == (" (" in name), name
        for below in (subset.queries, subset.texts):
            if below is not None:
                assert f"{collection}/{below}".rstrip("/") in ir_datasets.registry
