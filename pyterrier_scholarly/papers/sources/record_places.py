"""What every reader of a source yields: records with their places, and the texts of files."""

import codecs
import json
from pathlib import Path
from typing import NamedTuple

from ir_datasets_ext.typed_records import Json


class Decoding(NamedTuple):
    """How a file's bytes become text. errors: what is done with bytes that cannot be decoded."""

    encoding: str
    errors: str


UTF8 = Decoding("utf-8", errors="surrogateescape")
#: what a file begins with -> how it is decoded. "surrogateescape" escapes only bytes from 128, and
#: would raise an error for damaged UTF-16
DECODING_OF_MARK = {
    codecs.BOM_UTF8: Decoding("utf-8-sig", errors="surrogateescape"),
    codecs.BOM_UTF16_LE: Decoding("utf-16", errors="replace"),
    codecs.BOM_UTF16_BE: Decoding("utf-16", errors="replace"),
}


class PlacedRecord(NamedTuple):
    """A record that is not understood yet. place: such as "papers.json, paper 3"."""

    place: str
    content: object


def read_file_text(path: Path) -> str:
    """Return a file's text, of UTF-8 or UTF-16, with "\\n" at the ends of lines.

    Bytes that are not UTF-8 become lone surrogates, which `field_values` finds in their record: so
    the other records can be read. In a file of UTF-16, what cannot be decoded becomes U+FFFD.
    """
    content = path.read_bytes()
    decoding = UTF8
    for mark, decoding_of_mark in DECODING_OF_MARK.items():
        if content.startswith(mark):
            decoding = decoding_of_mark

    text = content.decode(decoding.encoding, decoding.errors)
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
