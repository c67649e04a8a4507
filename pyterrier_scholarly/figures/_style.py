"""What the figures share."""

#: colours that people with any kind of colour vision tell apart [Okabe & Ito 2008]
BLUE, VERMILION, GREY = "#0072B2", "#D55E00", "#666666"


def pyplot():
    """matplotlib.pyplot; ImportError with what to install."""
    try:
        from matplotlib import pyplot as plt
    except ImportError as error:
        raise ImportError(
            "figures need matplotlib: pip install matplotlib, or 'pyterrier-scholarly[docs]'"
        ) from error
    return plt
