"""Train encoders on one's own papers, by who cites whom."""

from .encoder_training import train_encoder
from .training_folder import TrainedEncoder
from .training_recipes import TRAINING_RECIPES, TrainingRecipe
from .training_settings import TrainingSettings
from .triplets import DEFINITIONS, CitationTriplets, Related, Triplet

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
