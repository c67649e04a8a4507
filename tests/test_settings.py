"""Equality, hash and repr by settings."""

from dataclasses import dataclass, field

import ir_datasets
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly.settings import BySettings


@dataclass(eq=False, repr=False)
class Thing(BySettings):
    """Two settings that count and one that does not."""

    source: object
    size: int = 3
    loud: bool = field(default=False, compare=False, repr=False)


@dataclass(eq=False, repr=False)
class Other(BySettings):
    """Another class with an equal setting."""

    source: object


def test_equal_settings_are_equal_and_hash_alike():
    """What takes no part may differ; everything else, and the class, may not."""
    assert Thing("a") == Thing("a", loud=True)
    assert hash(Thing("a")) == hash(Thing("a", loud=True))
    assert Thing("a") != Thing("a", size=4)
    assert Thing("a") != Other("a")
    assert Thing("a") != "a"


@pytest.mark.parametrize("wrap", [pt.get_dataset, lambda name: ir_datasets.load(name[5:]), str])
def test_a_dataset_counts_by_its_id(wrap):
    """The string, PyTerrier's and ir_datasets' object of one id are the same setting."""
    thing = Thing(wrap("irds:antique/train"))
    assert thing == Thing("antique/train")
    assert hash(thing) == hash(Thing("antique/train"))
    assert repr(thing) == "Thing('antique/train')"
    assert thing != Thing("antique/test")


def test_a_dataset_without_an_id_counts_by_identity():
    """Two datasets made by hand are two settings."""
    made = ir_datasets.Dataset()
    assert Thing(made) == Thing(made)
    assert Thing(made) != Thing(ir_datasets.Dataset())


def test_a_frame_counts_by_identity():
    """A frame has no hash and no single answer to ==; it stands for itself."""
    frame = pd.DataFrame({"qid": ["1"]})
    assert Thing(frame) == Thing(frame)
    assert hash(Thing(frame)) == hash(Thing(frame))
    assert Thing(frame) != Thing(frame.copy())
    assert repr(Thing(frame)) == "Thing(<frame of 1 rows>)"


def test_a_list_counts_by_its_items():
    """Lists have no hash, but equal lists mean the same."""
    assert hash(Thing(["a", "b"])) == hash(Thing(["a", "b"]))
    assert Thing(["a", "b"]) == Thing(["a", "b"])
    assert Thing(["a", "b"]) != Thing(["b", "a"])


def test_a_dict_counts_by_its_items():
    """In any order, also where the items are lists."""
    assert Thing({"a": 1, "b": ["c"]}) == Thing({"b": ["c"], "a": 1})
    assert hash(Thing({"a": 1, "b": ["c"]})) == hash(Thing({"b": ["c"], "a": 1}))
    assert Thing({"a": 1}) != Thing({"a": 2})


def test_repr_can_be_pasted_back():
    """The repr shows what is not the default, and evaluates to an equal thing."""
    assert repr(Thing("a", size=4, loud=True)) == "Thing('a', size=4)"
    assert eval(repr(Thing("a", size=4))) == Thing("a", size=4)
