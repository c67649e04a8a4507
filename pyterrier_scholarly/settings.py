"""An object defined by its settings, which decide its equality, hash and repr.

@dataclass(eq=False, repr=False)
class Scorer(BySettings):
    encoder: object
    aggregate: str = field(default="max", metadata=one_of(["max", "mean"]))

Scorer("m", aggregate="maen").check_settings()  # raises: Did you mean 'mean'?
"""

import re
from collections.abc import Callable, Collection, Hashable
from dataclasses import MISSING, Field, dataclass, fields
from difflib import get_close_matches
from threading import RLock
from typing import Any, ClassVar, TypeVar

HELD = ("_held", "room")  # attributes that no copy has
LOADING = RLock()  # so that two threads load a model once
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")  # in memory, in the repr of a function or an object
OPTIONS = "options"  # the key of a field's Options in its metadata

Value = TypeVar("Value")


@dataclass(frozen=True)
class Options:
    """The values that a setting may have.

    Attributes:
        names: texts to choose from, perhaps with None.
        accepts: function that says whether a value that is no text will do.
        described: what `accepts` accepts, for errors.
    """

    names: Collection[str | None]
    accepts: Callable[[object], bool] | None = None
    described: str = ""

    def check(self, setting: str, value: object) -> None:
        """Raise ValueError that lists the options if `value` is none of them."""
        is_name = value is None or isinstance(value, str)
        if is_name and value in self.names:
            return
        if not is_name and self.accepts is not None and self.accepts(value):
            return

        names = [name for name in self.names if name is not None]
        other = f", or pass {self.described}" if self.described else ""
        raise ValueError(
            f"{setting}={value!r:.80}: choose one of {', '.join(names)}{other}."
            f"{did_you_mean(value, names)}"
        )


def one_of(
    names: Collection[str | None],
    accepts: Callable[[object], bool] | None = None,
    described: str = "",
) -> dict[str, Options]:
    """Return the metadata of a field that may have only these values; see `Options`."""
    return {OPTIONS: Options(names, accepts, described)}


def did_you_mean(value: object, options: Collection[str]) -> str:
    """Return " Did you mean …?" with the nearest of `options`; "" if none is near.

    >>> did_you_mean("maen", ["max", "mean"])
    " Did you mean 'mean'?"
    """
    option_of = {option.lower(): option for option in options}
    nearest = get_close_matches(str(value).lower(), option_of, n=1)
    return f" Did you mean {option_of[nearest[0]]!r}?" if nearest else ""


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
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def check_settings(self) -> None:
        """Raise ValueError for a setting that is none of its options (`one_of`)."""
        for field in fields(self):
            if OPTIONS in field.metadata:
                field.metadata[OPTIONS].check(field.name, getattr(self, field.name))

    def held(self, name: str, make: Callable[[], Value], *key: object) -> Value:
        """Return the last result of `make()` under `name`; call it again for another `key`.

        Only this object holds the result: equality ignores it, and no copy has it.
        """
        with LOADING:
            known = vars(self).setdefault("_held", {})
            if name not in known or known[name][0] != key:
                known.pop(name, None)  # first, because two models may not fit into memory
                known[name] = key, make()
            return known[name][1]

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in vars(self).items() if name not in HELD}

    def _key(self) -> tuple[Hashable, ...]:
        return (
            type(self),
            *(comparable(getattr(self, field.name)) for field in fields(self) if field.compare),
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BySettings) or type(self) is not type(other):
            return NotImplemented
        return self._key() == other._key()

    def __fingerprint__(self) -> dict[str, object]:
        """Return the compared settings, for `ir_datasets_ext.store.fingerprint`."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.compare}

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        parts = []
        for field in sorted(fields(self), key=lambda field: field.default is not MISSING):
            value = getattr(self, field.name)
            required = field.default is MISSING
            if field.repr and (required or comparable(value) != comparable(field.default)):
                parts.append(("" if required else f"{field.name}=") + shown(value))
        return f"{type(self).__name__}({', '.join(parts)})"


def dataset_id(value: object) -> str | None:
    """Return the id of a dataset, without the prefix ``irds:``; None if it has no id.

    A string is an id. PyTerrier's own datasets, without ``irds:``, have none.
    """
    if isinstance(value, str):
        return value.removeprefix("irds:")
    if hasattr(value, "irds_ref"):
        value = value.irds_ref()
    return value.dataset_id() if hasattr(value, "dataset_id") else None


def comparable(value: object) -> Hashable:
    """Return a hashable stand-in that is equal for two settings exactly if they mean the same."""
    if isinstance(value, (list, tuple)):
        return tuple(comparable(item) for item in value)
    if isinstance(value, dict):
        return frozenset((key, comparable(item)) for key, item in value.items())
    if (name := dataset_id(value)) is not None:
        return name
    try:
        hash(value)
    except TypeError:
        return (type(value), id(value))  # both sides are alive when compared
    return value


def shown(value: Any) -> str:
    """Return a setting as a repr shows it: a dataset by its id, a frame by its size.

    Without addresses in memory, which differ from run to run.
    """
    if (name := dataset_id(value)) is not None:
        return repr(name)
    if hasattr(value, "columns"):
        return f"<frame of {len(value)} rows>"
    return ADDRESS.sub("", repr(value))


def convert_fields(settings: Any, where: str) -> None:
    """Convert the fields of a dataclass, even a frozen one, to plain Python of their types.

    Raises:
        ValueError: a value of another type; names `where`, the field and its default.
    """
    from ir_datasets_ext.records import checked  # slow to import

    for field in fields(settings):
        kind: Any = field.type
        remedy = f"The default is {field.default!r}"
        value = checked(getattr(settings, field.name), kind, where, field.name, remedy)
        object.__setattr__(settings, field.name, value)
