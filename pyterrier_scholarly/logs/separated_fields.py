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
    """Split a table of `line` into the columns `user`, `time`, `doc` and `form_reason`.

    `form_reason` is the `Reason` why a line is broken, or `Reason.KEPT`. A quoted field begins and
    ends with a quotation mark, and doubles those inside. Other fields have none.
    """
    splitter = _LineSplitter(lines.line, SEPARATORS[form], header.width)
    return lines.select(
        form_reason=splitter.find_reason(header.line),
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
        # with as many empty fields added as a line should have, because some engines fail where a
        # short line lacks a field
        self._added_count = width
        added_fields = separator * self._added_count
        self._plain_fields = (line + added_fields).split(separator)

    def find_reason(self, header_line: str | None) -> ibis.Value:
        """Return the reason why a line is broken, or `Reason.KEPT`."""
        is_header = ibis.literal(False) if header_line is None else self.line == header_line
        is_well_quoted = self._consists_of_fields()

        # the number of fields: of a line with quotation marks, and of one that is split
        has_wrong_quoted_width = ~self._consists_of_fields(self.width)
        split_width = self.width + self._added_count
        has_wrong_plain_width = self._plain_fields.length() != split_width
        has_wrong_width = ibis.ifelse(
            self._has_quotes, has_wrong_quoted_width, has_wrong_plain_width
        )

        reason = ibis.cases(
            (self.line.contains(BROKEN_UTF8), Reason.ENCODING.value),
            (is_header, Reason.HEADER.value),
            (self._has_quotes & ~is_well_quoted, Reason.QUOTATION.value),
            (has_wrong_width, Reason.FIELDS.value),
            else_=Reason.KEPT.value,
        )
        return reason.cast("int8")

    def _consists_of_fields(self, count: int | None = None) -> ibis.Value:
        """Return whether a line is whole fields, with or without quotation marks, and no more.

        The pattern for 3 fields of CSV is ``^FIELD(?:,FIELD){2}\\z``, with `_any_field` as FIELD.

        count: the number of fields; None for any number.
        """
        repetition = "*" if count is None else f"{{{count - 1}}}"
        next_field = f"(?:{self.separator}{self._any_field})"
        return self.line.re_search(f"^{self._any_field}{next_field}{repetition}\\z")

    def field(self, position: int) -> ibis.Value:
        """Return the field at a position, from 0, without quotation marks around it.

        A quoted field may contain the separator, so a line with quotation marks cannot be split. A
        regular expression skips its first fields: of ``"a,b",7,x``, position 1 is 7. With
        `_any_field` as FIELD, the pattern for position 2 of CSV is ``^(?:FIELD,){2}(FIELD)``.
        """
        skipped_fields = f"(?:{self._any_field}{self.separator}){{{position}}}"
        wanted_field = f"({QUOTED_FIELD}|{self._plain_field})"
        first_group = 1  # of parentheses, which is the wanted field
        quoted_field = self.line.re_extract(f"^{skipped_fields}{wanted_field}", first_group)

        plain_field = self._plain_fields[position]
        return ibis.ifelse(self._has_quotes, _unquote(quoted_field), plain_field)


def _unquote(field: ibis.Value) -> ibis.Value:
    """Remove the quotation marks around a field, and halve those inside."""
    inner = field.substr(1, field.length() - 2).replace('""', '"')
    return ibis.ifelse(field.startswith('"'), inner, field)
