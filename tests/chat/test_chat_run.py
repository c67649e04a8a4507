"""A run's requests: counts, the first one alone, stopping early."""

import time
from functools import partial
from threading import Barrier, Lock, Thread

import pytest

from pyterrier_scholarly.chat import (
    ChatRun,
    Job,
    Reply,
    Unanswered,
    chat_run,
    run_in_parallel,
)

USAGE = {"prompt_tokens": 1000, "completion_tokens": 50}


class Client:
    """A client that returns or raises its answer for a message."""

    def __init__(self, answers=None, default=None, meet=None):
        self.answers, self.default, self.meet = answers or {}, default, meet
        self.asked, self.at_once, self.most, self.lock = [], 0, [], Lock()

    def request(self, messages, **options):
        """Return the request unchanged."""
        return {"messages": messages, **options}

    def reply(self, request):
        """Answer, and count the requests at once."""
        message = request["messages"]
        with self.lock:
            self.asked.append(message)
            self.at_once += 1
            self.most.append(self.at_once)
        if self.meet is not None and len(self.asked) > 1:  # all but the first wait for each other
            self.meet.wait(60)
        time.sleep(0.001)
        with self.lock:
            self.at_once -= 1
        answer = self.answers.get(message, self.default or Reply("yes", usage=USAGE))
        if isinstance(answer, Exception):
            raise answer
        return answer


def run(asked, number, workers=8):
    """Ask questions 0, 1, …; an unanswered one gives None."""

    def one(question):
        try:
            return asked.send(question).content
        except Unanswered as error:
            asked.report_unanswered(question, error)

    jobs = [Job(f"Question {n}", partial(one, n)) for n in range(number)]
    return run_in_parallel(jobs, workers, "asking")


def test_replies_come_in_order_and_are_counted(capsys):
    """The first request is alone, then exactly four are at once; costs are added up."""
    client = Client({3: Reply("old", usage=USAGE, replayed=True)}, meet=Barrier(4))
    asked = ChatRun(client, prices=(2.5, 10.0))
    assert run(asked, 21, workers=4) == ["yes"] * 3 + ["old"] + ["yes"] * 17
    assert client.most[:2] == [1, 1]
    assert max(client.most) == 4
    assert asked.cost() == pytest.approx(20 * (1000 * 2.5 + 50 * 10) / 1e6)
    asked.print_report("Run", ["failed"])
    assert capsys.readouterr().err == (
        "Run: 20 asked, 1 replayed, 0 failed; tokens: 20,000 in, 1,000 out; cost: 0.0600\n"
    )


def test_progress_has_a_name_and_a_total(capsys):
    """Progress is shown only if asked for."""
    jobs = [Job("", partial(str, n)) for n in range(7)]
    assert run_in_parallel(jobs, 2, "asking", True) == list("0123456")
    shown = capsys.readouterr().err
    assert "asking" in shown and "7/7" in shown
    run_in_parallel(jobs, 2, "asking")
    assert capsys.readouterr().err == ""


def test_a_wrong_key_is_one_request():
    """A wrong key ends the run after one request."""
    client = Client(default=PermissionError("wrong key"))
    with pytest.raises(PermissionError, match=r"Question \d+: wrong key"):
        run(ChatRun(client), 50)
    assert len(client.asked) == 1


def test_an_error_names_the_question_that_it_is_of():
    """An error has the label of its own question."""
    for number in range(10):
        client = Client({number: ValueError(f"no {number}")})
        with pytest.raises(ValueError, match=f"Question {number}: no {number}"):
            run(ChatRun(client), 20)


def test_single_silences_are_passed_over(capsys):
    """Single failures do not end a run; the report names the first."""
    client = Client({2: TimeoutError("late"), 9: ConnectionError("gone")})
    asked = ChatRun(client)
    answers = run(asked, 12, workers=1)
    assert [n for n, answer in enumerate(answers) if answer is None] == [2, 9]
    asked.print_report("Run")
    assert "; unanswered: 2 (late) and 1 more\n" in capsys.readouterr().err


def test_no_silence_is_lost(capsys):
    """Failures of two threads at once are both reported, in order."""
    asked = ChatRun(Client())
    other = Thread(target=asked.report_unanswered, args=("second", ConnectionError("gone")))

    class Slow(ConnectionError):
        def __str__(self):
            other.start()
            other.join(0.2)  # as long as it takes, if nothing holds it up
            return "slow"

    asked.report_unanswered("first", Slow())
    other.join(60)
    asked.print_report("Run")
    assert "; unanswered: first (slow) and 1 more\n" in capsys.readouterr().err


def test_a_dead_server_is_given_up():
    """A dead server ends the run after `PATIENCE` requests in a row."""
    for answers in ({}, {0: Reply("yes")}):
        client = Client(answers, default=ConnectionError("gone"))
        with pytest.raises(ConnectionError, match=r"Given up after 5 .*gone"):
            run(ChatRun(client), 100, workers=2)
        assert len(client.asked) <= len(answers) + chat_run.PATIENCE + 1


def test_nothing_answered_is_an_error():
    """A run without any answer raises, however short."""
    asked = ChatRun(Client(default=ConnectionError("gone")))
    jobs = [Job(f"Question {n}", partial(asked.ask, f"question {n}", n)) for n in range(2)]
    with pytest.raises(ConnectionError, match=r"Nothing was answered.*question 0 \(gone"):
        asked.run_all(jobs, 1, "asking", ())


def test_why_there_is_no_content(capsys):
    """Refused and unanswered requests are counted, unanswered ones reported."""
    answers = {"long": Reply(None, refusal="content_filter"), "late": TimeoutError("late")}
    asked = ChatRun(Client(answers))
    found = {one: asked.ask(one, one) for one in ("fine", "long", "late")}
    assert (found["fine"].content, found["fine"].reason) == ("yes", "")
    assert (found["long"].content, found["long"].reason) == (None, "content_filter")
    assert found["late"] == (None, "not answered: late")
    asked.print_report("Run", ["refused", "failed"])
    said = capsys.readouterr().err
    assert "1 refused, 1 failed" in said and "unanswered: late (late)" in said


@pytest.mark.parametrize("reason", ["", "stop", "STOP", "eos_token", "end_turn", "COMPLETE"])
def test_a_whole_reply_may_be_read(reason):
    """A reply that ended by itself, or whose client does not say how it ended, is whole."""
    answer = ChatRun(Client({1: Reply("yes", reason)})).ask("one", 1)
    assert answer == ("yes", "")


@pytest.mark.parametrize(
    "reason", ["length", "max_tokens", "MAX_TOKENS", "content_filter", "tool_calls", "error"]
)
def test_a_reply_that_something_else_ended_is_cut_off(reason, capsys):
    """Its text is kept with the reason why it must not be read, and the report counts it."""
    run = ChatRun(Client({1: Reply("yes", reason)}))
    assert run.ask("one", 1) == ("yes", f"cut off: finish_reason {reason!r}")
    run.print_report("Run", ["refused"])
    assert "0 refused; tokens: 0 in, 0 out; cut off: 1 (" in capsys.readouterr().err


def test_an_empty_reply_that_was_cut_off_says_so():
    """A reasoning model may use up all tokens before its first word."""
    answers = {1: Reply(None, "length"), 2: Reply("", "length"), 3: Reply(None, "stop")}
    run = ChatRun(Client(answers))
    assert run.ask("one", 1) == (None, "cut off: finish_reason 'length'")
    assert run.ask("two", 2) == ("", "cut off: finish_reason 'length'")
    assert run.ask("three", 3) == (None, "no content")
