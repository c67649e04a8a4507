"""The files of a release: found, or downloaded and verified before they get their names."""

from ir_datasets_ext.files.download import DownloadError, Source
from ir_datasets_ext.files.figshare import FigshareFile
from ir_datasets_ext.files.sources import PackagedFile, release_sources
from ir_datasets_ext.files.zenodo import ZenodoFile, zenodo_files

__all__ = [
    "DownloadError",
    "FigshareFile",
    "PackagedFile",
    "Source",
    "ZenodoFile",
    "release_sources",
    "zenodo_files",
]
