"""The prompts' words."""

from dataclasses import replace

import pytest

from pyterrier_scholarly import ListwisePrompt
from pyterrier_scholarly.protocols import LISTWISE

QUERY = "Which paper {first} did it?"
PAPERS = [
    {"title": "On trees", "text": "Trees are slow.\n We hurry  them."},
    {"title": "More", "text": ""},
]

#: LitSearch's Table 13 for two papers: 2 in the place of 100, its \n a line break, but between
#: title and abstract one blank
TABLE_13 = [
    (
        "system",
        "You are RankGPT, an intelligent assistant that can rank papers based on their relevancy "
        "to a research query.",
    ),
    (
        "user",
        "I will provide you with the abstracts of 2 papers, each indicated by number identifier "
        "[]. \nRank the papers based on their relevance to research question: "
        "Which paper {first} did it?.",
    ),
    ("assistant", "Okay, please provide the papers."),
    ("user", "[1] Title: On trees Abstract: Trees are slow. We hurry them."),
    ("assistant", "Received passage [1]."),
    ("user", "[2] Title: More Abstract:"),
    ("assistant", "Received passage [2]."),
    (
        "user",
        "Search Query: Which paper {first} did it?. \nRank the 2 papers above based on their "
        "relevance to the research query. The papers should be listed in descending order using "
        "identifiers. The most relevant papers should be listed first. The output format should "
        "be [] > [], e.g., [1] > [2]. Only respond with the ranking results, do not say any words "
        "or explain.",
    ),
]


def shown(prompt, papers):
    """The messages as pairs."""
    messages = prompt.messages(QUERY, [prompt.text_of(paper) for paper in papers])
    return [(message["role"], message["content"]) for message in messages]


def test_litsearch_is_table_13():
    """Word for word."""
    assert shown(LISTWISE["litsearch"], PAPERS) == TABLE_13


@pytest.mark.parametrize("name", LISTWISE)
@pytest.mark.parametrize("n", [0, 1, 2, 100])
def test_number_of_messages(name, n):
    """2n + 4, from system to user, with every number from 1 to n in its place."""
    paper = {"title": "t", "text": "a", "full_text": "f"}
    messages = shown(LISTWISE[name], [paper] * n)
    assert len(messages) == 2 * n + 4
    assert [role for role, _ in messages] == ["system", *["user", "assistant"] * (n + 1), "user"]
    numbers = [content.split("]")[0] for _, content in messages[3:-1:2]]
    assert numbers == [f"[{number}" for number in range(1, n + 1)]


def test_texts_are_cut_by_words():
    """After 300 words, title and labels among them; a full paper after 10,000."""
    paper = {"title": "t", "text": " w" * 400, "full_text": "f\n" * 20_000}
    assert (
        LISTWISE["litsearch"].text_of(paper).split() == ["Title:", "t", "Abstract:"] + ["w"] * 297
    )
    assert LISTWISE["litsearch-full-paper"].text_of(paper) == " ".join(["f"] * 10_000)


def test_full_papers_are_no_abstracts():
    """The released code's other words; the rest is the same."""
    abstracts, papers = LISTWISE["litsearch"], LISTWISE["litsearch-full-paper"]
    assert papers.opening.startswith("I will provide you with {n} papers, each")
    same = {"source": "", "candidate": "", "words": 1, "opening": ""}
    assert replace(abstracts, **same) == replace(papers, **same)


def test_every_prompt_says_where_it_is_from():
    """A paper, and its table or whose code carries the words."""
    assert all("et al. 20" in prompt.source for prompt in LISTWISE.values())


@pytest.mark.parametrize("name", ["window", "stride", "words"])
def test_numbers_are_at_least_one(name):
    """The error names the setting and its value."""
    with pytest.raises(ValueError, match=f"{name}=0"):
        replace(LISTWISE["rankgpt"], **{name: 0})


def test_braces_in_texts_are_texts():
    """Also where a column is shown twice, and an own prompt has other words."""
    own = ListwisePrompt("own", "s", "o {query}", "r", "c {n}", candidate="{a}{a} {{b}}")
    assert own.columns == ("a",)
    assert own.text_of({"a": "{n}"}) == "{n}{n} {b}"
