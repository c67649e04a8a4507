"""Judgements by a model: what is asked, what is scored, what a person must look at."""

import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly import FunctionChat, OpenAIChat, Recorded
from pyterrier_scholarly.chat import NotRecorded, Replies, Reply
from pyterrier_scholarly.collect import agreement, aspect_totals, judge
from pyterrier_scholarly.protocols import JUDGING, JudgingPrompt

PAIRS = pd.DataFrame(
    {
        "qid": ["a1", "a1", "a2", "a2"],
        "query": ["It is on ants.", "It is on ants.", "It has figures.", "It has figures."],
        "docno": ["x", "y", "x", "y"],
        "text": ["Ants {run}.", "Bees fly.", "Ants {run}.", "Bees fly."],
        "used_by": ["q", "q", "q", "q"],
    }
)
SAID = {
    ("ants", "Ants"): "All of it. CONCUR",
    ("ants", "Bees"): "It would be wrong to DISAGREE. AGREE",
    ("figures", "Ants"): "I disagree.",
    ("figures", "Bees"): "DISPUTE or AGREE",
}


def scripted(said=SAID):
    """A client that answers by the requirement and the abstract; `asked` holds the requests."""
    asked = []

    def reply(messages, temperature, max_tokens):
        (message,) = messages
        asked.append((message["role"], temperature, max_tokens))
        about = message["content"].partition("Here is the user requirement: ")[2]
        aspect, _, abstract = about.partition("Here is the abstract: ")
        (answer,) = [
            text for (one, two), text in said.items() if one in aspect and two in abstract[:9]
        ]
        return answer

    return FunctionChat(reply, "m"), asked


def test_verdicts_are_graded_and_the_rest_is_for_a_person(capsys):
    """By the released rule two replies have a verdict; two have none, no label, and a reason."""
    client, asked = scripted()
    found = judge(PAIRS, client)
    columns = ["qid", "docno", "label", "verdict", "last"]
    assert found.frame[columns].to_numpy().tolist() == [
        ["a1", "x", 2, "CONCUR", "CONCUR"],
        ["a1", "y", 0, "DISAGREE", "AGREE"],
    ]
    assert "label" not in found.unclear and "text" not in found.frame
    assert found.unclear[["qid", "docno", "reason"]].to_numpy().tolist() == [
        ["a2", "x", "no label"],
        ["a2", "y", "several labels: DISPUTE, AGREE"],
    ]
    assert found.unclear["content"].tolist() == ["I disagree.", "DISPUTE or AGREE"]
    assert found.unclear["text"].tolist() == ["Ants {run}.", "Bees fly."]
    assert set(found.frame["used_by"]) == set(found.unclear["used_by"]) == {"q"}
    assert asked == [("user", 0, 310)] * 4
    line = capsys.readouterr().err
    assert "4 asked, 0 replayed, 2 judged, 2 unclear, 0 refused, 0 failed, 2 differ" in line


def test_the_last_label_counts_where_asked_for():
    """The rule `last` reads 1 instead of 0 in one reply, and one more verdict."""
    found = judge(PAIRS, scripted()[0], parser="last")
    assert found.frame["label"].tolist() == [2, 1, 1]
    assert found.frame["released"].tolist() == ["CONCUR", "DISAGREE", None]
    assert found.unclear["docno"].tolist() == ["x"]


def test_the_prompt_is_the_papers():
    """The requirement and the abstract stand where the paper has them, braces and all."""
    (message,) = JUDGING["anno-gpt"].messages("It is {new}.", "We show {x}.")
    content = message["content"]
    assert content.startswith("You are a reference librarian.")
    assert (
        "Here is the user requirement: It is {new}. Here is the abstract: We show {x}." in content
    )
    assert "[DISAGREE, DISPUTE, AGREE, CONCUR]" in content
    assert content.endswith("in *all capital* letters at the *end* of your response.")


