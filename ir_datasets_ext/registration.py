"""Our datasets in ir_datasets' registry, with metadata and documentation of our own."""

import json
import pkgutil
import warnings
from functools import cached_property

import ir_datasets
from ir_datasets.datasets.base import YamlDocumentationProvider
from ir_datasets.util import MetadataComponent, MetadataProvider

PACKAGE = "ir_datasets_ext"


class ScholarlyDataset(ir_datasets.Dataset):
    """A dataset of ours: known from a host's of the same id, and pickled as its id.

    A pickle (for a process pool, or the copies that a grid search makes) so becomes what the
    reading process has registered under the id.
    """

    def __reduce__(self):
        return load, (self.dataset_id(),)


def load(dataset_id):
    """Return the registered dataset; that ours are registered is certain here."""
    return ir_datasets.load(dataset_id)


def datasets(collection, documentation, parts):
    """Return the datasets of a collection: a dict by id, with counts of ``etc/metadata.json``.

    documentation: a `Documentation`, or something else that has its `get_key`.
    parts: what the datasets are made of, by their id below the collection's ("" is the collection).
    """
    found = {}
    for below, components in parts.items():
        dataset_id = f"{collection}/{below}".rstrip("/")
        texts = YamlDocumentationProvider(documentation, below)
        whole = ir_datasets.Dataset(*components, texts)
        found[dataset_id] = ScholarlyDataset(MetadataComponent(dataset_id, whole, METADATA), whole)
    return found


def add(found):
    """Register datasets, a dict by id; what is there from us stays, and so does what is not.

    One RuntimeWarning names the ids that were taken.
    """
    there = {name for name in ir_datasets.registry if name in found}
    for dataset_id, dataset in found.items():
        if dataset_id not in there:
            ir_datasets.registry.register(dataset_id, dataset)
    taken = [
        dataset_id
        for dataset_id in there
        # by name, so that a reloaded module still knows what it registered before
        if type(ir_datasets.registry[dataset_id]).__name__ != ScholarlyDataset.__name__
    ]
    if taken:
        warnings.warn(
            "ir_datasets has datasets of these ids already, which stay as they are: "
            f"{', '.join(sorted(taken))}. Those of pyterrier-scholarly are not registered.",
            RuntimeWarning,
            stacklevel=3,
        )


class Documentation:
    """The texts of a collection's datasets, in parts.

    read: a function that gives texts, by part and name; called when one is first asked for.
    """

    def __init__(self, read):
        self._read = read

    @cached_property
    def texts(self):
        """The texts, by part and name; "_" is the collection."""
        return self._read()

    def get_key(self, key):
        """Return the texts of the dataset `key`, its id below the collection.

        It has the texts of the collection, of its facet and of its split; the later ones win.
        """
        texts = {}
        for part in ("_", *key.split("/", 1)):
            texts.update(self.texts.get(part, {}))
        return texts


def packaged(name):
    """Return the content of ``docs/<name>.yaml``; only strings, as ir_datasets has it."""
    yaml = ir_datasets.lazy_libs.yaml()
    return yaml.load(pkgutil.get_data(PACKAGE, f"docs/{name}.yaml"), yaml.BaseLoader)


def _read_metadata():
    return json.loads(pkgutil.get_data(PACKAGE, "etc/metadata.json"))


METADATA = MetadataProvider(_read_metadata)
