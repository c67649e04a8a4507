"""Sentences of a text, by the rules of pySBD [Sadvilkar2020].

[Sadvilkar2020] N. Sadvilkar, M. Neumann: PySBD: Pragmatic Sentence Boundary Disambiguation,
NLP-OSS 2020. Its rules are inside its wheel: nothing is downloaded.
"""

from functools import cache
from itertools import pairwise


def split_sentences(text: str) -> list[str]:
    """The sentences of an English `text`, in order, without blanks around them.

    Nothing is lost: the sentences together are the text, but for blanks at the cuts. A text
    without any sentence (empty, blanks) gives an empty list.
    """
    # pySBD rewrites some marks and then drops a sentence it cannot find again in the text. So only
    # where sentences start is asked of it, and the text itself is cut there.
    starts = [span.start for span in _segmenter().segment(text)]
    cuts = [0, *starts[1:], len(text)]
    sentences = (text[start:end].strip() for start, end in pairwise(cuts))
    return [sentence for sentence in sentences if sentence]


@cache
def _segmenter():
    from pysbd import Segmenter

    return Segmenter(language="en", clean=False, char_span=True)
