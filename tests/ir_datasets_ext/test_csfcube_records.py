"""The records as ir_datasets and PyTerrier look at them."""

import typing

import ir_datasets
import pytest
from ir_datasets.commands.export import is_tuple_elip


@pytest.mark.parametrize("kind", ["docs", "queries"])
def test_every_field_is_exported(kind):
    """Exporters keep str, int, float and typing.Tuple[...]; annotations are types, not strings."""
    cls = getattr(ir_datasets.load("csfcube/method"), f"{kind}_cls")()
    kinds = cls.__annotations__
    assert all(kind in (str, int, float) or is_tuple_elip(kind) for kind in kinds.values())
    assert typing.get_type_hints(cls) == kinds
