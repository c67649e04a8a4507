"""Number the distinct texts of a collection; of documents with equal texts, keep the last.

    >>> texts = EqualTexts()
    >>> texts.add("cats", docno="a")
    AddedText(number=0, is_new=True)
    >>> texts.add("dogs", docno="b")
    AddedText(number=1, is_new=True)
    >>> texts.add("cats", docno="c")
    AddedText(number=0, is_new=False)
    >>> texts.docnos
    ['c', 'b']

This is how LitSearch's code builds its indexes [Ajith2024]: documents with equal texts count as
one, at the position of the first of them, with the id of the last.
"""

from hashlib import blake2b
from typing import NamedTuple


class AddedText(NamedTuple):
    """The number of a document's text, and whether no document before had it."""

    number: int
    is_new: bool


class EqualTexts:
    """The distinct texts of the documents that were added, numbered from 0.

    Attributes:
        docnos: the last document with each text; the text with number n has that at position n.
    """

    def __init__(self) -> None:
        # digests, because the texts of a large collection would not fit into memory
        self._number_by_digest: dict[bytes, int] = {}
        self.docnos: list[str] = []

    def add(self, text: str, docno: str) -> AddedText:
        """Add a document, and return the number of its text.

        A text that an earlier document had keeps its number, and gets this document's id instead of
        the earlier one's, as in LitSearch's code.
        """
        encoded_text = text.encode("utf-8", "surrogatepass")
        digest = blake2b(encoded_text, digest_size=16).digest()

        is_new = digest not in self._number_by_digest
        number = self._number_by_digest.setdefault(digest, len(self.docnos))
        if is_new:
            self.docnos.append(docno)
        else:
            self.docnos[number] = docno
        return AddedText(number, is_new)
