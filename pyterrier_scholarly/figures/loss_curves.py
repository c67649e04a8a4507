"""The losses of trainings, as curves: DORIS-MAE's Figure 3."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..arguments import check_arguments
from .panels import BLUE, create_panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PANEL_WIDTH, PANEL_HEIGHT = 4.5, 3.5  # inches


@check_arguments
def plot_losses(losses: Mapping[str, Sequence[tuple[int, float]]]) -> "Figure":
    """Draw the loss of each training by step, a panel for each model.

    Args:
        losses: dict from a model's name to the `losses` of a `TrainedEncoder`: pairs of a step and
            the mean loss since the previous pair.

    Raises:
        ValueError: there is no model, or a model has no loss.

    Source: Wang et al. (2023), appendix D.1, Figure 3.
    """
    models_without_loss = [name for name, pairs in losses.items() if not len(pairs)]
    if models_without_loss or not losses:
        missing = ", ".join(models_without_loss) or "any model"
        raise ValueError(f"no losses of {missing}: pass at least one pair")

    figure, axes = create_panels(1, len(losses), PANEL_WIDTH * len(losses), PANEL_HEIGHT)
    for panel, (name, pairs) in zip(axes[0], losses.items()):
        steps = np.array([step for step, _ in pairs], dtype=float)
        values = np.array([loss for _, loss in pairs], dtype=float)

        marker = "." if len(pairs) == 1 else None  # a single point has no line
        panel.plot(steps, values, color=BLUE, marker=marker)
        panel.set(title=name, xlabel="step", ylabel="training loss")
        panel.set_ylim(bottom=0)
    return figure