def test_replies_are_recorded_and_replayed(tmp_path):
    """A replay gives the same frames and asks the model nothing."""
    client, asked = scripted()
    path = str(tmp_path / "replies")
    first = judge(PAIRS, Recorded(client, path))
    silent = FunctionChat(lambda messages: pytest.fail("asked"), "m")
    again = judge(PAIRS, Recorded(silent, path, mode="replay"))
    assert len(asked) == 4
    assert again.frame.equals(first.frame) and again.unclear.equals(first.unclear)
    with pytest.raises(NotRecorded, match="Pair 'a1' 'x'"):
        judge(PAIRS.assign(text="Another."), Recorded(silent, path, mode="replay"))
    assert len(Replies(path)) == 4


def test_cut_off_and_refused_replies_are_told(capsys):
    """The reason says why there is no verdict: a truncated reply, or a refusal."""

    class Client:
        def request(self, messages, **options):
            return {"model": "m", "messages": messages, **options}

        def reply(self, request):
            if "on ants" in request["messages"][0]["content"]:
                return Reply("One might DISAGREE, because", finish_reason="length")
            return Reply(None, refusal="content_filter")

    found = judge(PAIRS, Client())
    assert found.frame.empty
    assert found.unclear["reason"].tolist() == [
        "cut off: finish_reason 'length'",
        "cut off: finish_reason 'length'",
        "content_filter",
        "content_filter",
    ]
    assert found.unclear["content"][0] == "One might DISAGREE, because"
    assert found.unclear["last"].isna().all()
    line = capsys.readouterr().err
    assert "0 judged, 2 unclear, 2 refused, 0 failed, 0 differ" in line
    assert "; cut off: 2 (is max_tokens too small?)" in line


def test_an_unanswered_pair_is_unclear():
    """A request without an answer gets a reason and no reply; the others are judged."""

    def reply(messages):
        if "figures" in messages[0]["content"] and "Ants" in messages[0]["content"]:
            raise ConnectionError("gone")
        return "AGREE"

    found = judge(PAIRS, FunctionChat(reply, max_retries=0), workers=1)
    assert len(found.frame) == 3
    assert found.unclear[["qid", "docno", "content"]].to_numpy().tolist() == [["a2", "x", None]]
    assert found.unclear["reason"][0].startswith("not answered: ")


def test_by_http(chat_server):
    """Through an endpoint: one request for each pair, with the prompt's settings."""
    chat_server.answer = lambda body: (200, chat_server.completion("So: AGREE"))
    found = judge(PAIRS, OpenAIChat("m", base_url=chat_server.url))
    assert found.frame["label"].tolist() == [1] * 4
    assert {(body["temperature"], body["max_tokens"]) for body in chat_server.asked} == {(0, 310)}
    assert len(chat_server.asked) == 4


def test_a_prompt_of_ones_own():
    """A prompt of your own has its own words, verdicts and grades."""
    prompt = JudgingPrompt("mine", "{aspect}? {abstract}", {"YES": 1, "NO": 0})
    client = FunctionChat(lambda messages: "YES" if "Ants" in messages[0]["content"] else "NO")
    assert judge(PAIRS, client, preset=prompt).frame["label"].tolist() == [1, 0, 1, 0]


def test_grades_are_whole_numbers():
    """A grade must be a whole number: half a grade would be truncated."""
    with pytest.raises(ValueError, match=r"grades\['PARTLY'\]=0.5: expected a whole number"):
        JudgingPrompt("mine", "{aspect}? {abstract}", {"YES": 1, "PARTLY": 0.5})


def test_no_pairs_are_no_judgements():
    """Nothing is asked; the columns are there."""
    found = judge(PAIRS.head(0), scripted()[0])
    assert list(found.frame.columns) == [
        *("qid", "docno", "used_by", "label", "verdict", "released", "last", "content"),
    ]
    assert found.unclear.empty and "reason" in found.unclear


def test_judgements_compare_with_a_persons():
    """The model's judgements compare with others as one annotator, by either form of ratings."""
    found = judge(PAIRS, scripted()[0], parser="last").frame
    person = found.assign(label=[2, 1, 0], annotator="person")
    for both in (
        pd.concat([found.assign(annotator="model"), person]),
        {"model": found, "person": person},
    ):
        table = agreement(both, reference="person", scale=(0, 1, 2)).table.set_index("over")
        assert table.loc["pooled", "percent"] == 2 / 3


