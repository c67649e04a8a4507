"""Folders and files that somebody made up: refused by a clear error, at once."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ir_datasets_ext.store import (
    Damaged,
    Entries,
    claim,
    fingerprint,
    new_folder,
    read_folder,
)
from ir_datasets_ext.store.hashes import file_hash

ROOT = Path(__file__).parents[2]
READ_FOLDER = """
import sys
from ir_datasets_ext.store import read_folder
try:
    read_folder(sys.argv[1])
except ValueError as error:
    print(error)
"""
READ_ENTRIES = """
import sys
from ir_datasets_ext.store import Entries
print(dict(Entries(sys.argv[1])))
"""


def write_manifest(folder, files, about=None):
    """Write a manifest that names these files, with a right digest."""
    folder.mkdir(exist_ok=True)
    about = about or {}
    content = {"about": about, "files": files, "digest": fingerprint([about, files])}
    (folder / "manifest.json").write_text(json.dumps(content))


def measures_of(path):
    """What a manifest says of a file."""
    return {"bytes": path.stat().st_size, "sha256": file_hash(path, "sha256")}


def read_apart(folder, code=READ_FOLDER):
    """What a process says that reads the folder; it is killed if it hangs."""
    command = [sys.executable, "-c", code, str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout + done.stderr


@pytest.fixture
def outside(tmp_path):
    """A file beside the folder."""
    path = tmp_path / "secret.txt"
    path.write_text("secret")
    return path


@pytest.mark.parametrize(
    "name", ["../secret.txt", "inner/../../secret.txt", "{absolute}", "./../secret.txt", "inner/.."]
)
def test_a_name_leads_nowhere_else(tmp_path, outside, name):
    """A manifest names files inside its folder, though others have the right size and hash."""
    name = name.format(absolute=outside)
    write_manifest(tmp_path / "folder", {name: measures_of(outside)})
    (tmp_path / "folder" / "inner").mkdir()
    with pytest.raises(Damaged, match=r"manifest\.json is damaged: .*no path of a file inside"):
        read_folder(tmp_path / "folder")


def test_a_wrong_hash_of_a_file_outside_is_not_shown(tmp_path, outside):
    """Whoever makes up a manifest learns nothing of other files."""
    write_manifest(tmp_path / "folder", {str(outside): {"bytes": 6, "sha256": "0"}})
    with pytest.raises(Damaged) as caught:
        read_folder(tmp_path / "folder")
    assert file_hash(outside, "sha256") not in str(caught.value)


@pytest.mark.parametrize("linked", ["file", "folder"])
def test_a_link_leads_nowhere_else(tmp_path, outside, linked):
    """Not even with the right size and hash; the error says how to bring the file along."""
    folder = tmp_path / "folder"
    name = "a.txt" if linked == "file" else "inner/secret.txt"
    write_manifest(folder, {name: measures_of(outside)})
    if linked == "file":
        (folder / name).symlink_to(outside)
    else:
        (folder / "inner").symlink_to(tmp_path)
    with pytest.raises(Damaged, match=rf"{name} is a link that leads out of .* `cp -rL`"):
        read_folder(folder)


def test_a_link_inside_the_folder_serves(tmp_path):
    """A file may have two names."""
    with new_folder(tmp_path / "folder", {"a": 1}) as folder:
        (folder / "a.txt").write_text("content")
        (folder / "b.txt").symlink_to("a.txt")
    assert read_folder(tmp_path / "folder") == {"a": 1}


def test_a_link_that_leads_out_is_not_written(tmp_path, outside):
    """What could not be read is refused when it is written."""
    with (
        pytest.raises(ValueError, match="is a link that leads out of"),
        new_folder(tmp_path / "folder", {}) as folder,
    ):
        (folder / "a.txt").symlink_to(outside)
    assert not (tmp_path / "folder").exists()


EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"  # sha256 of no bytes


@pytest.mark.parametrize("file", ["a.txt", "manifest.json"])
def test_a_pipe_does_not_hang(tmp_path, file):
    """A pipe nobody writes to, where the manifest or a file of it should be."""
    folder = tmp_path / "folder"
    write_manifest(folder, {"a.txt": {"bytes": 0, "sha256": EMPTY}})
    (folder / file).unlink(missing_ok=True)
    os.mkfifo(folder / file)
    said = read_apart(folder)
    assert str(folder / file) in said
    assert "a device or a pipe, not a file" in said


def test_a_device_does_not_hang(tmp_path):
    """/dev/zero never ends; its size is 0, as the manifest says."""
    folder = tmp_path / "folder"
    write_manifest(folder, {"/dev/zero": {"bytes": 0, "sha256": EMPTY}})
    assert "no path of a file inside the folder" in read_apart(folder)
    write_manifest(folder, {"zero": {"bytes": 0, "sha256": EMPTY}})
    (folder / "zero").symlink_to("/dev/zero")
    assert "is a link that leads out of" in read_apart(folder)


@pytest.mark.parametrize("file", ["a.txt", "manifest.json"])
@pytest.mark.parametrize("instead", ["folder", "dangling link"])
def test_what_is_no_file_is_said(tmp_path, file, instead):
    """A folder, or a link without a target, in the place of a file."""
    with new_folder(tmp_path / "folder", {}) as folder:
        (folder / "a.txt").write_text("content")
    path = tmp_path / "folder" / file
    path.unlink()
    if instead == "folder":
        path.mkdir()
    else:
        path.symlink_to("nowhere")
    what = {"folder": "it is a folder, not a file", "dangling link": "a link to nowhere, which is"}
    with pytest.raises(Damaged, match=f"{path}.*{what[instead]}"):
        read_folder(tmp_path / "folder")


def test_a_file_in_the_place_of_the_folder_is_said(tmp_path):
    """The error is about the folder, not about a path inside a file."""
    (tmp_path / "folder").write_text("")
    with pytest.raises(Damaged, match="folder is damaged: it is a file, not a folder"):
        read_folder(tmp_path / "folder")


@pytest.mark.parametrize(
    "measures", [{"inode": 1}, {"bytes": 1, "owner": "me"}, ["bytes"], None, "bytes"]
)
def test_unknown_measures_are_refused(tmp_path, measures):
    """A manifest says sizes and digests of files, and nothing else."""
    write_manifest(tmp_path / "folder", {"a.txt": measures})
    (tmp_path / "folder" / "a.txt").write_text("x")
    with pytest.raises(Damaged, match=r"manifest\.json is damaged: .*a\.txt has other measures"):
        read_folder(tmp_path / "folder")


def test_a_huge_manifest_is_refused(tmp_path):
    """Before it is read: what describes a folder is smaller than what is in it."""
    write_manifest(tmp_path / "folder", {}, {"notes": "x" * (1 << 24)})
    with pytest.raises(Damaged, match=r"manifest\.json is damaged: .*more than 16777216 bytes"):
        read_folder(tmp_path / "folder")


def test_a_claim_says_what_is_wrong(tmp_path):
    """The remedy is that of a folder which cannot be resumed."""
    write_manifest(tmp_path / "folder", {"../a": {"bytes": 1}})
    with pytest.raises(Damaged, match=r"no path of a file inside.* Remove .*folder, or restore"):
        claim(tmp_path / "folder", {})


def test_entries_skip_a_pipe(tmp_path):
    """Reading it would never end."""
    entries = Entries(tmp_path / "entries")
    entries.put_many({b"a": b"1"})
    os.mkfifo(entries.folder / "00000000-0.entries")
    said = read_apart(entries.folder, READ_ENTRIES)
    assert "{b'a': b'1'}" in said
    assert "00000000-0.entries is skipped, because it is a device or a pipe, not a file" in said


@pytest.mark.parametrize("instead", ["folder", "dangling link"])
def test_entries_skip_what_is_no_file(tmp_path, instead):
    """One warning says what it is; all other entries are found, and new ones are kept."""
    entries = Entries(tmp_path / "entries", lost="They are lost.")
    entries.put_many({b"a": b"1"})
    path = entries.folder / "00000000-0.entries"
    if instead == "folder":
        path.mkdir()
    else:
        path.symlink_to("nowhere")
    with pytest.warns(
        UserWarning, match=rf"{path} is skipped, because it is a .* They are"
    ) as said:
        assert entries.get_many([b"a", b"b"]) == {b"a": b"1"}
        assert entries.put_many({b"b": b"2"}) == {b"b": b"2"}
        assert dict(entries) == {b"a": b"1", b"b": b"2"}
    assert len(said) == 1
    entries.clear()
    assert not entries.folder.exists()
