"""Parts of a JSON file of several hundred megabytes, which is never in memory as a whole."""

from ir_datasets_ext.records import first_line, refused

BLOCK = 1 << 16  # bytes
LONGEST = 64  # bytes that a key may take, with quotes, colon and blanks


class JsonFile:
    """A JSON file that holds one object.

    ValueErrors name the file and the remedy where it is truncated or corrupted.
    """

    def __init__(self, path):
        self.path = path
        self._read = 0  # how far the parser has come, in bytes
        self._within = (0, 0)  # bytes inside a list that was read: no key stands there

    def entries(self, key, start=0):
        """Yield the entries of the list that the object has under `key`, one at a time.

        start: byte at which to begin, as `offsets` gives it for this key or one before it. From 0,
            all of the file is checked for errors of syntax by the time that the last entry is out.
        """
        first = last = None
        with self.path.open("rb") as file:
            for entry in self._items(file, f"{key}.item", start):
                last = self._read
                first = first or last
                yield entry
        if last:
            self._within = (first, last - BLOCK)

    def value(self, key, start=0):
        """Return what the object has under `key`, as a whole, or None; for what is small."""
        with self.path.open("rb") as file:
            return next(self._items(file, key, start), None)

    def offsets(self, keys):
        """Return the bytes at which `keys` stand, a dict without those that are not there.

        Searching is a tenth of the work of parsing, and none inside a list that `entries` has read.
        It takes the first place that reads like the key of a list or an object, so no object inside
        the others may have a key of these names.
        """
        missing, found = set(keys), {}
        with self.path.open("rb") as file:
            while missing and (block := file.read(BLOCK)):
                at = file.tell() - len(block)
                block += file.read(LONGEST)  # a key may stand across the border
                here = {key: place for key in missing if (place := _find(block, key)) is not None}
                found.update((key, at + place) for key, place in here.items())
                missing -= here.keys()
                at += BLOCK
                first, last = self._within
                file.seek(last if first <= at < last else at)
        return found

    def _items(self, file, prefix, start):
        import ijson  # its yajl2_c backend where there is one: the fastest that streams

        try:
            yield from ijson.items(
                ijson.from_iter(self._blocks(file, start)), prefix, use_float=True
            )
        except ijson.JSONError as error:
            what = f"expected JSON, which may be truncated: {first_line(error)}"
            raise refused(self.path, "", "", what) from error

    def _blocks(self, file, start):
        if start:
            yield b"{"
        file.seek(start)
        while block := file.read(BLOCK):
            self._read = file.tell()
            yield block


def _find(text, key):
    """Return where ``"key": [`` or ``"key": {`` begins in `text`, blanks or not, or None."""
    quoted, at = f'"{key}"'.encode(), -1
    while (at := text.find(quoted, at + 1)) >= 0:
        after = text[at + len(quoted) : at + LONGEST].lstrip()
        if after[:1] == b":" and after[1:].lstrip()[:1] in (b"[", b"{"):
            return at
    return None
