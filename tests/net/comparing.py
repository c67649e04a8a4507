"""Compare two outputs: numbers to 1e-6, everything else exactly."""

from math import isclose, isnan


def differences(was, now, place=""):
    """Describe the differences of two values of JSON's types."""
    if isinstance(was, dict) and isinstance(now, dict) and was.keys() == now.keys():
        return [one for key in was for one in differences(was[key], now[key], f"{place}/{key}")]
    if isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
        pairs = enumerate(zip(was, now))
        return [one for at, pair in pairs for one in differences(*pair, f"{place}/{at}")]
    if isinstance(was, (int, float)) and isinstance(now, (int, float)):
        same = isclose(was, now, rel_tol=1e-6, abs_tol=1e-6) or (isnan(was) and isnan(now))
    else:
        same = was == now
    return [] if same else [f"{place}: {str(was)[:60]} -> {str(now)[:60]}"]
