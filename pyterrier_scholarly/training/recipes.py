"""The papers' models that were trained in their domain: what is printed of it, and what is not."""

from dataclasses import dataclass

from .running import train_encoder
from .settings import TrainingSettings
from .triplets import CitationTriplets

SCIBERT = "allenai/scibert_scivocab_uncased"
SPECTER = TrainingSettings(batch_size=4, accumulate=8)


@dataclass(frozen=True)
class TrainingRecipe:
    """How a paper's model was trained, as far as it says so.

    Args:
        source: where it is described.
        model: what it begins with.
        definition: of the triplets.
        settings: `TrainingSettings`; where they or the loss are not printed, SPECTER's.
        epochs: passes over the data that the model was kept after.
        printed, not_printed: of the training, for people to read.
    """

    source: str
    model: str
    definition: str
    settings: TrainingSettings
    epochs: int
    printed: tuple
    not_printed: tuple

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


TRAINING_RECIPES = {
    "csfcube/specter-id": TrainingRecipe(
        source="Mysore et al. 2021, CSFCube: SPECTER-ID",
        model=SCIBERT,
        definition="specter",
        settings=SPECTER,
        epochs=2,
        printed=(
            "about 660,000 triples of computer science papers",
            "SPECTER's hyper-parameters (which Cohan et al. 2020 print)",
        ),
        not_printed=("which papers, and how many", "the weights"),
    ),
    "doris-mae/specter-id": TrainingRecipe(
        source="Wang et al. 2023, DORIS-MAE, appendix D.1: SPECTER ID",
        model="allenai/specter",
        definition="doris-mae",
        settings=SPECTER,
        epochs=1,
        printed=(
            "282,121 abstracts with 76.327 related ones each, 21,533,311 triplets",
            "related: cited, or cited by a cited paper",
            "4 epochs, of which the first one's checkpoint is kept",
        ),
        not_printed=(
            "what it begins with (here SPECTER's own weights)",
            "how negatives are drawn",
            "learning rate, batch size, and how the rate falls (here over the one epoch)",
            "the weights",
        ),
    ),
    "doris-mae/scibert-id": TrainingRecipe(
        source="Wang et al. 2023, DORIS-MAE, appendix D.1: SciBERT ID",
        model=SCIBERT,
        definition="doris-mae",
        settings=SPECTER,
        epochs=10,
        printed=(
            "retrained on 360k papers with citation information",
            "10 epochs on 8 GPUs in 12 hours, checkpoint 10 is kept",
        ),
        not_printed=(
            "the loss (here SPECTER's, on the relations that are printed for SPECTER ID)",
            "how many pairs or triplets (10 times SPECTER ID's would be 5,000 a second)",
            "learning rate, batch size, length of texts",
            "the weights",
        ),
    ),
}
"""The recipes, by collection and system."""
