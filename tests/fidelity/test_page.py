"""Test that the page "Fidelity" agrees with the checks."""

import ast
import json
import re
from pathlib import Path

import pytest
from msgspec.structs import replace

import pyterrier_scholarly
from pyterrier_scholarly import evaluation, published, reproduce
from pyterrier_scholarly.evaluation import printed_tables
from pyterrier_scholarly.verification import Promise, Status, describe_needs, list_rows

from .making import add_report, check_all, check_differences, make_files, replace_outcomes
from .page import PATH, TITLES, page
from .statements import STATEMENTS

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture(scope="module")
def reports(_real_files, tmp_path_factory):
    """Return the reports of every check that loads no weights, on the real data."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("IR_DATASETS_HOME", str(_real_files))
        yield check_all(tmp_path_factory.mktemp("verified"))


@pytest.mark.slow
def test_the_page_is_what_the_checks_give(reports):
    """The page and what `published` says of figures are up to date.

    ``python -m tests.fidelity`` writes them. Read them before you commit.
    """
    for path, text in make_files(reports).items():
        assert path.read_text(encoding="utf-8") == text, path


@pytest.mark.slow
def test_the_promises_are_counted_apart(reports):
    """Eleven measures on the authors' rankings, and one system: its release is here whole."""
    outcomes = [one for report in reports.values() for one in report.outcomes]
    verified = [one for one in outcomes if one.is_verified]
    measures = [(one.collection, one.row) for one in verified if one.promise is Promise.MEASURE]
    assert [name for name, _ in measures].count("doris-mae") == 6
    assert sorted({*measures} - {(name, row) for name, row in measures if name == "doris-mae"}) == [
        ("csfcube", "SPECTER"),
        ("litsearch", "GritLM-7B"),
    ]
    assert len(measures) == 11
    questions = [one for one in verified if (one.collection, one.table) == ("litsearch", "14")]
    assert {(len(one.cells), one.printed_cells) for one in questions} == {(5, 7)}
    systems = [one.row for one in verified if one.promise is Promise.SYSTEM]
    assert systems == ["all-mpnet-base-v2, sentence max-sim"]
    top = PATH.read_text(encoding="utf-8").partition("How to verify")[0]
    assert "* - **measure verified**\n      - 11\n" in top
    assert "* - **system verified**\n      - 1\n" in top


@pytest.mark.slow
def test_words_over_parts_of_releases_are_neither_equal_nor_different(reports):
    """BM25, tf-idf and random rankings ran over 40 of 100 queries, or 459 of 64,183 papers."""
    lexical = [
        one
        for report in reports.values()
        for one in report.outcomes
        if one.promise is Promise.SYSTEM and one.cells and not one.models
    ]
    assert {one.row for one in lexical} == {"BM25", "TF-IDF", "random"}
    assert {one.status for one in lexical} == {Status.PART}


def test_each_row_of_each_printed_table_has_one_entry():
    """Every row of systems, and of descriptive tables but those of words alone."""
    for collection in TITLES:
        rows = list_rows(collection)
        assert len(rows) == len({row.id for row in rows})
        printed = published(collection)[["table", "name"]].drop_duplicates()
        names = {(row.table, row.name) for row in rows}
        assert {*printed.itertuples(index=False, name=None)} <= names
    described = {"litsearch": ("2", "2.5", "9", "14"), "doris-mae": ("9", "10"), "rhsa": "3"}
    for collection, numbers in described.items():
        for number in numbers:
            of_table = [row for row in list_rows(collection) if row.table == number]
            assert len(of_table) == len(printed_tables(collection)[number])


@pytest.mark.slow
def test_the_page_says_what_is_public(reports):
    """Files of public rankings by row, none where there can be none, and Python that runs."""
    text = page(reports)
    assert "``query/ranking_ada_abstract-paragraph_query-paragraph_mean_max.pickle``" in text
    rows = re.findall(r"    \* - (.*)\n((?:      - .*\n)*)", text)
    public = [name for name, cells in rows if "public, but not at hand" in cells]
    assert len(public) == 32
    shuffled = [cells for name, cells in rows if name == "random"]
    assert len(shuffled) == 6 and not any("no ranking is public" in cells for cells in shuffled)
    described = text.partition("Table 10\n")[2].partition("Table 11\n")[0]  # LitSearch's e-mail
    assert "description" in described and "ranking" not in described
    assert text.count("its figures are table 3's: see there") == 5
    # RocketQA is no model that can be loaded: without a ranking, no command verifies it
    assert "--rows 12:RocketQA``" in text and "--rows 14:RocketQA``" not in text

    public_names = {*pyterrier_scholarly.__all__, *evaluation.__all__, "glob", "sorted"}
    for report in reports.values():
        for outcome in report.outcomes:
            if outcome.command and outcome.promise is not Promise.RANKING:
                names = {
                    node.id
                    for node in ast.walk(ast.parse(outcome.command))
                    if isinstance(node, ast.Name)
                }
                assert names <= public_names, outcome.command


@pytest.mark.slow
def test_rows_are_called_as_their_tables_print_them(reports):
    """Names that other tables spell otherwise: on full texts, of GPT-4o, with asterisks, 1k."""
    text = page(reports)
    names = re.findall(r"    \* - (.*)\n", text)
    for name in ("BM25, w/ full", "With GritLM: One-hop", "SciBERT ID*", "LDA T=1k", "LDA T=10k"):
        assert names.count(name) == 1, name
    assert "Table F" not in text and "Appendix F" in text
    # two rankings of SPECTER are public, and none of the system that was trained anew
    rows = re.findall(r"    \* - (.*)\n      - (.*)\n", text)
    missing = {name: cell for name, cell in rows if "public" in cell}
    assert missing["SPECTER ID"] == "no ranking is public"
    assert missing["TF-IDF"] == "none of this form over these queries and candidates is public"
    # table 14 is over 60 test queries, of which the public rankings have ten
    assert missing["ColBERTv2"] == "public for ten of the 60 test queries at most"


