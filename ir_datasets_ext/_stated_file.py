"""A file of a record in a repository of data, checked against the md5 that the record states."""

import os
import warnings
from dataclasses import dataclass
from typing import ClassVar

import ir_datasets

from ir_datasets_ext._download import DownloadError, Source
from ir_datasets_ext._files import stamp

_asked = set()


@dataclass
class StatedFile(Source):
    """A `Source` whose address and md5 are asked of a repository when they are needed.

    url: the record's address in the repository's API; `algorithm` and `digest` are not used.
    A subclass says who is asked (`HOST`), where the record's page is (`_page`), and where a record
    states address and md5 (`_stated`).
    """

    HOST: ClassVar[str] = ""
    _downloaded = None  # the stamp of the file that was verified before it got its name

    def check(self):
        """Warn, once per process, if the file that is there has not the md5 that is stated.

        Warn as well if the repository cannot be asked; the file is used all the same.
        """
        place = self.place()
        if place in _asked or stamp(place) == self._downloaded:
            return
        _asked.add(place)
        try:
            release = self._release()
        except DownloadError as error:
            warnings.warn(
                f"{place} was not compared with the release's, and is used as it is: {error}",
                stacklevel=2,
            )
        else:
            release.check()

    def _download(self, place):
        try:
            self._release()._download(place)
        except DownloadError as error:
            raise DownloadError(
                f"{error} {self.HOST} turns some programs away. To do it by hand, open "
                f"{self._page()} in a browser, download {self.name}, and move it to {place}"
            ) from error
        self._downloaded = stamp(place)

    def _release(self):
        """Return the `Source` that the record describes; DownloadError when it cannot be had."""
        try:
            record = _get_json(self.url)
        except (OSError, ValueError) as error:  # the errors of requests are OSErrors
            raise DownloadError(
                f"the md5 of {self.name} could not be asked of {self.url}: {error}."
            ) from error
        try:
            url, md5 = self._stated(record)
        except (KeyError, TypeError, ValueError) as error:
            raise DownloadError(
                f"the record at {self.url} does not state address and md5 of {self.name} where "
                f"{self.HOST}'s records do ({type(error).__name__}: {error})."
            ) from error
        return Source(self.collection, self.name, url, "md5", md5, self.notice)


def _get_json(url):
    """Return what `url` gives, with ir_datasets' own settings for downloads."""
    answer = ir_datasets.lazy_libs.requests().get(
        url,
        headers={"User-Agent": f"ir_datasets/{ir_datasets.__version__}"},
        timeout=float(os.environ.get("IR_DATASETS_DL_TIMEOUT", "15")),
        verify=os.environ.get("IR_DATASETS_DL_SKIP_SSL", "").lower() != "true",
    )
    answer.raise_for_status()
    return answer.json()
