"""Fields of CSV and TSV lines, split by Ibis.

    header = read_header(["log.csv"], LogForm.CSV, LogColumns(), engine)
    fields = split_fields(engine.lines(["log.csv"]), LogForm.CSV, header)

Each line stands for itself: a broken line is marked with its reason and costs no other line.
"""

from .header_lines import Header
from .log_engine import ibis
from .log_files import SEPARATORS, LogForm
from .log_lines import BROKEN_UTF8
from .mining_codes import Reason

QUOTED_FIELD = '"[^"]*(?:""[^"]*)*"'  # a regular expression


def split_fields(lines: ibis.Table, form: LogForm, header: Header) -> ibis.Table:
    """Split a table of `line` into the columns `user`, `time`, `doc` and `broken` (a `Reason`).

    A quoted field begins and ends with a quotation mark, and doubles those inside. Other fields
    have none.
    """
    splitter = _LineSplitter(lines.line, SEPARATORS[form], header.width)
    return lines.select(
        broken=splitter.find_reason(header.line),
        user=splitter.field(header.positions.user),
        time=splitter.field(header.positions.time),
        doc=splitter.field(header.positions.doc),
    )


class _LineSplitter:
    """Expressions of a column of lines; lines without quotation marks take a faster way.

    Args:
        line: the column.
        separator: of fields.
        width: the number of fields that a line should have.
    """

    def __init__(self, line: ibis.Value, separator: str, width: int) -> None:
        self.line = line
        self.separator = separator
        self.width = width

        # regular expressions of one field: without quotation marks, and with or without them
        self._plain_field = f'[^"{separator}]*'
        self._any_field = f"(?:{QUOTED_FIELD}|{self._plain_field})"

        # a line without quotation marks needs no regular expression: it is split
        self._has_quotes = line.contains('"')
        # with empty fields added, because some engines fail where a short line lacks a field
        added_fields = separator * width
        self._plain_fields = (line + added_fields).split(separator)

    def find_reason(self, header_line: str | None) -> ibis.Value:
        """Return the reason why a line is broken, or `Reason.KEPT`."""
        is_header = ibis.literal(False) if header_line is None else self.line == header_line

        # a line with quotation marks: whole fields, in any number or in the right one
        next_field = f"(?:{self.separator}{self._any_field})"
        is_well_quoted = self.line.re_search(f"^{self._any_field}{next_field}*\\z")
        is_complete = self.line.re_search(f"^{self._any_field}{next_field}{{{self.width - 1}}}\\z")

        padded_width = 2 * self.width  # of a complete line without them, and its padding
        has_wrong_width = ibis.ifelse(
            self._has_quotes, ~is_complete, self._plain_fields.length() != padded_width
        )

        reason = ibis.cases(
            (self.line.contains(BROKEN_UTF8), Reason.ENCODING.value),
            (is_header, Reason.HEADER.value),
            (self._has_quotes & ~is_well_quoted, Reason.QUOTATION.value),
            (has_wrong_width, Reason.FIELDS.value),
            else_=Reason.KEPT.value,
        )
        return reason.cast("int8")

    def field(self, position: int) -> ibis.Value:
        """Return the field at a position, from 0, without quotation marks around it."""
        fields_before = f"(?:{self._any_field}{self.separator}){{{position}}}"
        pattern = f"^{fields_before}({QUOTED_FIELD}|{self._plain_field})"
        quoted_field = _unquote(self.line.re_extract(pattern, 1))
        return ibis.ifelse(self._has_quotes, quoted_field, self._plain_fields[position])


def _unquote(field: ibis.Value) -> ibis.Value:
    """Remove the quotation marks around a field, and halve those inside."""
    inner = field.substr(1, field.length() - 2).replace('""', '"')
    return ibis.ifelse(field.startswith('"'), inner, field)
