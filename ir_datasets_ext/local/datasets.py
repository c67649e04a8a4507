"""The datasets of a collection on this machine, which follow its folder."""

from functools import lru_cache, partial

from ir_datasets_ext.documents import StoredDocs
from ir_datasets_ext.handlers import handler
from ir_datasets_ext.local import folder_of
from ir_datasets_ext.local.kinds import PoolSource, record
from ir_datasets_ext.local.manifest import FILE, read_manifest
from ir_datasets_ext.registration import Documentation, ScholarlyDataset, datasets

ABSENT = {"score": 0.0, "sources": ()}  #: field that a table may lack -> its value then


class LocalDataset(ScholarlyDataset):
    """A collection's part that follows its folder: written anew, it is what the folder holds then.

    Raises FileNotFoundError or ValueError where the folder is missing or damaged, and ValueError
    for a part that it has not; from the start, and whenever it is used.
    """

    def __init__(self, kind, name, part=None):
        self._place = (kind, name, part)
        self._now()

    def _now(self):
        kind, name, part = self._place
        return _dataset(read_manifest(folder_of(kind, name)), kind, part or "")

    def __getattr__(self, attr):
        if attr == "_place":  # not there yet, in a copy that is being made
            raise AttributeError(attr)
        return getattr(self._now(), attr)


# manifests are equal to themselves alone: read anew, a collection is made anew
@lru_cache(maxsize=256)
def _docs(manifest, place):
    # one for all parts: ir_datasets knows by it that they share it
    table, name = manifest.docs, manifest.folder.name
    cls = record("docs", table.fields)
    read = partial(records, table, cls)
    return StoredDocs(name, place, lambda: [table], read, cls, manifest.about.lang)


@lru_cache(maxsize=256)
def _dataset(manifest, kind, part):
    if part not in manifest.parts:
        parts = ", ".join(filter(None, manifest.parts)) or "none"
        raise ValueError(
            f"{manifest.folder} has no part {part!r}, only {parts} (as {FILE} there says)"
        )
    collection = f"{kind}/{manifest.folder.name}"
    components = [_docs(manifest, collection)]
    for of_kind, table in manifest.parts[part].items():
        components += _handlers(of_kind, table, manifest)
    texts = Documentation(lambda: manifest.texts)
    (dataset,) = datasets(collection, texts, {part: components}).values()
    return dataset


def _handlers(kind, table, manifest):
    """Yield what a dataset has of a table of that kind."""
    cls, about = record(kind, table.fields), manifest.about
    said = {
        "queries": {"namespace": manifest.folder.name, "lang": about.lang},
        "qrels": {"defs": {int(grade): text for grade, text in table.about.definitions.items()}},
    }
    yield handler(kind, partial(records, table, cls), cls, table.count, **said.get(kind, {}))
    if kind == "scoreddocs":
        yield handler("pool_sources", partial(records, table, PoolSource), PoolSource)


def records(table, cls):
    """Return an iterator of a table's records in its order; the fields of `cls` say which."""
    names, absent = [*table.fields, *ABSENT], tuple(ABSENT.values())
    places = [names.index(name) for name in cls._fields]
    if places == list(range(len(table.fields))):
        return map(cls._make, table.rows())
    rows = (row + absent for row in table.rows())
    return (cls._make([row[place] for place in places]) for row in rows)
