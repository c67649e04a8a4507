"""Files of figshare's articles."""

from dataclasses import dataclass

from ir_datasets_ext.files.stated import StatedFile


@dataclass
class FigshareFile(StatedFile):
    """A file of the article at https://api.figshare.com/v2/articles/<number>."""

    HOST = "figshare"

    def _page(self):
        return f"https://figshare.com/articles/dataset/_/{self.url.rsplit('/', 1)[1]}"

    def _stated(self, record):
        (entry,) = (file for file in record["files"] if file["name"] == self.name)
        md5 = entry.get("computed_md5") or entry.get("supplied_md5")
        return entry["download_url"], md5, entry.get("size")
