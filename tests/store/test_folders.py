"""Folders with a manifest: whole, or not there; each change of a file is seen."""

import hashlib
import json
import os
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_scholarly.folders import (
    Damaged,
    claim,
    hash_once,
    identify_file,
    new_folder,
    read_folder,
    write_manifest,
)

_times = count()  # of changes, so that none is missed within the clock's tick


def write(path):
    """Write a folder of two files, and return its `about`."""
    about = {}
    with new_folder(path, about) as folder:
        (folder / "inner").mkdir()
        (folder / "inner" / "a.txt").write_text("content")
        (folder / "empty").touch()
        about["late"] = [1, "é\ud800"]
    return about


def test_what_was_written_is_read(tmp_path):
    """The folder has its content and its `about`, and no leftover beside it."""
    about = write(tmp_path / "above" / "folder")
    assert read_folder(tmp_path / "above" / "folder") == about
    assert [path.name for path in (tmp_path / "above").iterdir()] == ["folder"]


def test_folders_of_earlier_versions_are_read(tmp_path):
    """A manifest has `about`, the files' sizes and hashes, and a sha256 of both as JSON."""
    (tmp_path / "a.txt").write_bytes(b"content")
    files = {"a.txt": {"bytes": 7, "sha256": hashlib.sha256(b"content").hexdigest()}}
    about = {"made by": "me"}
    canonical = json.dumps([about, files], sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    manifest = {"about": about, "files": files, "digest": digest}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest, indent=1))
    assert read_folder(tmp_path) == about


def test_what_is_there_stays(tmp_path):
    """An existing folder is an error, also one that another process wrote meanwhile."""
    write(tmp_path / "folder")
    with pytest.raises(FileExistsError, match="choose another name"):
        write(tmp_path / "folder")
    with (
        pytest.raises(FileExistsError, match="choose another name"),
        new_folder(tmp_path / "another", {}),
    ):
        (tmp_path / "another").mkdir()


def test_a_failed_writing_leaves_nothing(tmp_path):
    """The error passes through, and no file is left."""
    with pytest.raises(RuntimeError, match="broken"), new_folder(tmp_path / "folder", {}):
        raise RuntimeError("broken")
    with pytest.raises(FileNotFoundError):
        read_folder(tmp_path / "folder")
    assert not list(tmp_path.iterdir())


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A folder, and its `about`."""
    path = tmp_path_factory.mktemp("written") / "folder"
    return path, write(path)


def change_file(path, content):
    """Replace the content of a file, as if at another time."""
    path.write_bytes(content)
    os.utime(path, ns=(1, next(_times)))


@given(
    name=st.sampled_from(["inner/a.txt", "manifest.json"]),
    share=st.floats(0, 1, exclude_max=True),
    bit=st.integers(0, 7),
)
def test_each_flipped_bit_is_seen(written, name, share, bit):
    """The error names the file, unless the change of the manifest changes nothing.

    Blanks between what the manifest says are no change of it, nor is \\u00E9 for \\u00e9.
    """
    path, about = written
    file = path / name
    whole = file.read_bytes()
    changed = bytearray(whole)
    changed[int(share * len(whole))] ^= 1 << bit
    change_file(file, bytes(changed))
    try:
        assert read_folder(path) == about
        assert bytes(changed).lower().split() == whole.lower().split()
    except Damaged as error:
        assert str(file) in str(error)
    finally:
        change_file(file, whole)


@pytest.mark.parametrize("name", ["inner/a.txt", "manifest.json"])
@pytest.mark.parametrize("content", [b"", b"conten", b"content.", b"[" * 100_000, b"null", b"{}"])
def test_another_content_is_seen(written, name, content):
    """Of another length, or of another kind."""
    path, _ = written
    whole = (path / name).read_bytes()
    change_file(path / name, content)
    with pytest.raises(Damaged, match=name):
        read_folder(path)
    change_file(path / name, whole)
    read_folder(path)


def test_what_is_missing_or_no_file_is_said(tmp_path):
    """A missing file, a folder in its place, and a file in the place of the folder."""
    write(tmp_path / "folder")
    path = tmp_path / "folder" / "inner" / "a.txt"
    path.unlink()
    with pytest.raises(Damaged, match=f"{path} cannot be read: No such file"):
        read_folder(tmp_path / "folder")
    path.mkdir()
    with pytest.raises(Damaged, match=f"{path} "):
        read_folder(tmp_path / "folder")
    (tmp_path / "file").touch()
    with pytest.raises(Damaged, match="file is damaged: it is a file, not a folder"):
        read_folder(tmp_path / "file")


def test_a_file_may_be_a_link(tmp_path):
    """Some caches of downloads have links in the place of files; the content is what counts."""
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.txt").write_text("content")
    write_manifest(folder, {"made": "here"})
    (folder / "a.txt").rename(tmp_path / "elsewhere.txt")
    (folder / "a.txt").symlink_to(tmp_path / "elsewhere.txt")
    assert read_folder(folder) == {"made": "here"}
    (tmp_path / "elsewhere.txt").write_text("changed")
    with pytest.raises(Damaged, match=r"a\.txt is damaged or was edited"):
        read_folder(folder)


def test_a_claim_is_of_its_settings(tmp_path):
    """Equal settings resume; others are told apart, but for remarks; damage has a remedy."""
    folder = tmp_path / "folder"
    for shown in ("one", "two"):
        claim(folder, {"seed": 1, "sizes": (1, 2), "shown": shown}, remarks=["shown"])
    with pytest.raises(
        ValueError, match=r"made with other settings: seed is 1 there, 2 here\. Pass another"
    ):
        claim(folder, {"seed": 2, "sizes": (1, 2), "shown": "one"}, remarks=["shown"])
    (folder / "manifest.json").write_text("{")
    with pytest.raises(Damaged, match=r"Remove .*folder, or restore it from a copy"):
        claim(folder, {"seed": 1})


def test_a_changed_file_is_hashed_again(tmp_path):
    """Also if size and time of change stay, at once after it was written."""
    file = tmp_path / "file"
    assert identify_file(file) == file
    found = []
    for content in (b"one", b"two"):
        change_file(file, content)
        os.utime(file, ns=(1, 1))
        found.append((hash_once(file), identify_file(file)))
    assert [digest for digest, _ in found] == [
        hashlib.sha256(content).hexdigest() for content in (b"one", b"two")
    ]
    assert found[0][1] != found[1][1]
