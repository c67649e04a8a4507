"""Files of Zenodo's records."""

from dataclasses import dataclass

from ir_datasets_ext.files.sources import release_sources
from ir_datasets_ext.files.stated import StatedFile


@dataclass
class ZenodoFile(StatedFile):
    """A file of the record at https://zenodo.org/api/records/<number>."""

    HOST = "Zenodo"

    def _page(self):
        return self.url.replace("/api/records/", "/records/")

    def _stated(self, record):
        (entry,) = (file for file in record["files"] if file["key"] == self.name)
        md5 = str(entry["checksum"]).removeprefix("md5:")
        return entry["links"]["self"], md5, entry.get("size")


def zenodo_files(collection, notice=""):
    """Return the files of `collection` in ``etc/downloads.json``: a dict from key to ZenodoFile."""
    return {
        key: ZenodoFile(collection, source.name, source.url, notice=notice)
        for key, source in release_sources(collection).items()
    }
