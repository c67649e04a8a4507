"""An object defined by its settings, which are checked, and decide its equality, hash and repr.

@dataclass(eq=False, repr=False)
class Scorer(BySettings):
    encoder: EncoderLike
    aggregate: Literal["max", "mean"] = "max"
    batch_size: Count = 32

Scorer("m") == Scorer("m", "max")  # True, and both are shown as Scorer('m')
Scorer("m", aggregate="maen")  # raises: did you mean 'mean'?
"""

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import MISSING, Field, fields
from math import isfinite
from threading import RLock
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    TypeAlias,
    TypeVar,
    Union,
    get_args,
    get_origin,
)

from .choices import find_similar
from .redaction import redact

HELD_RESULTS = "_held"  # attribute with the results of `held`, which no copy has
HOLDING = RLock()  # so that two threads load a model once
LARGEST_WHOLE = 2**63 - 1  # that fits into the files and arrays of other libraries
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")  # in memory, in the repr of a function or an object

Value = TypeVar("Value")


class Rule(NamedTuple):
    """What a value must meet besides its type: ``Annotated[int, Rule("an even number", is_even)]``.

    Attributes:
        meaning: what is expected, for the error: a noun with its article.
        holds: function from a value of the right type to whether it meets the rule. The default
            accepts all: such a rule only says better what is meant.
        list_options: function that returns all values that meet the rule; none if they cannot be
            listed. A function, because a rule needs a hash, which a dict of options lacks.
    """

    meaning: str
    holds: Callable[[Any], bool] = lambda value: True
    list_options: Callable[[], Sequence[str]] = tuple

    def __repr__(self) -> str:
        return self.meaning


#: type of a setting -> what is expected
PLAIN_KINDS: dict[Any, Rule] = {
    bool: Rule("True or False"),
    int: Rule("a whole number"),
    float: Rule("a number"),
    str: Rule("a text"),
    dict: Rule("a dict"),
    Mapping: Rule("a dict"),
    Callable: Rule("a function"),
}

Count: TypeAlias = Annotated[int, Rule("a whole number of at least 1", lambda number: number >= 1)]
Natural: TypeAlias = Annotated[
    int, Rule("a whole number of at least 0", lambda number: number >= 0)
]
Positive: TypeAlias = Annotated[float, Rule("a number above 0", lambda number: number > 0)]
NotNegative: TypeAlias = Annotated[
    float, Rule("a number of at least 0", lambda number: number >= 0)
]
#: a probability or a part of a whole
Share: TypeAlias = Annotated[float, Rule("a number from 0 to 1", lambda number: 0 <= number <= 1)]


class BySettings:
    """Compare, hash and print by the fields of a dataclass (pass it ``eq=False, repr=False``).

    `pt.Experiment(plan="tree")` runs a step once if two systems share it, that is if the steps are
    equal. `@dataclass(unsafe_hash=True)` is not enough for two reasons. Settings may be datasets,
    where ``"csfcube/method"`` equals the PyTerrier and the ir_datasets object of that id. They may
    also be data frames, whose ``==`` is no single answer.

    A dataset is compared by its id, a list or a dict by its items, anything else by its own
    equality or, if it has no hash (a data frame), by identity. A field with ``compare=False`` is
    ignored. The repr shows what differs from the defaults; it can be pasted back if the settings'
    reprs can.

    Settings are checked when the object is made, and again when a step is called, because a grid
    search sets them later: choices (``Literal``), plain values, and those with a `Rule` (`Count`).
    Numbers are finite, and whole ones have at most 64 bits.
    A subclass with a `__post_init__` of its own calls this one first.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __post_init__(self) -> None:
        self.check_settings()

    def check_settings(self) -> None:
        """Raise ValueError for a setting that is not what its annotation says."""
        for setting in fields(self):
            value = getattr(self, setting.name)
            # a number of numpy, as from a grid search; by its fields, as numpy is slow to import
            if getattr(value, "ndim", None) == 0 and hasattr(value, "item"):
                value = value.item()
                setattr(self, setting.name, value)

            expected = _find_expected(value, setting.type)
            if expected:
                default = "" if setting.default is MISSING else f" (default {setting.default!r})"
                shown_value = redact(shown(value))  # a key may be in the wrong place
                raise ValueError(
                    f"{type(self).__name__}: {setting.name}={shown_value:.80}: expected "
                    f"{expected}{default}."
                )

    def held(self, name: str, make: Callable[[], Value], *key: object) -> Value:
        """Return the result of `make()`, which is called once as long as `key` stays the same.

        Only this object holds the result: equality ignores it, and no copy has it. For each `name`
        it holds one result, the last.
        """
        with HOLDING:
            results: dict[str, Any] = vars(self).setdefault(HELD_RESULTS, {})
            held_key, result = results.get(name, (None, None))
            if held_key != key:
                results.pop(name, None)  # first, because two models may not fit into memory
                result = make()
                results[name] = key, result
            return result

    def drop_held(self) -> None:
        """Forget all results of `held`; the next calls make them again."""
        vars(self).pop(HELD_RESULTS, None)

    def __getstate__(self) -> dict[str, object]:
        """Return what a copy or a pickle has: all but the results of `held`."""
        return {name: value for name, value in vars(self).items() if name != HELD_RESULTS}

    def _key(self) -> tuple[Hashable, ...]:
        """Return what equality and hash go by: the class, and the compared settings."""
        settings = BySettings.__fingerprint__(self)  # without what subclasses add to it
        return (type(self), *map(comparable, settings.values()))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BySettings) or type(self) is not type(other):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __fingerprint__(self) -> dict[str, object]:
        """Return the compared settings, for `pyterrier_scholarly.fingerprint`."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.compare}

    def __repr__(self) -> str:
        required = []  # first, although keyword arguments of a base may be in front of them
        optional = []
        for field in fields(self):
            value = getattr(self, field.name)
            if field.repr and field.default is MISSING:
                required.append(shown(value))
            elif field.repr and comparable(value) != comparable(field.default):
                optional.append(f"{field.name}={shown(value)}")
        return f"{type(self).__name__}({', '.join(required + optional)})"


