"""Making a collection: pools, judgements, agreement between judges, and the folder in the end."""

from .writing import write_collection

__all__ = ["write_collection"]
