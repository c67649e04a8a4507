"""Batches on several cores: the same arrays in order, and PyTorch's threads restored."""

from threading import Barrier, Thread, current_thread, main_thread
from time import sleep

import numpy as np
import pytest

from pyterrier_scholarly.encoders import Contextual, SentenceTransformer

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

TEXTS = [" ".join("abcdefghij"[n % 7 : n % 7 + n % 4 + 1] * (n % 3 + 1)) for n in range(60)]
ALONE = {"batch_tokens": 1, "memory": 0}  # every text a batch

#: from a model to a function that makes an array of n texts, each a batch
ENCODING = {
    "texts": lambda model: (
        lambda texts: SentenceTransformer(model, **ALONE).encode(texts, "document")
    ),
    "passages": lambda model: (
        lambda texts: np.array(
            [
                own[0]
                for own in Contextual(model, **ALONE).encode_passages([(one,) for one in texts])
            ]
        )
    ),
}
BOTH = pytest.mark.parametrize("kind", ENCODING)


@pytest.fixture
def cores():
    """Return a function that sets PyTorch's number of cores, which is restored."""
    before = torch.get_num_threads()
    yield torch.set_num_threads
    torch.set_num_threads(before)


def of_new_threads():
    """Return PyTorch's number of cores in a new thread."""
    found = []
    thread = Thread(target=lambda: found.append(torch.get_num_threads()))
    thread.start()
    thread.join()
    return found[0]


def hooked(model, function):
    """Call `function` before each pass of a batch through the model."""
    words = model[0].auto_model.embeddings.word_embeddings
    words.register_forward_pre_hook(lambda *_: function())


@BOTH
def test_batches_are_computed_at_once(kind, cores, letters):
    """Two batches run at once, each on one core, and arrive in order."""
    cores(1)
    texts = list("abcdef")
    expected = ENCODING[kind](letters)(texts)
    cores(2)
    meet, threads = Barrier(2, timeout=60), []

    def met():
        meet.wait()
        threads.append(torch.get_num_threads())

    hooked(letters, met)
    assert np.allclose(ENCODING[kind](letters)(texts), expected, atol=1e-5)
    assert threads == [1] * 6
    assert (torch.get_num_threads(), of_new_threads()) == (2, 2)


@BOTH
@pytest.mark.parametrize(("number", "many"), [(1, 9), (2, 3)])
def test_one_after_the_other(kind, cores, letters, number, many):
    """With one core or few batches, the caller's thread uses all cores."""
    cores(number)
    threads = []
    hooked(letters, lambda: threads.append((current_thread(), torch.get_num_threads())))
    ENCODING[kind](letters)(list("abcdefghi"[:many]))
    assert threads == [(main_thread(), number)] * many


class Own:
    """A user's model, which may not be safe in threads."""

    def __init__(self):
        self.threads = []

    def tokenizer(self, texts, **_):
        """Encode as transformers' tokenizers do."""
        return {"input_ids": [[0]] * len(texts)}

    def encode(self, texts, batch_size=32, show_progress_bar=None):
        """Vectors (n, 1)."""
        self.threads.append(current_thread())
        return np.ones((len(texts), 1))


def test_models_of_which_nothing_is_known(cores):
    """An unknown model encodes in the caller's thread, batch by batch."""
    cores(2)
    model = Own()
    ENCODING["texts"](model)(list("abcdefghi"))
    assert model.threads == [main_thread()] * 9


@BOTH
def test_an_error_ends_it(kind, cores, letters):
    """An error reaches the caller, stops later batches and restores PyTorch's threads."""
    cores(2)
    begun = []

    def fail():
        begun.append(1)
        if len(begun) == 1:
            raise ValueError("the first")
        sleep(0.002)  # all of them would take four seconds

    hooked(letters, fail)
    texts = [f"{one} {two} {three}" for one in "abcdefghijklm" for two in TEXTS for three in "xyz"]
    with pytest.raises(ValueError, match=r"^the first$"):
        ENCODING[kind](letters)(texts)
    assert len(begun) < len(texts) == 2_340
    assert (torch.get_num_threads(), of_new_threads()) == (2, 2)


def test_vectors_do_not_depend_on_cores(cores, letters):
    """Sixty batches on four cores equal those on one core, up to rounding."""
    passages = [("t", text, "a b") for text in TEXTS]
    alone, within = (kind(letters, **ALONE) for kind in (SentenceTransformer, Contextual))
    cores(1)
    texts, parts = alone.encode(TEXTS, "document"), within.encode_passages(passages)
    cores(4)
    assert np.allclose(alone.encode(TEXTS, "document"), texts, atol=1e-5)
    again = within.encode_passages(passages)
    assert len(again) == len(passages)
    assert all(np.allclose(one, two, atol=1e-5) for one, two in zip(again, parts, strict=True))


@BOTH
def test_the_users_model_stays_as_it_is(kind, letters):
    """The user's model stays unchanged while it encodes."""
    passes = []
    hooked(letters, lambda: passes.append(1))
    before = set(vars(letters))
    ENCODING[kind](letters)(["a", "b"])
    assert passes == [1, 1]
    assert set(vars(letters)) == before


#: all ways to a tokenizer: each asks it more than once, for lengths, windows and batches
ASKING = {
    "texts": lambda model: SentenceTransformer(model, memory=0).encode(TEXTS, "document"),
    "passages": lambda model: Contextual(model, max_length=5, memory=0).encode_passages(
        [("t", text) for text in TEXTS]
    ),
}


@pytest.mark.parametrize("two", ASKING)
@pytest.mark.parametrize("one", ASKING)
def test_tokenizers_serve_one_thread_at_a_time(letters, cores, monkeypatch, one, two):
    """Another thread that asks while a tokenizer runs is not let in before it is done.

    It would be let in at once; a slow machine hides that now and then, and never fails for it.
    """
    cores(1)
    kind, inside, met, others = type(letters.tokenizer), [], [], []
    ask = kind.__call__

    def asked(*given, **named):
        met.extend(inside)
        inside.append(current_thread())
        if current_thread() is main_thread() and len(others) < 2:  # for lengths, for a batch
            others.append(Thread(target=ASKING[two], args=(letters,)))
            others[-1].start()
            others[-1].join(timeout=0.1)
        try:
            return ask(*given, **named)
        finally:
            inside.remove(current_thread())

    monkeypatch.setattr(kind, "__call__", asked)
    ASKING[one](letters)
    for other in others:
        other.join()
    assert others
    assert met == []
