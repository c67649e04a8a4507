"""The tables that describe the collections, against what the papers print of them."""

import csv
import json
from collections import Counter
from math import sqrt
from types import SimpleNamespace

import ir_datasets
import pytest
from ir_datasets.formats import GenericScoredDoc, TrecQrel
from pyarrow import parquet

from ir_datasets_ext.doris_mae_queries import DorisMaeQuery
from pyterrier_scholarly import statistics

FACETS = ["background", "method", "result"]


def columns(table, *names):
    """Columns of a frame as a list of rows."""
    return table[list(names)].to_numpy().tolist()


def test_csfcubes_cited_papers_are_mostly_rated_0_or_1(real_home):
    """Appendix D: 79, 88 and 86 % (cut, not rounded), of the release's rows.

    Counted in its files, read as plain JSON: candidates with "cited" in `cand_source`.
    """
    cited = statistics("csfcube")["cited"]
    assert columns(cited, "facet", "cited") == [
        ["background", 271],
        ["method", 339],
        ["result", 358],
    ]
    assert (cited["0"] + cited["1"]).tolist() == [216, 301, 310]
    assert cited["0 or 1"].tolist() == [216 / 271, 301 / 339, 310 / 358]
    assert [int(100 * share) for share in cited["0 or 1"]] == [79, 88, 86]


def test_csfcubes_pools_and_grades(real_home):
    """16, 17 and 17 queries, 6,244 judged pairs, pools of 88 to 253 papers.

    Grades as they are counted in `relevance_adju` of the release's files, read as plain JSON.
    """
    pools = statistics("csfcube")["pools"]
    assert columns(pools, "facet", "queries") == [
        ["background", 16],
        ["method", 17],
        ["result", 17],
    ]
    assert pools["candidates"].sum() == 6244
    assert (pools["smallest"].min(), pools["largest"].max()) == (88, 253)
    assert pools["mean"].tolist() == pytest.approx([1877 / 16, 2174 / 17, 2193 / 17])
    assert columns(pools, "0", "1", "2", "3") == [
        [1072, 585, 182, 38],
        [1683, 375, 101, 15],
        [1645, 388, 129, 31],
    ]


def test_csfcubes_types_and_years_of_query_papers(data, real_home):
    """Queries as queries-release.csv has them, candidates as the annotation files do."""
    with data("csfcube", "queries-release.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    pools = {
        (facet, paper): len(columns["cands"])
        for facet in FACETS
        for paper, columns in json.loads(
            data("csfcube", f"test-pid2anns-csfcube-{facet}.json").read_text()
        ).items()
    }
    tables = statistics("csfcube")
    for table, field in (("paper_type", "paper type"), ("paper_year", "year")):
        queries, candidates = Counter(), Counter()
        for row in rows:
            queries[row[field]] += 1
            candidates[row[field]] += pools[row["facet"], row["pid"]]
        found = tables[table].astype({table: str})
        assert columns(found, table, "queries", "candidates") == [
            [value, queries[value], candidates[value]] for value in sorted(queries)
        ]
        assert found[["0", "1", "2", "3"]].to_numpy().sum() == 6244


def test_csfcubes_facets_of_one_paper(real_home):
    """How candidates were rated for two facets of one paper, cell by cell (rows: the first's).

    Counted in `relevance_adju` of the release's test-pid2anns files, read as plain JSON, over the
    papers that both facets have.
    """
    table = statistics("csfcube")["facets"]
    found = {
        pair: columns(rows, "0", "1", "2", "3") for pair, rows in table.groupby(["facet", "other"])
    }
    assert found == {
        ("background", "method"): [[229, 36, 8, 0], [127, 38, 15, 2], [36, 12, 8, 0], [5, 3, 1, 0]],
        ("background", "result"): [[234, 18, 8, 0], [96, 65, 12, 1], [15, 27, 10, 4], [3, 7, 5, 3]],
        ("method", "result"): [[512, 57, 14, 0], [72, 50, 18, 2], [11, 11, 6, 1], [1, 1, 2, 3]],
    }
    assert table["grade"].tolist() == [0, 1, 2, 3] * 3


