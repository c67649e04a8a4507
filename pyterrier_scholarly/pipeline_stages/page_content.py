"""What the page of `stages` is made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from .pipeline_run import PipelineRun
from .query_judgements import Judgements
from .repeat_checks import Verdict


@dataclass(frozen=True)
class StagePage:
    """What the page shows; see `Stages` for the fields.

    unjudged: None if the page leaves it out.
    """

    name: str
    run: PipelineRun
    judgements: Judgements
    measures: Sequence[str]
    top: int
    perquery: pd.DataFrame
    verdict: Verdict
    query_texts: Mapping[str, str]
    titles: Mapping[str, str]
    stages: pd.DataFrame
    papers: pd.DataFrame
    lost: pd.DataFrame
    branches: pd.DataFrame
    changes: pd.DataFrame
    failures: pd.DataFrame
    summary: str
    remarks: Sequence[str]
    unjudged: pd.DataFrame | None
