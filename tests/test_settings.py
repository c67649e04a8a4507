"""Equality, hash and repr by settings."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from enum import IntEnum
from functools import partial
from itertools import product
from typing import Annotated, Literal, get_origin

import ir_datasets
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly import TextSimilarity, systems
from pyterrier_scholarly.arguments import check_arguments, one_of
from pyterrier_scholarly.chat import OpenAIChat
from pyterrier_scholarly.encoders import LSA, OpenAIEmbeddings
from pyterrier_scholarly.recipes import lexical_evidence, scored_parts, three_parts
from pyterrier_scholarly.settings import BySettings
from pyterrier_scholarly.step import Count, Natural, Positive, Share, Step
from pyterrier_scholarly.transformers import WeightedSum

from .transformers.test_contract import EXAMPLES


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


class Choosy(Step):
    """A step with choices, which may be a function or an object, a share, and a truth."""

    size: Literal["small", "large"] = "small"
    share: Share | None = 0.5
    words: Literal["plain"] | Callable[[str], list[str]] = "plain"
    prompt: Literal["short"] | Thing = "short"
    titles: bool = True

    def transform(self, frame):
        """Check alone."""
        return self.check(frame, ["qid"])


def test_a_setting_is_checked_when_it_is_made():
    """The error names the setting, its value, the options or the range, and the nearest option."""
    for wrong, message in (
        ({"size": "smal"}, "size='smal': expected one of 'small', 'large'; did you mean 'small'?"),
        ({"size": "xyz"}, "size='xyz': expected one of 'small', 'large'. The default is 'small'."),
        ({"size": None}, "size=None: expected one of 'small', 'large'"),
        ({"share": 1.5}, "share=1.5: expected a number from 0 to 1 or None. The default is 0.5."),
        ({"share": float("nan")}, "share=nan: expected a number"),
        ({"share": True}, "share=True: expected a number"),
        ({"words": "plane"}, "words='plane': expected one of 'plain' or a function; did you mean"),
        (
            {"prompt": "shirt"},
            "prompt='shirt': expected one of 'short' or a tests.Thing; did you mean",
        ),
        ({"titles": "no"}, "titles='no': expected True or False. The default is True."),
        ({"titles": "sk-proj-0123456789"}, "titles='***': expected True or False"),
    ):
        with pytest.raises(ValueError, match=re.escape(f"Choosy, {message}")):
            Choosy(**wrong)
    assert Choosy(words=len).words is len
    assert Choosy(prompt=Thing("a")).prompt == Thing("a")
    assert Choosy(share=None).share is None


@dataclass(eq=False, repr=False)
class Numbers(BySettings):
    """Numbers of all kinds."""

    whole: int = 1
    count: Count = 1
    natural: Natural | None = 1
    positive: Positive = 1.0
    number: float | None = 1.0
    choice: Literal[1, 2] = 1


@pytest.mark.parametrize("name", ["whole", "count", "natural", "positive", "number"])
def test_whole_numbers_have_64_bits(name):
    """Those beyond are refused for every kind, also where a rule would hold."""
    assert getattr(Numbers(**{name: 2**63 - 1}), name) == 2**63 - 1
    for wrong in (2**63, 10**400):
        with pytest.raises(ValueError, match=f"{name}={str(wrong)[:15]}.*at most 64 bits"):
            Numbers(**{name: wrong})


def test_numbers_are_finite():
    """With and without a rule."""
    for value in (float("inf"), np.inf, np.float32("inf"), float("nan")):
        for name in ("positive", "number"):
            with pytest.raises(ValueError, match=f"Numbers, {name}=.*: expected a number"):
                Numbers(**{name: value})
        for make in (partial(OpenAIChat, "m"), partial(OpenAIEmbeddings, "m")):
            with pytest.raises(ValueError, match=r"timeout=.*: expected a number above 0"):
                make(timeout=value)


def test_a_choice_has_the_type_of_its_option():
    """1.0 equals 1, and an array answers no question; both are refused by the same error."""
    for value in (1.0, np.zeros(0), pd.NA):
        with pytest.raises(ValueError, match=r"choice=.*: expected one of 1, 2"):
            Numbers(choice=value)


def test_a_setting_is_checked_when_it_is_set_later():
    """Grid search sets it later, and so the step refuses it, and keeps the old one."""
    step = Choosy()
    with pytest.raises(ValueError, match="size='medium'"):
        step.set_parameter("size", "medium")
    assert step.size == "small"
    step.size = "large"
    step.share = np.float64(0.25)
    assert type(step.share) is float


class Level(IntEnum):
    """Options that are numbers, too."""

    LOW = 1
    HIGH = 2


class Own(Step):
    """Settings as users write them."""

    level: Level = Level.LOW
    size: Literal["small", "large"] = "small"
    share: float = 0.5
    names: list = None
    words: set[str] = frozenset()
    number: Annotated[int, "read by another library"] = 1

    def __post_init__(self):
        super().__post_init__()

    def transform(self, results):
        """Return what comes in."""
        return results


def test_settings_of_a_users_own_step():
    """A default need not fit its annotation; a member of an enum stays one."""
    assert Own().names is None
    assert Own(words=frozenset({"a"})).words == {"a"}
    with pytest.raises(ValueError, match=r"number='1': expected a whole number\. The default is 1"):
        Own(number="1")
    assert Own(Level.HIGH).level is Level.HIGH
    assert Own(names=["a"]).names == ["a"]


def test_values_of_numpy_become_pythons():
    """Texts, and arrays without dimensions, as numbers do."""
    step = Own(size=np.str_("large"), share=np.array(0.25))
    assert type(step.size) is str
    assert type(step.share) is float
    assert repr(step) == "Own(size='large', share=0.25)"
    with pytest.raises(ValueError, match="share=masked: expected a number"):
        Own(share=np.ma.masked)


def test_weights_that_are_set_later_are_counted():
    """Grid search may set more weights than there are scorers."""
    step = WeightedSum([Own()], [1.0])
    step.set_parameter("weights", [0.5, 0.5])
    with pytest.raises(ValueError, match="1 scorers and 2 weights: pass one weight for each"):
        step(pd.DataFrame({"qid": ["1"], "docno": ["a"]}))


@pytest.mark.parametrize("make", EXAMPLES.values(), ids=EXAMPLES)
def test_every_steps_settings(make):
    """No step takes a choice that it does not have, nor a number out of its range."""
    kinds = {setting.name: get_origin(setting.type) for setting in fields(make())}
    names = [name for name, kind in kinds.items() if kind in (Literal, Annotated)]
    for name, value in product(names, ("no such thing", -1, float("nan"))):
        step = make()
        with pytest.raises(ValueError, match=f"{name}={value!r}: expected"):
            step.set_parameter(name, value)


def test_what_is_registered_later_is_a_choice():
    """The choices are those of the dict when a value is checked, not when the class was made."""
    known = {"one": 1}

    @check_arguments
    def look_up(name: Annotated[str, one_of(known)]):
        return known[name]

    with pytest.raises(ValueError, match=r"name='two': expected one of 'one'\. Pass"):
        look_up("two")
    known["two"] = 2
    assert look_up("two") == 2
    with pytest.raises(ValueError, match=r"expected one of 'one', 'two'; did you mean 'two'"):
        look_up("twoo")


@pytest.mark.parametrize("collection", ["csfcube", "doris-mae", "litsearch"])
def test_no_pipeline_prints_an_address(collection):
    """Named systems print what they are made of, also where that is PyTerrier's."""
    named = systems(collection)
    assert [key for key in named if " at 0x" in repr(named[key])] == []
    assert named["one_encoding"] == named["one_encoding"]
    assert hash(named["one_encoding"]) == hash(named["one_encoding"])


def max_of(numbers):
    """A function of one's own."""
    return max(numbers)


def test_recipes_print_their_parts():
    """Recipes and settings that are other libraries' objects print without addresses."""
    encoder = LSA("scholarly-mini")
    for made in (lexical_evidence("d"), three_parts("d", encoder), scored_parts("d", encoder)):
        assert "0x" not in repr(made)
    assert "PaperTfIdf('d')" in repr(lexical_evidence("d"))
    assert repr(Thing(max_of)) == "Thing(<function max_of>)"
    retriever = pt.apply.query(str) + pt.apply.query(str)
    assert "0x" not in repr(Thing(retriever))


def test_a_document_without_a_title():
    """The remedy is the template of the columns that there are."""
    frame = pd.DataFrame({"qid": ["1"], "query": ["a"], "docno": ["d"], "text": ["b"]})
    with pytest.raises(pt.validate.InputValidationError) as caught:
        TextSimilarity(len)(frame)
    assert "pass TextSimilarity(…, document='{text}')" in str(caught.value)
