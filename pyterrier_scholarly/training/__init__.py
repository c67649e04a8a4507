"""Training encoders on one's own papers, by who cites whom."""

from .recipes import TRAINING_RECIPES, TrainingRecipe
from .relations import DEFINITIONS, Related
from .running import TrainedEncoder, train_encoder
from .settings import TrainingSettings
from .triplets import CitationTriplets, Triplet

__all__ = [
    "DEFINITIONS",
    "TRAINING_RECIPES",
    "CitationTriplets",
    "Related",
    "TrainedEncoder",
    "TrainingRecipe",
    "TrainingSettings",
    "Triplet",
    "train_encoder",
]
