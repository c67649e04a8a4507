"""What is downloaded, from where, and with which hash."""

import pytest

from ir_datasets_ext import csfcube
from ir_datasets_ext.releases import PackagedFile, Release
from ir_datasets_ext.store.hashes import file_hash

COMMIT = "7ffe012c1d92c470f185fc086086caf5b8e05ef3"


def test_every_file_of_csfcube_is_pinned_and_hashed():
    """Each is the raw file of the pinned commit; only the abstracts have no md5."""
    sources = Release("csfcube", csfcube.__name__, "notice").sources
    base = f"https://raw.githubusercontent.com/iesl/CSFCube/{COMMIT}/"
    assert {source.url for source in sources.values()} == {base + s.name for s in sources.values()}
    algorithms = {key: source.algorithm for key, source in sources.items()}
    assert algorithms.pop("docs") == "git-blob"
    assert set(algorithms.values()) == {"md5"}
    assert {source.notice for source in sources.values()} == {"notice"}


def test_hashes_are_those_of_the_release(csfcube_home):
    """The real files at hand, all but the abstracts, which are no copy of the release's."""
    sources = Release("csfcube", csfcube.__name__).sources
    del sources["docs"]
    assert len(sources) == 6
    got = {key: file_hash(source.path(), "md5") for key, source in sources.items()}
    assert got == {key: source.digest for key, source in sources.items()}


def test_packaged_files_are_there():
    """They are found without a home, and never warned of."""
    file = PackagedFile("ir_datasets_ext.csfcube", "files.json")
    assert file.present()
    assert file.place() == file.path()
    assert file.path().is_file()
    file.check()


def test_a_collection_without_a_list_of_files_is_an_error():
    """The list is looked up in the collection's own folder, which the error names."""
    with pytest.raises(FileNotFoundError, match=r"local.files\.json"):
        Release("local", "ir_datasets_ext.local").place("docs")
