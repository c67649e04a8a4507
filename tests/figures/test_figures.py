"""Test what the figures show; how they look was checked by eye."""

import shutil
from pathlib import Path

import ir_datasets
import ir_measures
import matplotlib
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly import published, stages
from pyterrier_scholarly.collect import agreement
from pyterrier_scholarly.figures import (
    plot_confusions,
    plot_correlation,
    plot_facet_grades,
    plot_facet_scores,
    plot_losses,
    plot_normalised_scores,
    plot_recall,
    plot_rhsa,
    plot_stages,
)
from pyterrier_scholarly.stats import histogram_slope

matplotlib.use("Agg")


@pytest.fixture
def slope():
    """Return the slope of similar pairs near 0 and uniform random pairs."""
    random = np.random.default_rng(0)
    return histogram_slope(random.exponential(0.1, 2000), random.random(2000), bins=20)


def test_three_panels_for_each_system(slope):
    """Histograms with a step per bin, the bins of the line, and the line itself."""
    no_slope = histogram_slope([0.5] * 9, [0.5] * 9, bins=20)
    figure = plot_rhsa({"tf-idf": slope, "LDA": no_slope})
    (similar, _, random, _, division, other) = figure.axes
    assert [axis.get_title() for axis in figure.axes[:2]] == ["tf-idf", "LDA"]
    for axis, histogram in ((similar, slope.similar), (random, slope.random)):
        (stairs,) = axis.patches
        assert stairs.get_data().values.tolist() == histogram.counts.tolist()
        assert axis.get_yscale() == "log"
        assert axis.get_ylim()[0] < 1 and axis.get_ylim()[1] > histogram.counts.max()
    (bars,) = division.containers
    assert bars[0].get_ydata().tolist() == slope.points["y"][slope.used].tolist()
    line = division.lines[-1]
    fall = np.diff(line.get_ydata()) / np.diff(line.get_xdata())
    assert fall[0] == pytest.approx(-slope.value)
    assert f"rHSA {slope.value:.2f}" in division.get_title()
    assert "all pairs are in one bin" in other.get_title().replace("\n", " ")


@pytest.mark.parametrize("count, width", [(1, 3.4), (2, 3.4), (4, 7)])
def test_slopes_fit_a_paper_and_their_text_covers_nothing(slope, count, width):
    """One or two systems fit a column, more a page; no text covers a panel or another text."""
    figure = plot_rhsa({f"sentence max-sim {n}": slope for n in range(count)})
    assert figure.get_size_inches()[0] <= width
    figure.draw_without_rendering()
    renderer = figure.canvas.get_renderer()
    panels = [axes.get_window_extent() for axes in figure.axes]
    texts = [axes.title for axes in figure.axes] + [text for a in figure.axes for text in a.texts]
    texts += [label for axes in figure.axes for label in (axes.xaxis.label, axes.yaxis.label)]
    written = [text for text in texts if text.get_text()]
    boxes = [text.get_window_extent(renderer) for text in written]
    for text, box in zip(written, boxes):
        assert text.get_size() >= 6
        assert figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1, text
        assert box.count_overlaps(panels) == 0, text
        assert box.count_overlaps(boxes) == 1, text  # itself


def test_the_line_spans_the_bins_used():
    """For pairs in 0.2 to 0.5, the line goes from the first to the last bin used."""
    random = np.random.default_rng(0)
    slope = histogram_slope(
        0.2 + 0.3 * random.random(2000) ** 2, 0.2 + 0.3 * random.random(2000), bins=20
    )
    line = plot_rhsa(slope).axes[2].lines[-1]
    x = slope.points["x"][slope.used]
    assert line.get_xdata().tolist() == [x[0], x[-1]]
    assert 0.2 <= x[0] < x[-1] <= 0.5
    heights = slope.intercept + slope.sign * slope.value * line.get_xdata()
    assert line.get_ydata().tolist() == heights.tolist()


def test_one_slope_and_an_empty_dict(slope, tmp_path):
    """A single slope needs no name, and saves to a file; an empty dict raises."""
    figure = plot_rhsa(slope)
    figure.savefig(tmp_path / "slope.png")
    assert len(figure.axes) == 3 and (tmp_path / "slope.png").stat().st_size > 0
    with pytest.raises(ValueError, match="no slope to draw"):
        plot_rhsa({})


