"""Tables that are cut to columns and rows, printed in 80 columns, and written for a paper."""

import re
import shutil
import subprocess

import ir_measures
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly import LSA, BM25Retriever, reproduce
from pyterrier_scholarly.stats import correct_pvalues

from .test_layout import figure, made

NAMES = ["fabs_tfidf", "fabs_bm25", "one_encoding", "sentence_maxsim", "six_parts"]


@pytest.fixture(scope="module")
def five():
    """Five systems over all columns, each tested against two of them."""
    return reproduce(
        "scholarly-mini",
        NAMES,
        encoder=LSA("scholarly-mini/all"),
        baseline=["fabs_tfidf", "fabs_bm25"],
        correction="benjamini-hochberg",
        resamples=50,
        verbose=False,
    )


def facet_figures():
    """Two facets and both together, two measures, two systems and a printed one."""
    figures = []
    for subset, value in (("method", 0.2), ("result", 0.4), ("all", 0.3)):
        for label in ("NDCG%20", "MAP"):
            column = {"subset": subset, "label": label}
            figures.append(figure("printed", value + 0.3, "published", **column))
            figures.append(figure("a", value, **column))
            figures.append(figure("b", value + 0.1, p=0.01, **column))
            figures.append(figure("c", value + 0.2, p=0.5, **column))
    return made(*figures)


def titles(table):
    """The columns of a table's frame."""
    return list(table.frame.columns[2:])


def test_columns_are_chosen_by_measure_and_subset():
    """Columns stand in the order of the names, by subset and then by measure."""
    table = facet_figures()
    assert titles(table[["MAP"]]) == ["method MAP", "result MAP", "all MAP"]
    assert titles(table["MAP"]) == titles(table[[ir_measures.AP]])
    cut = table.select(subsets=["all", "method"], measures=["MAP", "NDCG%20"])
    assert titles(cut) == ["all MAP", "all NDCG%20", "method MAP", "method NDCG%20"]
    assert titles(table[["result MAP", "all NDCG%20"]]) == ["result MAP", "all NDCG%20"]
    assert titles(table.select()) == titles(table)


def test_figures_and_signs_stay_and_bold_is_of_the_rows_that_are_left():
    """Without the best row the second best is bold; ±, † and values stay without the baseline."""
    table = facet_figures()
    cut = table.select(systems=["b", "a"], measures="MAP", subsets="method")
    assert cut.lay_out()[["name", "best"]].values.tolist() == [["b", True], ["a", False]]
    alone = table.select(systems="b", measures="MAP").lay_out().iloc[0]
    assert alone[["value", "std", "signs", "best"]].tolist() == ["30.0", "1.0", "†", False]
    assert set(table.select(printed=False).frame["source"]) == {"this run"}


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"subsets": ["methd"]}, r"Unknown subset 'methd' of the table\. Did you mean 'method'"),
        ({"measures": ["P@3"]}, r"Unknown measure 'P@3' of the table\. .*NDCG%20, MAP"),
        ({"measures": ["no such"]}, "'no such' is no measure"),
        ({"systems": ["z"]}, "Unknown row 'z' of the table"),
        ({"systems": []}, "Nothing is left of the table"),
        ({"systems": "printed", "printed": False}, "Unknown row 'printed'"),
        ({"measures": []}, "Nothing is left of the table"),
    ],
)
def test_what_cannot_be_chosen(choice, message):
    """An error names the wrong value and the choices."""
    with pytest.raises(ValueError, match=message):
        facet_figures().select(**choice)


def test_remarks_on_rows_that_are_cut_are_left_out():
    """A remark on one row goes with it, those on printed rows with these; others stay."""
    table = reproduce(
        "scholarly-mini",
        {"part": reproduce_run("fabs_bm25", 5), "whole": "fabs_tfidf"},
        resamples=5,
        verbose=False,
    )
    assert any("no results for" in remark for remark in table.remarks)
    assert any(remark.startswith("‡") for remark in table.remarks)
    cut = table.select(systems="whole")
    assert not any("no results for" in remark for remark in cut.remarks)
    assert not any(remark.startswith("‡") for remark in cut.remarks)
    assert any(remark.startswith("±") for remark in cut.remarks)
    assert list(cut.runs) == ["whole"]


