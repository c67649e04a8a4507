"""The papers' models that were trained in their domain: what is printed of it, and what is not."""

from dataclasses import dataclass

from ..protocols import TRAINING
from .running import train_encoder
from .settings import TrainingSettings
from .triplets import CitationTriplets

SPECTER = TrainingSettings(batch_size=4, accumulate=8)


@dataclass(frozen=True)
class TrainingRecipe:
    """How a paper's model was trained, as far as it says so.

    Args:
        source: where it is described.
        model: what it begins with.
        definition: of the triplets.
        epochs: passes over the data that the model was kept after.
        printed, not_printed: of the training, for people to read.
        settings: SPECTER's, also where they or the loss are not printed.
    """

    source: str
    model: str
    definition: str
    epochs: int
    printed: tuple
    not_printed: tuple
    settings: TrainingSettings = SPECTER

    def train(self, cites, texts, folder, *, model=None, **more):
        """Train by the recipe, on a citation graph and texts of one's own.

        Args:
            cites: a dict from ids to the ids they cite, or a `citation_graph`.
            texts: a dict from ids to texts; its ids are the papers that take part.
            folder: see `train_encoder`.
            model: begin with this one in the place of the recipe's.
            more: what else `train_encoder` takes.

        Returns:
            `TrainedEncoder`.

        Raises:
            ValueError, ImportError, OSError: what `CitationTriplets` and `train_encoder` raise.
        """
        triplets = CitationTriplets(cites, list(texts), definition=self.definition)
        own = {"epochs": self.epochs, "settings": self.settings, **more}
        return train_encoder(model or self.model, triplets, texts, folder, **own)


TRAINING_RECIPES = {name: TrainingRecipe(**facts) for name, facts in TRAINING.items()}
"""The recipes, by collection and system."""
