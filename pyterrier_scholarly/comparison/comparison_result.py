"""What `compare` returns: frames, and a page of one file."""

import html
from dataclasses import dataclass
from pathlib import Path

from .. import pages
from ..arguments import FilePath, Natural, check_arguments
from .comparison_frames import ComparisonFrames
from .comparison_page import render_comparison

#: papers on a page whose scores are explained, unless the caller wants another number
EXPLAINED = 10


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(ComparisonFrames):
    """Systems compared query by query and paper by paper, as `compare` returns it.

    A notebook shows the page that `to_html` writes.
    """

    @check_arguments
    def to_html(self, path: FilePath, explained: Natural = EXPLAINED, parts: bool = True) -> Path:
        """Write one HTML file that needs no other file, and return its path.

        The page has the overview, each query with both rankings side by side, the missed papers,
        and the parts. A fragment opens a view: ``#query/<qid>``, ``#query/<qid>/paper/<docno>``,
        ``#missed``, ``#parts``.

        Args:
            path: of the file.
            explained: number of papers whose scores are explained: of the queries with the largest
                differences first, the paper with the largest share. Each runs both pipelines for
                one query.
            parts: whether to take sums apart, which ranks once more with each.
        """
        return pages.write_page(path, render_comparison(self, explained, parts))

    def _repr_html_(self) -> str:
        """Return the page in an iframe, without explanations, with a table for other viewers."""
        style = "width:100%;height:720px;border:1px solid #8886;border-radius:8px;resize:vertical"
        page = render_comparison(self, explained=0, with_parts=False)
        return (
            f'<iframe title="{html.escape(self.title)}" sandbox="allow-scripts" style="{style}" '
            f'srcdoc="{html.escape(page)}"></iframe>'
            f"<details><summary>Overview</summary>{self.overview.to_html(index=False)}</details>"
        )
