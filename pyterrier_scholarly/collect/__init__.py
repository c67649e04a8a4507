"""Making a collection: pools, judgements, agreement between judges, and the folder in the end."""

from .agreeing import Agreement, agreement
from .single import single_ratings
from .writing import write_collection

__all__ = ["Agreement", "agreement", "single_ratings", "write_collection"]
