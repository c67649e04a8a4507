"""What tells a file from a damaged one: its size and a digest, as manifests have them.

::

    measures = measure_file(path)  # {"bytes": 5, "sha256": "2cf2…"}
    verify_file(path, measures)    # raises Damaged once the file has another content
"""

from collections.abc import Callable, Mapping
from pathlib import Path

from ir_datasets_ext.store.hashes import file_hash
from ir_datasets_ext.store.plain_files import check_plain
from ir_datasets_ext.store.segment import Damaged, read_end

SELF_CHECKING = ".entries"  # ending of files whose content is checked as it is read
#: how a file is measured, by the name in manifests; the fastest first
MEASURES: dict[str, Callable[[Path], object]] = {
    "bytes": lambda path: path.stat().st_size,
    "end": read_end,
    "sha256": lambda path: file_hash(path, "sha256"),
}


def measure_file(path: Path) -> dict[str, object]:
    """Return size and digest of a file, as `verify_file` expects them."""
    digest = "end" if path.suffix == SELF_CHECKING else "sha256"
    return {name: MEASURES[name](path) for name in ("bytes", digest)}


def verify_file(path: Path, expected: Mapping[str, object], remedy: str = "") -> None:
    """Raise Damaged, with the remedy, unless a file is as `measure_file` described it.

    expected: by name of the measure; None if it is unknown. A folder, a device or a pipe in the
        file's place is damage, too.
    """
    end = f". {remedy}" if remedy else ""
    try:
        check_plain(path)
        for name, measure in MEASURES.items():  # the fastest first: a wrong size needs no hash
            expected_value = expected.get(name)
            if expected_value is None:
                continue
            actual_value = measure(path)
            if actual_value != expected_value:
                raise Damaged(
                    f"{path} is damaged or was edited: expected {name} {expected_value}, got "
                    f"{actual_value}{end}"
                )
    except OSError as error:
        raise Damaged(f"{path} cannot be read: {error.strerror}{end}") from None
