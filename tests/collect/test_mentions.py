"""Citation mentions drawn from full texts in S2ORC's layouts."""

import gzip
import json
from collections import Counter

import pandas as pd
import pytest

from pyterrier_scholarly import FunctionChat
from pyterrier_scholarly.collect import (
    drop_overlapping,
    questions_from_citations,
    sample_citation_mentions,
)

TARGETS = pd.DataFrame({"doc_id": ["11", "12"], "title": ["On Ants", "Bees, at work"]})
INTRODUCTION = "Ants work [1] and bees do [2, 3]. See Table 1."


def parsed(paper_id="s1", **more):
    """A paper as the releases until 2020 have it: one paragraph cites both targets, one neither."""
    spans = [
        {"start": 10, "end": 13, "text": "[1]", "ref_id": "BIBREF0"},
        {"start": 26, "end": 28, "text": "[2", "ref_id": "BIBREF1"},
        {"start": 30, "end": 32, "text": "3]", "ref_id": "BIBREF2"},
    ]
    return {
        "paper_id": paper_id,
        "abstract": [{"text": "As in [1].", "cite_spans": [spans[0]]}],
        "body_text": [
            {"section": "Introduction", "text": INTRODUCTION, "cite_spans": spans, "ref_spans": []},
            {"section": "Method", "text": "As usual [3].", "cite_spans": []},
        ],
        "bib_entries": {
            "BIBREF0": {"title": "Ants", "link": "11", "year": 2001},
            "BIBREF1": {"title": "bees at WORK", "link": None},
            "BIBREF2": {"title": "Cats", "link": "99"},
        },
        **more,
    }


def annotated(paper_id=7, as_text=True, **more):
    """The same as a release since 2022 has it: spans of one text, as text or as lists."""
    references = "Ants. Bees at work. Cats."
    header = "Introduction"
    text = f"{header}\n{INTRODUCTION}\nAs usual [3].\n{references}"
    start = text.index(INTRODUCTION)

    def span(piece, **attributes):
        begin = text.index(piece, 0 if piece == header else start)
        found = {"start": begin, "end": begin + len(piece)}
        return {**found, "attributes": attributes} if attributes else found

    annotations = {
        "sectionheader": [span(header, n="1")],
        "paragraph": [span(INTRODUCTION), span("As usual [3].")],
        "bibref": [span("[1]", ref_id="b0"), span("[2", ref_id="b1"), span("3]", ref_id="b2")],
        "bibentry": [
            span("Ants.", id="b0", matched_paper_id=11),
            span("Bees at work.", id="b1"),
            span("Cats.", id="b2", matched_paper_id=99),
        ],
        "bibtitle": [span("Ants."), span("Bees at work."), span("Cats.")],
        "table": None,
    }
    if as_text:
        annotations = {
            kind: None if spans is None else json.dumps(spans)
            for kind, spans in annotations.items()
        }
    return {"corpusid": paper_id, "content": {"text": text, "annotations": annotations}, **more}


