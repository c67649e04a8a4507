"""A heat map of counts."""

import numpy as np

WHITE_FROM = 0.55  # of the darkest: dark cells have white numbers


def draw(axis, matrix):
    """Draw a frame of counts by grades: numbers in the cells, colours by the shares of each row.

    Returns:
        matplotlib's image, for a scale of colours from 0 to 1.
    """
    counts = matrix.to_numpy()
    shares = counts / np.maximum(counts.sum(1, keepdims=True), 1)
    image = axis.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    for (row, column), count in np.ndenumerate(counts):
        colour = "white" if shares[row, column] > WHITE_FROM else "black"
        axis.text(column, row, f"{count:,}", ha="center", va="center", color=colour)
    axis.set_xticks(range(len(matrix.columns)), [f"{grade}" for grade in matrix.columns])
    axis.set_yticks(range(len(counts)), [f"{grade}" for grade in matrix.index])
    return image
