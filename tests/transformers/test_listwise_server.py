"""List-wise re-ranking against a local server that fails, is slow, or is off."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from threading import Event

import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly import ListwiseRerank, OpenAIChat, Recorded
from pyterrier_scholarly.chat import Replies
from pyterrier_scholarly.fingerprint import fingerprint

N = 100


def results(*qids):
    """A hundred candidates for each query."""
    return pd.DataFrame(
        [
            (qid, f"about {qid}", f"d{i:02}", f"Title {i}", f"Text {i}", float(-i))
            for qid in qids
            for i in range(N)
        ],
        columns=["qid", "query", "docno", "title", "text", "score"],
    )


def asked_about(body):
    """The query and the number of candidates in a request."""
    query = re.search(r"question: about (\w+)\.$", body["messages"][1]["content"]).group(1)
    return query, (len(body["messages"]) - 4) // 2


def reversed_order(n):
    """A model's reply."""
    return " > ".join(f"[{number}]" for number in range(n, 0, -1))


def orders(frame):
    """From qid to the numbers of the candidates by rank."""
    return {
        qid: [int(docno[1:]) for docno in rows.sort_values("rank")["docno"]]
        for qid, rows in frame.groupby("qid")
    }


SAME = list(range(N))
REVERSED = SAME[::-1]


class Moody:
    """Answers by the query's name."""

    def __init__(self, server):
        self.server, self.seen = server, []

    def __call__(self, body):
        """A status and a body."""
        query, n = asked_about(body)
        self.seen.append(query)
        fine = (200, self.server.completion(reversed_order(n)))
        if query == "busy":
            return (429, {}) if self.seen.count(query) <= 2 else fine
        if query == "broken":
            return (500, {}) if self.seen.count(query) == 1 else fine
        if query == "long" and n > 80:
            error = {"message": "no", "code": "context_length_exceeded", "type": "t"}
            return 400, {"error": error}
        other = {
            "null": (200, self.server.completion(None)),
            "empty": (200, self.server.completion("")),
            "garbage": (200, self.server.completion("Lorem ipsum [x] 2.")),
            "torn": (200, b'{"choices": ['),
        }
        return other.get(query, fine)


def test_a_server_of_many_moods(chat_server, capsys):
    """Each trouble has its order and its count; every request is accounted for."""
    chat_server.answer = moody = Moody(chat_server)
    qids = ["fine", "busy", "broken", "long", "null", "empty", "garbage", "torn"]
    client = OpenAIChat("m", chat_server.url, max_retries=2)
    got = orders(ListwiseRerank(client, prices=(1, 1))(results(*qids)))
    assert got == {
        "fine": REVERSED,
        "busy": REVERSED,
        "broken": REVERSED,
        "long": [*range(79, -1, -1), *range(80, 100)],
        "null": SAME,
        "empty": SAME,
        "garbage": [1, 0, *range(2, 100)],
        "torn": SAME,
    }
    # asked: one each, another one of the long query, two more of null (80, 60); torn none
    assert capsys.readouterr().err.startswith(
        "ListwiseRerank: 10 asked, 0 replayed, 4 parsed, 1 unclear, 4 empty, 1 refused, "
        "2 shrunk, 2 failed; tokens: 90 in, 18 out; cost: 0.0001; unanswered: query 'torn' ("
    )
    tries = {"busy": 3, "broken": 2, "long": 2, "null": 3}
    assert {qid: moody.seen.count(qid) for qid in qids} == {qid: 1 for qid in qids} | tries


def test_a_server_that_hangs(chat_server, tmp_path, capsys):
    """The query keeps its order after all tries; others are not delayed.

    These are recorded before, with time enough: a busy machine may be slower than the time-out.
    """
    path = str(tmp_path / "replies")
    frame = results("fine", "hangs")
    ListwiseRerank(Recorded(OpenAIChat("m", chat_server.url), path))(frame[frame["qid"] == "fine"])
    chat_server.answer = lambda body: chat_server.held.wait() and (200, {})
    client = OpenAIChat("m", chat_server.url, max_retries=2, timeout=0.2)
    capsys.readouterr()
    got = orders(ListwiseRerank(Recorded(client, path))(frame))
    assert got == {"fine": SAME, "hangs": SAME}
    line = capsys.readouterr().err
    assert line.startswith("ListwiseRerank: 0 asked, 1 replayed, 0 parsed, 1 unclear, 0 empty")
    assert "1 failed" in line
    assert "unanswered: query 'hangs' (" in line and "in time" in line
    chat_server.wait_for(1 + 3)
    assert len(chat_server.requests) == 1 + 3
    assert len(Replies(path)) == 1


