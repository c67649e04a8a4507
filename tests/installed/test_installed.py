"""Test an installation in fresh interpreters, outside the source tree."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

BIN = Path(sys.executable).parent
#: both ways to run a command of a host
FORMS = {"command": lambda name: [BIN / name], "-m": lambda name: [sys.executable, "-m", name]}


@pytest.fixture
def sh(tmp_path):
    """Run a command in a new process and an empty folder; return (output, errors)."""

    def run(*command, **environment):
        env = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
        env |= {"IR_DATASETS_HOME": str(tmp_path / "home"), **environment}
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
        assert done.returncode == 0, f"{command}: {done.stderr}"
        return done.stdout, done.stderr

    return run


@pytest.fixture(params=FORMS)
def form(request):
    """A function: how to run a host's command, as a command and with `python -m`."""
    return FORMS[request.param]


IMPORT = "import ir_datasets, pyterrier_scholarly"


def python(sh, code, **environment):
    """Run `code` in a new interpreter."""
    return sh(sys.executable, "-c", code, **environment)


def test_datasets_are_listed_without_an_import(sh, form):
    """`ir_datasets list` lists the collections."""
    names = sh(*form("ir_datasets"), "list")[0].split()
    assert {"csfcube", "csfcube/all/fold2/test", "scholarly-mini/method"} <= set(names)


@pytest.mark.parametrize("entity", ["docs", "queries", "qrels", "scoreddocs"])
def test_everything_can_be_exported(sh, entity):
    """`ir_datasets export` prints a line per record."""
    lines = sh(BIN / "ir_datasets", "export", "scholarly-mini/method", entity)[0].splitlines()
    iterate = f"ir_datasets.load('scholarly-mini/method').{entity}_iter()"
    count = python(sh, f"{IMPORT}; print(sum(1 for _ in {iterate}))")[0]
    assert len(lines) == int(count) > 0


def test_documents_and_queries_can_be_looked_up(sh):
    """`ir_datasets lookup` finds a document, and a query with -q."""
    export = [BIN / "ir_datasets", "export", "scholarly-mini/method"]
    document = sh(*export, "docs", "--fields", "doc_id")[0].split()[-1]
    query = sh(*export, "queries", "--fields", "query_id")[0].split()[0]
    lookup = [BIN / "ir_datasets", "lookup", "scholarly-mini/method"]
    assert sh(*lookup, document)[0].startswith(document)
    assert sh(*lookup, "-q", query)[0].startswith(query)


def test_the_measures_command_knows_percent(sh, form, tmp_path):
    """`ir_measures` reads NDCG%20 beside P@20, and a perfect run scores 1 on it."""
    qrels = sh(BIN / "ir_datasets", "export", "scholarly-mini/method", "qrels")[0]
    rows = [line.split() for line in qrels.splitlines()]
    run = tmp_path / "run.txt"
    run.write_text("".join(f"{q} Q0 {d} 0 {rel} perfect\n" for q, _, d, rel in rows))
    out = sh(*form("ir_measures"), "scholarly-mini/method", run, "NDCG%20", "P@20")[0]
    values = dict(line.split("\t") for line in out.splitlines())
    assert values["NDCG%20"] == "1.0000"
    assert set(values) == {"NDCG%20", "P@20"}


def test_the_facet_model_is_in_the_package(sh):
    """The installed model labels sentences, and PyTerrier finds its artifacts."""
    code = """
import pandas as pd, pyterrier as pt
from pyterrier_scholarly.paper import Paper
paper = Paper("", "", ["We propose a new method."])
(labelled,) = pt.scholarly.FacetLabeller().label([paper])
assert set(labelled.labels) <= {"objective", "method"}
rows = pd.DataFrame({"sentences": [paper.sentences], "labels": [["objective"]]})
rows = pd.concat([rows, rows.assign(labels=[["method"]])])
pt.scholarly.FacetLabeller.train(rows, "model")
assert isinstance(pt.Artifact.load("model"), pt.scholarly.FacetLabeller)
"""
    python(sh, code)


def test_pyterrier_has_the_datasets_and_the_module(sh):
    """`pt.get_dataset`, `pt.scholarly` and `NDCG%20` need no import but PyTerrier's."""
    code = """
import pyterrier as pt
dataset = pt.get_dataset("irds:scholarly-mini/method")
pool = pt.scholarly.Pool(dataset) >> pt.scholarly.FacetQuery(dataset)
system = pool >> pt.scholarly.TfIdfScore(dataset)
table = pt.Experiment([system], dataset.get_topics("query"), dataset.get_qrels(), ["NDCG%20"])
assert 0 < table["NDCG%20"][0] <= 1
"""
    python(sh, code)


def test_importing_the_package_loads_nothing_heavy(sh):
    """`import pyterrier_scholarly` loads no heavy library, and no host."""
    heavy = ["torch", "jnius", "pandas", "numpy", "pyterrier", "ir_datasets", "ir_measures"]
    code = f"import pyterrier_scholarly, sys; print([m for m in {heavy} if m in sys.modules])"
    assert python(sh, code)[0] == "[]\n"


