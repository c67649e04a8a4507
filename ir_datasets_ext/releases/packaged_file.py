"""Files that are shipped in a Python package."""

from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from ir_datasets_ext.store.origin import Origin


@dataclass(frozen=True)
class PackagedFile(Origin):
    """A file shipped in a Python package, which vouches for it."""

    package: str
    name: str

    def place(self) -> Path:
        """Return the path of the file inside the package."""
        return packaged_path(self.package, self.name)


def packaged_path(package: str, name: str) -> Path:
    """Return the path of a file in the folder of a Python package."""
    return Path(str(resources.files(package)), name)
