"""Paragraphs that cite papers, with a key in the place of each citation [Ajith2024, Table 12]."""

import re

#: how a citation stands in a paragraph
MARK = re.compile(r"\{(cite_\d+)\}")


def mark_citations(text, mentions) -> tuple[str, dict]:
    """Put keys in the place of citations: ``{cite_001}``, ``{cite_002}``, … in order of mention.

    A paper that is cited again gets its key again. Citations that are not among the mentions stay
    as they are.

    Args:
        text: a paragraph.
        mentions: triples (start, end, doc_id) of places in `text`, from 0, `end` behind the last
            character, as S2ORC's annotations have them; in any order.

    Returns:
        The paragraph, and a dict from its keys to ids.

    Raises:
        ValueError: a place that is not in the text, two that overlap, or a text that has keys.

    >>> mark_citations("As [3] and [4] say", [(3, 6, "a"), (11, 14, "b")])
    ('As {cite_001} and {cite_002} say', {'cite_001': 'a', 'cite_002': 'b'})
    """
    if MARK.search(text):
        raise ValueError(f"The paragraph has keys already: {MARK.search(text)[0]}.")
    keys, parts, end = {}, [], 0
    for start, stop, doc_id in sorted(mentions):
        if not end <= start < stop <= len(text):
            raise ValueError(
                f"The citation of {doc_id} at {start} to {stop} is not in the text, which has "
                f"{len(text)} characters, or overlaps one that ends at {end}."
            )
        key = keys.setdefault(doc_id, f"cite_{len(keys) + 1:03}")
        parts += [text[end:start], "{", key, "}"]
        end = stop
    return "".join([*parts, text[end:]]), {key: doc_id for doc_id, key in keys.items()}
