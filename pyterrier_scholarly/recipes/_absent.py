"""What stands for a model that cannot be loaded."""

from dataclasses import dataclass

from ..settings import BySettings


@dataclass(eq=False, repr=False)
class Absent(BySettings):
    """Stands for a model that cannot be loaded; says why when it is to encode or score."""

    why: str
    key: str

    def encode_queries(self, texts):
        """Raise ValueError."""
        raise ValueError(
            f"{self.why}. With one of your own: systems(…, models={{{self.key!r}: …}}), a folder "
            "with a model, or an encoder or scorer."
        )

    encode_documents = score = encode_queries