@pytest.mark.parametrize("below", ["method", "method/fold1/test", "all", "all/fold2/dev"])
def test_a_facet_or_split_has_its_own_rows(below):
    """The embedded collection: the facets that are in it, and as many pairs as it has ratings."""
    dataset = ir_datasets.load(f"scholarly-mini/{below}")
    tables = statistics(f"irds:scholarly-mini/{below}")
    expected = ["method"] if below.startswith("method") else FACETS
    for table in (tables["cited"], tables["pools"]):
        assert table["facet"].tolist() == expected
    assert len(tables["facets"]) == 4 * len(expected) * (len(expected) - 1) // 2
    ratings = list(dataset.ratings_iter())
    assert tables["pools"]["candidates"].sum() == len(ratings)
    grades = Counter(rating.relevance for rating in ratings)
    assert tables["pools"][["0", "1", "2", "3"]].sum().tolist() == [grades[g] for g in range(4)]


def test_litsearchs_questions_are_those_of_its_table_2(real_home):
    """Questions, words and gold papers to the printed decimals; the overlap over those at hand.

    The overlap is computed from the files at hand with pyarrow and sets of words alone, as are the
    counts of the filter below.
    """
    table = statistics("litsearch")["questions"]
    assert columns(table, "source", "specificity", "questions") == [
        ["inline", "broad", 120],
        ["inline", "specific", 231],
        ["author", "broad", 35],
        ["author", "specific", 211],
    ]
    assert [f"{words:.1f}" for words in table["words"]] == ["20.6", "22.1", "15.8", "17.9"]
    assert [f"{papers:.2f}" for papers in table["papers"]] == ["1.21", "1.07", "1.03", "1.00"]
    assert table["overlap_questions"].sum() == 482
    assert [round(overlap, 3) for overlap in table["overlap"]] == [0.341, 0.350, 0.422, 0.431]


def test_litsearchs_sets_are_those_of_its_table_14(real_home):
    """Questions and words of the four sets, broad and specific, to the printed decimals."""
    table = statistics("litsearch")["sets"]
    assert table["set"].unique().tolist() == [
        "inline-acl",
        "inline-nonacl",
        "author-acl2023",
        "author-iclr2024",
    ]
    assert table["questions"].tolist() == [32, 66, 88, 165, 25, 130, 10, 81]
    printed = [24.78, 26.00, 19.08, 20.55, 14.48, 18.06, 19.00, 17.57]
    assert [round(words, 2) for words in table["words"]] == printed


def test_a_subset_of_litsearch_has_its_own_row(real_home):
    """One row, the same as in the whole."""
    whole = statistics("litsearch")["questions"].query("source == 'author'").reset_index(drop=True)
    assert statistics("litsearch/author")["questions"].equals(whole)


def test_litsearchs_filter_left_few_over_its_limits(real_home):
    """Of the questions whose papers are at hand: 0 of 77 over .3, 3 of 210 over .1."""
    table = statistics("litsearch")["filter"]
    assert columns(table, "set", "limit", "questions", "above") == [
        ["inline-acl", 0.3, 77, 0],
        ["inline-nonacl", 0.1, 210, 3],
    ]
    assert statistics("litsearch/author")["filter"]["questions"].tolist() == [0, 0]


def test_litsearchs_papers_are_those_of_its_files(data, real_home):
    """Papers and words as pyarrow reads them; there are no full texts at hand, which is said."""
    files = sorted(data("litsearch", "corpus_clean").iterdir())
    rows = [row for file in files for row in parquet.read_table(file).to_pylist()]
    words = [len(row["title"].split()) + len((row["abstract"] or "").split()) for row in rows]
    (own,) = statistics("litsearch/author")["corpus"].to_dict("records")
    assert own == {
        "text": "titles and abstracts",
        "papers": sum(count > 0 for count in words),
        "words": pytest.approx(sum(words) / sum(count > 0 for count in words)),
    }
    with pytest.raises(ValueError, match="full_paper: expected a value in some of 459 documents"):
        statistics("litsearch/full-text")


def test_full_texts_are_counted(made_litsearch):
    """Twelve papers of two words of title and four of abstract; full texts have six."""
    made_litsearch(12)
    full = statistics("litsearch/full-text")["corpus"].set_index("text")
    assert full["papers"].to_dict() == {"titles and abstracts": 12, "full texts": 12}
    assert full["words"].to_dict() == {"titles and abstracts": 6, "full texts": 6}


def test_doris_maes_queries_are_as_its_appendix_says(real_home):
    """100 queries with 3 to 9 aspects, of 0 to 6 sub-aspects each; 40 of them have a pool here."""
    table = statistics("doris-mae")["queries"].set_index(["quantity", "query_type"])
    assert table.loc[("aspects", "all"), ["count", "min", "max"]].tolist() == [100, 3, 9]
    per_aspect = table.loc[("sub_aspects_of_an_aspect", "all")]
    assert per_aspect[["min", "max"]].tolist() == [0, 6]
    assert per_aspect["count"] == 100 * table.loc[("aspects", "all"), "mean"]
    pool = table.loc[("pool", "all")]
    assert (pool["count"], pool["count"] * pool["mean"]) == (40, 3129)
    relevant = statistics("doris-mae")["relevant"].set_index("query_type")
    assert relevant.loc["all", ["count", "min"]].tolist() == [40, 0]