@pytest.mark.parametrize(
    ("change", "more", "said"),
    [
        ({"docno": "x"}, {}, "Duplicate qid docno: a1 x, a2 x"),
        ({"text": " "}, {}, "Column 'text' must hold a text that is not empty"),
        ({"query": None}, {}, "Column 'query' must hold a text"),
        ({}, {"preset": "gpt"}, "Unknown preset 'gpt'. Choose one of: 'anno-gpt'; or pass a Judg"),
        ({}, {"parser": "first"}, "parser='first': expected one of 'released', 'last'"),
    ],
)
def test_bad_input(change, more, said):
    """The error names the value, what was expected, and the rows."""
    with pytest.raises(ValueError, match=said):
        judge(PAIRS.assign(**change), scripted()[0], **more)


@pytest.mark.parametrize("name", ["label", "content", "reason"])
def test_columns_of_names_that_are_added(name):
    """Columns with the names of new ones raise before anything is asked."""
    client, asked = scripted()
    with pytest.raises(pt.validate.InputValidationError, match=f"'{name}'.*rename or drop yours"):
        judge(PAIRS.assign(**{name: "old"}), client)
    assert asked == []


def judged(**grades):
    """Judgements of aspects: aspect → document → grade."""
    rows = [(aspect, doc, grade) for aspect, of in grades.items() for doc, grade in of.items()]
    return pd.DataFrame(rows, columns=["qid", "docno", "label"])


def test_totals_are_sums_over_distinct_aspects():
    """Three aspects give 2 + 1 + 0; a duplicate aspect counts once; |Q| is their number."""
    found = aspect_totals(
        judged(a={"x": 2, "y": 1}, b={"x": 1, "y": 0}, c={"x": 0, "y": 2}),
        {"q": ["a", "b", "c", "b"], "r": ["c"]},
    )
    assert found.frame.to_numpy().tolist() == [
        ["q", "x", 3, "3"],
        ["q", "y", 3, "3"],
        ["r", "x", 0, "1"],
        ["r", "y", 2, "1"],
    ]
    assert found.incomplete.empty


def test_totals_are_doris_maes(real_home):
    """From the scores of the single aspects, the totals and |Q| of its released dev queries."""
    from pyterrier_scholarly.datasets import irds

    queries = list(irds("doris-mae/dev").queries_iter())
    aspects = {q.query_id: [*q.aspect_ids, *q.sub_aspect_ids] for q in queries}
    scores = pd.DataFrame(irds("doris-mae/aspects").qrels_iter())
    scores = scores.rename(columns={"query_id": "qid", "doc_id": "docno", "relevance": "label"})
    found = aspect_totals(scores, aspects).frame
    own = {(row.qid, row.docno): (row.label, row.iteration) for row in found.itertuples()}
    official = list(irds("doris-mae/dev").qrels_iter())
    assert len(official) == 3129
    for qrel in official:
        expected = (qrel.relevance, qrel.iteration.lstrip("-"))
        assert own[qrel.query_id, qrel.doc_id] == expected


def test_a_document_with_an_unjudged_aspect_has_no_total():
    """The document is listed with the missing aspects."""
    found = aspect_totals(judged(a={"x": 2, "y": 1}, b={"x": 1}), {"q": ["a", "b"]})
    assert found.frame["docno"].tolist() == ["x"]
    assert found.incomplete.to_numpy().tolist() == [["q", "y", ("b",)]]


@pytest.mark.parametrize(
    ("aspects", "said"),
    [
        ({"q": ["a", "z"]}, r"'q' has the aspects \['a', 'z'\], without judgements of z"),
        ({"q": []}, r"'q' has the aspects \[\]"),
    ],
)
def test_totals_of_bad_input(aspects, said):
    """The error names query and aspects."""
    with pytest.raises(ValueError, match=said):
        aspect_totals(judged(a={"x": 2}), aspects)


@pytest.mark.parametrize("label", [float("nan"), 0.5, None, "CONCUR"])
def test_totals_of_labels_that_are_none(label):
    """A label that is no whole number (not judged yet) is an error that names the document."""
    frame = judged(a={"x": 2, "y": label})
    with pytest.raises(
        ValueError, match=r"'label' must hold whole numbers.* for docno y: fill it in"
    ):
        aspect_totals(frame, {"q": ["a"]})