def test_other_programs_load_nothing_of_ours(sh, tmp_path):
    """Neither Python itself nor a program that is only about our hosts loads a module of ours."""
    ours = ["pyterrier_scholarly", "ir_datasets_ext"]
    code = f"import sys, ir_datasets; print([name for name in {ours} if name in sys.modules])"
    program = tmp_path / "program.py"
    program.write_text(code)
    assert python(sh, code)[0] == "[]\n"
    assert sh(sys.executable, program, "ir_datasets", "-m", "ir_measures")[0] == "[]\n"


def test_the_command_is_there(sh, tmp_path):
    """`pyterrier-scholarly` is on the path, names its commands, and explains without PyTorch."""
    command = BIN / "pyterrier-scholarly"
    assert "explain" in sh(command, "--help")[0]
    first = sh(BIN / "ir_datasets", "export", "scholarly-mini/method", "scoreddocs")[0].split()
    asked = ["scholarly-mini/method", "sentence_maxsim", first[0], first[2]]
    sh(command, "explain", *asked, "--encoder", "lsa", "--html", "why.html")
    sh(command, "reproduce", asked[0], "--systems", "fabs_tfidf", "--html", "table.html")
    for page in ("why.html", "table.html"):
        assert "<style>" in (tmp_path / page).read_text(encoding="utf-8")


def test_an_explanation_is_a_page(sh, tmp_path):
    """Its template, styles and script are installed."""
    code = """
from pyterrier_scholarly import SentenceMaxSim, explain
lengths = SentenceMaxSim(lambda texts: [[len(text), 1] for text in texts])
explain(lengths, ["One sentence."], ["Another."]).to_html("why.html")
"""
    python(sh, code)
    page = (tmp_path / "why.html").read_text(encoding="utf-8")
    assert all(tag in page for tag in ("<style>", "<script>", "Another."))


@pytest.mark.parametrize(
    "imports",
    [
        "ir_datasets, ir_measures, pyterrier_scholarly",
        "pyterrier_scholarly, ir_datasets, ir_measures",
        "pyterrier, ir_datasets, ir_measures",
    ],
)
def test_imports_register_in_any_order(sh, imports):
    """One import of ours, or PyTerrier's, registers datasets and measures, for PyTerrier too."""
    code = f"""
import {imports}
print("csfcube" in ir_datasets.registry, ir_measures.parse_measure("NDCG%20"))
import pyterrier as pt
assert pt.measures.PLastRel is ir_measures.measures.registry["PLastRel"]
"""
    assert python(sh, code) == ("True NDCG%20\n", "")


def test_discovery_can_be_turned_off(sh):
    """The switch 0 disables registration; an explicit import still registers."""
    registered = "print('csfcube' in ir_datasets.registry)"
    off = {"PYTERRIER_SCHOLARLY_DISCOVERY": "0"}
    assert python(sh, f"import pyterrier, ir_datasets; {registered}", **off) == ("False\n", "")
    assert python(sh, f"import ir_datasets, ir_datasets_ext; {registered}", **off)[0] == "True\n"
    assert "csfcube" not in sh(BIN / "ir_datasets", "list", **off)[0].split()


@pytest.mark.parametrize(
    "command",
    [
        ["-m", "ir_datasets", "list"],
        [BIN / "ir_datasets", "list"],
        ["-c", "import pyterrier, ir_datasets; print(*ir_datasets.registry)"],
    ],
)
def test_datasets_that_fail_to_load_are_one_warning(sh, tmp_path, command):
    """The hosts work, in a shell and in Python, and the warning names the error."""
    (tmp_path / "ir_datasets_ext.py").write_text("raise RuntimeError('made to fail')")
    out, err = sh(sys.executable, *command, PYTHONPATH=str(tmp_path))
    assert "vaswani" in out.split() and "csfcube" not in out.split()
    assert err.count("could not register with ir_datasets: RuntimeError: made to fail") == 1


@pytest.mark.parametrize(
    ("host", "option", "shown"),
    [("ir_datasets", "list", "vaswani"), ("ir_measures", "--help", "usage")],
)
def test_a_package_that_fails_to_load_never_stops_a_command(
    sh, form, tmp_path, host, option, shown
):
    """There is one message, which Python repeats where it reads start-up files twice (venv)."""
    (tmp_path / "pyterrier_scholarly.py").write_text("raise RuntimeError('made to fail')")
    out, err = sh(*form(host), option, PYTHONPATH=str(tmp_path))
    assert shown in out
    (message,) = {part for part in err.split("Error processing line 1 of") if part}
    assert "scholarly.pth" in message and "RuntimeError: made to fail" in message


def test_a_failed_import_of_the_host_can_be_repeated(sh, tmp_path):
    """If a host's first import fails, the second one registers us."""
    (tmp_path / "ir_datasets.py").write_text(
        "import os\nif os.environ.pop('FAIL', None): raise OSError('first time')"
    )
    (tmp_path / "ir_datasets_ext.py").write_text("print('registered')")
    code = """
import pyterrier_scholarly
try:
    import ir_datasets
except OSError as error:
    print(error)
import ir_datasets
"""
    out, _ = python(sh, code, PYTHONPATH=str(tmp_path), FAIL="1")
    assert out == "first time\nregistered\n"
