"""The records as ir_datasets and PyTerrier look at them."""

import typing

import pytest
from ir_datasets.commands.export import is_tuple_elip

from ir_datasets_ext._csfcube_records import CsfcubeDoc, CsfcubeQuery


@pytest.mark.parametrize("cls", [CsfcubeDoc, CsfcubeQuery])
def test_every_field_is_exported(cls):
    """Exporters keep str, int, float and typing.Tuple[...]; annotations are types, not strings."""
    kinds = cls.__annotations__
    assert all(kind in (str, int, float) or is_tuple_elip(kind) for kind in kinds.values())
    assert typing.get_type_hints(cls) == kinds
