"""The page as text: complete, escaped, and in one file."""

import html
import re
from html.parser import HTMLParser

import pandas as pd
import pytest

from pyterrier_scholarly.explanation import explain
from pyterrier_scholarly.transformers import FacetQuery, PaperLoader, SentenceMaxSim

from .conftest import HOSTILE, turned


class Read(HTMLParser):
    """All start tags with their attributes, and the text between them."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.texts = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        """Keep a tag."""
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        """Keep a text."""
        self.texts.append(data.strip())


@pytest.fixture
def text(hostile, tmp_path):
    """The page's source."""
    return hostile.to_html(tmp_path / "page.html").read_text(encoding="utf-8")


def test_sentences_stand_as_they_are(text):
    """Markup in a sentence or a title is shown as text, in the picture and in the table."""
    read = Read(text)
    assert all(sentence in read.texts for sentence in HOSTILE)
    assert "<u>Document</u>" in read.texts
    assert not {"u", "s", "img"} & {tag for tag, _ in read.tags}
    assert text.count("<script") == text.count("</script") == 2


def test_nothing_is_fetched(text):
    """No tag names a resource, and the page's policy forbids all."""
    sources = [attrs for _, attrs in Read(text).tags if {"src", "href", "data"} & set(attrs)]
    assert sources == [{"rel": "icon", "href": "data:,"}]
    assert "url(" not in text.replace("url(#", "")
    assert "default-src 'none'" in text


def test_pictures_have_words(text, hostile):
    """The ribbons have a title and a description, and every match is in a table."""
    tags = Read(text).tags
    (picture,) = [attrs for tag, attrs in tags if tag == "svg"]
    assert picture["role"] == "img"
    ids = {attrs.get("id") for _, attrs in tags}
    assert set(picture["aria-labelledby"].split()) <= ids
    rows = [attrs for tag, attrs in tags if tag == "tr" and "data-query" in attrs]
    shown = {(int(row["data-query"]), int(row["data-document"])) for row in rows}
    frame = hostile.frame.dropna(subset="sentence_id")
    assert shown == set(zip(frame["query_sentence_id"], frame["sentence_id"]))


def test_a_page_counts_sentences_as_frames_do(text, hostile):
    """The page shows a sentence's id: its position in the paper, from 0, as in the frame."""
    beside = re.findall(r'class="number">(\d+)</span>(?: (.*?)</td>|)', text)
    sides = [int(number) for number, sentence in beside if not sentence]
    assert sides == [*range(3), *range(3)]
    frame = hostile.frame.dropna(subset="sentence_id")
    assert {(int(number), html.unescape(sentence)) for number, sentence in beside if sentence} == {
        *zip(frame["query_sentence_id"], frame["query_sentence"]),
        *zip(frame["sentence_id"], frame["sentence"]),
    }
    heads = re.findall(r'<th scope="(row|col)" data-\w+="\d+">(\d+)</th>', text)
    ids = {"row": [0, 1], "col": [0, 1, 2]}
    assert {side: [int(n) for at, n in heads if at == side] for side in ids} == ids


def test_the_facets_sentences_can_be_chosen(text):
    """Two of the query's three sentences are buttons, and all of the document's."""
    sides = [attrs["data-side"] for tag, attrs in Read(text).tags if "data-side" in attrs]
    assert sides == ["query"] * 2 + ["document"] * 3


def test_a_notebook_shows_the_same_page(text, hostile):
    """A notebook shows the whole page, escaped, in an iframe, and below it the best pairs."""
    shown = hostile._repr_html_()
    frame, details, *_ = Read(shown).tags
    assert (frame[0], details[0]) == ("iframe", "details")
    pairs = hostile.frame[hostile.frame["sentence"] != ""]
    best = pairs.groupby(["query_sentence", "sentence"])["contribution"].sum().idxmax()
    assert html.escape(best[1], quote=False)[:20] in shown.partition("</iframe>")[2]
    assert frame[1]["srcdoc"] == text
    assert frame[1]["title"] == repr(hostile)


def test_colours_are_not_the_only_carrier(text):
    """Each sentence names its facet in words."""
    labels = re.findall(r'<span class="label">.*?</i>(.*?)</span>', text)
    assert labels == ["method", "method", "result", "background", "method", "result"]


def test_the_page_shows_the_score(text, hostile):
    """The page shows the score, with a typographic minus."""
    assert f"{hostile.score:.4f}".replace("-", "−") in html.unescape(text)


def words_of(explanation, path):
    """The page's text, as a reader has it."""
    read = Read(explanation.to_html(path).read_text(encoding="utf-8"))
    return " ".join(" ".join(read.texts).split())


def test_the_page_names_the_system_and_the_rank(tmp_path):
    """Which place among how many, by what; of one document only by what."""
    pair = {"query_sentences": [["A tree."]] * 2, "sentences": [["A tree."], ["Some longer tree."]]}
    texts = pd.DataFrame({"qid": "q1", "docno": ["d1", "d2"], **pair})
    results = (FacetQuery() >> PaperLoader())(texts)
    scorer = SentenceMaxSim(turned)
    page = words_of(explain(scorer, results, "d2", name="my system"), tmp_path / "a.html")
    assert "Rank 2 of 2 by my system" in page
    assert "Ids: q1 asks, d2 is ranked." in page
    page = words_of(explain(scorer, results[:1], "d1"), tmp_path / "b.html")
    assert "Rank" not in page
    assert "Scored by SentenceMaxSim(encoder=<function turned>)" in page


def test_loose_sentences_have_no_ids_to_show(tmp_path):
    """The page says what they are, and never "query query"."""
    told = explain(SentenceMaxSim(turned), ["We prune trees.", "They overfit."], ["Trees, pruned."])
    page = words_of(told, tmp_path / "a.html")
    assert "Trees, pruned. scores" in page
    assert "for We prune trees. They overfit." in page
    assert "query query" not in page.lower()
    assert "Ids:" not in page
