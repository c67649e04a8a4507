"""Functions on texts; here: clean texts, mark citations, compare words."""

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
    return ADDRESS.sub("", re.sub(r"[\r\n]+", " ", text)).replace("$", "")


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
    if mark := MARK.search(text):
        raise ValueError(f"The paragraph has keys already: {mark[0]}. Pass the original text.")
    keys: dict[str, str] = {}
    parts, end = [], 0
    for start, stop, doc_id in sorted(mentions):
        if not end <= start < stop <= len(text):
            raise ValueError(
                f"The citation of {doc_id} at {start} to {stop} is outside the text of "
                f"{len(text)} characters, or overlaps one that ends at {end}: correct the "
                "positions."
            )
        key = keys.setdefault(doc_id, f"cite_{len(keys) + 1:03}")
        parts += [text[end:start], "{", key, "}"]
        end = stop
    return "".join([*parts, text[end:]]), {key: doc_id for doc_id, key in keys.items()}


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
    words = set(question.split())
    if not words or not texts:
        raise ValueError(
            f"The question {question!r} has no {'papers' if words else 'words'}: pass one or more."
        )
    return sum(len(words & set(text.split())) / len(words) for text in texts) / len(texts)
