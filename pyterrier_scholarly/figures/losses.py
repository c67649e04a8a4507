"""How the loss falls while an encoder is trained."""

import numpy as np

from ._style import BLUE, pyplot


def plot_losses(losses):
    """Draw the loss of each training by its steps, a panel for each model.

    Args:
        losses: dict from a model's name to the `losses` of a `TrainedEncoder`: pairs of a step and
            the mean loss since the pair before.

    Returns:
        matplotlib's figure.

    Raises:
        ImportError: matplotlib is missing; says what to install.
        ValueError: there is no training, or one without a loss.

    Source: Wang et al. (2023), DORIS-MAE, appendix D.1, Figure 3.
    """
    empty = [name for name, pairs in losses.items() if not len(pairs)]
    if empty or not losses:
        raise ValueError(f"no losses of {', '.join(empty) or 'any model'}: pass one pair at least")
    size = (4.5 * len(losses), 3.5)
    figure, axes = pyplot().subplots(
        1, len(losses), figsize=size, squeeze=False, layout="constrained"
    )
    for axis, (name, pairs) in zip(axes[0], losses.items()):
        steps, values = np.asarray(pairs, dtype=float).T
        axis.plot(steps, values, color=BLUE, marker="." if len(steps) == 1 else None)
        axis.set(title=name, xlabel="step", ylabel="training loss")
        axis.set_ylim(bottom=0)
    return figure
