"""A room: of many encoders, only those that were used last hold their models."""

import copy
import pickle
import weakref

import pytest

from pyterrier_scholarly import systems
from pyterrier_scholarly.encoders import Room, SentenceTransformer

pytest.importorskip("torch")
pytestmark = [pytest.mark.torch, pytest.mark.usefixtures("offline")]


@pytest.fixture
def loaded(monkeypatch):
    """Weak references to the models that are loaded, in that order; a dropped one returns None."""
    import sentence_transformers

    models = []
    load = sentence_transformers.SentenceTransformer

    def load_and_note(*arguments, **settings):
        model = load(*arguments, **settings)
        models.append(weakref.ref(model))
        return model

    monkeypatch.setattr(sentence_transformers, "SentenceTransformer", load_and_note)
    return models


def count_alive(references):
    """Count the models that something still holds."""
    import gc

    gc.collect()
    return sum(reference() is not None for reference in references)


def test_who_was_used_last_stays(tiny, loaded):
    """In a room of two, a third encoder makes the least recently used one drop its model."""
    room = Room(2)
    first, second, third = (
        SentenceTransformer(tiny("bert"), max_length=length, memory=0, room=room)
        for length in (8, 9, 10)
    )
    first.encode_documents(["a"])
    second.encode_documents(["a"])
    first.encode_documents(["b"])
    third.encode_documents(["a"])
    assert count_alive(loaded) == 2
    first.encode_documents(["c"])
    assert len(loaded) == 3  # the first one's model was still there
    second.encode_documents(["b"])
    assert (len(loaded), count_alive(loaded)) == (4, 2)


def test_without_a_room_all_stay(tiny, loaded):
    """Encoders without a room hold their models."""
    encoders = [SentenceTransformer(tiny("bert"), max_length=length) for length in (8, 9, 10, 11)]
    for encoder in encoders:
        encoder.encode_documents(["a"])
    assert count_alive(loaded) == len(encoders)


def test_a_room_is_no_setting_that_counts(tiny):
    """Encoders with and without a room are equal, print alike, and are found in a cache alike."""
    with_room = SentenceTransformer(tiny("bert"), room=Room(1))
    without = SentenceTransformer(tiny("bert"))
    assert with_room == without
    assert repr(with_room) == repr(without)
    assert with_room.__fingerprint__() == without.__fingerprint__()


@pytest.mark.parametrize(
    "duplicate", [copy.deepcopy, lambda room: pickle.loads(pickle.dumps(room))]
)
def test_a_copied_room_is_empty(tiny, loaded, duplicate):
    """A copy has the same size, and none of the encoders: entering it releases nobody."""
    room = Room(1)
    encoder = SentenceTransformer(tiny("bert"), memory=0, room=room)
    encoder.encode_documents(["a"])
    copied = duplicate(room)
    assert copied.most == 1
    other = SentenceTransformer(tiny("bert"), max_length=8, memory=0, room=copied)
    other.encode_documents(["a"])
    assert count_alive(loaded) == 2


def test_named_systems_share_a_room():
    """Of the systems of a table, few hold their models at the same time."""
    named = systems("csfcube", verbose=False)
    encoders = [named.encoder(key) for key in named]
    rooms = [encoder.room for encoder in encoders if hasattr(encoder, "room")]
    assert len(rooms) > 1
    assert all(room is rooms[0] is not None for room in rooms)
