"""Keys that stand for the citations in a paragraph [Ajith2024, Table 12]."""

import re
from collections.abc import Sequence

#: a key
MARK = re.compile(r"\{(cite_\d+)\}")


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
