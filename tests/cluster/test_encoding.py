"""Shards on one machine: content, resuming, damage, bad input."""

import errno
import os
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pyterrier_scholarly import LSA
from pyterrier_scholarly.cluster import (
    encode_on_spark,
    encode_shards,
    search_on_spark,
    search_shards,
)

from .reading import content, read_shard, shard_path


@pytest.fixture
def texts(toy):
    """Twenty-five texts."""
    return toy.texts(25)


@pytest.fixture
def made(toy, texts, loads, tmp_path):
    """A folder with three shards of these texts."""
    encode_shards(texts, toy.Hashed(str(loads)), tmp_path / "made", shard_size=10)
    return tmp_path / "made"


def times(folder):
    """Return when each shard was written."""
    return [path.stat().st_mtime_ns for path in sorted(folder.glob("shard-*"))]


def test_shards_hold_what_the_encoder_gives(made, texts, toy, loads):
    """Shards have the vectors in order, as lists of floats; no other file is left."""
    ids, vectors = content(made)
    assert ids == [one for one, _ in texts]
    direct = toy.Hashed(str(loads)).encode([text for _, text in texts], "document")
    np.testing.assert_array_equal(vectors, direct)
    sizes = [pq.read_metadata(shard_path(made, number)).num_rows for number in range(3)]
    assert sizes == [10, 10, 5]
    kind = pq.read_schema(shard_path(made, 0)).field("doc_vec").type
    assert kind == pa.list_(pa.field("element", pa.float32()))
    assert len(list(made.glob("[!.]*"))) == 3 + len(["manifest.json", "texts.parquet"])


def test_a_shard_whose_ids_are_bytes_is_damaged(made):
    """A schema with one changed bit gives such ids."""
    path = shard_path(made, 0)
    table = pq.read_table(path)
    ids = table["docno"].cast(pa.binary())
    changed = table.set_column(0, "docno", ids)
    pq.write_table(changed.replace_schema_metadata(table.schema.metadata), path)
    with pytest.raises(ValueError, match=r"shard-000000\.parquet holds other bytes"):
        search_shards(np.ones((1, 16)), made)


def test_texts_come_in_any_form(texts, toy, loads, tmp_path):
    """Pairs, a dict, dicts, a frame, documents and Parquet files give the same shards."""
    frame = pd.DataFrame(texts, columns=["docno", "text"])
    frame[:12].to_parquet(tmp_path / "1.parquet")
    pq.write_table(pa.table(dict(frame[12:])), tmp_path / "2.parquet", row_group_size=4)

    class Paper:
        def __init__(self, doc_id, text):
            self.doc_id, self.text = doc_id, text

        def default_text(self):
            return self.text

    forms = {
        "pairs": iter(texts),
        "dict": dict(texts),
        "dicts": [{"id": one, "text": text} for one, text in texts],
        "frame": frame,
        "documents": (Paper(*row) for row in texts),
        "files": [tmp_path / "1.parquet", str(tmp_path / "2.parquet")],
        "folder": tmp_path,
    }
    for name, form in forms.items():
        done = encode_shards(form, toy.Hashed(str(loads)), tmp_path / name, shard_size=10)
        assert (done.texts, done.encoded) == (25, 3), name
    expected = content(tmp_path / "pairs")
    for name in forms:
        ids, vectors = content(tmp_path / name)
        assert ids == expected[0]
        np.testing.assert_array_equal(vectors, expected[1])


def test_again_does_nothing(made, texts, toy, loads):
    """All shards are kept, and no model is loaded."""
    before, loaded = times(made), len(list(loads.iterdir()))
    done = encode_shards(texts, toy.Hashed(str(loads)), made, shard_size=10)
    assert (done.encoded, done.recomputed, done.kept) == (0, 0, 3)
    assert (times(made), len(list(loads.iterdir()))) == (before, loaded)


