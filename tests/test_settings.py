"""Equality, hash and repr by settings."""

from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Annotated, Literal

import ir_datasets
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly import TextSimilarity, TfIdfModel, frames, systems, transformers
from pyterrier_scholarly.arguments import check_arguments, one_of
from pyterrier_scholarly.encoders import LSA
from pyterrier_scholarly.recipes import lexical_evidence, scored_parts, three_parts
from pyterrier_scholarly.settings import BySettings
from pyterrier_scholarly.transformers.step import Step


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


@dataclass(eq=False, repr=False)
class Choosy(Step):
    """A step with a choice, and one that may be a function."""

    size: Literal["small", "large"] = "small"
    words: Annotated[str, one_of({"plain": str.split})] | Callable[[str], list[str]] = "plain"

    def transform(self, frame):
        """Check alone."""
        return frames.check(frame, self, ["qid"])


def test_a_choice_is_checked_when_it_is_made():
    """The error names the setting, its value, the options, and the nearest of them."""
    with pytest.raises(ValueError, match=r"size='smal': choose one of small, large\. .*'small'"):
        Choosy("smal")
    with pytest.raises(ValueError, match=r"size='LARGE': .* Did you mean 'large'"):
        Choosy("LARGE")
    with pytest.raises(ValueError, match=r"words=7: choose one of plain, or pass a function\. The"):
        Choosy(words=7)
    with pytest.raises(ValueError, match=r"size=None: choose one of small, large\. The default"):
        Choosy(None)
    assert Choosy(words=len).words is len


def test_a_choice_is_checked_at_the_door():
    """Grid search sets it later, and so the step refuses it, of no rows too."""
    step = Choosy()
    step.set_parameter("size", "medium")
    for rows in (1, 0):
        with pytest.raises(ValueError, match="size='medium'"):
            step(pd.DataFrame({"qid": ["1"]}).head(rows))


CHOICES = [
    (transformers.SentenceMaxSim, {"context": "abstracts"}, "'abstract'"),
    (transformers.SentenceMaxSim, {"aggregate": "maen"}, "'mean'"),
    (transformers.SentenceMaxSim, {"similarity": "cosin"}, "'cosine'"),
    (transformers.SentenceCentroid, {"context": "titel"}, "'title'"),
    (transformers.SentenceTransport, {"method": "sinkhorm"}, "'sinkhorn'"),
    (transformers.SentenceVectors, {"context": "tittle"}, "'title'"),
    (transformers.TextSimilarity, {"similarity": "DOT"}, "'dot'"),
    (transformers.TextSimilarity, {"context": "facets"}, "'facet'"),
    (transformers.TextRetriever, {"dataset": "d", "stored": "float61"}, "'float16'"),
    (transformers.TextRetriever, {"dataset": "d", "similarity": "dott"}, "'dot'"),
]
OTHER_CHOICES = [
    (transformers.TfIdfScore, {"fitted_on": "pools"}, "'pool'"),
    (transformers.BM25Score, {"words": "token"}, "'tokens'"),
    (transformers.BM25Retriever, {"dataset": "d", "words": "stem"}, "'stems'"),
    (
        transformers.DocumentSimilarity,
        {"model": TfIdfModel(["a"]), "by": "query_docnos"},
        "'query_docno'",
    ),
    (transformers.DocumentRetriever, {"model": TfIdfModel(["a"]), "by": "Query"}, "'query'"),
    (transformers.ListwiseRerank, {"client": len, "preset": "rank-gpt"}, "'rankgpt'"),
    (
        transformers.OneHop,
        {"graph": SimpleNamespace(neighbours=list), "order": "papers"},
        "'paper'",
    ),
    (transformers.Pool("d").restrict, {"missing": "apend"}, "'append'"),
]


@pytest.mark.parametrize(
    ("make", "settings", "meant"),
    [*[(make, {"encoder": len, **own}, meant) for make, own, meant in CHOICES], *OTHER_CHOICES],
)
def test_every_steps_choices(make, settings, meant):
    """No step is made with a choice that it does not have; the error has what was meant."""
    with pytest.raises(ValueError, match=f"choose one of .* Did you mean {meant}"):
        make(**settings)


def test_what_is_registered_later_is_a_choice():
    """The choices are those of the dict when a value is checked, not when the class was made."""
    known = {"one": 1}

    @check_arguments
    def look_up(name: Annotated[str, one_of(known)]):
        return known[name]

    with pytest.raises(ValueError, match=r"name='two': choose one of one\. Pass"):
        look_up("two")
    known["two"] = 2
    assert look_up("two") == 2
    with pytest.raises(ValueError, match=r"choose one of one, two\. Did you mean 'two'"):
        look_up("twoo")


def test_nothing_near_is_no_hint():
    """A hint is given only if an option is near."""
    with pytest.raises(ValueError, match=r"choose one of small, large\. The default is 'small'"):
        Choosy("xyz")


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