def reproduce_run(key, count):
    """Results of a system for the first queries alone."""
    run = reproduce("scholarly-mini", [key], resamples=5, verbose=False).runs[key]
    return run[run["qid"].isin(list(run["qid"].unique())[:count])]


def test_print_fits_eighty_columns(five):
    """No line is longer than 80 characters; the first block is over all facets' queries."""
    hostile = "a pipeline's very long representation, " * 4
    long_names = made(
        *(figure(hostile, 0.5, subset=s, label=f"R@{n}") for s in ("s", "t") for n in range(20))
    )
    for table in (five, five[["NDCG%20"]], long_names, facet_figures()):
        assert max(len(line) for line in repr(table).splitlines()) <= 80
    assert repr(five).splitlines()[1].strip() == "all"
    assert [line.strip() for line in repr(five).splitlines()].count("This run") == 4
    words = repr(long_names).split()
    assert [words.count(f"R@{n}") for n in range(20)] == [2] * 20
    assert "".join(hostile.split()) in "".join(words)


def test_print_has_every_figure(five):
    """Each value stands in its row once, wherever its column is."""
    printed = repr(five)
    values = [f"{100 * value:.2f}" for value in five.frame.iloc[:, 2:].to_numpy().ravel()]
    assert [value for value in values if printed.count(value) < values.count(value)] == []


def test_latex_has_a_block_for_each_facet():
    """With `blocks`, labels stand once, a heading has the facet and its number of queries."""
    text = facet_figures().select(printed=False).to_latex(blocks=True, std=False)
    lines = [line for line in text.splitlines() if not line.startswith("%")]
    assert lines[0] == r"\begin{tabular}{lrr}"
    assert lines[2] == r" & NDCG\%20 & MAP \\"
    headings = [line for line in lines if "multicolumn" in line]
    assert headings == [
        rf"\multicolumn{{3}}{{l}}{{\textbf{{{facet} (10 queries)}}}} \\"
        for facet in ("method", "result", "all")
    ]
    blank = r"$^{\phantom{\dagger}}$"  # as wide as a dagger, so that figures stand below each other
    assert lines.count(rf"c & \textbf{{40.0}}{blank} & \textbf{{40.0}}{blank} \\") == 1
    assert r"b & 30.0$^{\dagger}$ & 30.0$^{\dagger}$ \\" in lines
    without = facet_figures().to_latex(blocks=True, counts=False)
    assert "queries)" not in without
    assert without.count(r"\emph{As printed}") == 3


def test_latex_without_numbers_of_queries():
    """Without `counts` there is no line of numbers, and no heading of a single group."""
    table = facet_figures().select(printed=False)
    assert r"\emph{queries}" in table.to_latex()
    text = table.to_latex(counts=False)
    assert r"\emph{" not in text


def test_wins_ties_and_losses():
    """Queries better, equal and worse than the baseline, by facet, with a dagger."""
    table = facet_figures()[["MAP"]]
    text = table.wins_to_latex(counts=False)
    assert r" & method & result & all \\" in text
    assert "b" + r" & 1/3/2$^{\dagger}$" * 3 + r" \\" in text
    assert "c" + r" & 1/3/2$^{\phantom{\dagger}}$" * 3 + r" \\" in text
    assert (table.wins["queries"] == 6).all()
    with pytest.raises(ValueError, match="No system is compared with a"):
        table.select(systems="a").wins_to_latex()


