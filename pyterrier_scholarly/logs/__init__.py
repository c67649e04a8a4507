"""Download logs: mine them for pairs and queries, and make synthetic ones with a known structure.

From a log to a collection: `files` (forms, columns, lines), `engines` and `backends` (DuckDB and
Spark), `fields` (a line split), `times`, `rows` (what is kept, and why not), `successions` (what
followed what; draws), `mining` (all steps), `collection` (write it) and `summary` (all numbers).
`synthetic` logs are drawn in `sessions`.
"""

from importlib import import_module

_MODULE_OF = {"mine_log": "collection", "synthetic_log": "synthetic"}

__all__ = ["mine_log", "synthetic_log"]


def __getattr__(name: str) -> object:
    """Load a function when it is first used, so that `--help` loads no pandas."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {__all__}")
    return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