def dataset_id(value: object) -> str | None:
    """Return the id of a dataset, without the prefix ``irds:``; None if it has no id.

    A string is an id. PyTerrier's own datasets, without ``irds:``, have none.
    """
    if isinstance(value, str):
        return value.removeprefix("irds:")
    dataset = value.irds_ref() if hasattr(value, "irds_ref") else value
    return dataset.dataset_id() if hasattr(dataset, "dataset_id") else None


def comparable(value: object) -> Hashable:
    """Return a hashable value to compare settings by: equal exactly if the settings mean the same.

    Of a dataset its id, of a list or a dict its items, of an object without a hash its identity.
    """
    if isinstance(value, (list, tuple)):
        return tuple(comparable(item) for item in value)
    if isinstance(value, dict):
        return frozenset((key, comparable(item)) for key, item in value.items())

    id_of_dataset = dataset_id(value)
    if id_of_dataset is not None:
        return id_of_dataset
    try:
        hash(value)
    except TypeError:
        return (type(value), id(value))  # both sides are alive when compared
    return value


def shown(value: Any) -> str:
    """Return the text that stands for a setting in a repr.

    It is short (a dataset's id, a frame's size), and the same in every run: without addresses in
    memory.
    """
    id_of_dataset = dataset_id(value)
    if id_of_dataset is not None:
        return repr(id_of_dataset)
    if hasattr(value, "columns"):
        return f"<frame of {len(value)} rows>"
    return ADDRESS.sub("", repr(value))


def _find_expected(value: Any, annotation: Any) -> str:
    """Return what a setting with an annotation must be, if `value` is not; "" if it fits."""
    is_union = get_origin(annotation) in (Union, UnionType)
    kinds = get_args(annotation) if is_union else (annotation,)
    options = [option for kind in kinds if get_origin(kind) is Literal for option in get_args(kind)]
    is_name = bool(options) and isinstance(value, str)  # a mistyped choice, and no other object

    expected = []
    for kind in kinds:
        fits, meaning = _judge(value, kind)
        if fits and (meaning or not is_name):
            return ""
        expected.append(meaning)

    similar = find_similar(value, map(str, options))
    hint = f"; did you mean {similar[0]!r}?" if similar else ""
    return " or ".join(filter(None, expected)) + hint


def _judge(value: Any, kind: Any) -> tuple[bool, str]:
    """Return whether a value is of one kind, and what the kind expects.

    Of kinds that are neither choices, nor plain, nor have a rule, nothing is said: an encoder may
    be of any class. All fits them, and they expect "".
    """
    plain_kind = get_origin(kind) or kind  # the Callable of ``Callable[[str], str]``
    if plain_kind is NoneType:
        return value is None, ""
    if plain_kind is Literal:
        options = get_args(kind)
        # by the type, too: 1.0 equals 1
        is_option = any(isinstance(value, type(one)) and value == one for one in options)
        return is_option, f"one of {', '.join(map(repr, options))}"

    value_type, rule = plain_kind, PLAIN_KINDS.get(plain_kind)
    if plain_kind is Annotated:
        value_type, rule = get_args(kind)
    if rule is None:
        return True, ""

    types = (int, float) if value_type is float else value_type
    # Python's bool is an int
    is_of_type = isinstance(value, types) and isinstance(value, bool) == (types is bool)
    if is_of_type and isinstance(value, int) and abs(value) > LARGEST_WHOLE:
        return False, "a whole number of at most 64 bits"
    is_finite = not isinstance(value, float) or isfinite(value)
    return is_of_type and is_finite and rule.holds(value), rule.meaning
