"""Functions on texts; in this file small ones, which need nothing but the text.

>>> split_sentences("We prune trees. It works!")
['We prune trees.', 'It works!']
"""

import re
from collections.abc import Sequence

from ..arguments import check_arguments
from .sentence_splitter import split_sentences as split_sentences

__all__ = ["mark_citations"]

ADDRESS = re.compile(r"(?:https?://|www\.)\S+")
#: a key that stands for a citation [Ajith2024, Table 12]
MARK = re.compile(r"\{(cite_\d+)\}")


def plain(text: str) -> str:
    """Remove dollar signs and web addresses, and replace line breaks by blanks.

    This is what the DORIS-MAE authors' code does.

    >>> plain("On $n$\\ntrees: https://a.org/b")
    'On n trees: '
    """
    one_line = re.sub(r"[\r\n]+", " ", text)
    without_addresses = ADDRESS.sub("", one_line)
    return without_addresses.replace("$", "")


def writable(text: str) -> str:
    r"""Replace each unpaired surrogate, which no encoding can write, by U+FFFD.

    >>> writable("a\ud800b") == "a\ufffdb"
    True
    """
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


@check_arguments
def mark_citations(
    text: str, mentions: Sequence[tuple[int, int, str]]
) -> tuple[str, dict[str, str]]:
    """Replace citations by keys: ``{cite_001}``, ``{cite_002}``, … in order of mention.

    All citations of a paper get the same key. Citations missing from `mentions` do not change.

    Args:
        text: a paragraph.
        mentions: triples (start, end, doc_id) of positions in `text`, from 0, where `end` is
            behind the last character, as in S2ORC's annotations; in any order.

    Returns:
        The paragraph, and a dict from keys to ids.

    Raises:
        ValueError: a position is outside the text, two mentions overlap, or the text has keys.

    >>> mark_citations("As [3] and [4] say", [(3, 6, "a"), (11, 14, "b")])
    ('As {cite_001} and {cite_002} say', {'cite_001': 'a', 'cite_002': 'b'})
    """
    existing_key = MARK.search(text)
    if existing_key:
        raise ValueError(
            f"The paragraph has keys already: {existing_key[0]}. Pass the original text."
        )

    key_of_doc: dict[str, str] = {}
    pieces: list[str] = []
    copied_end = 0  # the text before it is in `pieces`
    for start, end, doc_id in sorted(mentions):
        if not copied_end <= start < end <= len(text):
            raise ValueError(
                f"The citation of {doc_id} at {start} to {end} is outside the text of "
                f"{len(text)} characters, or overlaps one that ends at {copied_end}: correct the "
                "positions."
            )
        if doc_id not in key_of_doc:
            key_of_doc[doc_id] = f"cite_{len(key_of_doc) + 1:03}"
        pieces.append(text[copied_end:start])
        pieces.append(f"{{{key_of_doc[doc_id]}}}")
        copied_end = end
    pieces.append(text[copied_end:])

    doc_of_key = {key: doc_id for doc_id, key in key_of_doc.items()}
    return "".join(pieces), doc_of_key


def mean_overlap(question: str, texts: Sequence[str]) -> float:
    """Compute the mean share of a question's distinct words that occur in a text, in 0..1.

    As in the authors' code, words are separated by blanks; case and punctuation matter
    [Ajith2024, 2.1, Table 2].

    Args:
        texts: of the question's papers.

    Raises:
        ValueError: there are no texts, or the question has no words.

    >>> mean_overlap("Which study of graphs?", ["A study of graphs", "A study"])
    0.375
    """
    question_words = set(question.split())
    if not question_words or not texts:
        missing = "papers" if question_words else "words"
        raise ValueError(f"The question {question!r} has no {missing}: pass one or more.")

    overlaps = []
    for text in texts:
        common_words = question_words & set(text.split())
        overlaps.append(len(common_words) / len(question_words))
    return sum(overlaps) / len(overlaps)
