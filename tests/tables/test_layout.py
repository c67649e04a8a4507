"""A table as text: HTML and LaTeX."""

import errno
import os
import re
from html.parser import HTMLParser

import pandas as pd
import pytest

from pyterrier_scholarly.protocols import Protocol
from pyterrier_scholarly.tables import PaperTable
from pyterrier_scholarly.tables.latex import escape

VOID = ("meta", "link", "br", "col", "wbr")


def figure(name, value, source="this run", queries=10, subset="s", label="R@5", **more):
    """A row of figures, as `reproduce` makes them."""
    known = {"std": 0.01, "low": value - 0.02, "high": value + 0.02, "of": 10, "p": float("nan")}
    own = {"name": name, "value": value, "source": source, "queries": queries, "label": label}
    rest = {"measure": label, "subset": subset, "difference": 0.0, "better": 1, "worse": 2}
    covered = {"answered": queries, "part": "", "equal": 3, "judged_share": float("nan")}
    covered["condensed"] = float("nan")
    covered |= {"other_pools": "", "paper": "A paper", "detectable": 0.1}
    covered |= dict.fromkeys(["measure_verified", "system_verified"], "")
    return {**known, **own, **rest, **covered, **more}


def made(*figures):
    """A table of these."""
    systems = pd.DataFrame(columns=["key", "name", "named", "model", "source", "note", "system"])
    figures = pd.DataFrame(figures)
    columns = figures[["subset", "measure", "label", "of"]].drop_duplicates()
    columns = columns.assign(aggregate=columns["subset"] == "all")
    is_compared = figures["source"].eq("this run") & figures["name"].ne("a") & figures["p"].notna()
    comparisons = figures[is_compared].assign(baseline="a")
    comparisons["sign"] = comparisons["p"].lt(0.05).map({True: "†", False: ""})
    return PaperTable(
        dataset="litsearch",
        table="3",
        protocol=Protocol("litsearch", "LitSearch", decimals=1),
        columns=columns.reset_index(drop=True),
        figures=figures,
        comparisons=comparisons,
        systems=systems,
        checks={},
        runs={},
        baselines=["a"],
        corrected="not corrected",
        resamples=10,
        notes=["A remark."],
    )


def test_the_best_of_each_column_and_group():
    """The highest shown figure is best, ties included; printed rows are compared separately."""
    table = made(
        figure("p", 0.9, "published"),
        figure("q", 0.1, "published"),
        figure("a", 0.5),
        figure("b", 0.50001),
        figure("c", 0.4),
    )
    cells = table.lay_out()
    best = cells[cells["best"]].groupby("group", sort=False)["name"].agg(list)
    assert best.tolist() == [["p"], ["a", "b"]]


def test_rows_over_other_numbers_of_queries_stand_apart():
    """Rows with different numbers of queries form groups; an empty cell fits every group."""
    table = made(
        figure("a", 0.5, queries=8),
        figure("a", 0.5, queries=9, label="R@20"),
        figure("b", 0.6),
        figure("c", 0.7, queries=8),
    )
    groups = table.lay_out().groupby("group", sort=False)
    assert groups["name"].unique().map(list).tolist() == [["a", "c"], ["b"]]
    counts = [list(group.drop_duplicates("column")["queries"]) for _, group in groups]
    assert counts == [["8", "9"], ["10", ""]]
    fewer = "This run, over fewer queries: not comparable with other rows"
    assert groups["title"].first().tolist() == [fewer, "This run"]


def test_what_stands_in_a_cell():
    """A cell has percent with the paper's decimals, and "" without a figure."""
    table = made(figure("a", 0.5), figure("b", 0.25, p=0.04), figure("b", 0.3, label="R@20"))
    cells = table.lay_out()
    assert cells["value"].tolist() == ["50.0", "", "25.0", "30.0"]
    assert cells["std"].tolist() == ["1.0", "", "1.0", "1.0"]
    assert cells["signs"].tolist() == ["", "", "†", ""]


class Balanced(HTMLParser):
    """Checks that every tag is closed; collects texts and addresses that would be fetched."""

    def __init__(self):
        super().__init__()
        self.open, self.texts, self.fetched = [], [], []

    def handle_starttag(self, tag, attrs):
        """Note it."""
        if tag not in VOID:
            self.open.append(tag)
        links = dict(attrs)
        self.fetched += [links[name] for name in ("src", "href") if name in links]

    def handle_endtag(self, tag):
        """It is the last that was opened."""
        assert self.open.pop() == tag

    def handle_data(self, data):
        """Note it."""
        self.texts.append(data)


