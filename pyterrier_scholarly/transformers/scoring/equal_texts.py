"""Number the distinct texts of a collection; of documents with equal texts, keep the last.

    >>> texts = EqualTexts()
    >>> [texts.add(text, docno) for text, docno in [("cats", "a"), ("dogs", "b"), ("cats", "c")]]
    [True, True, False]
    >>> texts.docnos
    ['c', 'b']

This is how LitSearch's code builds its indexes [Ajith2024]: documents with equal texts count as
one, at the position of the first of them, with the id of the last.
"""

from hashlib import blake2b

from ...distinct import Distinct


class EqualTexts:
    """The distinct texts of the documents that were added, numbered from 0.

    Attributes:
        docnos: the last document with each text; the text with number n has that at position n.
    """

    def __init__(self) -> None:
        # digests, because the texts of a large collection would not fit into memory
        self._digests = Distinct[bytes]()
        self.docnos: list[str] = []

    def __len__(self) -> int:
        return len(self.docnos)

    def add(self, text: str, docno: str) -> bool:
        """Add a document; return whether its text is new, and so got the next number."""
        digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        number = self._digests.add(digest)
        is_new = number == len(self.docnos)
        if is_new:
            self.docnos.append(docno)
        else:
            self.docnos[number] = docno
        return is_new
