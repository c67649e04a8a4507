"""Arguments are checked at the door, by their annotations, whoever is called."""

import inspect
import pickle
import types
import typing
import warnings
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly import (
    LSA,
    ListwisePrompt,
    ShardRetriever,
    TextRetriever,
    VectorCache,
    bootstrap,
)
from pyterrier_scholarly.arguments import (
    Count,
    FilePath,
    Name,
    Numbers,
    Positive,
    Seed,
    Share,
    Template,
    check_arguments,
)
from pyterrier_scholarly.cluster import encode_shards
from pyterrier_scholarly.collect import aspect_pool, make_pools
from pyterrier_scholarly.settings import BySettings
from pyterrier_scholarly.stats import Histogram, histogram_slope
from pyterrier_scholarly.training import TrainingSettings

from .fuzz.calls import CALLS
from .fuzz.of_arguments import parameters_of, wrong_arguments

RUN = pd.DataFrame({"qid": ["q", "q"], "docno": ["a", "b"], "score": [2.0, 1.0]})


@check_arguments
def called(
    count: Count = 10,
    *,
    share: Share = 0.5,
    seed: Seed = 0,
    above: Positive = 1.0,
    rule: Literal["depth", "union"] = "depth",
    flag: bool = True,
    name: Name = "name",
    path: FilePath = "path",
    template: Template = "{title}",
    words: typing.Sequence[str] = (),
    prices: tuple[float, float] | None = None,
    runs: typing.Mapping[str, pd.DataFrame] | None = None,
    numbers: Numbers = (),
    frame: pd.DataFrame | None = None,
    function: typing.Callable[[str], str] | None = None,
):
    """Return all arguments."""
    return {name: value for name, value in locals().items()}


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        ({"count": 0}, "a whole number of at least 1. The default is 10."),
        ({"count": 1.0}, "a whole number of at least 1"),
        ({"count": True}, "a whole number of at least 1"),
        ({"count": "3"}, "a whole number of at least 1"),
        ({"count": None}, "a whole number of at least 1"),
        ({"count": 2**63}, "a whole number of at most 64 bits"),
        ({"count": 10**5000}, "a whole number of at most 64 bits"),
        ({"seed": -1}, "a whole number from 0 to 2^32 - 1"),
        ({"share": 95}, "a number from 0 to 1. The default is 0.5."),
        ({"share": float("nan")}, "a number from 0 to 1"),
        ({"share": Decimal("NaN")}, "a number from 0 to 1"),
        ({"share": pd.NA}, "a number from 0 to 1"),
        ({"above": float("inf")}, "a number above 0"),
        ({"above": 10**400}, "a whole number|a number above 0"),
        ({"flag": 0}, "True or False"),
        ({"flag": "no"}, "True or False"),
        ({"name": " "}, "a text that is not empty"),
        ({"path": ""}, "a path"),
        ({"path": 5}, "a path"),
        ({"template": "{"}, "a template with fields"),
        ({"template": "{0}"}, "a template with fields"),
        ({"template": "{title.__class__}"}, "a template with fields"),
        ({"words": "text"}, "a list of texts"),
        ({"words": {"a": 1}}, "a list of texts"),
        ({"prices": (1.0,)}, "a list of 2 values or None"),
        ({"numbers": ["1"]}, "a list of numbers"),
        ({"numbers": [[1], [1, 2]]}, "a list of numbers"),
        ({"numbers": np.ma.array([1, 2], mask=[0, 1])}, "a list of numbers"),
        ({"runs": [RUN]}, "a dict or None"),
        ({"runs": RUN}, "a dict or None"),
        ({"function": "lower"}, "a function or None"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_what_is_wrong_is_named(wrong, expected):
    """The error names function, argument, value, what was expected, and the default."""
    with pytest.raises(ValueError, match=f"expected ({expected})".replace("^", r"\^")) as caught:
        called(**wrong)
    ((argument, _),) = wrong.items()
    assert str(caught.value).startswith(f"called, {argument}=")
    assert "The default is" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


def test_an_item_is_named():
    """An item of a wrong type is named by its place."""
    with pytest.raises(ValueError, match=r"called, words\[1\]=5: expected a text"):
        called(words=["a", 5])
    with pytest.raises(ValueError, match=r"called, prices\[1\]='a': expected a number"):
        called(prices=(1.0, "a"))
    with pytest.raises(ValueError, match=r"called, runs \(a key\)=5: expected a text"):
        called(runs={5: RUN})


def test_a_frame_that_is_none_is_a_type_error():
    """As `frames.check` does, in a list of frames, too."""
    with pytest.raises(TypeError, match=r"called, frame=5: expected a pandas.DataFrame or None"):
        called(frame=5)
    with pytest.raises(TypeError, match=r"called, runs\['a'\]=5: expected a pandas.DataFrame"):
        called(runs={"a": 5})


def test_a_mistyped_choice_is_found():
    """The error lists the choices, and the one that is meant."""
    with pytest.raises(
        ValueError, match=r"rule='dpeth': expected one of 'depth', 'union'; did you mean 'd"
    ):
        called(rule="dpeth")
    with pytest.raises(ValueError, match=r"rule=\['depth'\]: expected one of 'depth', 'union'. T"):
        called(rule=["depth"])


def test_a_required_argument_has_no_default():
    """The error then asks for a value."""
    with pytest.raises(ValueError, match=r"make_pools, k=0: expected .* Pass one"):
        make_pools({"x": RUN}, 0)


def test_numbers_of_other_libraries_become_pythons():
    """Numbers and booleans of numpy, Fractions and Decimals are taken; whole numbers stay whole."""
    found = called(
        np.int64(3),
        share=np.float32(0.5),
        above=Fraction(1, 4),
        flag=np.bool_(False),
        seed=np.uint8(7),
    )
    kinds = {name: type(found[name]) for name in ("count", "share", "above", "flag", "seed")}
    assert kinds == {"count": int, "share": float, "above": float, "flag": bool, "seed": int}
    assert (found["count"], found["share"], found["above"], found["flag"]) == (3, 0.5, 0.25, False)
    assert type(called(share=1)["share"]) is int
    assert called(share=Decimal("0.5"))["share"] == 0.5


def test_what_is_as_good_as_a_list_or_path_is_taken():
    """Arrays, columns and tuples are lists; texts and Paths are paths."""
    for words in (["a"], ("a",), np.array(["a"]), pd.Series(["a"])):
        assert list(called(words=words)["words"]) == ["a"]
    assert called(path=Path("place"))["path"] == Path("place")


def test_a_missing_or_unknown_argument_is_pythons_own_error():
    """The call itself is wrong, and Python says so."""
    with pytest.raises(TypeError, match=r"make_pools\(\) missing 1 required positional argument"):
        make_pools({"x": RUN})
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        called(colour="red")


def test_what_is_decorated_stays_what_it_is():
    """Signature, name and documentation are the function's; it can be pickled."""
    assert inspect.signature(make_pools).parameters["k"].annotation == Count
    assert make_pools.__doc__.startswith("Pool the first results")
    assert pickle.loads(pickle.dumps(make_pools)) is make_pools


def test_secrets_in_a_wrong_argument_are_not_shown():
    """An argument in the wrong place may hold a key."""
    with pytest.raises(ValueError, match="count=") as caught:
        called({"Authorization": "Bearer abc-def-ghi", "url": "https://me:hidden@host/x"})
    assert "abc-def" not in str(caught.value)
    assert "hidden" not in str(caught.value)
    with pytest.raises(ValueError, match=r"count='\*\*\*'"):
        called("sk-proj-" + 40 * "abcd")


@dataclass(eq=False, repr=False)
class Own(BySettings):
    """Settings of a user's own."""

    number: Count = 3
    kind: "np.ndarray | None" = None  # not imported for this


def test_settings_are_checked_when_they_are_made():
    """A wrong setting is an error of the constructor, of our classes and of the user's."""
    with pytest.raises(ValueError, match="Own, number='3'"):
        Own("3")
    assert Own(np.int64(4), kind="any").number == 4
    assert repr(Own(np.int64(4))) == "Own(number=4)"


def test_a_template_fills_only_its_fields():
    """A prompt with a field that nobody fills is refused when it is made."""
    with pytest.raises(
        ValueError, match=r"closing='\{papers\}': expected a template with no other"
    ):
        ListwisePrompt("own", "s", "o {query}", "r", "{papers}")


def _checks_arguments(name):
    """Whether settings or arguments are checked at the door; others may end in Python's errors."""
    function = CALLS[name].function
    return isinstance(function, type) or hasattr(function, "__wrapped__")


def _cases():
    for name in filter(_checks_arguments, CALLS):
        for argument in parameters_of(name):
            if wrong_arguments(name, argument):
                yield name, argument


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    """A folder for what the valid arguments write."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("calls"))
        yield


@pytest.mark.parametrize(("name", "argument"), list(_cases()))
def test_every_wrong_argument_is_refused(scratch, name, argument):
    """No setting, and no function that checks its arguments, takes a value of the wrong kind."""
    call = CALLS[name]
    given = call.arguments()
    for value in wrong_arguments(name, argument):
        with pytest.raises((ValueError, TypeError, pt.validate.InputValidationError)) as caught:
            call.try_result(call.function(**given | {argument: value}))
        assert len(str(caught.value).split()) > 3


#: numbers of any size and sign
FREE = {
    ("stats.distances", "low"),
    ("stats.distances", "high"),
    ("stats.Histogram", "low"),
    ("stats.Histogram", "high"),
    ("stats.histogram_slope", "low"),
    ("stats.histogram_slope", "high"),
    ("stats.score_slope", "low"),
    ("stats.score_slope", "high"),
    ("figures.plot_recall", "relevant"),
    ("collect.error_rows", "relevant"),
    ("collect.drop_overlapping", "limit"),
    ("logs.mine_log", "user"),  # a place, which the log limits
    ("logs.mine_log", "time"),
    ("logs.mine_log", "doc"),
    ("papers.FoundPapers.explain", "docno"),  # an id
}


@pytest.mark.parametrize("name", list(CALLS))
def test_a_valid_call_names_arguments_of_its_function(name):
    """A call that names another argument raises TypeError whatever its values are."""
    call = CALLS[name]
    arguments = call.arguments()
    signature = inspect.signature(call.function)
    signature.bind(**arguments)  # raises for a missing one, too

    kinds = {parameter.kind for parameter in signature.parameters.values()}
    takes_others = inspect.Parameter.VAR_KEYWORD in kinds
    assert takes_others or {*arguments} <= {*signature.parameters}


def test_every_number_has_a_range():
    """A plain int or float among the arguments is one that may have any value."""
    found = {
        (name, argument)
        for name in filter(_checks_arguments, CALLS)
        for argument, expected in parameters_of(name).items()
        if any(kind in (int, float) for kind in _alternatives(expected))
    }
    assert found == FREE


def _alternatives(expected):
    """Return the types of a union, or the one type."""
    is_union = typing.get_origin(expected) in (typing.Union, types.UnionType)
    return typing.get_args(expected) if is_union else (expected,)


def test_the_calls_are_all_that_the_reference_has():
    """Each public function, and each class with settings, has a valid call in the fuzz kit."""
    page = Path(__file__).parents[1] / "pyterrier_scholarly/pt_docs/reference.rst"
    lines = page.read_text().splitlines()
    names = [line.partition("~pyterrier_scholarly.")[2] for line in lines if "~pyt" in line]
    missing = {name for name in names if name not in CALLS and _takes_arguments(name)}
    assert missing == set()


#: results, protocols, base classes and errors, which nobody calls with arguments of their own; and
#: parts of a paper's facts
NOT_CALLED = {
    *(
        "protocols.Demonstration",
        "protocols.OtherTable",
        "protocols.PrintedSubset",
        "tables.PaperTable",
        "explanation.Explanation",
        "Comparison",
        "papers.FoundInLibrary",
        "papers.LibraryInfo",
        "papers.MergeCounts",
        "papers.FoundPapers",
        "pipeline_stages.Stages",
        "stats.Slope",
        "stats.Resampled",
    ),
    *("chat.Job", "chat.Reply", "chat.NotRecorded", "chat.Unanswered", "measures.Value"),
    *("encoders.Encoder", "encoders.PassageEncoder", "encoders.TokenEncoder"),
    "encoders.PaperEncoder",
    *("encoders.ModelEncoder", "encoders.Isolated", "encoders.TextEncoder"),
    *("collect.Agreement", "cluster.ShardSummary", "evaluation.PoolSensitivity"),
    *("evaluation.RunCheck", "document_models.DocumentModel"),
    *("collect.Annotations", "collect.MentionCounts", "protocols.ErrorTypes"),
    *(f"protocols.{name}" for name in ("Guidelines", "Invitation", "Protocol", "QuestionPrompt")),
    *("protocols.SlopeSetting", "protocols.System"),
    "explanation.matches",  # of a scorer and its own row
    "recipes.terrier_at_hand",
    *(f"verification.{name}" for name in ("Cell", "Outcome", "Promise", "Report", "Status")),
    "ZScore",
    # bases of steps, and functions that trust a checked frame
    *("step.Step", "transformers.sentence_scorer.SentenceScorer", "step.ranked"),
    *("step.make_column", "encoders.passage_arrays", "Paper"),
}
MEASURES = {"DorisAP", "DorisR", "DorisRprec", "DorisRR", "NDCG", "PLastRel", "rHSA"}


def _takes_arguments(name):
    import pyterrier_scholarly

    value = pyterrier_scholarly
    for part in name.split("."):
        value = getattr(value, part)
    is_record = isinstance(value, type) and issubclass(value, tuple)
    return callable(value) and not is_record and name not in NOT_CALLED | MEASURES


def test_a_warning_points_to_the_users_line(tmp_path):
    """The check stands between the user and the function, but not in warnings."""
    perquery = pd.DataFrame(
        {"name": "a", "qid": ["1", "2"], "measure": "rHSA", "value": [0.5, 1.0]}
    )
    rounded = np.linspace(0, 1, 21)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        bootstrap(perquery, resamples=2)
        histogram_slope(rounded, rounded, bins=30)
    ours = [one for one in caught if issubclass(one.category, UserWarning)]
    assert len(ours) >= 2
    assert {one.filename for one in ours if "rHSA" in str(one.message)} == {__file__}
    assert {one.filename for one in ours if "rounded to" in str(one.message)} == {__file__}


def test_a_pool_of_a_billion_does_not_loop():
    """A k beyond the runs takes what there is, without a step for each number."""
    huge = 10**9
    found = make_pools({"x": RUN, "y": RUN}, huge, rule="union")
    assert found["docno"].tolist() == ["a", "b"]
    grown = aspect_pool({"x": RUN}, {"y": RUN}, {"q": ["q"]}, least=huge, query_k=huge)
    assert grown["docno"].tolist() == ["a", "b"]


def test_a_pool_grows_to_the_least_size_and_no_further():
    """One more document of each list is taken until there are enough, as before."""
    docs = list("abcdefgh")
    run = pd.DataFrame({"qid": "q", "docno": docs, "score": np.arange(8.0, 0, -1)})
    for least, size in ((0, 1), (1, 1), (3, 3), (8, 8), (99, 8)):
        pool = aspect_pool(
            {"x": run}, {}, {"q": []}, query_k=1, aspects_k=0, aspect_k=0, least=least
        )
        assert pool["docno"].tolist() == docs[:size]


def test_a_wrong_size_of_shards_leaves_no_folder(tmp_path):
    """What is refused at the door has written nothing, so the right call works."""
    texts = {"a": "one", "b": "two"}

    def lengths(rows):
        return np.array([[len(text), 1.0] for text in rows])

    folder = tmp_path / "shards"
    for wrong in (1.5, 0, "2", True):
        with pytest.raises(ValueError, match=r"shard_size=.*expected a whole number"):
            encode_shards(texts, lengths, folder, shard_size=wrong, encoder_name="lengths")
        assert not folder.exists()
    done = encode_shards(
        texts, lengths, folder, shard_size=1, encoder_name="lengths", verbose=False
    )
    assert done.encoded == 2
    with pytest.raises(ValueError, match=r"ShardRetriever, num_results=1.5"):
        ShardRetriever(folder, num_results=1.5)


def test_ids_of_shards_with_half_a_surrogate_pair_are_refused(tmp_path):
    """No file can hold such an id, and the error names it."""

    def lengths(rows):
        return np.array([[len(text), 1.0] for text in rows])

    with pytest.raises(ValueError, match=r"'\\ud800' or its text has half a surrogate pair"):
        encode_shards({"\ud800": "one"}, lengths, tmp_path / "shards", encoder_name="x")


def test_a_cache_or_a_training_below_zero_is_refused():
    """Sizes and seeds below zero are errors, wherever they are settings."""
    for make in (
        lambda: VectorCache(limit=-1),
        lambda: TrainingSettings(seed=-1),
        lambda: Histogram(-1),
        lambda: TextRetriever(LSA(["a b", "b c"]), "scholarly-mini", num_results=-1),
    ):
        with pytest.raises(ValueError, match="expected a whole number"):
            make()