@pytest.mark.parametrize("whole", [True, False])
def test_the_page_is_sound_and_alone(table, tmp_path, whole):
    """Names with markup are text, nothing is fetched, every tag is closed."""
    html = table.to_html(tmp_path / "t.html").read_text() if whole else table._repr_html_()
    parser = Balanced()
    parser.feed(html)
    assert parser.open == []
    assert set(parser.fetched) <= {"data:,"}
    assert table.frame["name"][0] in "".join(parser.texts)
    assert "<b>" not in html
    assert "url(" not in html
    assert "@import" not in html


def test_every_figure_is_on_the_page(table, tmp_path):
    """Each value of the frame is on the page, in percent."""
    html = table.to_html(tmp_path / "t.html").read_text()
    values = [f"{100 * value:.2f}" for value in table.frame.iloc[:, 2:].to_numpy().ravel()]
    assert len(values) > len(table.frame)
    assert [value for value in values if f">{value}<" not in html] == []


def test_latex_has_a_cell_for_each_column(table, tmp_path):
    """Every line between the rules has one cell for each column."""
    text = table.to_latex(tmp_path / "t.tex").read_text()
    assert text == table.to_latex()
    width = len(re.search(r"\\begin\{tabular\}\{(l r*|lr*)\}", text)[1])
    assert width == 1 + 4 * 6  # four subsets, six measures
    body = text[text.index(r"\toprule") : text.index(r"\bottomrule")]
    lines = [line for line in body.splitlines() if line.endswith(r"\\")]
    assert len(lines) > len(table.frame)  # of a heading and of each row
    for line in lines:
        spans = sum(int(span) - 1 for span in re.findall(r"\\multicolumn\{(\d+)\}", line))
        assert len(re.findall(r"(?<!\\)&", line)) + 1 + spans == width
    assert re.findall(r"\\(toprule|midrule|bottomrule)", text) == [
        "toprule",
        "midrule",
        "bottomrule",
    ]


def test_latex_escapes():
    """Every special sign of LaTeX is escaped."""
    assert escape(r"a_b & 5% #1 {x} $y$ ~ ^ \z") == (
        r"a\_b \& 5\% \#1 \{x\} \$y\$ \textasciitilde{} \textasciicircum{} \textbackslash{}z"
    )
    assert escape("1–2 ±") == r"1--2 $\pm$"


def test_latex_takes_no_name_for_an_argument():
    """No line begins with [ or *, which LaTeX would read as the previous line's argument."""
    names = ["[x]", "*x", "\n[y]\x00z", "  *[2pt]", "a<b>|c"]
    lines = made(*(figure(name, 0.5) for name in names)).to_latex().splitlines()
    assert [line.partition(" & ")[0] for line in lines[-2 - len(names) : -2]] == [
        "{[}x{]}",
        "{*}x",
        "{[}y{]} z",
        "{*}{[}2pt{]}",
        r"a\textless{}b\textgreater{}\textbar{}c",
    ]


def test_a_table_that_cannot_be_written_leaves_the_page_that_was_there(tmp_path, monkeypatch):
    """A full disk (simulated by a failing flush) leaves the old file unchanged."""
    path, table = tmp_path / "t.html", made(figure("a", 0.5))
    path.write_text("before")

    def full(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    for write in (table.to_html, table.to_latex):
        with pytest.raises(OSError, match="No space left"):
            write(path)
    assert [file.read_text() for file in tmp_path.iterdir()] == ["before"]


def test_texts_say_what_they_are(table):
    """A table's repr has its title, and the remarks that do not explain signs it leaves out."""
    text = repr(table)
    assert text.startswith("scholarly-mini (scholarly-mini/all), percent")
    signs = [remark for remark in table.remarks if remark[0] in "±†"]
    words = " ".join(text.split())
    assert [remark in words for remark in table.remarks] == [r not in signs for r in table.remarks]
    assert len(signs) == 2 and not {"±", "†"} & {*text}


def test_latex_of_some_rows():
    """Rows stand in the order that is asked for; ± and bold are choices."""
    table = made(
        figure("p", 0.9, "published"),
        figure("q", 0.1, "published"),
        figure("a", 0.5),
        figure("b", 0.6),
    )

    def rows(**options):
        lines = table.to_latex(**options).splitlines()
        return [line for line in lines if re.match(r"[pqab] &", line)]

    assert rows(rows=["b", "p"], std=False) == [r"p & 90.0 \\", r"b & 60.0 \\"]
    assert rows(rows=["b", "a"], std=False) == [r"b & \textbf{60.0} \\", r"a & 50.0 \\"]
    assert [line for line in rows(best="overall") if "textbf" in line] == rows(best="overall")[:1]
    assert not [line for line in rows(best=None) if "textbf" in line]
    with pytest.raises(ValueError, match=r"Unknown row 'z' of the table\. .*: p, q, a, b\."):
        table.to_latex(rows=["z"])
    with pytest.raises(ValueError, match="best='all': choose one of group, overall, None"):
        table.to_latex(best="all")
