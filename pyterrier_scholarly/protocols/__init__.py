"""All facts of a paper in one place, as data; generic code reads them.

A benchmark is a folder here. Its YAML files hold a `Protocol`, rows of systems, and what the papers
prescribe (prompts, guidelines, trainings); its CSV files hold the printed figures. ::

    from pyterrier_scholarly.protocols import GUIDELINES, protocol_of

    protocol_of("litsearch/inline").systems[0].key  # "bm25"
    GUIDELINES["csfcube/method"].meanings["3"]
"""

from typing import Any

from .annotation import ErrorTypes, Guidelines, Invitation
from .facts import read_facts, read_named
from .prompts import Demonstration, JudgingPrompt, ListwisePrompt, QuestionPrompt
from .protocol import OtherTable, PrintedSubset, Protocol
from .protocol_choice import PROTOCOLS, protocol_for, protocol_of, register
from .protocol_choice import find_queries as find_queries  # for readers of runs
from .released_rankings import ReleasedRanking as ReleasedRanking  # for verification
from .slope_setting import KRSTOVSKI_2016, SlopeSetting
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
LISTWISE = read_named("listwise.yaml", ListwisePrompt)
#: name -> prompt of a model that annotates
JUDGING = read_named("judging.yaml", JudgingPrompt)
#: name -> prompt for questions about a paragraph that cites papers
QUESTIONS = read_named("questions.yaml", QuestionPrompt)
#: name -> the e-mail to authors, and the form for questions about their papers
AUTHOR_QUESTIONS = read_named("author_questions.yaml", Invitation)
#: name -> guidelines of `write_grading` and `write_adjudication`
GUIDELINES = read_named("guidelines.yaml", Guidelines)
#: name -> types of error, the tags of `write_errors`
ERROR_TYPES = read_named("error_types.yaml", ErrorTypes)
#: collection and system -> what is printed about its training
TRAINING = read_named("training.yaml", dict[str, Any])
#: LitSearch's source of questions -> largest overlap with the titles of a question's papers
TITLE_LIMITS = read_facts("litsearch/title_limits.yaml", dict[str, float])
