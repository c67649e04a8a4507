"""The files of a release: found, or downloaded and verified before they get their names."""

from ir_datasets_ext.files.download import DownloadError, Source
from ir_datasets_ext.files.sources import PackagedFile, Release, release_sources
from ir_datasets_ext.files.stated import FigshareFile, ZenodoFile

__all__ = [
    "DownloadError",
    "FigshareFile",
    "PackagedFile",
    "Release",
    "Source",
    "ZenodoFile",
    "release_sources",
]
