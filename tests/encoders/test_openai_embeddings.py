"""Embeddings by API, from a local server."""

import socket
from dataclasses import replace
from threading import Barrier, Thread

import numpy as np
import pytest

from pyterrier_scholarly.encoders import OpenAIEmbeddings, as_encoder

openai = pytest.importorskip("openai")

KEY = "sk-not-to-be-seen"


def vector(text):
    """Return the server's embedding: a text's length and its first letter's code."""
    return [float(len(text)), float(ord(text[0]))]


def answered(texts):
    """A correct answer."""
    rows = [{"index": n, "embedding": vector(text)} for n, text in enumerate(texts)]
    return {"object": "list", "data": rows, "model": "m", "usage": {}}


@pytest.fixture
def server(api_server):
    """A running endpoint for embeddings, whose `answer` takes texts."""
    return api_server(lambda texts: (200, answered(texts)), "input")


def test_vectors_are_the_servers(server):
    """Row n is the embedding of text n, requested from <base_url>/embeddings with model and key."""
    made = OpenAIEmbeddings("m", server.url).encode(["b", "aa", "文献 検索"], "query")
    assert made.dtype == np.float32
    assert made.tolist() == [vector("b"), vector("aa"), [5, ord("文")]]
    ((path, headers, body),) = server.requests
    assert (path, headers["Authorization"]) == ("/v1/embeddings", f"Bearer {KEY}")
    assert (body["model"], "dimensions" in body) == ("m", False)


def test_each_distinct_text_is_asked_for_once(server):
    """A text is requested once, within a call and between calls."""
    encoder = OpenAIEmbeddings("m", server.url)
    encoder.encode(["b", "aa", "b"], "query")
    assert encoder.encode(["aa", "c"], "document").tolist() == [vector("aa"), vector("c")]
    encoder.encode(["c", "b"], "query")
    assert server.asked == [["b", "aa"], ["c"]]


def test_requests_are_cut_by_texts_and_by_characters(server):
    """A request has at most `batch_size` texts and 250,000 characters, or one text."""
    texts = [text * 50_000 for text in ["a", "b", "c", "d", "eeee", "ffffffff", "g", "hhhh"]]
    texts.append("i")
    OpenAIEmbeddings("m", server.url, batch_size=3).encode(texts, "query")
    starts = [[text[0] for text in asked] for asked in server.asked]
    assert starts == [["a", "b", "c"], ["d", "e"], ["f"], ["g", "h"], ["i"]]


def test_prompts_and_dimensions_are_sent(server):
    """Prompts and dimensions reach the request."""
    encoder = OpenAIEmbeddings("m", server.url, dimensions=2, query_prompt="find ")
    encoder.encode(["b"], "query")
    encoder.encode(["b"], "document")
    assert server.asked == [["find b"], ["b"]]
    assert server.requests[0][2]["dimensions"] == 2


def test_blank_texts_are_zero_and_never_sent(server):
    """Blank texts are not sent; if there are no others, one request finds the dimensions."""
    encoder = OpenAIEmbeddings("m", server.url, query_prompt="find ")
    assert encoder.encode(["", "b", " \n"], "document").tolist() == [[0, 0], vector("b"), [0, 0]]
    assert encoder.encode([""], "query").tolist() == [[0, 0]]
    assert server.asked[0] == ["b"]
    ((probe,),) = server.asked[1:]
    assert probe.strip()


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_passing_trouble_is_waited_out(server, status):
    """A failed request is repeated until it succeeds."""
    troubles = [status, status]
    server.answer = lambda texts: (troubles.pop(), {}) if troubles else (200, answered(texts))
    assert OpenAIEmbeddings("m", server.url).encode(["b"], "query").tolist() == [vector("b")]
    assert server.asked == [["b"]] * 3


def test_any_order_is_right_if_it_is_numbered(server):
    """Embeddings are sorted by their index, not by position."""
    server.answer = lambda texts: (200, {"data": answered(texts)["data"][::-1]})
    made = OpenAIEmbeddings("m", server.url).encode(["b", "aa"], "query")
    assert made.tolist() == [vector("b"), vector("aa")]