def test_any_damage_is_seen(texts, toy, loads, tmp_path):
    """A shard with a changed byte or a missing end is damaged, or reads as before."""
    folder, query = tmp_path / "made", np.ones((1, 16))
    encode_shards(texts[:10], toy.Hashed(str(loads)), folder)
    path = shard_path(folder, 0)
    ids, vectors = content(folder)
    whole, seen = path.read_bytes(), 0
    for place in range(0, len(whole), 7):
        changed = bytearray(whole)
        changed[place] ^= 0x55
        path.write_bytes(changed)
        try:
            search_shards(query, folder)
        except ValueError as error:
            assert "shard-000000.parquet" in str(error)
            seen += 1
        else:
            now = content(folder)
            assert now[0] == ids
            np.testing.assert_array_equal(now[1], vectors)
    assert seen > 0.5 * len(range(0, len(whole), 7))
    for size in (0, 3, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:size])
        with pytest.raises(ValueError, match=r"shard-000000.parquet cannot be read"):
            search_shards(query, folder)


def spoil(made):
    """Overwrite the first shard by the second, and change a byte of the second."""
    shard_path(made, 0).write_bytes(shard_path(made, 1).read_bytes())
    _, vectors = read_shard(made, 1)
    content = bytearray(shard_path(made, 1).read_bytes())
    content[content.index(vectors[3].tobytes()) + 1] ^= 1
    shard_path(made, 1).write_bytes(content)


def test_damaged_shards_are_said_and_made_again(made, texts, toy, loads):
    """Search names the damage; encoding again warns, and recomputes only damaged shards."""
    expected, before = content(made), times(made)
    spoil(made)
    with pytest.raises(ValueError, match=r"shard-000000.*something else.*encode_shards"):
        search_shards(expected[1][:1], made)
    with pytest.warns(UserWarning) as warned:
        done = encode_shards(texts, toy.Hashed(str(loads)), made, shard_size=10)
    said = sorted(str(warning.message) for warning in warned)
    assert "shard-000000.parquet is a shard of something else" in said[0]
    assert "shard-000001.parquet holds other bytes than were written" in said[1]
    assert (done.encoded, done.recomputed, done.kept) == (0, 2, 1)
    assert times(made)[2] == before[2]
    np.testing.assert_array_equal(content(made)[1], expected[1])


def test_a_missing_shard_is_named(made, texts, toy, loads):
    """Search raises without it; encoding again writes only this shard."""
    shard_path(made, 2).unlink()
    with pytest.raises(ValueError, match=r"1 of 3 shards are missing: 2\. Call encode_shards"):
        search_shards(np.ones((1, 16)), made)
    done = encode_shards(texts, toy.Hashed(str(loads)), made, shard_size=10)
    assert (done.encoded, done.kept) == (1, 2)


def test_failing_texts_are_named(texts, toy, loads, tmp_path):
    """The error names all failing ids; shards without one are done."""
    broken = [
        (one, f"{text} break" if one in ("d3", "d14", "d17") else text) for one, text in texts
    ]
    encoder = toy.Hashed(str(loads))
    pq.write_table(pa.table(dict(zip(("docno", "text"), zip(*broken)))), tmp_path / "t.parquet")
    with pytest.raises(ValueError, match=r"2 of 3 shards: d3: RuntimeError.*; d14, d17: Runtime"):
        encode_shards(tmp_path / "t.parquet", encoder, tmp_path / "made", shard_size=10)
    assert [path.name for path in (tmp_path / "made").glob("shard-*")] == ["shard-000002.parquet"]
    with pytest.raises(ValueError, match="The text of d1 is None, no text"):
        encode_shards([("d0", "a"), ("d1", None)], encoder, tmp_path / "none")
    pq.write_table(pa.table({"id": [8, 9], "text": ["a", None]}), tmp_path / "n.parquet")
    with pytest.raises(ValueError, match="1 of 1 shards: 9: no text"):
        encode_shards(tmp_path / "n.parquet", encoder, tmp_path / "null")
    with pytest.raises(ValueError, match=r"x: ValueError: .* returned NaN"):
        encode_shards(
            [("x", "")], lambda t: np.full((len(t), 2), np.nan), tmp_path / "nan", encoder_name="n"
        )


