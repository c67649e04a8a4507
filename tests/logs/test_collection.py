"""`mine_log` writes a collection that ir_datasets knows, or nothing and raises."""

import json
import os
import subprocess
import sys

import ir_datasets
import pytest

from pyterrier_scholarly.logs import mine_log, synthetic_log
from pyterrier_scholarly.logs.engine_choice import choose_engine

pytestmark = pytest.mark.usefixtures("home")
SMALL = dict(pairs=200, queries=5, successors=8, relevant=3, verbose=False)


def left(home):
    """Return the names of files and folders in the home, without the spill folder."""
    return [path.name for path in home.rglob("*") if path.name != ".spill"]


def test_it_is_a_collection_at_once(file, home):
    """Queries, pools, judgements and pairs load by its id, as many as the summary says."""
    summary = mine_log(file, "ours", all_pairs=True, **SMALL)
    queries, pairs = (ir_datasets.load(f"download-log/ours/{part}") for part in ("100q", "1m"))
    assert queries.docs_count() == summary.documents == 60
    assert [query.query_id for query in queries.queries_iter()] == [
        query.query for query in queries.queries_iter()
    ]
    assert queries.queries_count() == summary.queries == 5
    pools = {(one.query_id, one.doc_id): 0 for one in queries.scoreddocs_iter()}
    qrels = {(one.query_id, one.doc_id): one.relevance for one in queries.qrels_iter()}
    counts = {(one.doc_id_a, one.doc_id_b): one.count for one in queries.pairs_iter()}
    assert pools.keys() == qrels.keys() == counts.keys()
    assert {pair: int(count > 3) for pair, count in counts.items()} == qrels
    assert sum(qrels.values()) == summary.relevant
    others = ir_datasets.load("download-log/ours/100q-random")
    assert others.queries_count() == 5
    assert others.qrels_count() == others.scoreddocs_count() == summary.relevant + summary.others
    kinds = [pair.kind for pair in pairs.pairs_iter()]
    assert kinds == ["similar"] * 200 + ["random"] * 200
    whole = ir_datasets.load("download-log/ours")
    assert sum(pair.count for pair in whole.pairs_iter()) == summary.outcomes["pair"]