@pytest.mark.parametrize(
    ("status", "kind", "tries", "remedy"),
    [
        (401, PermissionError, 1, "It was read from OPENAI_API_KEY"),
        (403, PermissionError, 1, "May this key use the model"),
        (404, OSError, 1, "model's name, and base_url"),
        (400, ValueError, 1, "longest text has 3 characters"),
        (429, ConnectionError, 3, "Wait and run again"),
        (500, ConnectionError, 3, "Wait and run again"),
    ],
)
def test_a_lasting_trouble_is_one_error(server, status, kind, tries, remedy):
    """The error names endpoint, status, model, message and remedy, but never the key."""
    said = {"error": {"message": f"not with {KEY}", "code": "trouble"}}
    server.answer = lambda texts: (status, said)
    with pytest.raises(kind) as caught:
        OpenAIEmbeddings("m", server.url, max_retries=2).encode(["a", "bbb"], "query")
    message = str(caught.value)
    assert f"{server.url} (m) answered {status}" in message
    assert "not with ***" in message
    assert remedy in message
    assert len(server.requests) == tries
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)


def only(change):
    """An answer with a changed list of embeddings."""
    return lambda texts: (200, {"data": change(answered(texts)["data"])})


NAN = [{"index": 0, "embedding": [1.0, 2.0]}, {"index": 1, "embedding": [float("nan"), 1.0]}]
NULL = [NAN[0], {"index": 1, "embedding": [None, 1.0]}]
RAGGED = [NAN[0], {"index": 1, "embedding": [1.0]}]


@pytest.mark.parametrize(
    ("answer", "got"),
    [
        (only(lambda rows: rows[:1]), r"shape \(1, 2\); expected .* \(2, dimensions\)"),
        (only(lambda rows: []), r"shape \(0,\)"),
        (only(lambda rows: [rows[0], rows[0]]), r"numbers 2 vectors \[0, 0\].*OpenAI-compatible"),
        (only(lambda rows: NAN), "NaN or infinity .* first for 'aa'"),
        (only(lambda rows: NULL), r"returned .*None, 1\.0\]\]; expected"),
        (only(lambda rows: RAGGED), r"returned .*\[1\.0\]\]; expected"),
        (lambda texts: (200, {"error": "no"}), r"cannot be read: .*None.*OpenAI-compatible"),
        (lambda texts: (200, ["no"]), "cannot be read: .* has no attribute 'data'"),
        (lambda texts: (200, b"<html>"), "cannot be read.*OpenAI-compatible"),
    ],
)
def test_an_odd_answer_is_an_error_and_not_kept(server, answer, got):
    """A wrong answer raises; the same encoder then requests again."""
    correct, server.answer = server.answer, answer
    encoder = OpenAIEmbeddings("m", server.url, max_retries=0)
    with pytest.raises(ValueError, match=got):
        encoder.encode(["b", "aa"], "query")
    server.answer = correct
    assert encoder.encode(["b", "aa"], "query").tolist() == [vector("b"), vector("aa")]


def test_an_error_shows_the_first_numbers_only(server):
    """An answer of thousands of equal numbers does not fill the terminal."""
    server.answer = only(lambda rows: [rows[0]] * 5_000)
    with pytest.raises(ValueError, match=r"numbers 5000 vectors \[0, 0") as caught:
        OpenAIEmbeddings("m", server.url, max_retries=0).encode(["b"], "query")
    assert len(str(caught.value)) < 1_000


def test_other_dimensions_than_asked_for(server):
    """Other dimensions than requested raise."""
    with pytest.raises(ValueError, match=r"shape \(1, 2\); expected numbers of shape \(1, 3\)"):
        OpenAIEmbeddings("m", server.url, dimensions=3).encode(["b"], "query")


def test_what_arrived_before_a_failure_stays(server):
    """After an error, finished requests are not repeated."""
    server.answer = lambda texts: (500, {}) if texts == ["c"] else (200, answered(texts))
    encoder = OpenAIEmbeddings("m", server.url, batch_size=1, max_retries=0)
    with pytest.raises(ConnectionError):
        encoder.encode(["b", "c"], "query")
    server.answer = lambda texts: (200, answered(texts))
    encoder.encode(["b", "c"], "query")
    assert server.asked == [["b"], ["c"], ["c"]]


class Shelf:
    """The simplest cache."""

    def __init__(self):
        self.made = {}

    def get_many(self, about, texts):
        """Return the known ones."""
        return {t: self.made[str(about), t] for t in texts if (str(about), t) in self.made}

    def put_many(self, about, made):
        """Keep them."""
        self.made.update({(str(about), t): v for t, v in made.items()})


