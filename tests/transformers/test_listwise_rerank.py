"""List-wise re-ranking with clients made by hand."""

import re

import pandas as pd
import pytest

from pyterrier_scholarly import FunctionChat, ListwisePrompt, ListwiseRerank, Recorded
from pyterrier_scholarly.chat import NotRecorded
from pyterrier_scholarly.protocols import LISTWISE


def results(n, qid="1", **columns):
    """Candidates d0, d1, …, best first."""
    frame = {
        "qid": qid,
        "query": f"question {qid}",
        "docno": [f"d{i}" for i in range(n)],
        "title": [f"Title {i}" for i in range(n)],
        "text": [f"Text {i}." for i in range(n)],
        "score": [float(-i) for i in range(n)],
    }
    return pd.DataFrame({**frame, **columns})


def shown(messages):
    """How many candidates a prompt shows."""
    return (len(messages) - 4) // 2


def backwards(messages):
    """The order turned round."""
    return " > ".join(f"[{number}]" for number in range(shown(messages), 0, -1))


def order(frame, qid="1"):
    """Numbers of the candidates by rank."""
    return [int(docno[1:]) for docno in frame[frame["qid"] == qid].sort_values("rank")["docno"]]


def line(capsys):
    """The counts of the run's line that are not 0."""
    text = capsys.readouterr().err.partition("; tokens")[0]
    return {name: int(n) for n, name in re.findall(r"(\d+) (\w+)", text) if n != "0"}


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 5, 99, 100])
def test_one_window(n):
    """All candidates are reversed; a single one needs no request; windows end."""
    asked = []
    out = ListwiseRerank(lambda messages: asked.append(messages) or backwards(messages))(results(n))
    assert order(out) == list(range(n))[::-1]
    assert out["score"].tolist() == [float(score) for score in range(n)][::-1]
    assert out["rank"].tolist() == list(range(n))
    assert [shown(messages) for messages in asked] == ([n] if n > 1 else [])


def test_what_is_behind_the_window_stays():
    """Of 1,000 candidates the first 100 are reversed; with window=3 the first three."""
    assert order(ListwiseRerank(backwards)(results(1000))) == [
        *range(99, -1, -1),
        *range(100, 1000),
    ]
    assert order(ListwiseRerank(backwards, window=3)(results(5))) == [2, 1, 0, 3, 4]


def test_windows_slide():
    """RankGPT's: 20 by 10 from the back. Of 30 the best ten, which come last, climb to the front.

    The first window, over 10…29, is turned round; the second has 0…9 and then 29…20.
    """
    sizes = []

    def highest_first(messages):
        sizes.append(shown(messages))
        numbers = [int(re.search(r"Text (\d+)", m["content"])[1]) for m in messages[3:-1:2]]
        places = sorted(range(len(numbers)), key=lambda place: -numbers[place])
        return " > ".join(f"[{place + 1}]" for place in places)

    out = ListwiseRerank(highest_first, preset="rankgpt")(results(30))
    assert order(out) == [*range(29, 19, -1), *range(9, -1, -1), *range(19, 9, -1)]
    assert sizes == [20, 20]


def test_a_window_shrinks_until_it_is_taken(capsys):
    """A fifth of the first size less each time; what is behind the shortened one stays."""
    sizes = []

    def short(messages):
        sizes.append(shown(messages))
        return backwards(messages) if shown(messages) <= 60 else "ERROR::reduce_length"

    out = ListwiseRerank(short)(results(100))
    assert order(out) == [*range(59, -1, -1), *range(60, 100)]
    assert out["score"].tolist() == list(range(99, -1, -1))
    assert sizes == [100, 80, 60]
    assert line(capsys) == {"asked": 3, "parsed": 1, "refused": 2, "shrunk": 1}


@pytest.mark.parametrize(("n", "sizes"), [(2, [2]), (3, [3, 2]), (4, [4, 3, 2]), (5, [5, 4, 3, 2])])
def test_no_content_at_all(n, sizes, capsys):
    """Null shrinks the window, to its half at most; then the query keeps its order."""
    asked = []
    out = ListwiseRerank(lambda messages: asked.append(shown(messages)))(results(n))
    assert (order(out), asked) == (list(range(n)), sizes)
    counts = {"asked": len(sizes), "empty": len(sizes), "failed": 1}
    assert line(capsys) == counts | ({"shrunk": 1} if len(sizes) > 1 else {})


def test_replies_that_are_no_orders(capsys):
    """An empty one changes nothing, a refusal in words moves what it numbers; both are counted."""
    replies = {
        "1": "",
        "2": "I cannot rank these 3 papers.",
        "3": "As a model, I refuse.",
        "4": "[2]",
    }
    frame = pd.concat([results(3, qid) for qid in replies])

    def client(messages):
        return replies[re.search(r"question (\d)", messages[1]["content"]).group(1)]

    out = ListwiseRerank(client)(frame)
    assert [order(out, qid) for qid in replies] == [[0, 1, 2], [2, 0, 1], [0, 1, 2], [1, 0, 2]]
    assert line(capsys) == {"asked": 4, "parsed": 1, "unclear": 2, "empty": 1}


