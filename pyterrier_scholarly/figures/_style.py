"""What the figures share."""

#: colours that people with any kind of colour vision tell apart [Okabe & Ito 2008]
BLUE, VERMILION, GREY = "#0072B2", "#D55E00", "#666666"

#: for as many lines in one panel, in this order
COLOURS = (BLUE, VERMILION, "#009E73", "#CC79A7", "#E69F00", "#56B4E9")


def pyplot():
    """matplotlib.pyplot; ImportError with what to install."""
    try:
        from matplotlib import pyplot as plt
    except ImportError as error:
        raise ImportError(
            "figures need matplotlib: pip install matplotlib, or 'pyterrier-scholarly[docs]'"
        ) from error
    return plt
