"""Which verdict a model's reply states; where it states none, it has none.

Labels count as they stand in capitals, also inside of longer words (``DISAGREES``); where one label
ends with another (DISAGREE, AGREE), an occurrence of the longer is none of the shorter.
"""


def released(reply, labels):
    """The verdict by the rule of DORIS-MAE's released code: the only label in the reply.

    A label that is part of another one counts only where that other does not occur at all. So a
    reply that weighs DISAGREE and ends on AGREE is DISAGREE, in silence: see `last`.

    Returns:
        One of `labels`; None where none of them occurs, or several do.
    """
    found = [label for label in labels if label in reply]
    found = [label for label in found if not any(label in o for o in found if o != label)]
    return found[0] if len(found) == 1 else None


def last(reply, labels):
    """The verdict by the end of the reply, where it was asked for: the label that ends last.

    Returns:
        One of `labels`; None where none of them occurs.
    """
    ends = {label: reply.rfind(label) + len(label) for label in labels if label in reply}
    return max(ends, key=lambda label: (ends[label], len(label)), default=None)


PARSERS = {"released": released, "last": last}
