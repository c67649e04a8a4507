"""Search of shards is exact, breaks ties by id, and works as a transformer."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyterrier as pt
import pytest

from pyterrier_scholarly import ShardRetriever
from pyterrier_scholarly.cluster import encode_shards, search_shards
from pyterrier_scholarly.fingerprint import fingerprint


def full(queries, vectors, ids, k, similarity="cosine"):
    """Return (qid, docno, score) of the whole matrix in float64, ties by descending id."""
    queries, vectors = np.asarray(queries, np.float64), np.asarray(vectors, np.float64)
    scores = queries @ vectors.T
    if similarity == "cosine":
        norms = np.outer(np.linalg.norm(queries, axis=1), np.linalg.norm(vectors, axis=1))
        scores = scores / np.where(norms == 0, 1, norms)
    found = []
    for number, row in enumerate(scores.astype(np.float32)):
        order = sorted(zip(row.tolist(), ids), reverse=True)[:k]
        found += [(str(number), one, score) for score, one in order]
    return found


def rows(frame):
    """Return rows like `full`."""
    return list(frame[["qid", "docno", "score"]].itertuples(index=False, name=None))


def shards(vectors, ids, folder, size):
    """Write a folder of these vectors."""
    table = dict(zip(ids, np.asarray(vectors, np.float32)))
    encode_shards(
        [(one, one) for one in ids],
        lambda texts: np.stack([table[text] for text in texts]),
        folder,
        shard_size=size,
        encoder_name="given",
    )


@pytest.mark.parametrize("similarity", ["cosine", "dot"])
@pytest.mark.parametrize("k", [1, 7, 500])
def test_equal_to_the_whole_matrix(tmp_path, similarity, k):
    """The shard size changes nothing; ids decide between equal vectors at the boundary."""
    random = np.random.default_rng(3)
    vectors = random.standard_normal((90, 12))
    vectors[::4] = vectors[0]  # 23 ties
    vectors[5] = 0
    queries = np.vstack([random.standard_normal((4, 12)), vectors[:1], np.zeros((1, 12))])
    ids = [f"d{n}" for n in random.permutation(90)]
    expected = full(queries.astype("f4"), vectors.astype("f4"), ids, k, similarity)
    for size in (90, 11, 1):
        shards(vectors, ids, tmp_path / str(size), size)
        found = search_shards(queries.astype("f4"), tmp_path / str(size), k, similarity=similarity)
        assert rows(found) == expected
        assert found["rank"].tolist() == [n for _ in queries for n in range(min(k, 90))]


def test_what_float32_confuses(tmp_path):
    """Scores that float32 products confuse are ranked as in float64."""
    random = np.random.default_rng(5)
    base = random.standard_normal(384)
    vectors = base + 1e-6 * random.standard_normal((200, 384))
    ids = [f"{n:03}" for n in range(200)]
    shards(vectors, ids, tmp_path / "near", 64)
    queries = random.standard_normal((3, 384)).astype("f4")
    expected = full(queries, vectors.astype("f4"), ids, 10)
    assert rows(search_shards(queries, tmp_path / "near", 10)) == expected


def test_many_queries_in_blocks(tmp_path):
    """Of 17 million products and 21,000 pairs of 256 numbers, blocks of queries change nothing."""
    random = np.random.default_rng(4)
    count, d = 4_100, 256
    vectors, queries = random.standard_normal((2, count, d), "f4")
    ids = [f"d{n}" for n in range(count)]
    shards(vectors, ids, tmp_path / "s", count)
    found = search_shards(queries, tmp_path / "s", 5)
    assert found["qid"].tolist() == [str(n) for n in range(count) for _ in range(5)]
    some = [*range(0, count, 200), *range(3_270, 3_285), *range(4_085, count)]  # where blocks end
    expected = full(queries[some], vectors, ids, 5)
    own = [(docno, score) for n in some for _, docno, score in rows(found[5 * n : 5 * n + 5])]
    assert own == [(docno, score) for _, docno, score in expected]


def test_numbers_that_are_none_are_named(tmp_path):
    """A shard with NaN is no shard of ours, even with a right digest: no encoder returns NaN."""
    folder = tmp_path / "s"
    shards(np.eye(4), list("abcd"), folder, 2)
    path = folder / "shard-000001.parquet"
    table = pq.read_table(path, partitioning=None)
    vectors = np.array([[1, np.nan, 0, 0], [0, 0, 0, 1]], np.float32)
    about = json.loads(table.schema.metadata[b"scholarly"])
    about["sha256"] = fingerprint([["c", "d"], vectors])
    forged = pa.table({"docno": ["c", "d"], "doc_vec": list(vectors)})
    pq.write_table(forged.replace_schema_metadata({"scholarly": json.dumps(about)}), path)
    what = "holds NaN or infinity"
    with pytest.raises(ValueError, match=rf"shard-000001\.parquet .*{what}.* again with the same"):
        search_shards(np.ones((1, 4)), folder)


def test_bad_queries_are_named(tmp_path):
    """Another d, several lengths, duplicate qids, NaN, k below 1, an unknown similarity raise."""
    shards(np.eye(4), list("abcd"), tmp_path / "s", 3)
    with pytest.raises(ValueError, match="Queries have 3 dimensions, the shards 4"):
        search_shards(np.ones((1, 3)), tmp_path / "s")
    with pytest.raises(ValueError, match=r"must have one length; they have \[2, 4\]"):
        two = [np.ones(4), np.ones(2)]
        search_shards(pd.DataFrame({"qid": ["a", "b"], "query_vec": two}), tmp_path / "s")
    with pytest.raises(ValueError, match="Duplicate qid: a"):
        two = [np.ones(4), np.ones(4)]
        search_shards(pd.DataFrame({"qid": ["a", "a"], "query_vec": two}), tmp_path / "s")
    with pytest.raises(pt.validate.InputValidationError, match="query_vec"):
        search_shards(pd.DataFrame({"qid": ["a"]}), tmp_path / "s")
    with pytest.raises(ValueError, match="NaN or infinity"):
        search_shards(np.full((1, 4), np.nan), tmp_path / "s")
    with pytest.raises(ValueError, match="k=0"):
        search_shards(np.ones((1, 4)), tmp_path / "s", 0)
    with pytest.raises(ValueError, match=r"Unknown similarity 'l2'\. Choose one of: cosine, dot"):
        search_shards(np.ones((1, 4)), tmp_path / "s", similarity="l2")
    with pytest.raises(ValueError, match="holds no shards"):
        search_shards(np.ones((1, 4)), tmp_path / "elsewhere")


def test_the_retriever(toy, loads, tmp_path):
    """Vectors and an encoder give the same; columns and zero rows stay; it has a schematic."""
    encoder = toy.Hashed(str(loads))
    encode_shards(toy.texts(40), encoder, tmp_path / "s", shard_size=16)
    topics = pd.DataFrame({"qid": ["2", "1"], "query": ["w1 w2", "w3"], "more": [1, 2]})
    by_text = ShardRetriever(tmp_path / "s", encoder, num_results=3)
    found = by_text(topics)
    assert found.columns.tolist() == ["qid", "query", "more", "docno", "score", "rank"]
    assert found["qid"].tolist() == ["2"] * 3 + ["1"] * 3
    vectors = topics.assign(query_vec=list(encoder.encode(topics["query"].tolist(), "query")))
    by_vector = ShardRetriever(tmp_path / "s", num_results=3)(vectors)
    pd.testing.assert_frame_equal(by_vector[found.columns], found)
    assert by_text(topics[:0]).columns.tolist() == found.columns.tolist()
    assert pt.inspect.transformer_inputs(ShardRetriever("f")) == [["qid", "query_vec"]]
    assert ShardRetriever("f", num_results=3) == eval(repr(ShardRetriever("f", num_results=3)))
    with pytest.raises(ValueError, match="backend='dask': expected one of"):
        ShardRetriever("f", backend="dask")(vectors)
    with pytest.raises(pt.validate.InputValidationError, match="query"):
        by_text(vectors.drop(columns=["query"]))
