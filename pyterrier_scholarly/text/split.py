"""Split texts into sentences, by the rules of pySBD [Sadvilkar2020].

[Sadvilkar2020] N. Sadvilkar, M. Neumann: PySBD: Pragmatic Sentence Boundary Disambiguation,
NLP-OSS 2020. Its rules are part of its wheel: nothing is downloaded.
"""

from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any


def split_sentences(text: str) -> list[str]:
    """Split an English text into its sentences, in order, without blanks around them.

    Only blanks at the boundaries are lost. A text of blanks gives an empty list.
    """
    # pySBD rewrites some marks, and drops sentences that it then cannot find in the text. So only
    # its start positions are used, and the original text is cut there.
    starts = [span.start for span in _segment()(text)]
    cuts = [0, *starts[1:], len(text)]
    sentences = (text[start:end].strip() for start, end in pairwise(cuts))
    return [sentence for sentence in sentences if sentence]


@cache
def _segment() -> Callable[[str], Any]:
    from pysbd import Segmenter

    return Segmenter(language="en", clean=False, char_span=True).segment
