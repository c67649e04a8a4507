"""Shards on Spark equal those of one machine; workers load once; killed runs resume."""

import os
import signal
import subprocess
import sys
import time
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pyterrier_scholarly import ShardRetriever
from pyterrier_scholarly.cluster import (
    encode_on_spark,
    encode_shards,
    search_on_spark,
    search_shards,
)

from .reading import read_shard, shard_path

pytestmark = [pytest.mark.java, pytest.mark.slow]


def per_process(loads, tag):
    """Count the loads of the model by process id."""
    return Counter(path.name.split("-")[1] for path in loads.glob(f"{tag}*"))


def test_twenty_thousand_texts_and_fifty_queries(workers, toy, loads, tmp_path):
    """Shards, ranks and scores equal those of one machine and of the full matrix in 50 of 50
    queries; each worker loads the model once.
    """
    texts = toy.texts(20_000)
    frame = pd.DataFrame(texts, columns=["docno", "text"])
    frame.to_parquet(tmp_path / "texts.parquet", row_group_size=3_000)
    encoder = toy.Hashed(str(loads), "many-", 64)
    settings = {"shard_size": 1_250, "session": workers}
    done = encode_on_spark(tmp_path / "texts.parquet", encoder, tmp_path / "spark", **settings)
    assert (done.texts, done.encoded, done.kept) == (20_000, 16, 0)
    loaded = per_process(loads, "many-")
    assert 1 <= len(loaded) <= 3  # two at once; Spark may replace one that was idle
    assert set(loaded.values()) == {1}
    assert str(os.getpid()) not in loaded

    encode_shards(tmp_path / "texts.parquet", encoder, tmp_path / "here", shard_size=1_250)
    for number in range(16):
        one, other = (read_shard(tmp_path / name, number) for name in ("spark", "here"))
        assert one[0] == other[0]
        np.testing.assert_array_equal(one[1], other[1])

    queries = encoder.encode([text for _, text in toy.texts(50, seed=1)], "query")
    found = search_on_spark(queries, tmp_path / "spark", 20, session=workers)
    pd.testing.assert_frame_equal(found, search_shards(queries, tmp_path / "here", 20))
    vectors = encoder.encode([text for _, text in texts], "document")
    assert sum(same(own, queries, vectors, frame["docno"]) for _, own in found.groupby("qid")) == 50


def same(found, queries, vectors, ids):
    """Compare a query's results with the full matrix: by score, then by id."""
    query = queries[int(found["qid"].iloc[0])].astype(float)
    exact = vectors.astype(float)
    scores = exact @ query / np.linalg.norm(exact, axis=1) / np.linalg.norm(query)
    rows = sorted(zip(scores.astype(np.float32).tolist(), ids), reverse=True)[: len(found)]
    return rows == list(zip(found["score"], found["docno"])) and len(rows) == 20


@pytest.fixture
def made(workers, toy, loads, tmp_path):
    """Texts, encoder and a folder with five shards of them."""
    texts, encoder = toy.texts(50), toy.Hashed(str(loads), "small-")
    encode_on_spark(texts, encoder, tmp_path / "made", shard_size=10, session=workers)
    return texts, encoder, tmp_path / "made"


def test_a_damaged_shard_on_spark(made, workers):
    """Search names it; encoding again warns, recomputes it, and leaves the others."""
    texts, encoder, folder = made
    before = {path: path.stat().st_mtime_ns for path in folder.glob("shard-*")}
    queries = encoder.encode(["w1 w2", "w3"], "query")
    whole = search_on_spark(queries, folder, 5, session=workers)
    path = shard_path(folder, 3)
    path.write_bytes(path.read_bytes()[:-9])
    remedy = r"Call encode_shards or encode_on_spark again"
    with pytest.raises(ValueError, match=rf"shard-000003.parquet cannot be read.*{remedy}"):
        search_on_spark(queries, folder, 5, session=workers)
    with pytest.warns(UserWarning, match=r"recomputed: shard-000003.parquet cannot be read"):
        done = encode_on_spark(texts, encoder, folder, shard_size=10, session=workers)
    assert (done.encoded, done.recomputed, done.kept) == (0, 1, 4)
    changed = {path for path, time in before.items() if path.stat().st_mtime_ns != time}
    assert changed == {path}
    pd.testing.assert_frame_equal(search_on_spark(queries, folder, 5, session=workers), whole)


