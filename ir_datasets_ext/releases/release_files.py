"""The files of a collection, as ``files.json`` in its folder lists them.

That is an object from key to the fields of a `Source` (url, name, algorithm, digest, …)::

    {"papers": {"url": "https://example.org/papers.jsonl", "name": "papers.jsonl",
                "algorithm": "md5", "digest": "7020deb4e65969dde2345e5062672cb0"}}

With ``"repository": "figshare"`` or ``"zenodo"``, url is the record's, which states the md5. With
``"repository": "package"`` the file is in the collection's folder.
"""

import json
from functools import cached_property
from pathlib import Path

from ir_datasets_ext.releases.download import Source
from ir_datasets_ext.releases.packaged_file import PackagedFile, packaged_path
from ir_datasets_ext.releases.repositories import FigshareFile, ZenodoFile
from ir_datasets_ext.store.origin import Origin
from ir_datasets_ext.typed_records import Json

#: repository -> the class of its files; others are `Source`
REPOSITORIES = {"figshare": FigshareFile, "zenodo": ZenodoFile}


class Release:
    """The files of a collection, by key.

    name: the collection's id, its namespace, and its folder under ir_datasets' home.
    package: the Python package in the collection's folder (``__name__`` there).
    notice: licence and citation, logged before the first download.
    """

    def __init__(self, name: str, package: str, notice: str = "") -> None:
        self.name = name
        self.package = package
        self.notice = notice

    @cached_property
    def sources(self) -> dict[str, Origin]:
        """The files by key; users with a mirror may set another `url` on them."""
        listing = packaged_path(self.package, "files.json").read_text("utf-8")
        entries = json.loads(listing)
        return {key: self._make_source(entry) for key, entry in entries.items()}

    def files(self, *keys: str) -> list[Origin]:
        """Return the files of these keys."""
        return [self.sources[key] for key in keys]

    def place(self, key: str) -> Path:
        """Return where a file is, or belongs."""
        return self.sources[key].place()

    def read(self, key: str) -> bytes:
        """Return a small file's content, downloaded if need be; warn if it is not the release's.

        What is returned is what was compared with the release's hash. A large file is read while a
        store is built from it, which compares it too.
        """
        return self.sources[key].read()

    def _make_source(self, entry: dict[str, Json]) -> Origin:
        """Return the file that an entry of ``files.json`` describes."""
        fields = dict(entry)
        repository = fields.pop("repository", "")
        if repository == "package":
            return PackagedFile(self.package, **fields)

        source_class = REPOSITORIES.get(repository, Source)
        return source_class(**{"collection": self.name, "notice": self.notice, **fields})