def test_wins_have_each_subsets_number_of_queries():
    """Once, also where a subset lacks the measure of the first lines."""
    table = made(
        *(
            figure(name, 0.5, subset=subset, label=label, p=0.5)
            for subset, label in [
                ("broad", "R@20"),
                ("inline", "R@20"),
                ("inline", "R@5"),
                ("all", "R@5"),
            ]
            for name in "ab"
        )
    )
    lines = table.wins_to_latex().splitlines()
    counts = [line for line in lines if line.startswith(r"\emph{queries}")]
    assert counts == [r"\emph{queries} & 6 & 6 &  \\", r"\emph{queries} &  &  & 6 \\"]


def test_letters_mark_several_baselines(five):
    """Each baseline has a letter; p-values are those of paired t-tests, corrected together."""
    comparisons = five.comparisons
    assert set(comparisons["baseline"]) == {"fabs_tfidf", "fabs_bm25"}
    assert len(comparisons) == 24 * 2 * 4
    plain = reproduce(
        "scholarly-mini",
        NAMES,
        encoder=LSA("scholarly-mini/all"),
        baseline=["fabs_tfidf", "fabs_bm25"],
        resamples=5,
        verbose=False,
    ).comparisons
    expected = correct_pvalues(plain["p"], "benjamini-hochberg")
    assert comparisons["p"].tolist() == pytest.approx(expected.tolist())
    assert set(five.lay_out()["signs"]) <= {"", "a", "b", "ab"}
    (remark,) = [remark for remark in five.remarks if remark.startswith("a differs from")]
    assert "b differs from fabs_bm25" in remark
    assert "192 comparisons (Benjamini-Hochberg)" in remark
    page = five._repr_html_().replace("<wbr>", "")
    assert page.count("– against fabs_bm25") == 24 * 4


def test_a_table_of_ranked_pools_hides_nothing(five):
    """Where every result is judged, the page does not speak of unjudged ones."""
    assert five.figures["judged_share"].isna().all()
    assert "unjudged results may hide" not in five._repr_html_()


def test_unjudged_results_are_told():
    """A search of all papers finds unjudged ones: their share, and the figure without them."""
    searched = reproduce(
        "scholarly-mini",
        {"pool": "fabs_bm25", "search": unpooled_run()},
        measures=["nDCG@10", "P@10"],
        resamples=5,
        verbose=False,
    )
    assert searched.checks["pool"].judged_share == 1 > searched.checks["search"].judged_share
    figures = searched.figures.query("name == 'search'").set_index(["subset", "label"])
    shares = figures["judged_share"]
    assert ((shares > 0) & (shares < 1)).all()
    ndcg = figures.xs("nDCG@10", level="label")
    assert (ndcg["condensed"] >= ndcg["value"]).all()
    assert "unjudged results may hide" in searched._repr_html_()


def unpooled_run():
    """Results from all papers of the collection."""
    topics = pt.get_dataset("irds:scholarly-mini/all").get_topics("query")
    return BM25Retriever("scholarly-mini", num_results=20)(topics)


def test_the_page_begins_with_the_aggregate(five):
    """The first subset of the page is the one over all facets' queries; LaTeX keeps the paper's."""
    first_heading = re.search(r'scope="colgroup".*?<span class="pinned">(\w+)<', five._repr_html_())
    assert first_heading[1] == "all"
    assert list(five.columns["subset"].unique()) == ["background", "method", "result", "all"]
    assert five.columns.loc[five.columns["aggregate"], "subset"].unique().tolist() == ["all"]


def test_the_smallest_difference_is_beside_each_mean(five):
    """Each tested figure has one, which grows where there are fewer queries to average over."""
    detectable = five.figures.set_index(["name", "subset", "label"])["detectable"]
    assert detectable["six_parts", "all", "NDCG%20"] > 0
    assert detectable["fabs_tfidf"].isna().all()
    assert detectable["six_parts", "all", "NDCG%20"] < detectable["six_parts", "method", "NDCG%20"]