@pytest.mark.slow
def test_every_obstacle_of_a_row_is_told(reports):
    """A key and weights and citations; weights, queries and a ranking; a model and judgements."""
    found = {
        (one.collection, one.table, one.row, one.promise): one.reason
        for report in reports.values()
        for one in report.outcomes
    }
    one_hop = found["litsearch", "3", "GPT-4o one-hop (w/ GritLM)", Promise.SYSTEM]
    for part in ("gpt-4o-2024-05-13", "GritLM/GritLM-7B", "citations: expected a value"):
        assert part in one_hop
    order = found["doris-mae", "15", "SciBERT", Promise.RANKING]
    for part in ("scibert_scivocab_uncased", "subqueries-2", "the ranking is not here"):
        assert part in order
    pairs = found["doris-mae", "14", "RocketQA", Promise.SYSTEM]
    assert "PaddlePaddle" in pairs and "no query of doris-mae/test has judgements" in pairs
    full_text = found["litsearch", "5", "BM25", Promise.SYSTEM]
    assert "corpus_clean/full-00000-of-00006.parquet (and 5 more files), full_paper" in full_text


def test_what_a_row_needs_is_what_its_system_loads():
    """An API is no weights, an adapter is named, and so are a ranking and the release."""
    needs = {(row.table, row.name): describe_needs(row) for row in list_rows("doris-mae")}
    assert needs["11", "ada-002"].client == "text-embedding-ada-002"
    assert needs["11", "ada-002"].weights == ""
    adapted = "allenai/specter2_base with the adapter allenai/specter2"
    assert needs["11", "SPECTER-v2"].weights == adapted
    assert str(needs["11", "E5-L-v2"]) == (
        "release DORIS-MAE; ranking query/ranking_e5_abstract-paragraph_query-paragraph_mean_max"
        ".pickle (whole texts); weights intfloat/e5-large-v2"
    )
    assert str(needs["16", "BM25"]) == ""


@pytest.mark.slow
def test_published_and_reproduce_say_what_is_verified(reports, real_home, tmp_path):
    """Both promises are columns of printed figures, and a sentence below a table."""
    figures = published("csfcube").query("name == 'SPECTER'")
    verified = figures[figures["measure_verified"] == "printed"]
    assert set(verified["subset"]) == {"background", "result"} and len(verified) == 12
    assert set(published("litsearch")["system_verified"]) == {""}
    dev = published("doris-mae").query("name == 'E5-L-v2' and table == '11'")
    assert set(dev["measure_verified"]) == {"authors' code"}

    table = reproduce("csfcube", ["fabs_tfidf"], verbose=False)
    assert any(
        "by our measure on the authors' ranking: SPECTER; by our system: all-mpnet-base-v2"
        in remark
        for remark in table.remarks
    )
    in_table = table.figures[table.figures["measure_verified"] == "printed"]
    assert set(in_table["name"]) == {"SPECTER"} and len(in_table) == 12


@pytest.mark.slow
def test_a_new_difference_makes_no_page(reports):
    """A figure that differs without a known reason raises, and so does one that is equal again."""
    report = reports["csfcube"]
    outcome = next(one for one in report.outcomes if one.is_verified)
    cell, *others = outcome.cells
    wrong = (replace(cell, found=cell.found + 1), *others)
    changed = replace(outcome, cells=wrong, status=Status.DIFFERS)
    with pytest.raises(ValueError, match="differs in"):
        check_differences({"csfcube": replace(report, outcomes=(changed,))})


@pytest.mark.slow
def test_a_report_of_others_is_shown_and_never_counted(reports, tmp_path):
    """It is copied, shown with its row, and changes no count of what is verified."""
    own = reports["csfcube"].outcomes
    measures = tuple(outcome for outcome in own if outcome.promise is not Promise.SYSTEM)
    report = replace_outcomes(reports["csfcube"], measures)
    folder = tmp_path / "reported"
    (row,) = add_report(report.write(tmp_path / "theirs.json"), folder, own)
    assert (row.outcome.row, row.doubt) == ("SPECTER", "")
    text = make_files(reports, folder)[PATH]
    assert "* - reported by others\n      - 1\n" in text
    assert "* - **measure verified**\n      - 11\n" in text
    with pytest.raises(ValueError, match="on the page already"):
        add_report(tmp_path / "theirs.json", folder, own)
    forged = json.loads((tmp_path / "theirs.json").read_text())
    forged["outcomes"][0]["status"] = "differs"
    (tmp_path / "forged.json").write_text(json.dumps(forged))
    with pytest.raises(ValueError, match="changed after it was written"):
        add_report(tmp_path / "forged.json", folder, own)


def test_the_tests_of_the_statements_are_there():
    """Each statement names an existing test function, or a reason."""
    assert [one.text for one in STATEMENTS if bool(one.test) == bool(one.why)] == []
    for path, _, name in (one.test.partition("::") for one in STATEMENTS if one.test):
        tree = ast.parse(ROOT.joinpath(path).read_text(encoding="utf-8"))
        assert name in [node.name for node in tree.body if isinstance(node, ast.FunctionDef)], path
