"""Try arguments of the wrong type and range, with every public function and class.

A valid call (`calls`) gets one wrong argument. It must be refused by a clear error. What is wrong
is said here by the type of a parameter, not by the code that checks arguments: what `WRONG` lists
may not be accepted in silence.
"""

import inspect
import types
import typing
from functools import lru_cache
from typing import Annotated, Literal, NamedTuple, Union

import numpy as np
import pandas as pd

from pyterrier_scholarly import arguments
from pyterrier_scholarly.settings import BySettings
from tests.fuzz.calls import CALLS
from tests.fuzz.values import odd

NOT_A_NUMBER = (float("nan"), "3", "", b"3", [1], {}, pd.NA, 1j, np.array([1, 2]))
NOT_WHOLE = (*NOT_A_NUMBER, 1.5, 1.0, True, np.float64(2.0), 2**70, 10**400)
NOT_FINITE = (*NOT_A_NUMBER, True, float("inf"), -float("inf"), 10**400)
NOT_A_TEXT = (5, 1.5, b"bytes", ["a"], {"a": 1}, True)
NOT_A_PATH = (5, 1.5, b"bytes", ["a"], {}, "", " ")
NOT_A_LIST = (5, 1.5, "text", b"bytes", True)
NOT_A_FRAME = (5, "text", [], {}, pd.Series([1]))
#: type of a parameter -> values that nobody may pass
WRONG: dict = {
    int: NOT_WHOLE,
    float: NOT_FINITE,
    bool: (0, 1, 0.5, "yes", "", [], {}, float("nan")),
    str: NOT_A_TEXT,
    arguments.Count: (*NOT_WHOLE, 0, -1, -(2**31)),
    arguments.Natural: (*NOT_WHOLE, -1, -(2**31)),
    arguments.Repeats: (*NOT_WHOLE, 0, -1, 10**9),
    arguments.Seed: (*NOT_WHOLE, -1, 2**32),
    arguments.Positive: (*NOT_FINITE, 0, 0.0, -1, -1e-9),
    arguments.NotNegative: (*NOT_FINITE, -1, -1e-9),
    arguments.Share: (*NOT_FINITE, -0.1, 1.1, 95),
    arguments.ShareBelowOne: (*NOT_FINITE, -0.1, 1, 1.1),
    arguments.InnerShare: (*NOT_FINITE, 0, 1, 95, -0.1),
    arguments.Name: (*NOT_A_TEXT, "", " "),
    arguments.FilePath: NOT_A_PATH,
    arguments.Template: (*NOT_A_TEXT, "{", "}", "{0}", "{}", "{a.b}", "{a!z}"),
    pd.DataFrame: (*NOT_A_FRAME, pd.DataFrame({"other": [1]})),
}
MISSPELT = ("", " ", "nosuch", 5, b"bytes", ["a"], 1.5)


class Drawn(NamedTuple):
    """A call with a wrong argument.

    name: of the call, in CALLS. argument: its wrong argument.
    is_wrong: whether the value must be refused; else it is odd, and may be right.
    """

    name: str
    argument: str
    value: object
    is_wrong: bool


def draw(random):
    """Draw a call, one of its arguments, and a wrong or odd value for it."""
    name, argument = random.choice(_arguments())
    wrong = wrong_arguments(name, argument)
    if wrong and (random.random() < 0.8 or not CALLS[name].is_run):
        return Drawn(name, argument, random.choice(wrong), True)
    return Drawn(name, argument, odd(random), False)


@lru_cache
def _arguments():
    """Return the pairs of a call and an argument that can be tried."""
    return [
        (name, argument)
        for name, call in CALLS.items()
        for argument in parameters_of(name)
        # without the valid call, an odd value may be right, and do what the call would
        if (call.is_run and not _has_settings(name) and not _is_trusting(name))
        or wrong_arguments(name, argument)
    ]


def parameters_of(name):
    """Return the types of the arguments that a call names; `self` and free ones have none."""
    call = CALLS[name]
    declared = inspect.signature(call.function).parameters
    names = [argument for argument in call.arguments() if argument != "self"]
    free = inspect.Parameter("free", inspect.Parameter.KEYWORD_ONLY, annotation=object)
    kinds = {argument: declared.get(argument, free).annotation for argument in names}
    if _has_settings(name):
        return {name: kind if is_checked(kind) else object for name, kind in kinds.items()}
    if _is_trusting(name):
        return dict.fromkeys(kinds, object)
    return kinds


#: rooms whose functions trust their arguments: steps check settings, and Python the rest
TRUSTING = ("encoders.", "recipes.weight_grid")


def _has_settings(name):
    function = CALLS[name].function
    return isinstance(function, type) and issubclass(function, BySettings)


def _is_trusting(name):
    return name.startswith(TRUSTING) and inspect.isfunction(CALLS[name].function)


def is_checked(kind):
    """Whether a setting of this kind is checked: choices, plain values, and those with a rule."""
    alternatives = typing.get_args(kind) if isinstance(kind, types.UnionType) else (kind,)
    return any(
        (typing.get_origin(one) or one) in (Literal, bool, int, float, str)
        or (typing.get_origin(one) is Annotated and isinstance(one.__metadata__[0], arguments.Rule))
        for one in alternatives
    )


def wrong_arguments(name, argument):
    """Return the values that an argument of a call may not have."""
    return wrong_values(parameters_of(name)[argument])


def wrong_values(expected):
    """Return the values that a parameter of this type may not have; nothing for other types."""
    if isinstance(expected, (type, typing.TypeVar)) or expected in WRONG:
        return list(WRONG.get(expected, ()))
    origin = typing.get_origin(expected)
    if origin in (Union, types.UnionType):
        return _wrong_for_all(typing.get_args(expected))
    if origin is Literal:
        return list(MISSPELT)
    if origin is Annotated:
        rules = [one for one in typing.get_args(expected)[1:] if isinstance(one, arguments.Rule)]
        if any(rule.list_options() for rule in rules):
            return list(MISSPELT)
        return wrong_values(typing.get_args(expected)[0])
    if origin in arguments.MAPPINGS:
        return [5, "text", [1], b"bytes"]
    if origin in (*arguments.COLLECTIONS, *arguments.ITERABLES):
        return list(NOT_A_LIST)
    return []


def _wrong_for_all(alternatives):
    """Return what is wrong for each of some alternatives; None is right for one of them."""
    lists = [wrong_values(kind) for kind in alternatives if kind is not type(None)]
    if not all(lists):  # one of the alternatives may be anything
        return []
    first, *others = lists
    return [value for value in first if all(_is_among(value, other) for other in others)]


def _is_among(value, values):
    return any(type(value) is type(other) and repr(value) == repr(other) for other in values)


def use(drawn):
    """Call it; a value that is wrong must be refused."""
    call = CALLS[drawn.name]
    given = call.arguments() | {drawn.argument: drawn.value}
    result = call.function(**given)
    if call.is_run:
        call.try_result(result)
    assert not drawn.is_wrong, f"accepted {drawn.argument}={drawn.value!r:.80}"
