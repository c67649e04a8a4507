"""The YAML files of papers: their entries, and what they repeat."""

from typing import Any

import msgspec
import pytest

from ir_datasets_ext.csfcube import QREL_DEFS
from ir_datasets_ext.facets import FACETS
from pyterrier_scholarly.protocols import (
    GUIDELINES,
    PROTOCOLS,
    ErrorTypes,
    Guidelines,
    Invitation,
    JudgingPrompt,
    ListwisePrompt,
    Protocol,
    QuestionPrompt,
    ReleasedRanking,
    SlopeSetting,
    System,
    protocol_of,
)
from pyterrier_scholarly.protocols.facts import FOLDER, read_facts

TYPES = {
    "error_types.yaml": dict[str, ErrorTypes],
    "guidelines.yaml": dict[str, Guidelines],
    "judging.yaml": dict[str, JudgingPrompt],
    "listwise.yaml": dict[str, ListwisePrompt],
    "questions.yaml": dict[str, QuestionPrompt],
    "author_questions.yaml": dict[str, Invitation],
    "slope.yaml": SlopeSetting,
    "title_limits.yaml": dict[str, float],
    "training.yaml": dict[str, dict[str, Any]],
    "rankings.yaml": tuple[ReleasedRanking, ...],
    "facets.yaml": Protocol,
    "texts.yaml": Protocol,
}


def unread_entries(content, facts, place="$"):
    """The places of entries of a file that its type lacks, such as "$.systems[0].sorce"."""
    if isinstance(content, dict):
        pairs = [(f"{place}.{name}", name, value) for name, value in content.items()]
    elif isinstance(content, list):
        pairs = [(f"{place}[{number}]", number, value) for number, value in enumerate(content)]
    else:
        return []
    unread = []
    for inner_place, name, value in pairs:
        if isinstance(content, dict) and name not in facts:
            unread.append(inner_place)
        else:
            unread += unread_entries(value, facts[name], inner_place)
    return unread


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*/*.yaml")), ids=lambda path: path.name)
def test_no_entry_is_misspelt(path):
    """It would be skipped in silence, and its field be the default."""
    content = msgspec.yaml.decode(path.read_bytes())
    if path.name in ("protocol.yaml", "systems.yaml"):
        content.pop("like", None)
        facts = PROTOCOLS[path.parent.name]
    else:
        facts = read_facts(path, TYPES[path.name])
    assert unread_entries(content, msgspec.to_builtins(facts)) == []


def test_a_misspelt_entry_is_found():
    """The list of unread entries, which is empty above, names its place."""
    assert unread_entries({"a": [{"b": 1}]}, {"a": [{}]}) == ["$.a[0].b"]


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
