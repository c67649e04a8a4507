"""An object that is its settings: equal, hashed and printed by them."""

from dataclasses import MISSING, fields
from threading import RLock

HELD = ("_held", "room")  # attributes that no copy has
LOADING = RLock()  # so that two threads load a model once


class BySettings:
    """Equality, hash and repr by the fields of a dataclass (declare it ``eq=False, repr=False``).

    `pt.Experiment(plan="tree")` runs a step that two systems share once if the two are equal. What
    `@dataclass(unsafe_hash=True)` generates does not do here, for two reasons: settings may be
    datasets, where ``"csfcube/method"``, the PyTerrier and the ir_datasets object of that id are
    one and the same; and they may be data frames, whose ``==`` gives no answer.

    A dataset counts by its id, a list or a dict by its items, anything else by its own equality or,
    if it has no hash (a data frame), by identity. A field with ``compare=False`` takes no part. The
    repr shows what differs from the defaults and can be pasted back where the settings' reprs can.
    """

    def held(self, name, make, *key):
        """What `make()` returned when `key` was last new.

        This object alone holds it: it takes no part in equality, and no copy has it.
        """
        with LOADING:
            known = vars(self).setdefault("_held", {})
            if name not in known or known[name][0] != key:
                known.pop(name, None)  # first, for two models may not fit into memory
                known[name] = key, make()
            return known[name][1]

    def __getstate__(self):
        return {name: value for name, value in vars(self).items() if name not in HELD}

    def _key(self) -> tuple:
        compared = (field.name for field in fields(self) if field.compare)
        return (type(self), *(comparable(getattr(self, name)) for name in compared))

    def __eq__(self, other):
        if type(self) is not type(other):
            return NotImplemented
        return self._key() == other._key()

    def __fingerprint__(self) -> dict:
        """The settings that `ir_datasets_ext.store.fingerprint` reads: those that are compared."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.compare}

    def __hash__(self):
        return hash(self._key())

    def __repr__(self):
        parts = []
        for field in sorted(fields(self), key=lambda field: field.default is not MISSING):
            value = getattr(self, field.name)
            required = field.default is MISSING
            if field.repr and (required or comparable(value) != comparable(field.default)):
                parts.append(("" if required else f"{field.name}=") + shown(value))
        return f"{type(self).__name__}({', '.join(parts)})"


def dataset_id(value):
    """The id of a dataset, without the prefix ``irds:``; None for what has no id.

    A string is taken for an id; other than ir_datasets', PyTerrier's datasets have none.
    """
    if isinstance(value, str):
        return value.removeprefix("irds:")
    if hasattr(value, "irds_ref"):
        value = value.irds_ref()
    return value.dataset_id() if hasattr(value, "dataset_id") else None


def comparable(value):
    """Something hashable that equals its like exactly if the two settings mean the same."""
    if isinstance(value, (list, tuple)):
        return tuple(comparable(item) for item in value)
    if isinstance(value, dict):
        return frozenset((key, comparable(item)) for key, item in value.items())
    named = dataset_id(value)
    if named is not None:
        return named
    try:
        hash(value)
    except TypeError:
        return (type(value), id(value))  # both sides are alive when compared
    return value


def shown(value) -> str:
    """A setting in a repr: a dataset by its id, a frame by its size."""
    named = dataset_id(value)
    if named is not None:
        return repr(named)
    if hasattr(value, "columns"):
        return f"<frame of {len(value)} rows>"
    return repr(value)
