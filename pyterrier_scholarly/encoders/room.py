"""A room for a few loaded models: who comes in last makes the first one leave.

    room = Room(most=2)
    encoders = [SentenceTransformer(name, room=room) for name in names]

However many encoders there are, at most two of them hold a model.
"""

from collections import OrderedDict
from typing import Protocol

from ..arguments import Count, check_arguments


class Releasable(Protocol):
    """What holds much memory, such as a `ModelEncoder`."""

    def release(self) -> None:
        """Drop what is held, to be loaded again when needed; the room calls it."""


class Room:
    """Encoders that may be loaded at the same time: the `most` that were used last.

    The others drop their models and arrays. Pass the room to each encoder, as ``room=``. A copy of
    a room, also by pickle, is empty.
    """

    @check_arguments
    def __init__(self, most: Count = 3) -> None:
        self.most = most
        #: by identity, because equal encoders load a model each; the one used last is at the end
        self._inside: OrderedDict[int, Releasable] = OrderedDict()

    def enter(self, encoder: Releasable) -> None:
        """Record that `encoder` is used; encoders call this whenever they need their model."""
        self._inside[id(encoder)] = encoder
        self._inside.move_to_end(id(encoder))

        while len(self._inside) > self.most:
            _, least_recently_used = self._inside.popitem(last=False)
            least_recently_used.release()

    def __reduce__(self) -> tuple[type["Room"], tuple[int]]:
        # identities of encoders mean nothing in a copy
        return Room, (self.most,)
