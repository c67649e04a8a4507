"""Own papers, from a file to a ranking and its explanation."""

import json

import ir_datasets
import pandas as pd
import pytest

from pyterrier_scholarly.cli import main
from pyterrier_scholarly.encoders import LSA
from pyterrier_scholarly.recipes import one_encoding
from pyterrier_scholarly.search import read_papers, search_papers
from pyterrier_scholarly.transformers import FacetLabeller, FacetQuery, PaperLoader

DOCS = [*ir_datasets.load("scholarly-mini").docs_iter()]
PAPERS = [{"docno": doc.doc_id, "title": doc.title, "abstract": doc.text} for doc in DOCS]
LIKE = "117"


def test_the_ranking_is_that_of_the_pipeline():
    """Scores equal those of the same steps, written out over the same papers."""
    found = search_papers(PAPERS, LIKE, facet="method").ranking
    texts = [f"{paper['title']} {paper['abstract']}" for paper in PAPERS]
    frame = pd.DataFrame(PAPERS).rename(columns={"abstract": "text"})
    asked = frame[frame["docno"] == LIKE].iloc[0]
    topics = pd.DataFrame(
        {"qid": ["q"], "query_title": [asked["title"]], "query_text": [asked["text"]]}
    )
    query = (FacetQuery() >> FacetLabeller() >> FacetQuery(facet="method"))(topics)
    pairs = query.merge(frame[frame["docno"] != LIKE], how="cross")
    pipeline = PaperLoader() >> FacetLabeller() >> one_encoding(texts, LSA(texts))
    expected = pipeline(pairs).set_index("docno")["score"]
    assert found.set_index("docno")["score"].to_dict() == pytest.approx(expected.to_dict())
    assert found["score"].is_monotonic_decreasing
    assert found["rank"].tolist() == [*range(1, len(PAPERS))]


def test_a_text_ranks_every_paper():
    """An abstract that is pasted finds the paper that it is of first."""
    found = search_papers(PAPERS, PAPERS[5]["abstract"])
    assert len(found.ranking) == len(PAPERS)
    assert found.ranking["docno"][0] == PAPERS[5]["docno"]
    assert "sentence-transformers" in repr(found)


def test_an_encoder_of_ones_own():
    """It is used as it is, and the remark on a better one is gone."""
    calls = []

    def encode(texts):
        calls.extend(texts)
        return [[len(text), 1.0] for text in texts]

    assert search_papers(PAPERS[:6], PAPERS[0]["docno"], encoder=encode).note == ""
    assert calls


def test_lsa_is_the_words_of_the_papers():
    """The word "lsa" gives the ranking without an encoder, and its remark."""
    by_words, by_lsa = (search_papers(PAPERS, LIKE, "method", one) for one in (None, "lsa"))
    pd.testing.assert_frame_equal(by_lsa.ranking, by_words.ranking)
    assert by_lsa.note == by_words.note


def test_half_a_surrogate_pair_becomes_the_replacement_character():
    """JSON may have one, and a shell makes one of a byte that is not UTF-8."""
    broken = [{**paper, "title": "\ud800 " + paper["title"]} for paper in PAPERS[:4]]
    found = search_papers(broken, "\udcff " + PAPERS[1]["abstract"])
    assert found.ranking["docno"][0] == PAPERS[1]["docno"]
    assert found.ranking["title"][0] == f"\ufffd {PAPERS[1]['title']}"


def test_the_score_is_explained():
    """Contributions add up to the score of the paper that was asked for."""
    found = search_papers(PAPERS, LIKE, facet="method")
    docno, score = found.ranking["docno"][3], found.ranking["score"][3]
    assert found.explain(docno).frame["contribution"].sum() == pytest.approx(score)
    with pytest.raises(ValueError, match="'nowhere' is not in the ranking of"):
        found.explain("nowhere")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("p.jsonl", '{"paperId": "a", "title": "T", "abstract": "One  two."}\n\n'),
        ("p.json", '[{"id": "a", "title": "T", "abstract": "One two."}]'),
        ("s2.json", '{"data": [{"paperId": "a", "title": "T", "abstract": "One two."}]}'),
        (
            "openalex.json",
            '{"results": [{"id": "a", "display_name": "T", '
            '"abstract_inverted_index": {"two.": [1], "One": [0]}}]}',
        ),
        ("p.csv", "id,title,abstract\na,T,One two.\n"),
        ("p.ris", "TY  - JOUR\nID  - a\nTI  - T\nAB  - One two.\nER  - \n"),
        (
            "csl.json",
            '[{"id": "a", "title": "T", "abstract": "One two.", "issued": {"raw": "2019"}}]',
        ),
        ("p.bib", "@article{a, title = {T}, abstract = {One\n  two.}}"),
    ],
)
def test_files_of_papers(tmp_path, name, text):
    """The same paper, whatever kind of file it is in."""
    path = tmp_path / name
    path.write_text(text)
    assert read_papers(path).to_dict("records") == [
        {"docno": "a", "title": "T", "text": "One two."}
    ]