class Handmade:
    """Two queries of other types, one with a pool of three abstracts, the last too long."""

    dataset_id = staticmethod(lambda: "doris-mae/handmade")
    queries_cls = staticmethod(lambda: DorisMaeQuery)

    def irds_ref(self):
        """As PyTerrier's datasets have it."""
        return self

    def queries_iter(self):
        """|Q| = 3 and 1."""
        yield DorisMaeQuery("0", "some words here", "ML", "AB", "12", "a", "3", (1,))
        yield DorisMaeQuery("1", "one", "CV", "A", "1", "", "", ())

    def qrels_iter(self):
        """Totals 2, 4 and 6."""
        for doc_id, total, size in (("x", 2, "3"), ("y", 4, "3"), ("z", 6, "-3")):
            yield TrecQrel("0", doc_id, total, size)

    def scoreddocs_iter(self):
        """The pool."""
        yield from (GenericScoredDoc("0", doc_id, 0.0) for doc_id in "xyz")

    def docs_store(self):
        """Abstracts of one, two and three words."""
        docs = {d: SimpleNamespace(text=f"{d} " * n) for n, d in enumerate("xyz", 1)}
        return SimpleNamespace(get_many_iter=lambda ids: [docs[doc_id] for doc_id in ids])


def _with(name, table):
    """The table with a first column `quantity`."""
    return table if "quantity" in table else table.assign(quantity=name)[["quantity", *table]]


def test_doris_maes_tables_by_hand():
    """By type of query and for all: number, least, greatest, mean and deviation."""
    found = statistics(Handmade())
    rows = {
        (quantity, kind): tuple(rest)
        for name, table in found.items()
        for quantity, kind, *rest in _with(name, table).to_numpy().tolist()
    }
    assert list(found) == ["queries", "relevant", "scores", "abstracts"]
    assert rows["words", "all"] == (3, 1, 3, 2, pytest.approx(sqrt(2 / 3)))  # of the abstracts
    assert rows["aspects", "ML"] == (1, 2, 2, 2, 0) and rows["aspects", "CV"] == (1, 1, 1, 1, 0)
    assert rows["aspects", "all"] == (2, 1, 2, 1.5, 0.5)
    assert rows["sub_aspects", "all"] == (2, 0, 1, 0.5, 0.5)
    assert rows["sub_aspects_of_an_aspect", "ML"] == (2, 0, 1, 0.5, 0.5)
    assert rows["pool", "all"] == (1, 3, 3, 3, 0)
    assert rows["relevant", "ML"] == (1, 1, 1, 1, 0)  # y: x is below |Q|, z never counts
    scores = rows["scores", "ML"]
    assert scores[:4] == pytest.approx((3, 2 / 3, 6 / 3, (2 / 3 + 4 / 3 + 6 / 3) / 3))


def test_doris_maes_scores_and_lengths(real_home):
    """Over the dev queries: a score for each judged pair, and each abstract's length once."""
    tables = statistics("doris-mae/dev")
    table = tables["abstracts"].set_index("quantity")
    qrels = list(ir_datasets.load("doris-mae/dev").qrels_iter())
    scores = [qrel.relevance / abs(int(qrel.iteration)) for qrel in qrels]
    found = tables["scores"].set_index("query_type").loc["all"]
    assert (found["count"], found["min"], found["max"]) == (3129, min(scores), max(scores))
    assert found["mean"] == pytest.approx(sum(scores) / len(scores))
    docs = {doc.doc_id: len(doc.text.split()) for doc in ir_datasets.load("doris-mae").docs_iter()}
    pooled = [docs[doc_id] for doc_id in {qrel.doc_id for qrel in qrels}]
    assert table.loc["words", "count"] == len(pooled)
    assert table.loc["words", "mean"] == pytest.approx(sum(pooled) / len(pooled))


def test_single_aspects_have_no_such_tables(real_home):
    """Single aspects and unknown collections have no statistics: the error names others."""
    with pytest.raises(ValueError, match=r"doris-mae/aspects are single aspects.*doris-mae/dev"):
        statistics("doris-mae/aspects")
    with pytest.raises(ValueError, match=r"vaswani has no statistics. Choose one of: csfcube"):
        statistics("vaswani")