def test_a_cache_is_asked_first_and_told_of_each_answer(server):
    """Cached texts are not requested, and finished ones are cached despite a later error."""
    shelf = Shelf()
    server.answer = lambda texts: (500, {}) if texts == ["c"] else (200, answered(texts))
    settings = {"batch_size": 1, "max_retries": 0, "cache": shelf, "memory": 0}
    with pytest.raises(ConnectionError):
        OpenAIEmbeddings("m", server.url, **settings).encode(["b", "c"], "query")
    server.answer = lambda texts: (200, answered(texts))
    made = OpenAIEmbeddings("m", server.url, **settings).encode(["c", "b"], "query")
    assert made.tolist() == [vector("c"), vector("b")]
    assert server.asked == [["b"], ["c"], ["c"]]
    assert [rows.shape for rows in shelf.made.values()] == [(1, 2)] * 2
    for other in (
        OpenAIEmbeddings("other", server.url, **settings),
        OpenAIEmbeddings("m", server.url, dimensions=2, **settings),
        OpenAIEmbeddings("m", server.url, query_prompt="find ", **settings),
    ):
        before = len(server.requests)
        other.encode(["b"], "query")
        assert len(server.requests) == before + 1


def test_what_was_used_last_stays_in_memory(server):
    """The least recently used embedding is dropped: two of eight bytes with texts of one fit."""
    encoder = OpenAIEmbeddings("m", server.url, memory=18)
    for text in "abacab":
        encoder.encode([text], "query")
    assert server.asked == [["a"], ["b"], ["c"], ["b"]]


@pytest.mark.parametrize(("memory", "times"), [(108, 1), (107, 2)])
def test_texts_count_in_memory(server, memory, times):
    """A long text takes more memory than its embedding; what does not fit is not kept."""
    encoder = OpenAIEmbeddings("m", server.url, memory=memory)
    made = [encoder.encode(["a" * 100], "query").tolist() for _ in range(2)]
    assert made == [[vector("a" * 100)]] * 2
    assert len(server.asked) == times


