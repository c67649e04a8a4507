"""What a folder of shards is of: written first, and every shard bears its key."""

from dataclasses import dataclass, field

from ir_datasets_ext.store import fingerprint, read_folder


@dataclass(frozen=True)
class Manifest:
    """Which texts are encoded by what, and how they are cut into shards.

    encoder: its fingerprint, or a name given to it; source: a hash of the texts; texts: how many;
    shard_size: of each shard but the last; shown: the encoder's repr, for people alone.
    """

    encoder: str
    source: str
    texts: int
    shard_size: int
    shown: str = field(default="", compare=False)

    @property
    def shards(self) -> int:
        """How many there are."""
        return -(-self.texts // self.shard_size)

    @property
    def key(self) -> str:
        """A hash of all this."""
        return fingerprint(self)

    def rows(self, number) -> range:
        """The places of the texts of a shard."""
        start = number * self.shard_size
        return range(start, min(start + self.shard_size, self.texts))


def read_manifest(folder) -> Manifest | None:
    """The manifest of `folder`; None if there is none.

    Raises:
        ValueError: it cannot be read.
    """
    try:
        return Manifest(**read_folder(folder))
    except FileNotFoundError:
        return None
    except (ValueError, TypeError) as error:
        raise ValueError(f"{folder} holds no shards ({error}): remove the folder.") from None
