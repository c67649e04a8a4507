"""The store of replies: shared, killed, damaged, and on a full disk."""

import json
import os
import resource
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from pyterrier_scholarly.chat import Replies, Reply
from pyterrier_scholarly.fingerprint import fingerprint

REPLY = Reply("[2] > [1] é\n\ud800", "stop", "m", "fp", {"prompt_tokens": 3}, "2026-01-01")
NOBODY = 65534


def exported(key, reply):
    """Return a line of an exported file."""
    line = {"key": key, "reply": reply}
    return json.dumps({**line, "sha256": fingerprint(line)})


def key(number):
    """Return a request's hash."""
    return fingerprint({"number": number})


@pytest.fixture
def store(tmp_path):
    """A store in a folder that does not exist yet."""
    return Replies(tmp_path / "new" / "replies")


def test_the_hash_is_of_canonical_json():
    """A request's hash ignores the order of keys and the time, and nothing else."""
    assert fingerprint({"b": [1], "a": "é"}) == fingerprint({"a": "é", "b": [1]})
    assert fingerprint({}) == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
    assert fingerprint({"a": 1}) != fingerprint({"a": 2})
    assert fingerprint({"a": float("nan")}) != fingerprint({"a": None})


def test_what_is_put_in_comes_out(store):
    """The first reply to a request stays; a missing one is None."""
    assert store.put(key(1), REPLY) == REPLY
    assert store.put(key(1), Reply("another")) == REPLY
    assert (store.get(key(1)), store.get(key(2)), len(store)) == (REPLY, None, 1)


def test_a_refusal_is_kept(store):
    """A refusal is stored with its reason."""
    refused = Reply(None, refusal="context_length_exceeded")
    store.put(key(1), refused)
    assert store.get(key(1)) == refused


def test_an_ill_typed_reply_is_refused_before_it_is_kept(store):
    """A reply of wrong types raises with the field's name, and is not stored."""
    store.put(key(1), REPLY)
    for wrong in ({"finish_reason": 7}, {"model": 5}, {"usage": {"tokens": {1}}}, {"content": b""}):
        with pytest.raises(ValueError, match=r"cannot be stored: .*correct what the client"):
            store.put(key(2), replace(REPLY, **wrong))
    assert (len(store), store.get(key(2))) == (1, None)
    assert store.export_jsonl(store.path.parent / "all.jsonl") == 1


def test_replies_are_private(store):
    """Only their owner can read replies, in the store and exported."""
    store.put(key(1), REPLY)
    store.export_jsonl(store.path.parent / "all.jsonl")
    (file,) = store.path.iterdir()
    found = (store.path, file, store.path.parent / "all.jsonl")
    assert [path.stat().st_mode & 0o777 for path in found] == [0o700, 0o600, 0o600]


def test_threads_share_a_store(store):
    """Eight writers with common keys all get the reply that was stored first."""

    def put(number):
        return store.put(key(number % 40), Reply(str(number)))

    with ThreadPoolExecutor(8) as pool:
        kept = list(pool.map(put, range(120)))
    assert len(store) == 40
    assert all(store.get(key(number % 40)) == reply for number, reply in enumerate(kept))


def test_export_and_import(store, tmp_path):
    """Exported JSON lines import into an equal store; a second import adds nothing."""
    for number in range(5):
        store.put(key(number), Reply(f"{number} é \n"))
    assert store.export_jsonl(tmp_path / "replies.jsonl") == 5
    *lines, _ = (tmp_path / "replies.jsonl").read_text().splitlines()
    assert [json.loads(line)["key"] for line in lines] == sorted(map(key, range(5)))
    other = Replies(tmp_path / "other")
    assert other.import_jsonl(tmp_path / "replies.jsonl") == 5
    assert other.import_jsonl(tmp_path / "replies.jsonl") == 0
    other.export_jsonl(tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "replies.jsonl").read_bytes()
    assert sorted(file.name for file in tmp_path.glob("*.jsonl")) == [
        "again.jsonl",
        "replies.jsonl",
    ]


