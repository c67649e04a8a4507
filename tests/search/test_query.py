"""What somebody asks with: an id, a text, a facet; and what is refused."""

import ir_datasets
import pytest

from pyterrier_scholarly import FacetLabeller
from pyterrier_scholarly.paper import Paper
from pyterrier_scholarly.search import search_papers
from pyterrier_scholarly.text import split_sentences

DOCS = [*ir_datasets.load("scholarly-mini").docs_iter()]
PAPERS = [{"id": doc.doc_id, "title": doc.title, "abstract": doc.text} for doc in DOCS]
LIKE = "117"


def scores(*arguments, **settings):
    """The score of each paper."""
    ranking = search_papers(*arguments, **settings).ranking
    return ranking.set_index("docno")["score"].to_dict()


def labels_of(text):
    """The labels of a text's sentences."""
    (paper,) = FacetLabeller().label([Paper.from_text("", "", text)])
    return paper.labels


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("1170", "Did you mean 117"),
        ("999", "The ids are 101, 102"),
        ("smith2019", "The ids are 101, 102"),
        ("GPT-4", "The ids are 101, 102"),
        ("10.1000/182", "The ids are 101, 102"),
        ("https://openalex.org/117", "Did you mean 117"),
        (999, "The ids are 101, 102"),
        (1170, "Did you mean 117"),
    ],
)
def test_a_mistyped_id_is_refused(query, named):
    """A query without a blank that has a digit or a mark is an id; near ids are named."""
    with pytest.raises(ValueError, match=f"has the id '{query}'. {named}.* more than one word"):
        search_papers(PAPERS, query)


def test_a_word_that_is_like_an_id_is_refused():
    """Ids may be words, too: one of them is similar."""
    papers = [{**PAPERS[0], "id": "transformers"}, {**PAPERS[1], "id": "W21/graphs"}]
    for query, near in [("transformer", "transformers"), ("graphs", "W21/graphs")]:
        with pytest.raises(ValueError, match=f"the id '{query}'. Did you mean {near}"):
            search_papers(papers, query)


@pytest.mark.parametrize("query", ["newspapers", "near-duplicate", "Newspapers?", "报纸，1900年。"])
def test_other_words_are_texts(query):
    """A single word of letters and hyphens, and a text in a language without blanks."""
    assert len(scores(PAPERS, query)) == len(PAPERS)


def test_a_paper_without_an_abstract_asks_by_its_title():
    """Its title is its only sentence."""
    papers = [*PAPERS[:3], {"id": "empty1", "title": "No abstract"}]
    row = search_papers(papers, "empty1").candidates.iloc[0]
    assert row["query_paper"].sentences == ("No abstract",)


def test_a_number_is_an_id():
    """A whole number, with blanks around its text too, names the paper with that id."""
    assert scores(PAPERS, 117) == scores(PAPERS, LIKE) == scores(PAPERS, f" {LIKE}\n")


@pytest.mark.parametrize("query", [None, 1.5, True, ["a text"], b"117"])
def test_other_types_are_refused(query):
    """The error names the value, and what is expected."""
    with pytest.raises(ValueError, match=r"query=.*: expected the id of a paper, or a text"):
        search_papers(PAPERS, query)


@pytest.mark.parametrize(
    ("facet", "message"),
    [
        ("metod", "Unknown facet 'metod'. Did you mean 'method'?"),
        ("Results", "Unknown facet 'Results'. Did you mean 'result'?"),
        ("quux", "Unknown facet 'quux'. Choose one of background, method, result, or None"),
        (7, "search_papers, facet=7: expected a text or None"),
    ],
)
def test_an_unknown_facet_is_refused(facet, message):
    """The error is about the facet, not about the query, and names the nearest."""
    with pytest.raises(ValueError) as refused:
        search_papers(PAPERS, LIKE, facet)
    assert str(refused.value).startswith(message)