def test_a_folder_is_of_one_encoder_and_one_set_of_texts(made, texts, toy, loads):
    """Another encoder, texts or shard size raises with the difference, and changes nothing."""
    before, staged = times(made), (made / "texts.parquet").read_bytes()
    same = toy.Hashed(str(loads))
    with pytest.raises(ValueError, match=r"made with other settings: encoder .*tag='other'"):
        encode_shards(texts, toy.Hashed(str(loads), tag="other"), made, shard_size=10)
    with pytest.raises(ValueError, match=r"other settings: source .*; texts is 25 there, 24 here"):
        encode_shards(texts[1:], same, made, shard_size=10)
    with pytest.raises(ValueError, match="shard_size is 10 there, 5 here"):
        encode_shards(texts, same, made, shard_size=5)
    assert times(made) == before
    assert (made / "texts.parquet").read_bytes() == staged
    assert list(made.glob(".*.tmp")) == []


def test_encoders_tell_themselves(tmp_path):
    """Encoders are identified by their settings; a function needs a name."""
    words = [("a", "one two three"), ("b", "two three four"), ("c", "three five")]
    source = [text for _, text in words] * 20
    encode_shards(words, LSA(source, 2), tmp_path / "lsa")
    assert encode_shards(words, LSA(source, 2), tmp_path / "lsa").kept == 1
    with pytest.raises(ValueError, match="other settings: encoder is"):
        encode_shards(words, LSA(source[:30], 2), tmp_path / "lsa")
    with pytest.raises(ValueError, match=r'pass encoder_name="…"'):
        encode_shards(words, lambda texts: np.ones((len(texts), 2)), tmp_path / "function")


def test_where_nothing_can_be_written(texts, toy, loads, tmp_path, monkeypatch):
    """A file instead of a folder and a full disk both raise with the remedy for shards."""
    (tmp_path / "file").touch()
    needs = "Shards are written there: pass a writable folder"
    with pytest.raises(OSError, match=f"file: File exists. {needs}"):
        encode_shards(texts, toy.Hashed(str(loads)), tmp_path / "file")

    def full(*arguments, **options):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(pq, "write_table", full)
    with pytest.raises(OSError, match=f"full: No space left on device. {needs}"):
        encode_shards(texts, toy.Hashed(str(loads)), tmp_path / "full")


def test_no_texts_and_bad_input(toy, loads, tmp_path):
    """No texts make no shards and no results; malformed input is named."""
    encoder = toy.Hashed(str(loads))
    assert encode_shards([], encoder, tmp_path / "none").texts == 0
    found = search_shards(np.ones((2, 16)), tmp_path / "none")
    assert (len(found), list(found.columns)) == (0, ["qid", "docno", "score", "rank"])
    with pytest.raises(ValueError, match="shard_size=0: expected a whole number"):
        encode_shards([], encoder, tmp_path / "zero", shard_size=0)
    with pytest.raises(ValueError, match="No columns of ids and texts recognised"):
        encode_shards(pd.DataFrame({"paper": ["a"], "text": ["b"]}), encoder, tmp_path / "names")
    with pytest.raises(ValueError, match="'abc' is no row of texts"):
        encode_shards(iter(["abc"]), encoder, tmp_path / "rows")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        encode_shards(tmp_path / "nowhere.parquet", encoder, tmp_path / "file")


def test_without_the_extra(monkeypatch, tmp_path):
    """The error says what to install."""
    for name in [name for name in sys.modules if name.split(".")[0] == "pyspark"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyspark", None)
    needs = r'{} needs pip install "pyterrier-scholarly\[spark\]"$'
    with pytest.raises(ImportError, match=needs.format("encode_on_spark")):
        encode_on_spark([], LSA(["a"]), tmp_path)
    with pytest.raises(ImportError, match=needs.format("search_on_spark")):
        search_on_spark(np.ones((1, 2)), tmp_path)
