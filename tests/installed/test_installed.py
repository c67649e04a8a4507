"""Test an installation in fresh interpreters, outside the source tree."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

BIN = Path(sys.executable).parent


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


def python(sh, code, **environment):
    """Run `code` in a new interpreter."""
    return sh(sys.executable, "-c", code, **environment)


def test_datasets_are_listed_without_an_import(sh):
    """`ir_datasets list` lists the collections."""
    names = sh(BIN / "ir_datasets", "list")[0].split()
    assert {"csfcube", "csfcube/all/fold2/test", "scholarly-mini/method"} <= set(names)


@pytest.mark.parametrize("entity", ["docs", "queries", "qrels", "scoreddocs"])
def test_everything_can_be_exported(sh, entity):
    """`ir_datasets export` prints a line per record."""
    lines = sh(BIN / "ir_datasets", "export", "scholarly-mini/method", entity)[0].splitlines()
    code = f"import ir_datasets as i; print(sum(1 for _ in i.load(D).{entity}_iter()))"
    count = python(sh, code.replace("D)", "'scholarly-mini/method')"))[0]
    assert len(lines) == int(count) > 0


def test_documents_and_queries_can_be_looked_up(sh):
    """`ir_datasets lookup` finds a document, and a query with -q."""
    export = [BIN / "ir_datasets", "export", "scholarly-mini/method"]
    document = sh(*export, "docs", "--fields", "doc_id")[0].split()[-1]
    query = sh(*export, "queries", "--fields", "query_id")[0].split()[0]
    lookup = [BIN / "ir_datasets", "lookup", "scholarly-mini/method"]
    assert sh(*lookup, document)[0].startswith(document)
    assert sh(*lookup, "-q", query)[0].startswith(query)


def test_the_measures_command_knows_percent(sh, tmp_path):
    """`ir_measures` reads NDCG%20 beside P@20, and a perfect run scores 1 on it."""
    qrels = sh(BIN / "ir_datasets", "export", "scholarly-mini/method", "qrels")[0]
    rows = [line.split() for line in qrels.splitlines()]
    run = tmp_path / "run.txt"
    run.write_text("".join(f"{q} Q0 {d} 0 {rel} perfect\n" for q, _, d, rel in rows))
    out = sh(BIN / "ir_measures", "scholarly-mini/method", run, "NDCG%20", "P@20")[0]
    values = dict(line.split("\t") for line in out.splitlines())
    assert values["NDCG%20"] == "1.0000"
    assert set(values) == {"NDCG%20", "P@20"}


def test_the_facet_model_is_in_the_package(sh):
    """The installed model labels sentences, and PyTerrier finds its artifacts."""
    code = """
import pandas as pd, pyterrier as pt
rows = pd.DataFrame({"sentences": [["We propose a new method."]], "labels": [["objective"]]})
assert set(pt.scholarly.FacetLabeller(replace=True)(rows)["labels"][0]) <= {"objective", "method"}
rows = pd.concat([rows, rows.assign(labels=[["method"]])])
pt.scholarly.FacetLabeller.train(rows, "model")
assert isinstance(pt.Artifact.load("model"), pt.scholarly.FacetLabeller)
"""
    python(sh, code)


def test_pyterrier_has_the_datasets_and_the_module(sh):
    """`pt.get_dataset`, `pt.scholarly` and a measure string work without importing our package."""
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
    """`import pyterrier_scholarly` loads no heavy library; starting Python, no code of ours."""
    code = "import sys; {} print([m for m in {} if m in sys.modules])"
    heavy = ["torch", "jnius", "pandas", "numpy", "pyterrier", "ir_datasets"]
    assert python(sh, code.format("import pyterrier_scholarly;", heavy))[0] == "[]\n"
    ours = ["pyterrier_scholarly", "ir_datasets_ext"]
    assert python(sh, code.format("", ours))[0] == "[]\n"


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


def test_discovery_can_be_turned_off(sh):
    """The switch 0 disables registration; an explicit import still registers."""
    code = "import ir_datasets, ir_measures; print('csfcube' in ir_datasets.registry._registered)"
    off = {"PYTERRIER_SCHOLARLY_DISCOVERY": "0"}
    assert python(sh, code, **off) == ("False\n", "")
    assert python(sh, f"import ir_datasets_ext; {code}", **off) == ("True\n", "")
    assert python(sh, code) == ("True\n", "")


@pytest.mark.parametrize(
    ("plugin", "host", "check"),
    [
        ("ir_datasets_ext", "ir_datasets", "ir_datasets.load('vaswani')"),
        ("pyterrier_scholarly", "ir_measures", "ir_measures.parse_measure('nDCG@10')"),
    ],
)
def test_a_broken_plugin_is_one_warning(sh, tmp_path, plugin, host, check):
    """If our package fails to load, the host works, and one warning names the error."""
    (tmp_path / f"{plugin}.py").write_text("raise RuntimeError('made to fail')")
    out, err = python(sh, f"import {host}; {check}; print('fine')", PYTHONPATH=str(tmp_path))
    assert out == "fine\n"
    assert err.count("made to fail") == 1
    assert f"pyterrier-scholarly could not register with {host}" in err


def test_a_failed_import_of_the_host_can_be_repeated(sh, tmp_path):
    """If a host's first import fails, the second one registers us."""
    (tmp_path / "ir_measures.py").write_text(
        "import os\nif os.environ.pop('FAIL', None): raise OSError('first time')"
    )
    (tmp_path / "pyterrier_scholarly").mkdir()
    (tmp_path / "pyterrier_scholarly" / "__init__.py").touch()
    (tmp_path / "pyterrier_scholarly" / "measures.py").write_text("print('registered')")
    code = """
try:
    import ir_measures
except OSError as error:
    print(error)
import ir_measures
"""
    out, _ = python(sh, code, PYTHONPATH=str(tmp_path), FAIL="1")
    assert out == "first time\nregistered\n"
