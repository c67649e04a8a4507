"""Our datasets in ir_datasets' registry, with metadata and documentation of our own."""

import json
import pkgutil
import warnings

import ir_datasets
from ir_datasets.datasets.base import YamlDocumentation
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


def dataset(dataset_id, documentation, *components):
    """Return the dataset made of `components`, with its counts of ``etc/metadata.json``.

    documentation: from `Documentation`, called with the dataset's key.
    """
    parts = ir_datasets.Dataset(*components, documentation)
    return ScholarlyDataset(MetadataComponent(dataset_id, parts, METADATA), parts)


def add(datasets):
    """Register `datasets`, a dict by id; what is there from us stays, and so does what is not.

    One RuntimeWarning names the ids that were taken.
    """
    there = {name for name in ir_datasets.registry if name in datasets}
    for dataset_id, found in datasets.items():
        if dataset_id not in there:
            ir_datasets.registry.register(dataset_id, found)
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


class Documentation(YamlDocumentation):
    """The texts of one of our ``docs/*.yaml``, read when one is asked for."""

    def get_key(self, key):
        """Return the texts of the dataset `key`, its id below the collection ("_": the collection).

        It has the texts of the collection, of its facet and of its split; the later ones win.
        """
        if self._contents is None:
            yaml = ir_datasets.lazy_libs.yaml()
            # only strings, as ir_datasets has it
            self._contents = yaml.load(pkgutil.get_data(PACKAGE, self._file), yaml.BaseLoader)
        texts = {}
        for part in ("_", *key.split("/", 1)):
            texts.update(self._contents.get(part, {}))
        return texts


def _read_metadata():
    return json.loads(pkgutil.get_data(PACKAGE, "etc/metadata.json"))


METADATA = MetadataProvider(_read_metadata)
