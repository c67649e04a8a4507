"""The files of a release: found, or downloaded and verified before they get their names.

::

    RELEASE = Release("tiny", __name__, "Tiny is in the public domain. Please cite Doe 2026.")
    RELEASE.place("papers")  # where the file is, or belongs
    RELEASE.read("papers")   # its content, downloaded first if it is missing

`Release` lists the files, `Source` is one that is downloaded, `PackagedFile` one that is shipped;
`MadeFrom` says what a dataset's part needs of them.
"""

from ir_datasets_ext.releases.download import DownloadError, Source
from ir_datasets_ext.releases.made_from import MadeFrom
from ir_datasets_ext.releases.packaged_file import PackagedFile
from ir_datasets_ext.releases.release_files import Release
from ir_datasets_ext.releases.repositories import FigshareFile, ZenodoFile
from ir_datasets_ext.typed_records import MissingContent

__all__ = [
    "DownloadError",
    "FigshareFile",
    "MadeFrom",
    "MissingContent",
    "PackagedFile",
    "Release",
    "Source",
    "ZenodoFile",
]
