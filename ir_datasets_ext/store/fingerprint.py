"""What tells values apart: what is kept is found again by it."""

import json
from hashlib import sha256


def fingerprint(value) -> str:
    """Return the sha256 of a value of JSON's types, as hexadecimal digits.

    It is that of the canonical JSON: keys sorted, no blanks, ASCII. So the order of keys means
    nothing, a tuple is a list, and 1 is not 1.0.

    Raises:
        ValueError, TypeError: the value is not JSON, or holds NaN.

    >>> fingerprint({"b": 1, "a": "é"}) == fingerprint({"a": "é", "b": 1})
    True
    """
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return sha256(text.encode("ascii")).hexdigest()
