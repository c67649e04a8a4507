"""Questions from paragraphs: what is asked, what is kept, what a person must look at."""

import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly import FunctionChat, Recorded
from pyterrier_scholarly.chat import Reply
from pyterrier_scholarly.collect import questions_from_citations
from pyterrier_scholarly.protocols import QuestionPrompt

PAPERS = pd.DataFrame({"doc_id": ["a", "b", "c"], "title": ["On ants", "On bees", "On cats"]})
PARAGRAPHS = pd.DataFrame(
    {
        "paragraph_id": ["p1", "p2", "p3"],
        "text": ["Ants {cite_001} and bees {cite_002}.", "Cats {cite_001}.", "Ants {cite_001}."],
        "citations": [{"cite_001": "a", "cite_002": "b"}, {"cite_001": "c"}, {"cite_001": "a"}],
        "source": ["inline-acl", "inline-acl", "inline-nonacl"],
    }
)
GOOD = "QUESTION: Who works?\nANSWER: cite_001, cite_002\nQUESTION: Who flies?\nANSWER: cite_002"


def model(*replies, first=GOOD):
    """A client that answers by the paragraph's first word; `asked` has what it was shown."""
    of = {"Ants {cite_001} and": first, **dict(replies)}
    asked = []

    def reply(messages):
        content = messages[0]["content"]
        asked.append(content)
        shown = content.rpartition("TEXT: ")[2]
        return next((text for start, text in of.items() if shown.startswith(start)), "")

    client = FunctionChat(reply, "m")
    return client, asked


def test_questions_and_the_papers_that_answer_them():
    """A row per question: numbered ids, papers in the place of keys, the paragraph's columns."""
    client, asked = model()
    found = questions_from_citations(PARAGRAPHS, PAPERS, client)
    assert found.frame.to_dict("records") == [
        {
            "query_id": "p1_1",
            "query": "Who works?",
            "doc_ids": ["a", "b"],
            "paragraph_id": "p1",
            "source": "inline-acl",
        },
        {
            "query_id": "p1_2",
            "query": "Who flies?",
            "doc_ids": ["b"],
            "paragraph_id": "p1",
            "source": "inline-acl",
        },
    ]
    assert found.faults.empty  # of the others, the model skipped all citations
    assert len(asked) == 3
    shown = "PAPER TITLES:\n- cite_001: On ants\n- cite_002: On bees"
    assert sum(content.endswith(shown) for content in asked) == 1


def test_a_faulty_reply_gives_no_questions():
    """A reply with an unknown key is listed as a fault and not used; the others are."""
    spoilt = "QUESTION: A?\nANSWER: cite_001\nQUESTION: B?\nANSWER: cite_002"
    client, _ = model(("Cats", spoilt), ("Ants {cite_001}.", "I cannot."))
    found = questions_from_citations(PARAGRAPHS, PAPERS, client)
    assert found.frame["query_id"].tolist() == ["p1_1", "p1_2"]
    assert found.faults["paragraph_id"].tolist() == ["p2", "p3"]
    assert found.faults["content"].tolist() == [spoilt, "I cannot."]
    assert "unknown key 'cite_002'" in found.faults["fault"][0]


def test_a_reply_that_was_cut_off_gives_no_questions():
    """Its last question may lack papers, and others may be missing; a person sees the text."""
    message = {"message": {"content": GOOD}, "finish_reason": "length"}
    client = FunctionChat(lambda messages: {"choices": [message]}, "m")
    found = questions_from_citations(PARAGRAPHS[:1], PAPERS, client)
    assert found.frame.empty
    assert found.faults.to_numpy().tolist() == [["p1", "cut off: finish_reason 'length'", GOOD]]


class Silent:
    """A client that refuses one paragraph and never answers another."""

    def request(self, messages, **options):
        """As it is."""
        return {"messages": messages}

    def reply(self, request):
        """By the paragraph."""
        shown = request["messages"][0]["content"].rpartition("TEXT: ")[2]
        if shown.startswith("Cats"):
            return Reply(None, refusal="content_filter")
        if shown.startswith("Ants {cite_001}."):
            raise ConnectionError("no answer")
        return Reply(GOOD)