def test_the_scatter_plot_names_systems_and_correlation():
    """Each system has a point and a name; the title has coefficients and intervals."""
    table = published("rhsa").pivot(index="name", columns="label", values="value").reset_index()
    table.loc[0, "rHSA(1M)"] = np.nan
    figure = plot_correlation(table, "MAP(100q)", "rHSA(1M)")
    (axis,) = figure.axes
    assert len(axis.lines[0].get_xdata()) == len(axis.texts) == len(table) - 1
    assert {text.get_text() for text in axis.texts} == set(table["name"][1:])
    assert "R = 0." in axis.get_title() and "(95 %: " in axis.get_title()
    assert "12 systems" in axis.get_title()
    assert plot_correlation(table, "MAP(100q)", "rHSA(1M)", names=None).axes[0].texts[:] == []
    with pytest.raises(
        ValueError, match=r"Unknown column 'system' of the results. Choose one of: name"
    ):
        plot_correlation(table, "MAP(100q)", "rHSA(1M)", names="system")


def test_without_matplotlib_the_error_names_the_command(monkeypatch):
    """The message names the command to install it."""
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        plot_losses({"a": [(1, 1.0)]})


def test_grades_in_two_facets():
    """Each pair of facets has a panel; its cells have the counts of the paper's Figure 2."""
    counts = {
        ("background", "method"): [[229, 36], [127, 38]],
        ("method", "result"): [[5, 0], [1, 2]],
    }
    rows = [
        {"facet": facet, "other": other, "grade": grade, "0": zero, "1": one}
        for (facet, other), cells in (*counts.items(), (("background", "result"), [[0, 0]] * 2))
        for grade, (zero, one) in enumerate(cells)
    ]
    *panels, _ = plot_facet_grades(pd.DataFrame(rows)).axes
    for axis, (pair, cells) in zip(panels, counts.items(), strict=True):
        assert [text.get_text() for text in axis.texts] == [str(n) for row in cells for n in row]
        assert (axis.get_ylabel(), axis.get_xlabel()) == tuple(f"grade for {one}" for one in pair)
    assert panels[0].get_title() == "430 candidates"
    with pytest.raises(ValueError, match="no candidate has grades for two facets"):
        plot_facet_grades(pd.DataFrame(rows[-2:]))


def test_scores_in_two_facets():
    """Each paper with two facets has two points; the first system's larger value orders them."""
    values = {
        "1_method": 0.2,
        "1_result": 0.4,
        "2_method": 0.9,
        "2_background": 0.1,
        "3_result": 1.0,
    }
    rows = [
        {"name": name, "qid": qid, "measure": measure, "value": value * share}
        for name, share in (("b", 1.0), ("a", 0.5))
        for measure in ("NDCG%20", "P@20")
        for qid, value in values.items()
    ]
    figure = plot_facet_scores(pd.DataFrame(rows), "NDCG%20")
    assert [axis.get_title() for axis in figure.axes] == ["b", "a"]
    assert [label.get_text() for label in figure.axes[-1].get_xticklabels()] == ["2", "1"]
    for axis, share in zip(figure.axes, (1.0, 0.5)):
        drawn = {line.get_label(): line.get_ydata().tolist() for line in axis.lines}
        expected = {"background": [0.1, None], "method": [0.9, 0.2], "result": [None, 0.4]}
        assert drawn == {
            facet: pytest.approx([np.nan if v is None else v * share for v in row], nan_ok=True)
            for facet, row in expected.items()
        }
    with pytest.raises(ValueError, match="no paper has values in two facets"):
        plot_facet_scores(pd.DataFrame(rows[:2]).assign(qid=["1_method", "2_method"]))


def test_heat_maps_have_the_counts_in_their_cells():
    """One panel is for pairs of annotators, one for the reference; each cell has its count."""
    rows = [
        ("q", str(number), name, rating)
        for name, ratings in {"a": [0, 1, 1, 2], "b": [0, 1, 2, 2], "c": [0, 1, 2, 1]}.items()
        for number, rating in enumerate(ratings)
    ]
    ratings = pd.DataFrame(rows, columns=["qid", "docno", "annotator", "rating"])
    compared = agreement(ratings, reference="c")
    figure = plot_confusions(compared)
    for axis, matrix in zip(figure.axes[:2], compared.confusions.values(), strict=True):
        texts = [text.get_text() for text in axis.texts]
        assert texts == [str(count) for count in matrix.to_numpy().ravel()]
    titles = [axis.get_title() for axis in figure.axes[:2]]
    assert titles[0].startswith("Annotators with one another\n4 pairs of ratings, 75% equal")
    assert "8 pairs of ratings" in titles[1]
    assert len(plot_confusions(agreement(ratings)).axes) == 2  # one panel and the colour bar


