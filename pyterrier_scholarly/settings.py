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
from collections.abc import Callable, Hashable
from dataclasses import MISSING, Field, fields
from threading import RLock
from typing import Any, ClassVar, TypeVar

from .arguments import check_field

HELD_RESULTS = "_held"  # attribute with the results of `held`, which no copy has
HOLDING = RLock()  # so that two threads load a model once
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")  # in memory, in the repr of a function or an object

Value = TypeVar("Value")


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

    A setting is checked whenever it is set, as by a grid search; `arguments` says what its
    annotation means.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __setattr__(self, name: str, value: object) -> None:
        """Set an attribute; a setting must be what its annotation says."""
        field = self.__dataclass_fields__.get(name)
        if field is not None:
            value = check_field(type(self).__name__, field, value)
        super().__setattr__(name, value)

    def __post_init__(self) -> None:
        """Do nothing; a subclass's own method may call it, as dataclasses' usually do."""

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
