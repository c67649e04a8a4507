"""Lines of text files, for engines that cannot be trusted with broken ones.

A line ends with a line feed, before which a carriage return may stand. Bytes that are no UTF-8
become U+FFFD, by which a line is known to be broken.
"""

import gzip
import zlib

import pyarrow as pa

LINE = pa.schema([("line", pa.string())])
BLOCK = 1 << 23  # bytes read at once


def line_batches(files):
    """Yield Arrow batches of one text column, `line`."""
    for file in files:
        for block in _blocks(file, BLOCK):
            yield pa.record_batch([pa.array(_lines(block), pa.string())], LINE)


def first_lines(file, count):
    """The first lines of a file that are not blank, `count` of them at most."""
    found = []
    for block in _blocks(file, 1 << 16):
        found += (line.removesuffix("\r") for line in _lines(block) if line.strip())
        if len(found) >= count:
            break
    return [line.removeprefix("\ufeff") for line in found[:count]]


def _lines(block):
    return block.decode("utf-8", "replace").split("\n")


def damaged(file, error):
    """The ValueError for a gzipped file that cannot be unpacked to its end."""
    return ValueError(
        f"{file} is a damaged or truncated .gz file ({error}): copy or download it again, or "
        "unpack what can be read and mine that."
    )


def _blocks(file, size):
    """Yield a file's bytes cut between lines, without the line feed at the cut."""
    try:
        with (gzip.open if file.name.endswith(".gz") else open)(file, "rb") as opened:
            left = []
            while block := opened.read(size):
                whole, cut, rest = block.rpartition(b"\n")
                if cut:
                    yield b"".join([*left, whole])
                    left = []
                left.append(rest)
            yield b"".join(left)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise damaged(file, error) from error