def test_scores_in_descending_order(tmp_path, monkeypatch):
    """A line per query and per type; totals over |Q| are derived in test_doris_mae_judged."""
    small = Path(__file__).parents[1] / "ir_datasets_ext" / "doris-mae-small.json"
    (tmp_path / "doris-mae").mkdir()
    shutil.copyfile(small, tmp_path / "doris-mae" / "DORIS-MAE_dataset_v1.json")
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path))
    figure = plot_normalised_scores("doris-mae")
    queries, types = figure.axes
    expected = [[7 / 5, 6 / 5, 4 / 5], [3 / 3, 3 / 3]]
    for axis in (queries, types):  # each type has one query; the last line is at 1
        *lines, relevant = axis.lines
        assert [line.get_ydata().tolist() for line in lines] == expected
        assert [line.get_xdata().tolist() for line in lines] == [[1, 2, 3], [1, 2]]
        assert set(relevant.get_ydata()) == {1}
    assert [text.get_text() for text in types.get_legend().get_texts()] == ["ML", "Composite"]
    with pytest.raises(ValueError, match="doris-mae/aspects has no complex queries"):
        plot_normalised_scores("doris-mae/aspects")


def test_losses_by_step():
    """Each model has a panel with the losses that its training returned."""
    losses = {"specter-id": [(10, 0.9), (20, 0.4)], "scibert-id": [(5, 2.0)]}
    figure = plot_losses(losses)
    assert [axis.get_title() for axis in figure.axes] == list(losses)
    for axis, pairs in zip(figure.axes, losses.values(), strict=True):
        assert list(zip(*axis.lines[0].get_data())) == pairs
    with pytest.raises(ValueError, match="no losses of b: pass at least one pair"):
        plot_losses({"a": [(1, 1.0)], "b": []})
    with pytest.raises(ValueError, match="no losses of any model"):
        plot_losses({})


MINI = "scholarly-mini/all"


def ranked(dataset, seed):
    """A run in random order over each query's judged documents."""
    random = np.random.default_rng(seed)
    qrels = pt.get_dataset(f"irds:{dataset}").get_qrels()
    return qrels[["qid", "docno"]].assign(score=random.random(len(qrels)))


def test_recall_by_k():
    """Each point is the mean that ir_measures computes, on each dataset, for each run."""
    runs = {"one": ranked(MINI, 0), "two": ranked(MINI, 1)}
    runs["two"] = runs["two"].groupby("qid").head(4)  # its curve goes on at one height
    (axis,) = plot_recall(runs, [MINI], k=12, relevant=2).axes
    qrels = list(ir_datasets.load(MINI).qrels_iter())
    curves = [line for line in axis.lines if len(line.get_xdata()) == 12]
    assert [line.get_label() for line in curves] == ["one", "two"]
    for line, run in zip(curves, runs.values(), strict=True):
        assert line.get_xdata().tolist() == [*range(1, 13)]
        wanted = [ir_measures.R(rel=2) @ k for k in range(1, 13)]
        found = ir_measures.calc_aggregate(wanted, qrels, pt.model.to_ir_measures(run))
        assert line.get_ydata() == pytest.approx([found[measure] for measure in wanted])


