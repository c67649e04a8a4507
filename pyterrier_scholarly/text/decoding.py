"""Find out how the bytes of a file become text.

>>> decode_bytes("Müll".encode("cp1252"))
('Müll', 'Windows-1252')
"""

import codecs
import re


def decode_bytes(content: bytes) -> tuple[str, str]:
    r"""Return a file's text, with "\n" at the ends of lines, and its encoding if it is a guess.

    Without a mark at its beginning, it is UTF-8, or UTF-16 if it has zero bytes. Lines that are not
    UTF-8 are Windows-1252, as most files of Latin letters are. Of others, charset-normalizer says.
    """
    encoding = ""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        text = content.decode("utf-16", "replace")
    elif b"\0" in content[:1000] and len(content) > 1:
        text = content.decode("utf-16-be" if content[0] == 0 else "utf-16-le", "replace")
    else:
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            text, encoding = _decode_by_guess(content)

    text = text.replace("\r\n", "\n")
    # a carriage return alone ends lines of old Macs, and else is a character of a cell
    return text.replace("\r", " " if "\n" in text else "\n"), encoding


def _decode_by_guess(content: bytes) -> tuple[str, str]:
    """Return the text of bytes that are not UTF-8, and the encoding."""
    high_bytes = len(re.findall(rb"[\x80-\xff]", content))
    bytes_in_words = sum(map(len, re.findall(rb"[\x80-\xff]{3,}", content)))
    if bytes_in_words > high_bytes / 2:  # words without a Latin letter
        from charset_normalizer import from_bytes

        best = from_bytes(content).best()
        if best is not None:
            return str(best), best.encoding

    lines = []
    for line in content.split(b"\n"):
        try:
            lines.append(line.decode("utf-8-sig"))
        except UnicodeDecodeError:
            lines.append(line.decode("cp1252", "replace"))
    return "\n".join(lines), "Windows-1252"
