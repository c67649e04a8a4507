"""Write the stages of a pipeline as one HTML file, from a template.

`Stages` calls `render_stages`. All figures are computed in Python: `page_tables` writes those of
the tables, `page_data` those that the script draws when a reader opens a query.
"""

from pathlib import Path
from textwrap import shorten

from ..pages import render_page
from . import page_tables
from .flow_layout import lay_out_flow
from .page_content import StagePage
from .page_data import collect_data

TEMPLATES = Path(__file__).parent / "_page"
LONGEST_HEADING = 100  # characters of the pipeline in the heading


def render_stages(page: StagePage) -> str:
    """Render the stages as HTML that fetches nothing."""
    layout = lay_out_flow(page.run)
    return render_page(
        TEMPLATES,
        "stages.html",
        page=page,
        heading=shorten(page.name, LONGEST_HEADING, placeholder=" …"),
        stages=page_tables.show_stages(page),
        layout=layout,
        changes=page_tables.show_changes(page.changes),
        branches=page_tables.show_branches(page.branches, page.measures),
        unjudged=page_tables.show_unjudged(page.unjudged),
        queries=page_tables.show_queries(page, layout),
        data=collect_data(page, layout),
    )
