"""Tables of datasets that no paper prints figures of: collections of one's own, and others'."""

import ir_datasets
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly import LSA, BM25Retriever, Pool, reproduce
from pyterrier_scholarly.collect import write_collection
from pyterrier_scholarly.entries import Entries

WORDS = "tree graph proof query rank index paper title model data word text".split()
ABOUT = {"description": "D", "licence": "CC0"}


def documents():
    """Twelve documents; each has a word of its own, three times, and the next one's once."""
    pairs = zip(WORDS, [*WORDS[1:], WORDS[0]])
    return [
        {"doc_id": f"d{number}", "title": own, "text": f"{own} {own} and {following}."}
        for number, (own, following) in enumerate(pairs)
    ]


def queries(count=5):
    """The first documents' words as queries."""
    return [{"query_id": f"q{number}", "query": WORDS[number]} for number in range(count)]


def judgements(count=4):
    """A document with the query's word thrice is of grade 2, one with it once of grade 1."""
    rows = []
    for number in range(count):
        rows.append({"query_id": f"q{number}", "doc_id": f"d{number}", "relevance": 2})
        before = f"d{(number - 1) % len(WORDS)}"
        rows.append({"query_id": f"q{number}", "doc_id": before, "relevance": 1})
    return rows


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A collection of one's own, with five queries of which four are judged, and no pools."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path))
    write_collection("lab60", documents(), queries=queries(), qrels=judgements(), **ABOUT)
    return "made/lab60"


@pytest.fixture
def theirs(tmp_path):
    """A dataset of ir_datasets' own classes: documents without titles, queries with `text`."""
    files = {
        "docs": [f"{doc['doc_id']}\t{doc['text']}\n" for doc in documents()],
        "queries": [f"{query['query_id']}\t{query['query']}\n" for query in queries()],
        "qrels": [f"{r['query_id']} 0 {r['doc_id']} {r['relevance']}\n" for r in judgements()],
    }
    for name, lines in files.items():
        (tmp_path / name).write_text("".join(lines))
    dataset = ir_datasets.create_dataset(
        docs_tsv=str(tmp_path / "docs"),
        queries_tsv=str(tmp_path / "queries"),
        qrels_trec=str(tmp_path / "qrels"),
    )
    name = f"test-lines-{tmp_path.name}"
    ir_datasets.registry.register(name, dataset)
    assert dataset.docs_store().get("d0").text  # which builds the store
    yield name
    del ir_datasets.registry._registered[name]


def test_a_collection_of_ones_own(own):
    """BM25 ranks the document with most of the query's word first, and the other one second.

    So the measures are 1 over the four judged queries; a column for each measure, as it is written.
    """
    table = reproduce(own, ["bm25"], measures=["nDCG@10", "AP(rel=2)", "NDCG(discount='log2')@2"])
    assert list(table.frame) == [
        *("name", "source", "nDCG@10", "AP(rel=2)", "NDCG(discount='log2')@2")
    ]
    assert table.frame.iloc[0, 2:].tolist() == [1, 1, 1]
    assert set(table.figures["queries"]) == set(table.figures["of"]) == {4}
    assert table.title == own
    assert not [remark for remark in table.remarks if "printed" in remark.lower()]


def test_default_measures(own):
    """Without measures: nDCG@10, AP and R@100, which the page says too."""
    table = reproduce(own, ["bm25"])
    assert table.columns["label"].tolist() == ["nDCG@10", "AP", "R@100"]
    assert reproduce(own, ["bm25"], measures="R@5").columns["label"].tolist() == ["R@5"]


def test_official_measures_are_the_default():
    """A dataset of ours without a printed table has those of its documentation."""
    run = pt.get_dataset("irds:scholarly-mini/all").get_results()
    table = reproduce("scholarly-mini/all", {"run": run})
    assert "NDCG%20" in table.columns["label"].tolist()


def test_groups_of_one_name_are_one(own):
    """Groups that differ by blanks alone have columns together, over the queries of both."""
    names = iter(["broad", "broad ", "broad", "narrow", "broad"])
    table = reproduce(own, ["bm25"], measures=["R@1"], by=lambda query: next(names))
    counts = dict(zip(table.columns["subset"], table.columns["of"]))
    assert list(counts) == ["broad", "narrow", "all"]
    assert counts["broad"] + counts["narrow"] == counts["all"] == 4


def test_models_baseline_tests_and_files(own, tmp_path):
    """Models of one's own, a baseline, corrected tests, ±, and all three forms of output."""
    table = reproduce(
        own,
        ["bm25", "one_encoding"],
        models={"ours": LSA(own)},
        encoder=LSA(own),
        measures=["nDCG@10"],
        baseline="one_encoding",
        correction="holm",
    )
    assert table.frame["name"].tolist() == ["bm25", "one_encoding", "ours"]
    assert table.baseline == "one_encoding"
    assert table.figures[["std", "low", "high"]].notna().all().all()
    assert table.figures.set_index("name")["p"].isna().to_dict()["one_encoding"]
    assert any("(Holm)" in remark for remark in table.remarks)
    assert own in table.to_html(tmp_path / "table.html").read_text()
    assert "ours &" in table.to_latex()
    assert "nDCG@10" in repr(table)


def test_a_collection_with_pools(own):
    """Systems that rank candidates rank the pools; one that searches leaves them, with a remark."""
    pools = [
        {"query_id": f"q{number}", "doc_id": f"d{(number + step) % 12}"}
        for number in range(4)
        for step in (0, 1, 11)
    ]
    tables = {"queries": queries(), "qrels": judgements(), "pools": pools}
    write_collection("pooled", documents(), **tables, **ABOUT)
    table = reproduce("made/pooled", ["sentence_maxsim", "bm25"], encoder=LSA(own))
    assert table.frame["name"].tolist() == ["sentence_maxsim", "bm25"]
    (remark,) = [remark for remark in table.remarks if "outside the pools" in remark]
    assert remark.startswith("bm25: 75% of its results")