#: layout -> a paper in it, its id
LAYOUTS = {
    "until 2020": (parsed(), "s1"),
    "doc2json of PDF": ({"paper_id": "s1", "title": "T", "pdf_parse": parsed()}, "s1"),
    "doc2json of LaTeX": ({"paper_id": "s1", "latex_parse": parsed()}, "s1"),
    "since 2022": (annotated(), "7"),
    "since 2022, as lists": (annotated(as_text=False), "7"),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_gives_the_same_paragraph(layout):
    """Targets are found by id or else by title; others keep their place; abstracts are not read."""
    paper, paper_id = LAYOUTS[layout]
    found = sample_citation_mentions([paper], TARGETS, 5, verbose=False)
    assert found.frame.to_dict("records") == [
        {
            "paragraph_id": f"{paper_id}_0",
            "text": "Ants work {cite_001} and bees do {cite_002}, 3]. See Table 1.",
            "citations": {"cite_001": "11", "cite_002": "12"},
            "source": "inline-nonacl",
            "source_id": paper_id,
            "section": "Introduction",
        }
    ]
    counts = found.counts
    assert (counts.papers, counts.paragraphs, counts.mentions) == (1, 2, 3)
    assert (counts.of_targets, counts.candidates, counts.damaged) == (2, 1, 0)


def test_files_and_folders_are_read(tmp_path):
    """JSON lines, gzipped ones and single papers, in folders below, too; each paragraph once."""
    (tmp_path / "more").mkdir()
    (tmp_path / "a.jsonl").write_text("\n".join(json.dumps(parsed(f"a{n}")) for n in range(3)))
    with gzip.open(tmp_path / "more" / "b.jsonl.gz", "wt") as file:
        file.write(json.dumps(annotated(8)))
    (tmp_path / "c.json").write_text(json.dumps({"paper_id": "c", "pdf_parse": parsed("c")}))
    (tmp_path / "d.json").write_text(json.dumps(parsed("a1")))  # once more
    (tmp_path / "notes.txt").write_text("no paper")
    whole = sample_citation_mentions(tmp_path, TARGETS, 9, verbose=False)
    assert sorted(whole.frame["source_id"]) == ["8", "a0", "a1", "a2", "c"]
    listed = [tmp_path / "c.json", str(tmp_path / "a.jsonl")]
    found = sample_citation_mentions(listed, TARGETS, 9, verbose=False)
    assert sorted(found.frame["source_id"]) == ["a0", "a1", "a2", "c"]


def test_the_sample_does_not_depend_on_the_order_of_papers():
    """Equal seeds draw the same, in the same order; another seed draws others."""
    papers = [parsed(f"s{n}") for n in range(60)]
    drawn = [
        sample_citation_mentions(order, TARGETS, 10, seed=seed, verbose=False).frame
        for order, seed in ((papers, 1), (papers[::-1], 1), (papers, 2))
    ]
    assert drawn[0].equals(drawn[1]) and len(drawn[0]) == 10
    assert set(drawn[0]["source_id"]) != set(drawn[2]["source_id"])


def test_mentions_are_drawn_and_each_brings_its_paragraph():
    """A paragraph with three mentions is first three times as often as one with a single one."""
    spans = [{"start": start, "end": start + 1, "ref_id": "b"} for start in (0, 2, 4)]
    one = {
        "paper_id": "p",
        "body_text": [
            {"text": "1 2 3", "cite_spans": spans},
            {"text": "1 2 3", "cite_spans": spans[:1]},
        ],
        "bib_entries": {"b": {"link": "11"}},
    }
    first = Counter(
        sample_citation_mentions([one], TARGETS, 1, seed=seed, verbose=False).frame.loc[
            0, "paragraph_id"
        ]
        for seed in range(2000)
    )
    assert first["p_0"] / 2000 == pytest.approx(3 / 4, abs=0.04)


def test_sources_of_the_acl_anthology_are_told_by_file_or_list():
    """By `externalids`, `acl_id`, or the ids that are passed; the filter has limits for both."""
    papers = [
        annotated(1, externalids={"ACL": "2020.acl-main.447"}),
        parsed("2", acl_id="P19-1001"),
        parsed("3"),
        annotated(4, externalids={"acl": None}),
    ]
    frame = sample_citation_mentions(papers, TARGETS, 9, acl=["3"], verbose=False).frame
    assert dict(zip(frame["source_id"], frame["source"])) == {
        "1": "inline-acl",
        "2": "inline-acl",
        "3": "inline-acl",
        "4": "inline-nonacl",
    }


def test_sampled_paragraphs_become_questions():
    """The frame goes into `questions_from_citations`, and its `source` into the overlap filter."""
    sampled = sample_citation_mentions([parsed()], TARGETS, 1, verbose=False)
    reply = "QUESTION: Who keeps busy?\nANSWER: cite_001, cite_002"
    client = FunctionChat(lambda messages: reply, "scripted")
    asked = questions_from_citations(sampled.frame, TARGETS, client, verbose=False)
    assert asked.faults.empty
    kept = drop_overlapping(asked.frame, TARGETS)
    assert kept["doc_ids"].tolist() == [["11", "12"]]
    assert kept["source_id"].tolist() == ["s1"]


def test_damaged_paragraphs_are_counted():
    """Citations outside of the text, or over one another, cost their paragraph alone."""
    outside = parsed("s2")
    outside["body_text"][0]["cite_spans"][0]["end"] = 999
    overlapping = parsed("s3")
    overlapping["body_text"][0]["cite_spans"][1].update(start=12, end=20)
    found = sample_citation_mentions([parsed(), outside, overlapping], TARGETS, 9, verbose=False)
    assert found.frame["source_id"].tolist() == ["s1"]
    assert (found.counts.damaged, found.counts.candidates) == (2, 1)
    assert "2 damaged paragraphs were skipped" in str(found.counts)


def test_a_title_of_two_targets_finds_none():
    """A citation without an id is not guessed."""
    twice = pd.concat([TARGETS, TARGETS.assign(doc_id=["13", "14"])], ignore_index=True)
    (citations,) = sample_citation_mentions([parsed()], twice, 1, verbose=False).frame["citations"]
    assert citations == {"cite_001": "11"}


PLACE = {"text": "", "annotations": {"paragraph": [{"start": "x", "end": "9"}]}}


@pytest.mark.parametrize(
    ("papers", "said"),
    [
        (
            [{"paper_id": "p"}],
            "the papers, paper 0: .*expected body_text, pdf_parse, latex_parse or",
        ),
        ([{"body_text": []}], "expected paper_id or corpusid, got neither"),
        (
            [parsed(body_text=[{"text": 3}])],
            r"paper 0: .*Expected `str`, got `int` - at `\$\.body_text\[0\]\.text`",
        ),
        ([annotated() | {"content": {"text": "", "annotations": {"paragraph": "["}}}], "trunc"),
        (
            [annotated(as_text=False) | {"content": PLACE}],
            "paper 0: .*annotations.paragraph: Expected `int`, got `str`",
        ),
        ([parsed(bib_entries={})], "No paragraph cites a target: 1 papers, 2 paragraphs, 3 cit"),
    ],
)
def test_other_layouts_are_refused(papers, said):
    """The error names the paper and the field, or what was met."""
    with pytest.raises(ValueError, match=said):
        sample_citation_mentions(papers, TARGETS, 1, verbose=False)


def test_wrong_arguments_are_refused(tmp_path):
    """A count below 1, a missing folder, and one without papers."""
    with pytest.raises(ValueError, match="count=0"):
        sample_citation_mentions([parsed()], TARGETS, 0)
    with pytest.raises(FileNotFoundError):
        sample_citation_mentions(tmp_path / "none.jsonl", TARGETS, 1, verbose=False)
    with pytest.raises(FileNotFoundError, match=r"has no file of \.jsonl, \.gz, \.json"):
        sample_citation_mentions(tmp_path, TARGETS, 1, verbose=False)
    (tmp_path / "cut.jsonl.gz").write_bytes(gzip.compress(json.dumps(parsed()).encode())[:-9])
    with pytest.raises(ValueError, match=r"cut\.jsonl\.gz: EOFError: .*Correct the file"):
        sample_citation_mentions(tmp_path, TARGETS, 1, verbose=False)
