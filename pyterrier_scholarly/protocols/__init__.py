"""All facts of a paper in one place, as data; generic code reads them.

A benchmark is a folder here. It holds a `Protocol`, rows of systems, what the papers prescribe
(prompts, guidelines, trainings), and CSV files of the printed figures. ::

    from pyterrier_scholarly.protocols import GUIDELINES, protocol_of

    protocol_of("litsearch/inline").systems[0].key  # "bm25"
    GUIDELINES["csfcube/method"].meanings["3"]
"""

from typing import Any

from . import csfcube, doris_mae, litsearch
from .annotation import ErrorTypes, Guidelines, Invitation
from .doris_mae import JUDGING
from .litsearch import AUTHOR_QUESTIONS, QUESTIONS, TITLE_LIMITS
from .printed_subsets import PrintedSubset
from .prompts import RANKGPT, Demonstration, JudgingPrompt, ListwisePrompt, QuestionPrompt
from .protocol import OtherTable, Protocol
from .protocol_choice import PROTOCOLS, protocol_for, protocol_of, register
from .protocol_choice import find_queries as find_queries  # for readers of runs
from .released_rankings import ReleasedRanking as ReleasedRanking  # for verification
from .rhsa import KRSTOVSKI_2016, SlopeSetting
from .system import System

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
    "ErrorTypes",
    "Guidelines",
    "Invitation",
    "JudgingPrompt",
    "ListwisePrompt",
    "OtherTable",
    "PrintedSubset",
    "Protocol",
    "QuestionPrompt",
    "SlopeSetting",
    "System",
    "protocol_for",
    "protocol_of",
    "register",
]

#: name -> prompt of `ListwiseRerank`
LISTWISE = litsearch.LISTWISE | RANKGPT
#: name -> guidelines of `write_grading` and `write_adjudication`
GUIDELINES = csfcube.GUIDELINES | doris_mae.GUIDELINES
#: name -> types of error, the tags of `write_errors`
ERROR_TYPES = csfcube.ERROR_TYPES | doris_mae.ERROR_TYPES
#: collection and system -> what is printed about its training
TRAINING: dict[str, dict[str, Any]] = csfcube.TRAINING | doris_mae.TRAINING