def test_another_process_exports_it(file):
    """The command of ir_datasets exports it by its id."""
    summary = mine_log(file, "ours", **SMALL)
    main = "import ir_datasets_ext, ir_datasets, sys; ir_datasets.main(sys.argv[1:])"
    command = [sys.executable, "-c", main, "export", "download-log/ours/100q", "qrels"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert len(done.stdout.splitlines()) == summary.candidates > 0, done.stderr


def test_titles_and_texts_of_a_collection_go_along(tmp_path):
    """Known documents have title and text, a query has its document's, unknown ids are counted."""
    mini = ir_datasets.load("scholarly-mini")
    ids = [doc.doc_id for doc in mini.docs_iter()] + ["elsewhere"]
    log = synthetic_log(ids, 4, 40, 400, seed=3)
    log.write(tmp_path / "log.parquet")
    summary = mine_log(tmp_path / "log.parquet", "m", documents="irds:scholarly-mini", **SMALL)
    assert (summary.unknown, summary.queries) == (1, 5)
    mined = ir_datasets.load("download-log/m/100q")
    docs, known = mined.docs_store(), mini.docs_store()
    assert (docs.get("elsewhere").title, docs.get("elsewhere").text) == ("", "")
    for query in mined.queries_iter():
        paper = known.get(query.query_id)
        assert (docs.get(query.query_id).title, docs.get(query.query_id).text) == paper[1:3]
        assert query.query == f"{paper.title} {paper.text}"


def test_the_same_log_gives_the_same_bytes(file, home):
    """Two runs with the same `until` write equal files, except the manifest's times."""
    for name in ("one", "two"):
        mine_log(file, name, until="2026-01-01", **SMALL)
    files = [sorted((home / name).rglob("*.parquet")) for name in ("one", "two")]
    assert len(files[0]) == 9
    assert [path.read_bytes() for path in files[0]] == [path.read_bytes() for path in files[1]]


def test_the_manifest_says_how_it_was_made(file, home):
    """The manifest has the choices, `until`, and the counts of dropped lines."""
    file.write_text(file.read_text() + "u1,12:00,d1\n")
    mine_log(file, "ours", until="2026-01-01", seed=5, **SMALL)
    about = json.loads((home / "ours" / "collection.json").read_text())["about"]
    assert about["choices"]["seed"] == 5 and about["until"] == "2026-01-01"
    assert about["summary"]["dropped"] == {"header line": 1, "time not understood": 1}


@pytest.mark.parametrize(
    "text", ["", "\n \n", "user,time,doc\n", "user,time,doc\nu,12:00,d\nu,,d\n"]
)
def test_a_log_without_a_pair_is_an_error(tmp_path, home, text):
    """An empty or malformed log raises an error with the summary, and writes nothing."""
    (tmp_path / "log.csv").write_text(text)
    with pytest.raises(ValueError, match="no consecutive downloads, nothing is written") as error:
        mine_log(tmp_path / "log.csv", "ours", **SMALL)
    lines = sum(bool(line.strip()) for line in text.split("\n"))
    assert f"{lines} lines that are not blank" in str(error.value)
    assert left(home) == []


def test_too_few_successors_leave_the_queries_out(file):
    """Without eligible queries there are only pairs, and the summary says so."""
    summary = mine_log(file, "ours", pairs=200, verbose=False)
    assert (summary.eligible, summary.queries, summary.similar) == (0, 0, 200)
    assert "0 documents can be queries" in str(summary)
    assert "there is no 100q: lower `successors` or `relevant`" in str(summary)
    with pytest.raises(ValueError, match=r"Unknown part '100q' of .*ours, .* Choose one of: 1m"):
        ir_datasets.load("download-log/ours/100q")


def test_a_name_is_taken_or_is_none(file, home):
    """An existing collection stays without `overwrite=True`; a malformed name raises."""
    mine_log(file, "ours", **SMALL)
    before = left(home)
    with pytest.raises(FileExistsError, match="overwrite=True"):
        mine_log(file, "ours", **SMALL)
    with pytest.raises(ValueError, match="no name of a collection"):
        mine_log(file, "../ours", **SMALL)
    assert left(home) == before
    assert mine_log(file, "ours", overwrite=True, **{**SMALL, "queries": 2}).queries == 2
    assert ir_datasets.load("download-log/ours/100q").queries_count() == 2


def test_an_ibis_table_of_ones_own(log, tmp_path):
    """A table is mined on its own connection, which stays open and gets no new tables."""
    import ibis

    log.write(tmp_path / "log.parquet")
    connection = ibis.duckdb.connect()
    table = connection.read_parquet(tmp_path / "log.parquet", table_name="downloads")
    known = connection.raw_sql("SHOW ALL TABLES").fetchall()
    summary = mine_log(table.rename(cookie="user"), "ours", **SMALL)
    assert summary.columns == {"user": "cookie", "time": "time", "doc": "doc"}
    assert summary.outcomes == log.outcomes
    assert connection.raw_sql("SHOW ALL TABLES").fetchall() == known


def test_backends_that_are_none():
    """The error lists the known backends; limits are for our own DuckDB."""
    with pytest.raises(ValueError, match="'polars' is no backend: expected 'duckdb', 'pyspark'"):
        choose_engine("polars")
    with pytest.raises(ValueError, match="memory='1GB'"):
        choose_engine("pyspark", memory="1GB")


@pytest.mark.parametrize("memory", ["0", "-1", "0MB", "700", "much", 0])
def test_memory_that_is_none(file, memory):
    """The error names the value, what was expected, and an example."""
    with pytest.raises(ValueError, match=f"memory='?{memory}'? is no amount .* as in '700MB'"):
        mine_log(file, "ours", memory=memory, **SMALL)


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_truncated_log(tmp_path, home, form):
    """A truncated or fake .gz file is named in the error, and nothing is written."""
    path = tmp_path / f"log.{form}.gz"
    synthetic_log(60, 4, 40, 20_000, seed=3).write(path)  # not all of it among the first lines
    path.write_bytes(path.read_bytes()[:-1000])
    with pytest.raises(ValueError, match=f"{path.name} is a damaged or truncated .gz file"):
        mine_log(path, "ours", **SMALL)
    path.write_bytes(b"user,time,doc")
    with pytest.raises(ValueError, match="Not a gzipped file"):
        mine_log(path, "ours", **SMALL)
    assert left(home) == []


def test_a_folder_to_spill_to_that_is_none(file, home, tmp_path):
    """The error names this folder and `spill=`, and not ir_datasets' home."""
    (tmp_path / "taken").touch()
    with pytest.raises(
        OSError, match=r"taken: File exists\. Make room there, pass .* spill="
    ) as error:
        mine_log(file, "ours", spill=tmp_path / "taken")
    assert "IR_DATASETS_HOME" not in str(error.value)


def test_what_cannot_be_read_is_no_full_disk(tmp_path):
    """A missing file of the log does not become an error about a full disk."""
    duckdb = pytest.importorskip("duckdb")
    missing = pytest.raises(duckdb.IOException, match="No files found")
    with missing, choose_engine(spill=tmp_path) as engine:
        engine.connection.raw_sql("from read_parquet('gone.parquet')")


def test_what_was_left_to_spill_is_swept(file, home):
    """A run removes the folder of a killed run, and leaves one that is in use."""
    from ir_datasets_ext.atomic import locked

    for name in (".mining.1.tmp", ".mining.2.tmp"):
        (home / ".spill" / name).mkdir(parents=True)
    with locked(home / ".spill" / ".mining.2.tmp" / "spill"):
        mine_log(file, "ours", **SMALL)
    assert os.listdir(home / ".spill") == [".mining.2.tmp"]
