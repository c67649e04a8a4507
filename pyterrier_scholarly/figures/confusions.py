"""Who gave which grade where another gave which: heat maps of confusions."""

from ._heat import draw
from ._style import pyplot

AXES = {
    "annotators": ("one annotator", "another", "Annotators with one another"),
    "reference": ("reference", "annotator", "Annotators with the reference"),
}


def plot_confusions(agreement):
    """Draw the confusion matrices of an `Agreement`, with the number of ratings in each cell.

    Each row's shares give the colours (how the others graded what one side graded so), since low
    grades are many times as frequent as high ones. The title has the percentage of equal ratings,
    and the median of Krippendorff's α (ordinal) over queries.

    Returns:
        matplotlib's figure: a panel among annotators, one with the reference, as far as there are.

    Raises:
        ImportError: matplotlib is missing; says what to install.
    """
    found = agreement.confusions
    width = 4.2 * len(found) + 0.6
    figure, axes = pyplot().subplots(
        1, len(found), figsize=(width, 5.2), squeeze=False, layout="constrained"
    )
    for axis, (name, matrix) in zip(axes[0], found.items()):
        image = draw(axis, matrix)
        down, across, title = AXES[name]
        axis.set_ylabel(f"grade by {down}")
        axis.set_xlabel(f"grade by {across}")
        axis.set_title(f"{title}\n{_told(agreement.table, name, matrix)}", size=10)
    figure.colorbar(image, ax=list(axes[0]), label="share of the row", shrink=0.8)
    return figure


def _told(table, name, matrix):
    of_it = table[table["compared"] == name].set_index("over")
    equal, alpha = of_it.loc["pooled", "percent"], of_it.loc["median", "alpha_ordinal"]
    return (
        f"{matrix.to_numpy().sum():,} pairs of ratings, {equal:.0%} equal\n"
        f"median α over {of_it['queries'].iloc[0]} queries: {alpha:.2f}"
    )