@pytest.mark.parametrize("left", range(4))
def test_a_shortened_export_imports_nothing(store, tmp_path, left):
    """An export of three replies needs all of its lines, also the last one, which counts them."""
    for number in range(3):
        store.put(key(number), Reply(str(number)))
    store.export_jsonl(tmp_path / "replies.jsonl")
    lines = (tmp_path / "replies.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "replies.jsonl").write_bytes(b"".join(lines[:left]))
    other = Replies(tmp_path / "other")
    with pytest.raises(
        ValueError, match=rf"replies\.jsonl .* its replies, which are {left}: it was short"
    ):
        other.import_jsonl(tmp_path / "replies.jsonl")
    assert not other.path.exists()


@pytest.mark.parametrize("gone", range(3))
def test_an_export_that_lacks_a_reply_imports_nothing(store, tmp_path, gone):
    """The last line counts and covers all others, so none can be left out or swapped."""
    for number in range(3):
        store.put(key(number), Reply(str(number)))
    store.export_jsonl(tmp_path / "replies.jsonl")
    lines = (tmp_path / "replies.jsonl").read_bytes().splitlines(keepends=True)
    others = [line for number, line in enumerate(lines) if number != gone]
    (tmp_path / "replies.jsonl").write_bytes(b"".join(others))
    with pytest.raises(ValueError, match="of its replies, which are 2: it was shortened or edited"):
        Replies(tmp_path / "other").import_jsonl(tmp_path / "replies.jsonl")


@pytest.mark.parametrize(
    "line",
    [
        "",
        "no",
        "[]",
        "{}",
        exported(key(2), {}),
        exported("00", REPLY.to_dict()),
        exported(key(2), REPLY.to_dict() | {"content": 3}),
        exported(key(2), REPLY.to_dict() | {"more": ""}),
        exported(key(2), REPLY.to_dict()).replace("stop", "step"),
        json.dumps({"key": key(2), "reply": REPLY.to_dict()}),
        '{"\udcff": 1}',
    ],
)
def test_a_bad_line_imports_nothing(store, tmp_path, line):
    """The error names file and line, also for a changed reply."""
    good = exported(key(1), REPLY.to_dict())
    file = tmp_path / "replies.jsonl"
    file.write_text(f"{good}\n{line}\n", errors="surrogateescape")
    with pytest.raises(ValueError, match=r"Line 2 of .*replies\.jsonl"):
        store.import_jsonl(file)
    assert not store.path.exists()


def test_bytes_that_are_no_text_import_nothing(store, tmp_path):
    """The error names file and line."""
    (tmp_path / "replies.jsonl").write_bytes(b'{"key": "\xff"}')
    with pytest.raises(ValueError, match=r"Line 1 of .*replies\.jsonl"):
        store.import_jsonl(tmp_path / "replies.jsonl")


def test_another_reply_imports_nothing(store, tmp_path):
    """Two replies to one request cannot both be replayed."""
    store.put(key(1), REPLY)
    entries = [(key(2), Reply("new")), (key(1), Reply("another"))]
    theirs = Replies(tmp_path / "theirs")
    for hashed, reply in entries:
        theirs.put(hashed, reply)
    theirs.export_jsonl(tmp_path / "replies.jsonl")
    with pytest.raises(ValueError, match=f"another reply for {key(1)}"):
        store.import_jsonl(tmp_path / "replies.jsonl")
    assert (len(store), store.get(key(1))) == (1, REPLY)


def test_no_store(store):
    """Reading a missing store raises, and makes none."""
    with pytest.raises(FileNotFoundError, match="mode='record'"):
        store.get(key(1))
    assert not store.path.exists()


@pytest.mark.parametrize(("damage", "most"), [("a reply", 1), ("a page", 6)])
def test_what_is_whole_in_a_damaged_file_is_used(store, damage, most):
    """Damage warns, and missing replies can be stored again; a damaged file stays beside."""
    replies = {key(number): Reply(f"{number} " * 400) for number in range(40)}
    for hashed, reply in replies.items():
        store.put(hashed, reply)
    (file,) = store.path.iterdir()
    whole = file.read_bytes()
    at = whole.index(b"20 20 20 20")
    if damage == "a page":
        at -= at % 8192
    file.write_bytes(whole[:at] + b"\xff" * 8 + whole[at + 8 :])
    other = Replies(store.path.rename(store.path.with_name("moved")))  # never read before

    with pytest.warns(UserWarning, match=r"is damaged.*requested") as said:
        found = {hashed: other.get(hashed) for hashed in replies}
    missing = [hashed for hashed, reply in found.items() if reply is None]
    assert 1 <= len(missing) <= most
    assert all(found[hashed] in (None, reply) for hashed, reply in replies.items())
    if damage == "a reply":
        assert missing[0] in str(said[0].message)
    assert len(list(other.path.glob("*.damaged"))) == (damage == "a page")
    for hashed in missing:
        other.put(hashed, replies[hashed])
    assert {hashed: other.get(hashed) for hashed in replies} == replies


def test_a_file_in_the_store_s_place(tmp_path):
    """A file instead of a folder is no store."""
    (tmp_path / "replies").write_text("SQLite format 3")
    with pytest.raises(FileNotFoundError, match="no store of replies"):
        Replies(tmp_path / "replies").get(key(1))
    with pytest.raises(OSError, match=r"File exists.*To record"):
        Replies(tmp_path / "replies").put(key(1), REPLY)


@contextmanager
def unprivileged():
    """Run as a user without all rights, if the tests have them."""
    if os.geteuid():
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def read_only():
    """A read-only store of one reply, in a read-only folder."""
    folder = Path(tempfile.mkdtemp())
    store = Replies(folder / "replies")
    store.put(key(1), REPLY)
    paths = [folder, store.path, *store.path.iterdir()]
    for path in paths:
        os.chown(path, NOBODY, -1) if os.geteuid() == 0 else None
        path.chmod(0o555)
    yield store
    for path in paths:
        path.chmod(0o755)
    shutil.rmtree(folder)


def test_a_read_only_store(read_only):
    """A read-only store can be read; writing raises with the remedy."""
    with unprivileged():
        assert read_only.get(key(1)) == REPLY
        for use in (read_only.ensure_writable, lambda: read_only.put(key(2), REPLY)):
            with pytest.raises(OSError, match="mode='replay'"):
                use()
        assert len(read_only) == 1


def test_a_full_disk(store):
    """A full disk raises; stored replies stay, and storing works again later."""
    store.put(key(1), REPLY)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        with pytest.raises(OSError, match="room"):
            store.put(key(2), Reply("long " * 100_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (store.get(key(1)), store.get(key(2))) == (REPLY, None)
    assert store.put(key(2), REPLY) == REPLY
