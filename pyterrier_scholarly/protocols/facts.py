"""Read what papers say: a folder for each, with YAML files whose entries are checked by type.

::

    read_facts("litsearch/title_limits.yaml", dict[str, float])   # {"inline-acl": 0.3, …}
    read_named("listwise.yaml", ListwisePrompt)                   # all papers' prompts, by name
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from ..typed_records import convert, reading_error

FOLDER = Path(__file__).parent
REMEDY = "Correct the entry"

Type = TypeVar("Type")


def read_facts(file: str | Path, of_type: type[Type]) -> Type:
    """Return the content of a YAML file, such as "csfcube/systems.yaml", below FOLDER.

    Raises:
        ValueError: an entry that the type lacks, or that does not fit it; names file and entry.
    """
    content = msgspec.yaml.decode((FOLDER / file).read_bytes())
    return convert_facts(content, of_type, file)


def convert_facts(content: object, of_type: type[Type], file: str | Path) -> Type:
    """Return the content of a file as a type; for errors see `read_facts`."""
    facts = convert(content, of_type, file, remedy=REMEDY)
    # msgspec skips what a dataclass lacks, so a misspelt entry would be its default in silence
    unknown_entries = list(_list_unknown_entries(content, msgspec.to_builtins(facts)))
    if unknown_entries:
        problem = f"expected no entry {', '.join(unknown_entries)}"
        raise reading_error(file, "", problem, REMEDY)
    return facts


def _list_unknown_entries(content: Any, facts: Any, place: str = "$") -> Iterator[str]:
    """Yield the places of entries that were not read, such as "$.systems[0].sorce".

    content: dicts, lists and values of a file. facts: the same, of what was read from it.
    """
    if isinstance(content, dict):
        for name, value in content.items():
            if name in facts:
                yield from _list_unknown_entries(value, facts[name], f"{place}.{name}")
            else:
                yield f"{place}.{name}"
    elif isinstance(content, list):
        for number, value in enumerate(content):
            yield from _list_unknown_entries(value, facts[number], f"{place}[{number}]")


def read_named(file_name: str, of_type: type[Type]) -> dict[str, Type]:
    """Return the entries of all files of this name, one in the folder of each paper, by key."""
    entries: dict[str, Type] = {}
    for path in sorted(FOLDER.glob(f"*/{file_name}")):
        entries |= read_facts(path, dict[str, of_type])  # type: ignore[valid-type]
    return entries
