"""What rHSA costs beside MAP: the benchmark runs on few documents, and computes growth."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def benchmark(monkeypatch):
    """Load the script, which imports its neighbours."""
    monkeypatch.syspath_prepend(str(FOLDER))
    spec = spec_from_file_location("rhsa_map", FOLDER / "rhsa_map.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_growth_is_an_exponent(benchmark):
    """Four times the documents: 16 times the seconds is 2, 4 times is 1, as many is 0."""
    ways = benchmark.WAYS
    before = 1_000, dict(zip(ways, (1.0, 2.0, 3.0)))
    found = benchmark.growths(dict(zip(ways, (16.0, 8.0, 3.0))), 4_000, before)
    assert found == pytest.approx(dict(zip(ways, (2, 1, 0))))


def test_each_way_is_timed(benchmark):
    """On 300 documents and 10 queries; a figure that is no slope and no MAP would be an error."""
    seconds = benchmark.measure(300, 10, 1)
    assert [*seconds] == ["MAP", "rHSA(100q)", "rHSA(pairs)"]
    assert min(seconds.values()) > 0


def test_queries_have_what_is_judged(benchmark):
    """No query is a candidate of itself, and similar documents are mostly of its topic."""
    texts, topic_of = benchmark.make_documents(2_000)
    ids = [f"d{number}" for number in range(len(texts))]
    topics, qrels = benchmark.make_queries(ids, topic_of, 20)
    assert len(topics) == qrels["qid"].nunique() == 20
    assert not (qrels["qid"] == qrels["docno"]).any()
    topic = dict(zip(ids, topic_of))
    same = qrels["qid"].map(topic) == qrels["docno"].map(topic)
    assert 0.75 < (same == (qrels["label"] == 1)).mean() < 0.85  # FAITHFUL
