"""Read the verdict in a judge's reply, by one of two rules.

    >>> reply = "It would be wrong to DISAGREE. My final selection: AGREE"
    >>> read_only_label(reply, ["DISAGREE", "DISPUTE", "AGREE", "CONCUR"])
    'DISAGREE'
    >>> read_last_label(reply, ["DISAGREE", "DISPUTE", "AGREE", "CONCUR"])
    'AGREE'

A label counts wherever it stands in capitals, also inside a longer word (``DISAGREES``). If one
label ends with another (DISAGREE, AGREE), the longer one is not counted as the shorter.
"""

from collections.abc import Iterable


def read_only_label(reply: str, labels: Iterable[str]) -> str | None:
    """Read the only label in the reply, as DORIS-MAE's released code does; None if none or several.

    A label that is part of another one counts only if the other does not occur. So a reply that
    weighs DISAGREE and ends on AGREE is read as DISAGREE, without a warning: see `read_last_label`.
    """
    present_labels = [label for label in labels if label in reply]
    whole_labels = [label for label in present_labels if not _is_part(label, present_labels)]
    return whole_labels[0] if len(whole_labels) == 1 else None


def _is_part(label: str, labels: Iterable[str]) -> bool:
    """Return whether the label is part of another of the labels."""
    return any(label in other for other in labels if other != label)


def read_last_label(reply: str, labels: Iterable[str]) -> str | None:
    """Read the label that ends last, where prompts ask for the verdict; None if none occurs."""
    present_labels = [label for label in labels if label in reply]

    def find_end(label: str) -> tuple[int, int]:
        """Return where a label last ends in the reply, and its length."""
        return reply.rfind(label) + len(label), len(label)

    # by length too, because of two labels that end together the longer one is meant: DISAGREE
    # ends where its AGREE does
    return max(present_labels, key=find_end, default=None)


#: the rules by their names, which are columns of `judge` and `reread_replies`, in this order
VERDICT_PARSERS = {"released": read_only_label, "last": read_last_label}