def test_failing_texts_on_spark(workers, toy, loads, tmp_path):
    """The error names those of all shards; the other shards are done."""
    texts = [
        (one, f"{text} break" if one in ("d3", "d25") else text) for one, text in toy.texts(40)
    ]
    encoder = toy.Hashed(str(loads), "failing-")
    with pytest.raises(ValueError, match=r"2 of 4 shards: d3: .*cannot read 1.*; d25: "):
        encode_on_spark(texts, encoder, tmp_path / "s", shard_size=10, session=workers)
    assert len(list((tmp_path / "s").glob("shard-*"))) == 2


def test_queries_of_another_encoder_on_spark(made, workers):
    """Another d raises the same error as on one machine; no queries give no rows."""
    _, _, folder = made
    said = "^Queries have 3 dimensions, the shards 16: use the encoder .* were encoded with\\.$"
    with pytest.raises(ValueError, match=said):
        search_on_spark(np.ones((1, 3)), folder, session=workers)
    assert len(search_on_spark(np.ones((0, 16)), folder, session=workers)) == 0


def test_the_retriever_on_spark(made, workers):
    """Both backends give equal frames."""
    _, encoder, folder = made
    topics = pd.DataFrame({"qid": ["b", "a"], "query": ["w1 w2 w3", "w9"]})
    here = ShardRetriever(folder, encoder, num_results=4)(topics)
    there = ShardRetriever(folder, encoder, num_results=4, backend="pyspark")(topics)
    pd.testing.assert_frame_equal(here, there)


KILLED = """
import sys
sys.path.insert(0, {tests!r})
import toy
from pyspark.sql import SparkSession
from pyterrier_scholarly.cluster import encode_on_spark
local = {{"spark.ui.enabled": "false", "spark.driver.bindAddress": "127.0.0.1",
          "spark.driver.host": "127.0.0.1"}}
session = SparkSession.builder.master("local[2]").config(map=local).getOrCreate()
session.sparkContext.addPyFile({tests!r} + "/toy.py")
texts = [(one, text + " wait" * (n >= 30)) for n, (one, text) in enumerate(toy.texts(60))]
encode_on_spark(texts, toy.Hashed({loads!r}), {folder!r}, shard_size=10, session=session)
"""


def test_a_killed_run_goes_on(workers, toy, loads, tmp_path):
    """A run killed after three of six shards resumes and keeps these three."""
    folder = tmp_path / "made"
    names = {"tests": str(Path(__file__).parent), "loads": str(loads), "folder": str(folder)}
    script = tmp_path / "killed.py"
    script.write_text(KILLED.format(**names))
    with open(tmp_path / "said", "w") as said:
        run = subprocess.Popen(
            [sys.executable, script],
            stdout=said,
            stderr=said,
            start_new_session=True,
            env={**os.environ, "TOY_WAITS": "1"},
        )
    try:
        limit = time.monotonic() + 500
        while len(list(folder.glob("shard-*"))) < 3:
            assert run.poll() is None and time.monotonic() < limit, (tmp_path / "said").read_text()
            time.sleep(0.05)
    finally:
        os.killpg(run.pid, signal.SIGKILL)
        run.wait()
    before = {path: path.stat().st_mtime_ns for path in folder.glob("shard-*")}
    assert len(before) == 3
    with pytest.raises(ValueError, match="3 of 6 shards are missing: 3, 4, 5"):
        search_shards(np.ones((1, 16)), folder)

    texts = [(one, text + " wait" * (n >= 30)) for n, (one, text) in enumerate(toy.texts(60))]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # nothing is damaged
        encoder = toy.Hashed(str(loads))
        done = encode_on_spark(texts, encoder, folder, shard_size=10, session=workers)
    assert (done.kept, done.encoded, done.recomputed) == (3, 3, 0)
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert list(folder.glob(".*.tmp")) == []
    whole = encode_shards(texts, encoder, tmp_path / "whole", shard_size=10)
    assert whole.encoded == 6
    queries = encoder.encode(["w1 w2"], "query")
    pd.testing.assert_frame_equal(
        search_shards(queries, folder, 60), search_shards(queries, tmp_path / "whole", 60)
    )