COLUMN_AND_PAGE = {
    # template -> its preamble, and the widths of its column and its page in TeX's points
    "acm": (r"\documentclass[sigconf,nonacm]{acmart}", "acmart.cls", 241, 506),
    # as acl.sty sets A4 pages
    "acl": (
        "\\documentclass[11pt,twocolumn]{article}\\usepackage{times}\\usepackage{booktabs}"
        "\\usepackage[a4paper,margin=2.5cm]{geometry}\\setlength\\columnsep{0.6cm}",
        "ptmr7t.tfm",
        219,
        455,
    ),
}


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no TeX on the path")
@pytest.mark.parametrize("template", list(COLUMN_AND_PAGE))
def test_five_systems_fit_a_column_and_a_page(five, template, tmp_path):
    """TeX compiles the tables; those by facet fit a column, all six measures a page."""
    preamble, needed_file, column_width, page_width = COLUMN_AND_PAGE[template]
    found = subprocess.run(["kpsewhich", needed_file], capture_output=True, check=False)
    if found.returncode != 0:
        pytest.skip(f"{needed_file} is not installed")

    texts = {
        "facets": five[["NDCG%20"]].to_latex(std=False, counts=False, compact=True),
        "blocks": five[["R@20", "NDCG%20", "MAP"]].to_latex(std=False, blocks=True, compact=True),
        "wins": five[["NDCG%20"]].wins_to_latex(compact=True),
        "measures": five.to_latex(std=False, blocks=True, compact=True),
        "deviations": five.to_latex(blocks=True, compact=True),
    }
    body = "".join(
        f"\\sbox0{{{text}}}\\typeout{{WIDTH {name} \\the\\wd0}}\\noindent\\usebox0\n\n"
        for name, text in texts.items()
    )
    source = f"{preamble}\n\\begin{{document}}\n\\title{{Tables}}\n{body}\\end{{document}}\n"
    (tmp_path / "paper.tex").write_text(source)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]

    widths = {
        name: float(width) for name, width in re.findall(r"WIDTH (\w+) ([\d.]+)pt", done.stdout)
    }
    assert set(widths) == set(texts)
    for name in ("facets", "blocks", "wins"):
        assert widths[name] <= column_width, name
    for name in ("measures", "deviations"):
        assert widths[name] <= page_width, name


def test_columns_of_one_measure_have_its_name_once():
    """The measure stands above the facets, so that these columns are narrow."""
    text = facet_figures()[["MAP"]].to_latex()
    assert text.count("MAP") == 1
    assert r" & \multicolumn{3}{c}{MAP} \\" in text


def test_wins_is_a_frame(five):
    """It has a row for each test, whose three counts add up to the compared queries."""
    wins = five[["NDCG%20"]].wins
    assert isinstance(wins, pd.DataFrame)
    assert len(wins) == 4 * 2 * 4
    assert (wins["better"] + wins["equal"] + wins["worse"] == wins["queries"]).all()
    assert wins.query("subset == 'all'")["queries"].eq(16).all()


def test_groups_of_your_own_queries_have_columns():
    """With `by`, each group of queries has each measure; all queries come last, first in print."""
    table = reproduce(
        "scholarly-mini/all",
        ["fabs_tfidf", "fabs_bm25"],
        measures=["nDCG@10"],
        by=lambda query: "odd" if int(query.query_id.split("_")[0]) % 2 else "even",
        resamples=5,
        verbose=False,
    )
    assert titles(table) == ["even nDCG@10", "odd nDCG@10", "all nDCG@10"]
    assert table.columns["aggregate"].tolist() == [False, False, True]
    counts = table.columns["of"].tolist()
    assert counts[0] + counts[1] == counts[2] == 16
    even, odd, both = table.frame.iloc[0, 2:]
    assert both == pytest.approx((even * counts[0] + odd * counts[1]) / 16)
    assert repr(table).splitlines()[1].split() == ["all", "even", "odd"]
    with pytest.raises(ValueError, match="Pass one of the two"):
        reproduce("litsearch", "bm25", table=3, by="source")
    with pytest.raises(ValueError, match="Unknown field 'fct'"):
        reproduce("scholarly-mini/all", "fabs_bm25", by="fct")