def test_papers_without_id_or_abstract():
    """They are called by their DOI or number, ranked by their title, and named in the note."""
    papers = [
        {"title": "Growing trees", "abstract": "We prune trees."},
        {"title": "Sailing on lakes", "abstract": None},
        {"title": "Cooking rice", "doi": "10.1000/rice"},
    ]
    assert read_papers(papers)["docno"].tolist() == ["1", "2", "10.1000/rice"]
    found = search_papers(papers, "boats that sail on lakes")
    assert found.ranking["docno"][0] == "2"
    remark = "2 of 3 papers have no abstract and are ranked by their title: 2, 10.1000/rice."
    assert remark in found.note


def test_the_same_paper_twice_is_ranked_once():
    """By DOI, or by title and year; the note counts what is left out."""
    again = [{"title": PAPERS[3]["title"].upper(), "abstract": "Another version."}]
    found = search_papers([*PAPERS, *again], LIKE)
    assert len(found.ranking) == len(PAPERS) - 1
    assert "1 records of papers that were there already are left out." in found.note


@pytest.mark.parametrize(
    ("papers", "message"),
    [
        ([{"id": "a"}], "paper 1: neither a title nor an abstract"),
        ([], "The source has no papers"),
        (["text"], "paper 1: 'text' is no paper: expected an object"),
        ([{"title": 7, "abstract": "x."}], "paper 1: title is 7: expected a text"),
        ([{"abstract": ["One.", "Two."]}], r'join the sentences, " "\.join\(abstract\)'),
    ],
)
def test_bad_papers(papers, message):
    """The error names the paper, and what was expected."""
    with pytest.raises(ValueError, match=message):
        read_papers(papers)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("p.jsonl", "{", "line 1: no JSON"),
        ("p.json", '{"a": 1}', "no list of papers: expected one, or one under message, results"),
        ("p.txt", "", "is not one of .jsonl, .ndjson, .json, .csv, .tsv, .bib, .ris"),
        ("p.bib", "@article{a, title = {T}", "line 1: an entry that is not closed"),
    ],
)
def test_bad_files(tmp_path, name, text, message):
    """The error names the file, and what was expected."""
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(ValueError, match=f"{name}.*{message}"):
        read_papers(path)
    with pytest.raises(FileNotFoundError, match="no file"):
        read_papers(tmp_path / "nothing.json")


def test_nothing_to_rank():
    """One paper, or an empty query, is refused."""
    with pytest.raises(ValueError, match="There is no other paper to rank"):
        search_papers(PAPERS[:1], PAPERS[0]["docno"])
    with pytest.raises(ValueError, match="The query is empty"):
        search_papers(PAPERS, " ")


def test_the_command(tmp_path, capsys):
    """It prints the ranking of the function, and writes the page of the best paper."""
    path, page = tmp_path / "papers.jsonl", tmp_path / "why.html"
    path.write_text("".join(json.dumps(paper) + "\n" for paper in PAPERS))
    options = [str(path), "--like", LIKE, "--facet", "method", "--top", "3", "--html", str(page)]
    assert main(["search", *options]) == 0
    lines = capsys.readouterr().out.splitlines()
    best = search_papers(PAPERS, LIKE, "method").ranking
    assert [line.split()[1] for line in lines[1:4]] == best["docno"].tolist()[:3]
    assert best["title"][0] in page.read_text()
    assert main(["search", str(path), "--like", "nowhere"]) == 2
    assert "--like nowhere is not among the 48 papers" in capsys.readouterr().err


def test_the_command_is_quiet_and_names_near_ids(tmp_path, capsys):
    """With --quiet nothing but the ranking is printed; a mistyped id is refused with near ones."""
    path = tmp_path / "papers.jsonl"
    new = [{**paper, "abstract": f"Quiet. {paper['abstract']}"} for paper in PAPERS]
    path.write_text("".join(json.dumps(paper) + "\n" for paper in new))
    assert main(["search", str(path), "--like", LIKE, "--quiet"]) == 0
    assert capsys.readouterr().err == ""
    for query, near in [("1170", "Did you mean 117"), ("", "The ids are 101, 102")]:
        assert main(["search", str(path), "--like", query]) == 2
        assert near in capsys.readouterr().err
    assert main(["search", str(path), "--text", "1170"]) == 2
    assert "Did you mean 117" in capsys.readouterr().err