def test_a_dataset_of_others(theirs, tmp_path):
    """Documents without titles and queries without `query`: systems, models, runs, saved runs."""
    encoder = LSA(theirs)
    run = BM25Retriever(theirs, document="{text}")(
        pd.DataFrame({"qid": ["q0", "q1"], "query": WORDS[:2]})
    )
    table = reproduce(
        theirs,
        {"bm25": "bm25", "sentences": "sentence_maxsim", "half": run},
        models={"ours": encoder},
        encoder=encoder,
        measures=["nDCG@10"],
        save_dir=tmp_path / "runs",
    )
    values = table.frame.set_index("name")["nDCG@10"]
    assert list(values.index) == ["bm25", "sentences", "half", "ours"]
    assert values[["bm25", "half"]].tolist() == [1, 0.5]  # two of four queries have no results
    again = reproduce(theirs, ["bm25"], measures=["nDCG@10"], save_dir=tmp_path / "runs")
    assert again.frame["nDCG@10"].tolist() == [1]
    assert len(Entries(tmp_path / "runs")) == 3


def test_measures_replace_those_of_a_papers_table():
    """Each subset has them, with the papers' labels where they have one."""
    table = reproduce("scholarly-mini", ["fabs_tfidf"], measures=["AP(rel=2)", "nDCG@10"])
    expected = [
        f"{facet} {label}"
        for facet in ("background", "method", "result", "all")
        for label in ("MAP", "nDCG@10")
    ]
    assert list(table.frame)[2:] == expected
    whole = reproduce("scholarly-mini", ["fabs_tfidf"])
    assert table.frame["method MAP"].tolist() == whole.frame["method MAP"].tolist()


def test_printed_rows_stand_beside_measures_of_ones_own(csfcube_home):
    """Those of the measures that are asked for; a measure that nobody printed has none."""
    run = pt.get_dataset("irds:csfcube/all").get_results()
    table = reproduce("csfcube", {"run": run}, measures=["NDCG%20", "nDCG@10"])
    printed = table.frame[table.frame["source"] == "published"].set_index("name")
    assert printed.loc["SPECTER", "background NDCG%20"] == 0.6670
    assert printed.filter(like="nDCG@10").isna().all().all()
    assert len(table.frame.columns) == 2 + 4 * 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"measures": ["nDGC@10"]}, "'nDGC@10' is no measure: .* Did you mean 'nDCG'"),
        ({"measures": []}, "expected one measure or more"),
        ({"table": 3}, "Unknown table '3' of made/lab60"),
    ],
)
def test_what_cannot_be_made(own, arguments, said):
    """An unknown measure, none at all, and a table's number, before any system is run."""
    with pytest.raises(ValueError, match=said):
        reproduce(own, {"never": pt.apply.generic(lambda _: pytest.fail("ran"))}, **arguments)


def test_a_dataset_without_judgements_has_no_table(tmp_path, monkeypatch):
    """The error names it, and not five collections."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path))
    write_collection("bare", documents(), queries=queries(), **ABOUT)
    with pytest.raises(ValueError, match="no query of made/bare has judgements") as error:
        reproduce("made/bare", ["bm25"])
    assert "litsearch" not in str(error.value)


def test_a_run_that_fits_nothing_is_an_error(own):
    """Of documents or queries of another collection: in `reproduce`, before a system is run."""
    run = BM25Retriever(own)(pd.DataFrame({"qid": ["q0"], "query": ["tree"]}))
    never = pt.apply.generic(lambda _: pytest.fail("ran"))
    for column, what in {"docno": "document", "qid": "query"}.items():
        foreign = run.assign(**{column: "x" + run[column]})
        with pytest.raises(ValueError, match=f"foreign has no {what} of made/lab60"):
            reproduce(own, {"never": never, "foreign": foreign})


def test_a_system_over_another_collection_is_an_error(own):
    """What it ranks is checked as passed results are."""
    other = BM25Retriever("scholarly-mini")
    with pytest.raises(ValueError, match="other has no document of made/lab60"):
        reproduce(own, {"other": other})


def test_the_query_paper_first_is_remarked():
    """A search of all papers of a collection of facets finds the query itself."""
    run = BM25Retriever("scholarly-mini")
    table = reproduce("scholarly-mini", {"search": run, "pools": Pool("scholarly-mini/all")})
    (remark,) = [remark for remark in table.remarks if "own paper" in remark]
    assert remark.startswith("search: the query's own paper is among the results of 16 queries")
    assert "own paper" in table.to_latex()
    assert "own paper" in table._repr_html_()
    assert "own paper" in repr(table)


def test_results_over_the_papers_at_hand_stand_apart(litsearch_home):
    """A passed run over 459 of 64,183 papers: a remark, and a group of its own beside the rows."""
    dataset = "litsearch/author/broad"
    topics = pt.get_dataset(f"irds:{dataset}").get_topics("query")
    run = BM25Retriever("litsearch", num_results=20)(topics)
    table = reproduce(dataset, {"run": run})
    assert any(
        remark.startswith("run: results from 459 of 64,183 documents only, not comparable")
        for remark in table.remarks
    )
    for text in (table.to_latex(), table._repr_html_()):
        assert "This run, over 459 of 64,183 documents: not comparable with other rows" in text
    own = table.figures[table.figures["source"] == "this run"]
    assert set(own["part"]) == {"459 of 64,183 documents"}
