"""Read what papers say: a folder for each, with YAML files whose entries are of a type.

::

    read_facts("litsearch/title_limits.yaml", dict[str, float])   # {"inline-acl": 0.3, …}
    read_named("listwise.yaml", ListwisePrompt)                   # all papers' prompts, by name
"""

from pathlib import Path
from typing import TypeVar

import msgspec

from ..typed_records import convert

FOLDER = Path(__file__).parent
REMEDY = "Correct the entry"

Type = TypeVar("Type")


def read_facts(file: str | Path, of_type: type[Type]) -> Type:
    """Return the content of a YAML file, such as "csfcube/systems.yaml", below FOLDER.

    An entry that the type lacks is skipped; a test reads all files of the package for such.

    Raises:
        ValueError: an entry that does not fit the type; names file and entry.
    """
    content = msgspec.yaml.decode((FOLDER / file).read_bytes())
    return convert(content, of_type, file, remedy=REMEDY)


def read_named(file_name: str, of_type: type[Type]) -> dict[str, Type]:
    """Return the entries of all files of this name, one in the folder of each paper, by key."""
    entries: dict[str, Type] = {}
    for path in sorted(FOLDER.glob(f"*/{file_name}")):
        entries |= read_facts(path, dict[str, of_type])  # type: ignore[valid-type]
    return entries
