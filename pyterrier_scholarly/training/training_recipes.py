"""The papers' trainings, as far as the papers say: `TRAINING_RECIPES`.

recipe = TRAINING_RECIPES["csfcube/specter-id"]
recipe.train(cites, texts, "specter-id")
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..arguments import Count, FilePath, check_arguments, check_fields
from ..protocols import TRAINING
from .encoder_training import train_encoder
from .training_folder import TrainedEncoder
from .training_settings import TrainingSettings
from .triplets import CitationTriplets, Graph

SPECTER_SETTINGS = TrainingSettings(batch_size=4, accumulate=8)


@dataclass(frozen=True)
class TrainingRecipe:
    """How a paper's model was trained, as far as the paper says.

    Args:
        source: where it is described.
        model: where training starts.
        definition: of the triplets.
        epochs: passes over the data before the model was saved.
        printed, not_printed: facts about the training, for people to read.
        settings: SPECTER's, also where they or the loss are not printed.
    """

    source: str
    model: str
    definition: str
    epochs: Count
    printed: tuple[str, ...]
    not_printed: tuple[str, ...]
    settings: TrainingSettings = SPECTER_SETTINGS

    def __post_init__(self) -> None:
        check_fields(self)

    @check_arguments
    def train(
        self,
        cites: Graph,
        texts: Mapping[str, str],
        folder: FilePath,
        *,
        model: FilePath | None = None,
        **more: Any,
    ) -> TrainedEncoder:
        """Train by the recipe, on a citation graph and texts of one's own.

        Args:
            cites: a dict from ids to the ids they cite, or a `citation_graph`.
            texts: a dict from ids to texts; its ids are the papers of the triplets.
            folder: see `train_encoder`.
            model: start with this one instead of the recipe's.
            more: other arguments of `train_encoder`.

        Returns:
            `TrainedEncoder`.

        Raises:
            ValueError, ImportError, OSError: what `CitationTriplets` and `train_encoder` raise.
        """
        triplets = CitationTriplets(cites, list(texts), definition=self.definition)
        arguments = {"epochs": self.epochs, "settings": self.settings, **more}
        return train_encoder(model or self.model, triplets, texts, folder, **arguments)


TRAINING_RECIPES = {name: TrainingRecipe(**facts) for name, facts in TRAINING.items()}
"""The recipes, by collection and system."""
