"""Figures for a paper: what they show, and that they fit a column or a page."""

import matplotlib
import pandas as pd
import pytest

from pyterrier_scholarly.figures import plot_cutoffs, plot_queries, save_figure

matplotlib.use("Agg")

NAMES = ["bm25", "ours", "a system with a long name"]
SUBSETS = ["all", "method", "result"]


@pytest.fixture
def curves():
    """Three systems at three cut-offs, over three groups of queries."""
    rows = []
    for subset in SUBSETS:
        for number, name in enumerate(NAMES):
            for cutoff in (10, 20, 30):
                value = 0.2 * number + cutoff / 100
                means = {"value": value, "low": value - 0.05, "high": value + 0.05, "queries": 17}
                keys = {"name": name, "subset": subset, "cutoff": cutoff}
                rows.append({**keys, "measure": f"NDCG%{cutoff}", **means})
    return pd.DataFrame(rows)


@pytest.fixture
def values():
    """Three systems on five queries of two groups."""
    rows = [
        {"name": name, "subset": subset, "qid": f"{subset}{query}", "value": (query + n) / 10}
        for subset in SUBSETS[1:]
        for n, name in enumerate(NAMES)
        for query in range(5)
    ]
    return pd.DataFrame(rows)


def test_curves_have_a_line_for_each_system(curves):
    """A panel for each group of queries, whose lines are the values; axes are named."""
    figure = plot_cutoffs(curves, "page")
    assert [axes.get_title() for axes in figure.axes[:3]] == [f"{s} (17 queries)" for s in SUBSETS]
    for axes in figure.axes[:3]:
        assert [line.get_label() for line in axes.lines] == NAMES
        assert axes.lines[1].get_ydata().tolist() == pytest.approx([0.3, 0.4, 0.5])
        assert len({line.get_marker() for line in axes.lines}) == 3
    assert figure.get_supxlabel() == "k, percent of the pool"
    assert figure.get_supylabel() == "NDCG%k, mean over queries"


def test_strips_have_a_point_for_each_query(values):
    """A strip for each system in each group: its queries' values, and their mean as a line."""
    figure = plot_queries(values, "NDCG%20")
    assert [axes.get_title(loc="left") for axes in figure.axes] == [
        "method (5 queries)",
        "result (5 queries)",
    ]
    for axes in figure.axes:
        points, mean = axes.lines[2:4]
        assert points.get_xdata().tolist() == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5])
        assert mean.get_xdata()[0] == pytest.approx(0.3)
        assert [label.get_text() for label in axes.get_yticklabels()] == NAMES
        assert abs(points.get_ydata() - 1).max() < 0.5  # each in its own strip
    assert figure.axes[-1].get_xlabel() == "NDCG%20 of a query; line: mean"


@pytest.mark.parametrize(("size", "width"), [("column", 3.03), ("page", 6.3)])
def test_they_fit_a_paper_and_are_legible(curves, values, size, width):
    """Unscaled they fit both templates; no text is smaller than six points or beyond the edge."""
    for figure in (plot_cutoffs(curves, size), plot_queries(values, size=size)):
        assert figure.get_size_inches()[0] == pytest.approx(width)
        figure.draw_without_rendering()
        texts = [text for text in figure.findobj(matplotlib.text.Text) if text.get_text()]
        shown = [text for text in texts if text.get_visible()]
        assert min(text.get_size() for text in shown) >= 6
        for axes in figure.axes:
            for label in (axes.title, axes.xaxis.label, axes.yaxis.label):
                box = label.get_window_extent()
                if not label.get_text():
                    continue
                assert figure.bbox.x0 - 1 <= box.x0 and box.x1 <= figure.bbox.x1 + 1


def test_files_for_a_paper(curves, tmp_path):
    """PDF embeds TrueType, which publishers take; SVG keeps text as text."""
    figure = plot_cutoffs(curves)
    pdf = save_figure(figure, tmp_path / "curves.pdf").read_bytes()
    assert b"/Type3" not in pdf.replace(b" ", b"") and pdf.startswith(b"%PDF")
    svg = save_figure(figure, tmp_path / "curves.svg").read_text()
    assert ">k, percent of the pool<" in svg
    with pytest.raises(ValueError, match="Unknown ending of a figure's file 'doc'"):
        save_figure(figure, tmp_path / "curves.doc")


def test_what_cannot_be_drawn(curves, values):
    """No rows, and more systems than colours, are errors that say what to pass."""
    with pytest.raises(ValueError, match="pass a frame of by_cutoff"):
        plot_cutoffs(curves.iloc[:0])
    with pytest.raises(ValueError, match="pass a frame of by_query"):
        plot_queries(values.iloc[:0])
    many = pd.concat(values.assign(name=f"s{number}") for number in range(7))
    with pytest.raises(ValueError, match="7 systems: a figure has 6 colours"):
        plot_queries(many)


def test_what_is_no_figure_is_not_saved(tmp_path):
    """The error says what to pass, and no file is left."""
    with pytest.raises(ValueError, match="expected matplotlib's Figure"):
        save_figure("picture", tmp_path / "picture.pdf")
    assert not list(tmp_path.iterdir())