def test_refusals_and_silence_are_listed(capsys):
    """Paragraphs without a reply are faults; the printed line counts refused and failed ones."""
    found = questions_from_citations(PARAGRAPHS, PAPERS, Silent())
    assert len(found.frame) == 2
    assert found.faults.to_numpy().tolist() == [
        ["p2", "content_filter", None],
        ["p3", "not answered: no answer", None],
    ]
    said = capsys.readouterr().err
    assert "2 questions, 0 faulty, 1 refused, 1 failed" in said


def test_a_recorded_run_is_replayed(tmp_path):
    """A second run replays all replies and gives the same rows."""
    client, asked = model()
    runs = [
        questions_from_citations(PARAGRAPHS, PAPERS, Recorded(client, tmp_path / "r", mode))
        for mode in ("record", "replay")
    ]
    assert len(asked) == 3
    pd.testing.assert_frame_equal(runs[0].frame, runs[1].frame)


def test_two_keys_of_one_paper():
    """A paper cited under two keys is listed once."""
    rows = PARAGRAPHS.iloc[:1].assign(citations=[{"cite_001": "a", "cite_002": "a"}])
    client, _ = model()
    frame = questions_from_citations(rows, PAPERS, client).frame
    assert frame["doc_ids"].tolist() == [["a"], ["a"]]


def test_no_paragraphs_make_no_questions():
    """Nothing is asked; the columns are those of questions."""
    client, asked = model()
    found = questions_from_citations(PARAGRAPHS.iloc[:0], PAPERS, client)
    assert list(found.frame.columns) == ["query_id", "query", "doc_ids", "paragraph_id", "source"]
    assert (len(found.frame), len(found.faults), asked) == (0, 0, [])


def test_a_prompt_of_ones_own_and_unknown_ones():
    """A QuestionPrompt is taken as it is."""
    client, asked = model()
    questions_from_citations(PARAGRAPHS, PAPERS, client, prompt=QuestionPrompt("me", "Ask!"))
    assert len(asked) == 3
    assert all(content.startswith("Ask!\n\nTEXT: ") for content in asked)
    refused = "Unknown prompt 'other'. Choose one of: 'litsearch'; or pass a QuestionPrompt"
    with pytest.raises(ValueError, match=refused):
        questions_from_citations(PARAGRAPHS, PAPERS, client, prompt="other")


@pytest.mark.parametrize(
    "change, message",
    [
        ({"text": ["Ants.", "Cats {cite_001}.", "Ants {cite_001}."]}, r"Paragraph 'p1' has .*\[\]"),
        ({"citations": [{"cite_001": "a"}] * 3}, "Paragraph 'p1'.*expected a dict from each key"),
        ({"citations": [["a", "b"]] * 3}, "Paragraph 'p1'.*expected a dict from each key"),
        (
            {"citations": [{"cite_001": "a", "cite_002": "z"}] * 3},
            "'p1' names z, without a title in `papers`",
        ),
        ({"text": [float("nan")] * 3}, "'text' must hold a text.*paragraph_id p1"),
        ({"paragraph_id": ["p1", "p1", "p3"]}, "Duplicate paragraph_id: p1"),
    ],
)
def test_paragraphs_that_are_wrong(change, message):
    """The error names the paragraph before anything is asked."""
    client, asked = model()
    with pytest.raises(ValueError, match=message):
        questions_from_citations(PARAGRAPHS.assign(**change), PAPERS, client)
    assert asked == []


@pytest.mark.parametrize("name", ["query_id", "query", "doc_ids"])
def test_columns_of_names_that_are_made(name):
    """Columns with the names of new ones raise before anything is asked."""
    client, asked = model()
    with pytest.raises(pt.validate.InputValidationError, match=f"'{name}'.*rename or drop yours"):
        questions_from_citations(PARAGRAPHS.assign(**{name: "old"}), PAPERS, client)
    assert asked == []
