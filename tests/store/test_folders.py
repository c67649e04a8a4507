"""Folders with a manifest, and single files: whole, or not there."""

import builtins
import os
import random

import pytest

from ir_datasets_ext.store import Damaged, new_file, new_folder, read_folder


def write(path, **how):
    """Write a folder of two files."""
    about = {}
    with new_folder(path, about, **how) as folder:
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


def test_what_is_there_stays_unless_it_is_to_go(tmp_path):
    """An existing folder is an error by default; with `replace` the new one replaces it."""
    write(tmp_path / "folder")
    with pytest.raises(FileExistsError, match="choose another name"):
        write(tmp_path / "folder")
    (tmp_path / "folder" / "inner" / "a.txt").write_text("older")
    write(tmp_path / "folder", replace=True)
    read_folder(tmp_path / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_a_failed_writing_leaves_nothing(tmp_path):
    """The error passes through, and no file is left."""
    with pytest.raises(RuntimeError, match="broken"), new_folder(tmp_path / "folder", {}):
        raise RuntimeError("broken")
    with pytest.raises(FileNotFoundError):
        read_folder(tmp_path / "folder")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["inner/a.txt", "manifest.json"])
def test_each_change_is_seen(tmp_path, name):
    """Of any byte, of the length, a file that is missing or another: the error names it.

    Blanks between what the manifest says are no change of it, nor is \\u00E9 for \\u00e9.
    """
    path = tmp_path / "folder"
    about = write(path)
    file, chance = path / name, random.Random(3)
    whole, times = file.read_bytes(), iter(range(10**6))
    changes = [whole[:-1], whole + b"x", b"", b"[" * 100_000, b"null", None]
    for _ in range(200):
        changed = bytearray(whole)
        changed[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
        changes.append(bytes(changed))
    for changed in changes:
        file.unlink()
        if changed is not None:
            file.write_bytes(changed)
            os.utime(file, ns=(1, next(times)))
        kind = FileNotFoundError if name == "manifest.json" and changed is None else Damaged
        try:
            assert read_folder(path) == about
            assert changed.lower().split() == whole.lower().split()
        except kind as error:
            assert str(file) in str(error)
        file.write_bytes(whole)
    os.utime(file, ns=(1, next(times)))
    read_folder(path)


def test_a_failed_writing_leaves_the_page_that_was_there(tmp_path):
    """UTF-8 lacks a lone surrogate, which is met when half of the page is written."""
    page = tmp_path / "page.html"
    page.write_text("old")
    with pytest.raises(UnicodeEncodeError), new_file(page) as file:
        file.write("new" * 100_000 + "\ud800")
    assert (page.read_text(), list(tmp_path.iterdir())) == ("old", [page])


def test_a_file_is_written_through_a_link(tmp_path):
    """The link stays a link."""
    (tmp_path / "real").touch()
    (tmp_path / "link").symlink_to("real")
    with new_file(tmp_path / "link") as file:
        file.write("é\n")
    assert (tmp_path / "real").read_bytes() == "é\n".encode()
    assert (tmp_path / "link").is_symlink()


@pytest.mark.parametrize("instead", ["link", "pipe"])
def test_what_is_kept_replaces_what_is_no_file(tmp_path, instead):
    """A link is not followed, and a pipe that nobody reads from does not hang."""
    (tmp_path / "real").write_text("real")
    path = tmp_path / "kept"
    if instead == "link":
        path.symlink_to("real")
    else:
        os.mkfifo(path)
    with new_file(path, follow=False) as file:
        file.write("content")
    assert (path.read_text(), path.is_symlink()) == ("content", False)
    assert (tmp_path / "real").read_text() == "real"


def test_a_folder_is_not_replaced_by_a_file(tmp_path):
    """The error says what to do, before anything is written."""
    (tmp_path / "folder").mkdir()
    for follow in (True, False):
        with (
            pytest.raises(OSError, match="folder is a folder: remove it, or choose another name"),
            new_file(tmp_path / "folder", follow=follow),
        ):
            raise AssertionError
    assert list(tmp_path.iterdir()) == [tmp_path / "folder"]


def test_a_device_is_written_to_as_it_is():
    """The device still exists afterwards."""
    with new_file("/dev/null", "wb") as file:
        file.write(b"x")
    assert not os.path.isfile("/dev/null")


@pytest.mark.parametrize("moment", ["between two files", "between old and new"])
def test_a_reader_beside_a_writer_sees_one_folder(tmp_path, monkeypatch, moment):
    """A folder that is replaced while its files are compared is the new one, and not damaged."""
    path = tmp_path / "folder"

    def put(content):
        with new_folder(path, {"content": content}, replace=True) as folder:
            (folder / "a.txt").write_text(f"a {content}")
            (folder / "b.txt").write_text(f"b {content}")

    put("old")
    opens = builtins.open

    def slowly(file, *how, **more):
        if str(file) == str(path / "b.txt"):
            monkeypatch.setattr(builtins, "open", opens)
            if moment == "between two files":
                put("new")
            else:  # the old folder is gone, and the new one has not its name yet
                os.rename(path, tmp_path / "aside")
        return opens(file, *how, **more)

    monkeypatch.setattr(builtins, "open", slowly)
    if moment == "between two files":
        assert read_folder(path) == {"content": "new"}
    else:
        with pytest.raises(FileNotFoundError):
            read_folder(path)
    assert builtins.open is opens
