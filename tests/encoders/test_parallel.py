"""Batches on several cores: the same vectors, in order, and PyTorch's threads as they were."""

from threading import Barrier, Thread, current_thread, main_thread
from time import sleep

import numpy as np
import pytest

from pyterrier_scholarly.encoders import Contextual, SentenceTransformer, WholeText
from pyterrier_scholarly.encoders._parallel import each, shared
from pyterrier_scholarly.encoders._sentence_model import token_counts
from pyterrier_scholarly.encoders._windows import windows

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

CPU = torch.device("cpu")
TEXTS = [" ".join("abcdefghij"[n % 7 : n % 7 + n % 4 + 1] * (n % 3 + 1)) for n in range(60)]


@pytest.fixture
def cores():
    """A function that tells PyTorch how many cores there are; what it had comes back."""
    before = torch.get_num_threads()
    yield torch.set_num_threads
    torch.set_num_threads(before)


def test_batches_are_computed_at_once(cores):
    """Two batches that wait for each other both end, each on one core; answers are in order."""
    cores(2)
    meet = Barrier(2, timeout=60)

    def function(batch):
        meet.wait()
        return batch, torch.get_num_threads()

    assert list(each(function, range(6), CPU)) == [(n, 1) for n in range(6)]
    assert torch.get_num_threads() == 2


@pytest.mark.parametrize(("number", "many", "device"), [(1, 9, CPU), (2, 3, CPU), (2, 9, None)])
def test_one_after_the_other(cores, number, many, device):
    """One core, few batches, or a device of its own: the caller's thread, on all cores."""
    cores(number)
    threads = [thread for thread in each(lambda _: current_thread(), range(many), device)]
    assert threads == [main_thread()] * many
    assert list(each(str, [], device)) == []


def test_an_error_ends_it(cores):
    """It reaches the caller, what was not begun is not, and PyTorch has its threads again."""
    cores(2)
    begun = []

    def function(batch):
        begun.append(batch)
        if batch == 0:
            raise ValueError(batch)
        sleep(0.001)  # all of them would take five seconds

    with pytest.raises(ValueError, match=r"^0$"):
        list(each(function, range(10_000), CPU))
    assert len(begun) < 10_000
    assert torch.get_num_threads() == 2


def test_vectors_do_not_depend_on_cores(cores, letters):
    """Sixty batches on four cores, of texts and of passages: those of one core, up to rounding."""
    passages = [("t", text, "a b") for text in TEXTS]
    alone, within = (
        kind(letters, batch_tokens=1, memory=0) for kind in (SentenceTransformer, Contextual)
    )
    cores(1)
    texts, parts = alone.encode_documents(TEXTS), within.encode_passages(passages)
    cores(4)
    assert np.allclose(alone.encode_documents(TEXTS), texts, atol=1e-5)
    again = within.encode_passages(passages)
    assert len(again) == len(passages)
    assert all(np.allclose(one, two, atol=1e-5) for one, two in zip(again, parts, strict=True))


def test_the_users_model_stays_as_it_is(letters):
    """The copy whose tokenizer waits has the same weights; of other objects nothing is known."""
    view, device = shared(letters)
    assert device == letters.device
    assert "preprocess" not in vars(letters)
    weights = list(letters.parameters())
    assert weights
    assert all(one is two for one, two in zip(view.parameters(), weights, strict=True))
    other = object()
    assert shared(other) == (other, None)


#: all ways to a tokenizer
ASKING = {
    "batches": lambda model: shared(model)[0].preprocess(TEXTS),
    "lengths": lambda model: token_counts(model, "document", TEXTS),
    "windows": lambda model: windows([("t", text) for text in TEXTS], model.tokenizer, 5),
    "whole texts": lambda model: WholeText(model, memory=0).encode_documents(["a b"]),
}


@pytest.mark.parametrize("two", ASKING)
@pytest.mark.parametrize("one", ASKING)
def test_tokenizers_serve_one_thread_at_a_time(letters, monkeypatch, one, two):
    """Another thread that asks while a tokenizer runs is not let in before it is done.

    It would be let in at once; a slow machine hides that now and then, and never fails for it.
    """
    kind, inside, met, others = type(letters.tokenizer), [], [], []
    ask = kind.__call__

    def asked(*given, **named):
        met.extend(inside)
        inside.append(current_thread())
        if not others:
            others.append(Thread(target=ASKING[two], args=(letters,)))
            others[0].start()
            others[0].join(timeout=0.1)
        try:
            return ask(*given, **named)
        finally:
            inside.remove(current_thread())

    monkeypatch.setattr(kind, "__call__", asked)
    ASKING[one](letters)
    others[0].join()
    assert met == []
