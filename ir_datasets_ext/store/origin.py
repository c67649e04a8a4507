"""Files that a folder is built from, see `ensure_built`."""

from pathlib import Path


class Origin:
    """A file that a folder is built from; its `name` is unique in the folder's manifest.

    A subclass says where the file is, by `place`. If it can be downloaded or verified, `path` and
    `check` do so: `path` is called before the file is read, `check` while the folder is built.
    """

    name: str

    def place(self) -> Path:
        """Return where the file is, or belongs."""
        raise NotImplementedError

    def path(self) -> Path:
        """Return the file's path; download or verify it first if need be."""
        return self.place()

    def present(self) -> bool:
        """Return whether the file exists."""
        return self.place().is_file()

    def check(self) -> str:
        """Warn if the file is not what it should be; return the warning without path, or ""."""
        return ""

    def read(self) -> bytes:
        """Return the content, after the checks of `path` and `check`."""
        path = self.path()
        self.check()
        return path.read_bytes()
