"""Decode the bytes of a file that people saved with a program of their own."""

import re


def decode_bytes(content: bytes) -> tuple[str, str]:
    r"""Return a file's text, and its encoding if it is a guess.

    Without a mark at its beginning, it is UTF-8, or UTF-16 if it has zero bytes. Bytes that are not
    UTF-8 are Windows-1252, as of most files of Latin letters; of a file that is put together from
    several, only some are. Where words have no Latin letter, charset-normalizer says.

    >>> decode_bytes("Müll".encode("cp1252"))
    ('Müll', 'Windows-1252')
    """
    if b"\0" in content[:1000]:
        return content.decode("utf-16" if content[0] else "utf-16-be", "replace"), ""

    # "\udc80" to "\udcff" are bytes that are not UTF-8; no word of Latin letters has so many
    text = content.decode("utf-8-sig", "surrogateescape")
    in_words = "".join(re.findall("[\udc80-\udcff]{3,}", text))
    if 2 * len(in_words) > len(re.findall("[\udc80-\udcff]", text)):
        from charset_normalizer import from_bytes

        best = from_bytes(content).best()
        if best is not None:
            return str(best), best.encoding

    def decode_rest(escaped: re.Match[str]) -> str:
        return escaped[0].encode("utf-8", "surrogateescape").decode("cp1252", "replace")

    decoded, count = re.subn("[\udc80-\udcff]", decode_rest, text)
    return decoded, "Windows-1252" if count else ""