def test_a_paper_without_the_facet_asks_with_all_its_sentences():
    """The ranking is that without a facet; the note names the paper, the facet and the remedy."""
    without = {**PAPERS[16], "abstract": "Neural networks are popular in recent years."}
    assert set(labels_of(without["abstract"])) == {"background"}
    papers = [*PAPERS[:16], without, *PAPERS[17:]]

    found = search_papers(papers, LIKE, facet="result")
    assert found.ranking.set_index("docno")["score"].to_dict() == scores(papers, LIKE)
    remark = (
        "Paper 117 has no sentence of facet 'result', only of background: "
        "ranked by all its sentences."
    )
    assert found.note.splitlines()[0] == remark
    assert remark in repr(found) and "Paper 117" in found._repr_html_()


@pytest.mark.slow
def test_a_loop_over_papers_and_facets_ends():
    """Papers of two sentences are asked for every facet; the notes name those without one."""
    papers = [
        {**paper, "abstract": " ".join(split_sentences(paper["abstract"])[:2])}
        for paper in PAPERS[:12]
    ]
    parts = {"background": {"background", "objective"}, "method": {"method"}, "result": {"result"}}
    notes, expected = [], []
    for paper in papers:
        for facet, labels in parts.items():
            found = search_papers(papers, paper["id"], facet)
            notes.append(found.note.partition(", only")[0])
            if labels.isdisjoint(labels_of(paper["abstract"])):
                expected.append(f"Paper {paper['id']} has no sentence of facet {facet!r}")
    assert len(expected) > 6
    assert [note for note in notes if note.startswith("Paper")] == expected


def test_all_sentences_of_a_text_count_as_its_facet():
    """The query has them all, with the facet's label; the note says so."""
    text = "Neural networks are popular. We search newspapers by their pictures."
    assert set(labels_of(text)) != {"method"}

    found = search_papers(PAPERS, text, facet="method")
    row = found.candidates.iloc[0]
    assert list(row["query_paper"].sentences) == split_sentences(text)
    assert row["query_paper"].labels == ("method", "method")
    assert row["query_sentence_ids"] == [0, 1]
    assert row["facet"] == "method"
    assert found.note.splitlines()[0] == "All 2 sentences of the text count as method."
    assert scores(PAPERS, text, facet="background") != scores(PAPERS, text, facet="method")


def test_a_text_of_one_sentence_is_told_in_the_singular():
    """The note about its facet reads as a sentence."""
    found = search_papers(PAPERS, "We search newspapers by pictures.", facet="background")
    assert found.note.splitlines()[0] == "The text's one sentence counts as background."


def test_equal_scores_are_told():
    """A query that shares no word with the papers ranks nothing, and the note says so."""
    assert "All scores are equal" in search_papers(PAPERS, "qqqq zzzz").note
    assert "All scores are equal" not in search_papers(PAPERS, LIKE).note


def test_a_ranking_by_words_says_what_to_pass_instead():
    """Each says so, whatever was ranked before."""
    for query in (LIKE, PAPERS[5]["abstract"]):
        remark = search_papers(PAPERS, query).note.splitlines()[-1]
        assert remark.startswith("Compared by words")
        assert "Pass encoder=" in remark


def test_the_explanation_names_the_paper_that_asks():
    """By its id; and the paper that is explained may be named by a number."""
    found = search_papers(PAPERS, LIKE)
    docno = found.ranking["docno"][2]
    explanation = found.explain(int(docno))
    assert (explanation.qid, explanation.docno) == (LIKE, docno)
    with pytest.raises(ValueError, match=r"'1180' is not in the ranking of 47 .* Did you mean 118"):
        found.explain("1180")
    with pytest.raises(ValueError, match="the paper that asks, and a paper does not rank itself"):
        found.explain(LIKE)


def test_remarks_are_no_html():
    """An id with marks of HTML is shown as it is."""
    papers = [{**PAPERS[0], "id": "<1>", "abstract": "Networks are popular."}, *PAPERS[1:4]]
    page = search_papers(papers, "<1>", "result")._repr_html_()
    assert "Paper &lt;1&gt; has no sentence" in page and "<1>" not in page


def test_progress_can_be_silent(capsys):
    """By default stderr says what is done; with verbose=False nothing is printed."""
    new = [{**paper, "abstract": f"New. {paper['abstract']}"} for paper in PAPERS]
    search_papers(new[:24], new[0]["id"])
    assert "splitting: 24/24" in capsys.readouterr().err
    search_papers(new, new[0]["id"], verbose=False)
    assert capsys.readouterr().err == ""
