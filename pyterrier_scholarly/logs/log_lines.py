"""Lines of a log's text files, gzipped or not, in blocks that fit into memory.

>>> from tempfile import TemporaryDirectory
>>> with TemporaryDirectory() as folder:
...     file = Path(folder, "log.csv")
...     _ = file.write_text("user,time,doc\\n\\nu1,1583634640,d1\\n")
...     read_first_lines(file, count=2)
['user,time,doc', 'u1,1583634640,d1']
"""

import gzip
import zlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from .log_files import File

BROKEN_UTF8 = "\ufffd"  # stands for invalid bytes, so a line with it is broken
BYTE_ORDER_MARK = "\ufeff"
FIRST_BLOCK = 1 << 16  # bytes read at once for a file's first lines


def read_first_lines(file: Path, count: int) -> list[str]:
    """Return the first lines of a file that are not blank, at most `count`."""
    lines = islice(_read_filled_lines(file), count)
    return [line.removesuffix("\r").removeprefix(BYTE_ORDER_MARK) for line in lines]


def _read_filled_lines(file: Path) -> Iterator[str]:
    """Yield the lines that are not blank."""
    for block in read_blocks(file, FIRST_BLOCK):
        for line in split_lines(block):
            if line.strip():
                yield line


def split_lines(block: bytes) -> list[str]:
    """Split at line feeds. Invalid UTF-8 becomes U+FFFD, which marks a line as broken."""
    return block.decode("utf-8", "replace").split("\n")


def read_blocks(file: Path, size: int) -> Iterator[bytes]:
    """Yield a file's bytes, unpacked, in blocks of whole lines.

    A block has `size` bytes, and the rest of the line in which these end.

    Raises:
        ValueError: a .gz file is damaged, or lines end with carriage returns alone.
    """
    open_file = gzip.open if file.name.endswith(".gz") else open
    try:
        with open_file(file, "rb") as opened:
            while True:
                block = opened.read(size)
                if not block:
                    return

                # without line feeds, the rest of the line would be the rest of the file
                _check_line_ends(file, block)
                rest_of_line = opened.readline()
                yield block + rest_of_line
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise describe_damage(file, error) from error


def _check_line_ends(file: Path, block: bytes) -> None:
    """Raise ValueError if lines end with carriage returns alone, as of old Macintoshes.

    They cannot be told from carriage returns inside of a quoted field, so they are not guessed.
    """
    if b"\r" in block and b"\n" not in block:
        raise ValueError(
            f"{file} ends its lines with carriage returns (CR): expected line feeds (LF, or CR "
            f"LF). Convert it, for example by `tr '\\r' '\\n' < {file} > new.csv`."
        )


def describe_damage(file: File, reason: object) -> ValueError:
    """Return the error for a gzipped file that cannot be unpacked to its end."""
    return ValueError(
        f"{file} is a damaged or truncated .gz file ({reason}): copy or download it again, or "
        "unpack the readable part and mine that."
    )