def test_a_wrong_key_is_one_error_before_the_second_query(chat_server):
    """With any number of workers, the error names variable and query, not the key."""
    chat_server.answer = lambda body: (401, {"error": {"message": chat_server.KEY}})
    rerank = ListwiseRerank(OpenAIChat("m", chat_server.url), workers=8)
    with pytest.raises(PermissionError, match=r"Query '\w+': .*OPENAI_API_KEY") as caught:
        rerank(results(*"abcdefghij"))
    assert chat_server.KEY not in str(caught.value)
    assert len(chat_server.requests) == 1


def test_a_dead_server_is_an_error(chat_server):
    """It raises, instead of returning every query in its old order."""
    chat_server.stop()
    rerank = ListwiseRerank(OpenAIChat("m", chat_server.url, max_retries=0))
    with pytest.raises(ConnectionError, match=r"Given up after 5"):
        rerank(results(*"abcdefghij"))
    with pytest.raises(ConnectionError, match=r"Nothing was answered.*query 'a'"):
        rerank(results("a"))


RUN = """
import sys
import pandas as pd
from pyterrier_scholarly import ListwiseRerank, OpenAIChat, Recorded
client = Recorded(OpenAIChat("m", sys.argv[1]), sys.argv[2])
ListwiseRerank(client, workers=8)(pd.read_pickle(sys.argv[3]))
"""
QIDS = [f"q{number}" for number in range(40)]


@pytest.mark.slow
def test_killed_resumed_and_replayed(chat_server, another_server, tmp_path, capsys):
    """Eight threads are killed half way; what is recorded is not asked for again.

    With the server off the run is the same byte for byte, also where windows shrank; in the store,
    and in what is exported of it, there is no key.
    """
    refused, paused = {"message": "no", "code": "context_length_exceeded"}, Event()

    def answer(body):
        query, n = asked_about(body)
        if int(query[1:]) % 3 == 0 and n > 80:
            return 400, {"error": refused}
        return 200, chat_server.completion(reversed_order(n))

    def answer_twenty(body):
        if len(chat_server.requests) > 20:
            paused.set()
            chat_server.held.wait()
        return answer(body)

    chat_server.answer = answer_twenty
    path, frame = tmp_path / "replies", results(*QIDS)
    frame.to_pickle(tmp_path / "frame.pkl")
    arguments = [chat_server.url, path, tmp_path / "frame.pkl"]
    process = subprocess.Popen([sys.executable, "-c", RUN, *arguments])
    assert paused.wait(300)
    process.send_signal(signal.SIGKILL)
    assert process.wait(60) == -signal.SIGKILL
    chat_server.stop()

    Replies(path).export_jsonl(tmp_path / "killed.jsonl")
    *lines, _ = (tmp_path / "killed.jsonl").read_text().splitlines()
    recorded = {json.loads(line)["key"] for line in lines}
    known = len(recorded)
    assert 12 <= known <= 20  # of twenty answers eight may have been on their way
    other = another_server()  # the address is no part of a request
    other.answer = answer
    first = run(Recorded(OpenAIChat("m", other.url), str(path)), frame, tmp_path / "1.trec")
    hashes = [fingerprint(body) for body in other.asked]
    other.stop()
    assert len(hashes) == 54 - known  # 40 queries, of which 14 shrink once
    assert recorded.isdisjoint(hashes)
    assert f"{54 - known} asked, {known} replayed, 40 parsed" in capsys.readouterr().err

    replay = Recorded(OpenAIChat("m"), str(path), mode="replay")
    assert run(replay, frame.iloc[::-1], tmp_path / "2.trec") == first
    assert "0 asked, 54 replayed, 40 parsed" in capsys.readouterr().err
    Replies(path).export_jsonl(tmp_path / "replies.jsonl")
    shipped = str(tmp_path / "shipped")
    Replies(shipped).import_jsonl(tmp_path / "replies.jsonl")
    replay = Recorded(OpenAIChat("m"), shipped, mode="replay")
    assert run(replay, frame, tmp_path / "3.trec") == first
    for file in filter(Path.is_file, tmp_path.rglob("*")):
        assert chat_server.KEY.encode() not in file.read_bytes()


def run(client, frame, path):
    """The bytes of the run, as PyTerrier writes it."""
    out = ListwiseRerank(client)(frame).sort_values(["qid", "rank"])
    pt.io.write_results(out, str(path), run_name="listwise")
    return path.read_bytes()
