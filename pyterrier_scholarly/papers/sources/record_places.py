"""What every reader of a source yields: records with their places, and the texts of files."""

import codecs
import json
from pathlib import Path
from typing import NamedTuple

from ir_datasets_ext.typed_records import Json

BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


class PlacedRecord(NamedTuple):
    """A record that is not understood yet. place: such as "papers.json, paper 3"."""

    place: str
    content: object


def read_file_text(path: Path) -> str:
    """Return a file's text, of UTF-8 or UTF-16, with "\\n" at the ends of lines.

    Bytes that are not UTF-8 become lone surrogates, which `field_values` finds in their record: so
    the other records can be read.
    """
    content = path.read_bytes()
    encoding = "utf-8"
    for mark, encoding_of_mark in BYTE_ORDER_MARKS.items():
        if content.startswith(mark):
            encoding = encoding_of_mark

    text = content.decode(encoding, errors="surrogateescape" if "8" in encoding else "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def parse_json(text: str) -> Json:
    """Parse JSON; ValueError if it is none, or deeper than Python can read."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(
            f"no JSON: {error.msg} at line {error.lineno}, column {error.colno}"
        ) from None
    except RecursionError:
        raise ValueError("nested too deeply: expected records of texts") from None