def test_candidates_count_by_score_not_by_row(capsys):
    """The order of rows does not change the prompt; ties are sorted by descending docno."""
    prompts = []

    def client(messages):
        prompts.append([content["content"] for content in messages[3:-1:2]])
        return ""

    frame = results(4, score=[1.0, 2.0, 2.0, 0.0])
    for rows in (frame, frame.iloc[::-1], frame.sample(frac=1, random_state=1)):
        assert order(ListwiseRerank(client)(rows)) == [2, 1, 0, 3]
    assert prompts[0] == prompts[1] == prompts[2]
    assert prompts[0][0] == "[1] Title: Title 2 Abstract: Text 2."


def test_equal_texts_and_texts_with_identifiers():
    """Candidates are identified by position, so neither confuses an order."""
    frame = results(4, title="Same", text="See [12] and [1] > [2].")
    assert order(ListwiseRerank(backwards)(frame)) == [3, 2, 1, 0]


def test_own_words():
    """What of a candidate is shown, and how many words of it, and all words are settings."""
    seen = []

    def client(messages):
        seen.append([message["content"] for message in messages])
        return "[2]"

    frame = results(2)[["qid", "query", "docno", "score"]]
    ListwiseRerank(client, candidate="{docno} in {qid}", words=2)(frame)
    assert seen.pop()[3] == "[1] d0 in"
    own = ListwisePrompt("ours", "system", "{query}", "ok", "rank {n}", candidate="{docno}")
    assert order(ListwiseRerank(client, preset=own)(frame)) == [1, 0]
    assert seen.pop()[:4] == ["system", "question 1", "ok", "[1] d0"]


def test_full_papers():
    """The released code's variant shows the column full_text."""
    seen = []
    frame = results(2, full_text="All of it.").drop(columns=["title", "text"])
    ListwiseRerank(lambda m: seen.append(m) or "", preset="litsearch-full-paper")(frame)
    assert seen[0][3]["content"] == "[1] All of it."


def test_a_reply_that_was_cut_off_ranks_nothing(capsys):
    """Fewer candidates are shown, as after a refusal; a shorter reply that ends by itself ranks."""

    def reply(messages):
        finish_reason = "stop" if shown(messages) <= 4 else "length"
        message = {"content": backwards(messages)}
        return {"choices": [{"message": message, "finish_reason": finish_reason}]}

    out = ListwiseRerank(FunctionChat(reply), window=5)(results(6))
    assert order(out) == [3, 2, 1, 0, 4, 5]
    assert line(capsys) == {"asked": 2, "parsed": 1, "unclear": 1, "shrunk": 1}

    never_whole = ListwiseRerank(FunctionChat(reply), window=12)
    assert order(never_whole(results(12))) == list(range(12))
    assert line(capsys)["failed"] == 1


def test_blank_texts_are_shown_and_missing_ones_refused():
    """A paper without an abstract is shown by its title; NaN is an error that names it."""
    seen = []
    ListwiseRerank(lambda m: seen.append(m) or "")(results(2, text=["", "a"]))
    assert seen[0][3]["content"] == "[1] Title: Title 0 Abstract:"
    with pytest.raises(ValueError, match=r"'text' must hold a text.*docno d1"):
        ListwiseRerank(backwards)(results(2, text=["a", None]))
    with pytest.raises(ValueError, match=r"'query'.*qid 1"):
        ListwiseRerank(backwards)(results(2, query=None))


@pytest.mark.parametrize(
    ("frame", "settings", "said"),
    [
        (results(2, docno="d0"), {}, "Duplicate qid docno: 1 d0"),
        (results(2, score=[1.0, float("nan")]), {}, "finite numbers"),
        (
            results(2),
            {"preset": "unknown"},
            "'litsearch', 'litsearch-full-paper', 'rankgpt'",
        ),
        (results(2), {"window": 0}, "window=0"),
        (results(2), {"words": 0}, "words=0"),
    ],
)
def test_bad_input(frame, settings, said):
    """The error comes before any request."""
    with pytest.raises(ValueError, match=said):
        ListwiseRerank(lambda messages: pytest.fail("asked"), **settings)(frame)


def test_a_miss_names_query_and_request(tmp_path):
    """In replay, a candidate more is another request."""
    client = Recorded(FunctionChat(backwards, "m"), str(tmp_path / "r"))
    ListwiseRerank(client)(results(3))
    replay = ListwiseRerank(Recorded(client.client, client.path, mode="replay"))
    assert order(replay(results(3))) == [2, 1, 0]
    with pytest.raises(NotRecorded, match=r"Query '1': .* request [0-9a-f]{64}"):
        replay(results(4))


def test_presets_are_named():
    """Settings override the preset's."""
    assert ListwiseRerank(backwards).prompt() == LISTWISE["litsearch"]
    made = ListwiseRerank(backwards, "rankgpt", window=5, candidate="{docno}").prompt()
    assert (made.window, made.stride, made.columns) == (5, 10, ("docno",))