def test_a_query_without_results_has_no_recall():
    """It counts: half of the queries answered fully give a recall of one half."""
    qrels = pt.get_dataset(f"irds:{MINI}").get_qrels().assign(score=1.0)
    qids = qrels["qid"].unique()
    half = qrels[qrels["qid"].isin(qids[: len(qids) // 2])]
    (axis,) = plot_recall({"half": half}, [MINI], k=40).axes
    assert axis.lines[0].get_ydata()[-1] == pytest.approx(0.5)


@pytest.mark.filterwarnings("ignore:.*is not the release's file")
def test_litsearchs_figure_3(litsearch_home, data):
    """GritLM-7B's run, up to 50: through the points that the paper prints."""
    run = pt.io.read_results(str(data("litsearch", "runs", "gritlm-7b.title_abstract.trec.gz")))
    parts = [
        f"litsearch/{s}/{kind}" for s in ("inline", "author") for kind in ("broad", "specific")
    ]
    axes = plot_recall({"GritLM-7B": run, "unknown": run}, parts).axes
    printed = [{20: 0.697}, {5: 0.677, 20: 0.779}, {20: 0.743}, {5: 0.825, 20: 0.891}]
    for axis, part, points in zip(axes, parts, printed, strict=True):
        curve, crosses, _, none = axis.lines
        assert axis.get_title() == part and len(curve.get_xdata()) == 50
        assert dict(zip(crosses.get_xdata(), crosses.get_ydata())) == points
        for k, value in points.items():
            assert round(curve.get_ydata()[k - 1], 3) == value
        assert (np.diff(curve.get_ydata()) >= 0).all()
        assert len(none.get_xdata()) == 0  # no printed system has this name


@pytest.mark.parametrize(
    ("names", "datasets", "more", "said"),
    [
        ([], [MINI], {}, "nothing to draw"),
        (["a"], [], {}, "nothing to draw"),
        (["a"], [MINI], {"relevant": 9}, "scholarly-mini/all has no document of grade 9"),
        (["a"], ["scholarly-mini/method"], {}, "a has no results for the queries of scholarly"),
    ],
)
def test_recall_of_nothing(names, datasets, more, said):
    """The error says what is missing; queries of one facet have other ids than those of all."""
    with pytest.raises(ValueError, match=said):
        plot_recall({name: ranked(MINI, 0) for name in names}, datasets, **more)


@pytest.mark.parametrize("missing", ["name", "qid", "measure", "value"])
def test_values_without_a_column(missing):
    """The missing column is named, and which frame is meant."""
    rows = {"name": ["a"], "qid": ["1_method"], "measure": ["P@20"], "value": [0.5]}
    with pytest.raises(pt.validate.InputValidationError, match=missing) as caught:
        plot_facet_scores(pd.DataFrame(rows).drop(columns=missing), "P@20")
    assert "pt.Experiment" in str(caught.value)


def ranking_of(docnos):
    """A transformer that ranks these documents for each query."""
    results = pd.DataFrame({"docno": list(docnos), "score": np.arange(len(docnos), 0.0, -1)})
    return pt.apply.generic(
        lambda frame: frame[["qid"]].drop_duplicates().merge(results, how="cross")
    )


@pytest.fixture
def staged():
    """The stages of a ranking, and of another that leaves out a relevant paper."""
    qrels = pd.DataFrame({"qid": "q", "docno": ["a", "c"], "label": 1})
    topics = pd.DataFrame({"qid": ["q"]})
    return stages(ranking_of("abcd") >> ranking_of("ba"), topics, qrels, ["AP"])


def test_stages_are_bars_with_bands_between_them(staged):
    """Of all queries: a band of kept papers, one of lost papers, and a bar for each stage."""
    figure = plot_stages(staged)
    (axes,) = figure.axes
    ribbons = [patch for patch in axes.patches if type(patch).__name__ == "PathPatch"]
    bars = [patch for patch in axes.patches if type(patch).__name__ == "Rectangle"]
    assert len(ribbons) == 2  # `a` stays, `c` is left out
    # a and c are among four; then a is among two, and c is not returned
    numbers = {"1-10: 2 of 4", "1-10: 1 of 2", "not returned: 1"}
    assert numbers <= {text.get_text().replace("–", "-") for text in axes.texts}
    assert [bar.get_height() for bar in bars] == pytest.approx([1, 1 / 2, 1 / 2])
    assert figure.get_size_inches()[0] == pytest.approx(3.4)


def test_a_querys_papers_are_lines(staged):
    """A line from rank to rank for each paper; that of a lost one is dashed."""
    axes = plot_stages(staged, "q").axes[0]
    styles = sorted(line.get_linestyle() for line in axes.lines)
    assert styles == ["-", "-", "--"]  # a and b are ranked to the end, c is lost
    assert {"2 of 4", "1 of 2", "not returned"} <= {text.get_text() for text in axes.texts}
    with pytest.raises(ValueError, match=r"qid='p': expected one of the 1 evaluated queries"):
        plot_stages(staged, "p")
