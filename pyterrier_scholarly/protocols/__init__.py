"""All facts of a paper in one place, as data; generic code goes by them.

A benchmark is a folder here with a `Protocol`, rows of systems, what its papers prescribe (prompts,
guidelines, trainings), and CSV files of what they print.
"""

from . import csfcube, doris_mae, litsearch, rankgpt
from .annotation import Guidelines, Invitation
from .csfcube import CSFCUBE, ERROR_TYPES, MINI
from .doris_mae import DORIS_MAE, JUDGING
from .litsearch import AUTHOR_QUESTIONS, LITSEARCH, QUESTIONS, TITLE_LIMITS
from .prompts import Demonstration, JudgingPrompt, ListwisePrompt, QuestionPrompt
from .protocol import Protocol
from .rhsa import KRSTOVSKI_2016, RHSA
from .system import System

#: collection -> protocol
PROTOCOLS = {one.collection: one for one in (CSFCUBE, LITSEARCH, DORIS_MAE, RHSA, MINI)}
#: name -> prompt of `ListwiseRerank`
LISTWISE = litsearch.LISTWISE | rankgpt.LISTWISE
#: name -> guidelines of `write_grading` and `write_adjudication`
GUIDELINES = csfcube.GUIDELINES | doris_mae.GUIDELINES
#: collection and system -> what is printed of its training
TRAINING = csfcube.TRAINING | doris_mae.TRAINING

__all__ = [
    "AUTHOR_QUESTIONS",
    "ERROR_TYPES",
    "GUIDELINES",
    "JUDGING",
    "KRSTOVSKI_2016",
    "LISTWISE",
    "PROTOCOLS",
    "QUESTIONS",
    "TITLE_LIMITS",
    "TRAINING",
    "Demonstration",
    "Guidelines",
    "Invitation",
    "JudgingPrompt",
    "ListwisePrompt",
    "Protocol",
    "QuestionPrompt",
    "System",
    "preset",
]


def preset(argument, given, presets):
    """Return the one of `presets` that `given` names, or `given` if it is of their kind itself.

    Raises:
        ValueError: it is neither; names `argument`, what was given and the presets.
    """
    found = presets.get(given) if isinstance(given, str) else given
    kind = type(next(iter(presets.values())))
    if not isinstance(found, kind):
        raise ValueError(
            f"{argument}={given!r}: choose {', '.join(map(repr, presets))}, "
            f"or your own {kind.__name__}."
        )
    return found
