"""The datasets of a collection on this machine, which follow its folder."""

from functools import lru_cache

from ir_datasets.datasets.base import YamlDocumentationProvider

from ir_datasets_ext._register import ScholarlyDataset, dataset
from ir_datasets_ext.local import folder_of
from ir_datasets_ext.local.handlers import HANDLERS, LocalDocs
from ir_datasets_ext.local.manifest import FILE, read_manifest


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
def _docs(manifest):
    return LocalDocs(manifest)  # one for all parts: ir_datasets knows by it that they share it


@lru_cache(maxsize=256)
def _dataset(manifest, kind, part):
    if part not in manifest.parts:
        parts = ", ".join(filter(None, manifest.parts)) or "none"
        raise ValueError(
            f"{manifest.folder} has no part {part!r}, only {parts} (as {FILE} there says)"
        )
    dataset_id = "/".join(filter(None, (kind, manifest.folder.name, part)))
    tables = manifest.parts[part]
    handlers = [HANDLERS[kind](table, manifest) for kind, table in tables.items()]
    documentation = YamlDocumentationProvider(_Texts(manifest), part or "_")
    return dataset(dataset_id, documentation, _docs(manifest), *handlers)


class _Texts:
    def __init__(self, manifest):
        self._manifest = manifest

    def get_key(self, key):
        """Return the collection's texts, with those of the part `key` in their place."""
        texts = self._manifest.texts
        return {**texts.get("_", {}), **texts.get(key, {})}
