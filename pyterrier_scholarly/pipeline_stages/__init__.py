"""Take a pipeline apart into its stages, as frames, a picture and a page."""

from .stage_analysis import stages
from .stages_result import Stages

__all__ = ["Stages", "stages"]
