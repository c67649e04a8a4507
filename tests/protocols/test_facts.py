"""The YAML files of papers: their entries, and what they repeat."""

import re

import pytest

from ir_datasets_ext.csfcube import QREL_DEFS
from ir_datasets_ext.facets import FACETS
from pyterrier_scholarly.protocols import (
    GUIDELINES,
    PROTOCOLS,
    Invitation,
    Protocol,
    System,
    protocol_of,
)
from pyterrier_scholarly.protocols.facts import read_facts


@pytest.mark.parametrize(
    ("content", "of_type", "place"),
    [
        ("{collection: c, title: t, unitt: 1}", Protocol, "$.unitt"),
        (
            "{collection: c, title: t, subsets: [{name: n, queries: q, pool: p}]}",
            Protocol,
            "[0].pool",
        ),
        ("{a: {source: s, email: e, form: f, mail: m}}", dict[str, Invitation], "a.mail"),
        ("[{key: a, form: f}, {key: b, form: f, modle: m}]", list[System], "[1].modle"),
    ],
)
def test_a_misspelt_entry_is_told(tmp_path, content, of_type, place):
    """It would be skipped in silence, and its field be the default."""
    file = tmp_path / "facts.yaml"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=rf"facts\.yaml: expected no .*{re.escape(place)}\. Cor"):
        read_facts(file, of_type)


def test_an_entry_of_another_type_is_told(tmp_path):
    """The error names the file and the entry."""
    file = tmp_path / "systems.yaml"
    file.write_text("- {key: bm25, form: bm25, tables: 5}", encoding="utf-8")
    with pytest.raises(ValueError, match=r"systems\.yaml: Expected `str`, got `int` .*tables"):
        read_facts(file, list[System])


def test_a_folder_is_a_protocol_under_its_own_name():
    """Nothing but the folder's name tells which collection it is of."""
    for name, protocol in PROTOCOLS.items():
        assert protocol.collection == name
        assert protocol.folder.is_dir()
        assert protocol_of(f"{name}/some/part") is protocol


@pytest.mark.parametrize(
    ("name", "facet"),
    [("csfcube", "all"), *((f"csfcube/{facet}", facet) for facet in FACETS)],
)
def test_guidelines_have_the_meanings_of_the_documentation(name, facet):
    """What a grade means is written in two places: for annotators, and for users of the qrels."""
    meanings = GUIDELINES[name].meanings
    assert {int(answer): meaning for answer, meaning in meanings.items()} == QREL_DEFS[facet]