def test_what_two_threads_ask_for_counts_once_in_memory(server):
    """Two threads may request the same text without exceeding the limit."""
    both = Barrier(2, timeout=60)
    server.answer = lambda texts: (both.wait(), (200, answered(texts)))[1]
    encoder = OpenAIEmbeddings("m", server.url, memory=18)
    threads = [Thread(target=encoder.encode, args=(["a"], "query")) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    server.answer = lambda texts: (200, answered(texts))
    encoder.encode(["b"], "query")
    encoder.encode(["a", "b"], "query")
    assert server.asked == [["a"], ["a"], ["b"]]


def test_an_endpoint_that_never_answers(server):
    """A slow try ends after `timeout`; the error counts the tries."""
    server.answer = lambda texts: (server.held.wait(), (200, {}))[1]
    encoder = OpenAIEmbeddings("m", server.url, timeout=0.05, max_retries=1)
    with pytest.raises(TimeoutError, match=r"did not answer in time.*Raise timeout"):
        encoder.encode(["b"], "query")
    assert len(server.requests) == 2


def test_nobody_listens(server):
    """A missing server raises with the address and what to check."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    with pytest.raises(ConnectionError, match="Is the server running") as caught:
        OpenAIEmbeddings("m", url, max_retries=1).encode(["b"], "query")
    assert f"{url} (m) did not answer" in str(caught.value)


def test_openai_itself_needs_a_key(server, monkeypatch):
    """Without a key, OpenAI gets no request; another server gets one."""
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(PermissionError, match="environment, as OPENAI_API_KEY"):
        OpenAIEmbeddings("m").encode(["b"], "query")
    assert OpenAIEmbeddings("m", server.url).encode(["b"], "query").tolist() == [vector("b")]


@pytest.mark.parametrize("key", ["sk-\u2026", "sk-a\nb"])
def test_a_key_that_cannot_be_sent(server, monkeypatch, key):
    """An unusable key raises, without showing it; a line break after a key is ignored."""
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(PermissionError, match="copy it again") as caught:
        OpenAIEmbeddings("m", server.url).encode(["b"], "query")
    assert key not in str(caught.value)
    monkeypatch.setenv("OPENAI_API_KEY", f"{KEY}\n")
    OpenAIEmbeddings("m", server.url).encode(["b"], "query")
    assert [headers["Authorization"] for _, headers, _ in server.requests] == [f"Bearer {KEY}"]


def test_another_variable_and_the_environments_endpoint(server, monkeypatch):
    """`key_variable` names the key's variable; OPENAI_BASE_URL is the default endpoint."""
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("MY_KEY", "mine")
    OpenAIEmbeddings("m", key_variable="MY_KEY").encode(["b"], "query")
    assert server.requests[0][1]["Authorization"] == "Bearer mine"


def test_credentials_of_the_environments_endpoint_are_nowhere(server, monkeypatch):
    """Credentials in the URL are in no error and no cache key."""
    shelf, right = Shelf(), server.answer
    encoder = OpenAIEmbeddings("m", max_retries=0, cache=shelf, memory=0)
    for password in ("password-of-mine", "password-of-yours"):
        monkeypatch.setenv("OPENAI_BASE_URL", server.url.replace("://", f"://me:{password}@"))
        server.answer = lambda _, said=password: (401, {"error": {"message": said}})
        with pytest.raises(PermissionError) as caught:
            encoder.encode(["c"], "query")
        assert "password-of" not in str(caught.value)
        server.answer = right
        assert encoder.encode(["b"], "query").tolist() == [vector("b")]
    assert "password-of" not in str(shelf.made)
    assert server.asked == [["c"], ["b"], ["c"]]


def test_the_key_is_no_setting(server):
    """The key is in neither repr nor fields; a URL with a key raises without showing it."""
    encoder = OpenAIEmbeddings("m", server.url)
    encoder.encode(["b"], "query")
    assert KEY not in repr(encoder) + repr(vars(encoder))
    assert repr(encoder) == f"OpenAIEmbeddings('m', base_url={server.url!r})"
    for url in (f"https://me:{KEY}@host/v1", f"https://host/v1?key={KEY}"):
        with pytest.raises(ValueError, match="into the environment") as caught:
            OpenAIEmbeddings("m", url)
        assert KEY not in str(caught.value)


def test_it_is_an_encoder_by_its_settings(server):
    """Encoders are equal by what changes embeddings; the way of requesting does not count."""
    encoder = OpenAIEmbeddings("m", server.url, timeout=1.0, max_retries=0, verbose=True)
    assert as_encoder(encoder) is encoder
    assert encoder == OpenAIEmbeddings("m", server.url)
    assert encoder != OpenAIEmbeddings("m", server.url, dimensions=2)


def test_openai_missing(monkeypatch):
    """A missing library raises with the extra's name."""
    monkeypatch.setitem(__import__("sys").modules, "openai", None)
    with pytest.raises(ImportError, match=r"pyterrier-scholarly\[api\]"):
        OpenAIEmbeddings("no-such-model", "http://127.0.0.1:9/v1").encode(["a"], "query")


def test_a_model_that_changes_between_requests(server):
    """Another width than the kept embeddings' raises."""
    encoder = OpenAIEmbeddings("m", server.url)
    encoder.encode(["b"], "query")
    server.answer = only(lambda rows: [{"index": 0, "embedding": [1.0]}])
    said = (
        r"vectors of 1 numbers after those of 2.*behind it changed\? Start again, or name a fixed"
    )
    with pytest.raises(ValueError, match=said):
        encoder.encode(["b", "c"], "query")


def test_a_model_that_changed_between_runs(server, tmp_path):
    """Embeddings of two widths on disk raise with what to do, too."""
    for texts, answer in ((["b"], server.answer), (["c"], None)):
        if answer is None:
            server.answer = only(lambda rows: [{"index": 0, "embedding": [1.0]}])
        OpenAIEmbeddings("m", server.url, cache=tmp_path).encode(texts, "query")
    with pytest.raises(ValueError, match=r"Run VectorCache\(.*\)\.clear\(\) and start again"):
        OpenAIEmbeddings("m", server.url, cache=tmp_path).encode(["b", "c"], "query")


def test_vectors_of_another_length_are_not_kept(server, tmp_path):
    """Embeddings of another width are not kept; the error names the cache to clear."""
    right, wrong = server.answer, only(lambda rows: [{"index": 0, "embedding": [1.0]}])
    encoder = OpenAIEmbeddings("m", server.url, batch_size=1, cache=tmp_path)
    later = replace(encoder, memory=0)  # remembers nothing, as another run
    encoder.encode(["b"], "query")
    server.answer = wrong
    for run in (encoder, later):
        with pytest.raises(ValueError, match=r"Run VectorCache\(.*\)\.clear\(\) and start again"):
            run.encode(["b", "c", "d"], "query")
    server.answer = right
    for run in (encoder, later):
        assert run.encode(["b", "c"], "query").tolist() == [vector("b"), vector("c")]
    assert server.asked == [["b"], ["c"], ["c"], ["c"]]


@pytest.mark.parametrize(
    ("answer", "start"),
    [
        (only(lambda rows: rows[:1]), "returned an array of"),
        (only(lambda rows: NAN), "returned NaN"),
    ],
)
def test_wrong_embeddings_are_refused_as_any_encoders(server, answer, start):
    """The endpoint was read: the error says what is wrong with the numbers, and which text."""
    server.answer = answer
    texts = ["b", "aa" + "a" * 300]
    with pytest.raises(ValueError, match=start) as caught:
        OpenAIEmbeddings("m", server.url, max_retries=0).encode(texts, "query")
    assert "The answer of" not in str(caught.value)
    assert str(caught.value).endswith(".")
