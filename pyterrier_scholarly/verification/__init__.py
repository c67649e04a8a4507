"""Verification of the papers' printed rows, and reports of it.

Three promises are kept apart: *measure verified* (the authors' ranking, our measure), *ranking
verified* (our system, the authors' ranking) and *system verified* (our system, their figure). ::

    from pyterrier_scholarly.verification import verify_papers

    print(verify_papers("csfcube", report="csfcube.json"))
"""

from .judging import ReportedRow, judge_reports
from .outcomes import Cell, Outcome, Promise, Status
from .report import Report, read_report
from .row_needs import describe_needs
from .rows import PrintedRow, list_rows
from .verifying import verify_papers

__all__ = [
    "Cell",
    "Outcome",
    "PrintedRow",
    "Promise",
    "Report",
    "ReportedRow",
    "Status",
    "describe_needs",
    "judge_reports",
    "list_rows",
    "read_report",
    "verify_papers",
]
