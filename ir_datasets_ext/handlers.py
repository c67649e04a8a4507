"""Datasets of ir_datasets made from functions, and their registration.

Documents come from `StoredDocs`; each other kind of records comes from a function.
"""

import json
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, partial
from importlib import import_module
from types import SimpleNamespace

import ir_datasets
from ir_datasets.datasets.base import YamlDocumentationProvider
from ir_datasets.formats import BaseQrels, BaseQueries, BaseScoredDocs
from ir_datasets.util import MetadataComponent, MetadataProvider

from ir_datasets_ext.docstore import QueryStore
from ir_datasets_ext.releases import MadeFrom, Release
from ir_datasets_ext.releases.packaged_file import packaged_path

BASES = {"queries": BaseQueries, "qrels": BaseQrels, "scoreddocs": BaseScoredDocs}
Texts = Mapping[str, Mapping[str, object]]  # by part ("_" is the collection) and name
Parts = Mapping[str, Iterable[object]]  # id below the collection's ("" is itself) -> components


def handler(
    kind: str,
    read: Callable[[], Iterable],
    cls: type,
    made_from: MadeFrom | None = None,
    *,
    count: Callable[[], int | None] | None = None,
    **answers: object,
) -> object:
    """Return the component of a dataset that has the records of one kind.

    It has ir_datasets' methods ``<kind>_iter()``, ``<kind>_cls()``, ``<kind>_count()`` and so on;
    ``queries_store()`` looks up queries by id.

    kind: queries, qrels or scoreddocs; or one that ir_datasets lacks, such as ratings or pairs.
    read: a function that returns the records, of class `cls`.
    made_from: the release's files and what of them the records are made from. Then records that
        these files have nothing for raise MissingContent when they are asked for.
    count: a function that returns the number of records, or None while it is unknown; by default
        they are counted once the files of `made_from` are present.
    answers: further methods and what they return: `lang` and `namespace` of queries, `defs` of
        qrels.
    """
    if made_from is not None:
        read = partial(made_from.require_some, kind, read)
        count = count or partial(made_from.count, read)

    part = BASES.get(kind, SimpleNamespace)()
    answer(part, kind, cls=cls, **answers)
    setattr(part, f"{kind}_iter", read)
    if count is not None:
        setattr(part, f"{kind}_count", count)
    if kind == "queries":
        part.queries_store = lambda: QueryStore(read(), cls)
    return part


def answer(part: object, kind: str, **answers: object) -> None:
    """Add a method ``<kind>_<name>()`` to `part` for each of `answers`, by name."""
    for name, value in answers.items():
        setattr(part, f"{kind}_{name}", lambda value=value: value)


def later(package: str, name: str, *arguments: object) -> Callable[[], Iterator]:
    """Return a function that calls ``reading.<name>(*arguments)`` of a benchmark's package.

    `reading` loads msgspec, so it is imported when the first record is read.
    """
    return lambda: getattr(import_module(f"{package}.release"), name)(*arguments)


class Documentation:
    """The texts of a collection's datasets; `read()` returns them when one is first needed."""

    def __init__(self, read: Callable[[], Texts]) -> None:
        self._read = read

    @cached_property
    def texts(self) -> Texts:
        """The texts, by part and name; "_" is the collection."""
        return self._read()

    def get_key(self, key: str) -> dict[str, object]:
        """Return the texts of the dataset `key`, its id below the collection's.

        They are those of the collection, of its facet and of its split; later ones win.
        """
        parts = [self.texts.get(part, {}) for part in ("_", *key.split("/", 1))]
        return {name: text for part in parts for name, text in part.items()}


class ScholarlyDataset(ir_datasets.Dataset):
    """A dataset of ours: distinct from a host's of the same id, and pickled as its id.

    A pickle (for a process pool, or the copies of a grid search) becomes the dataset that the
    reading process has registered under the id.
    """

    def __reduce__(self) -> tuple:
        return _load, (self.dataset_id(),)


def _load(dataset_id: str) -> ir_datasets.Dataset:
    return ir_datasets.load(dataset_id)  # importing this module has registered ours


def released(
    release: Release, parts: Parts, documentation: type[Documentation] = Documentation
) -> dict[str, ScholarlyDataset]:
    """Return the datasets of a release, by id.

    Their texts are in ``documentation.yaml`` in the collection's folder. The counts of datasets
    whose files are not downloaded are in ``metadata.json`` there, which may be missing.
    """

    def metadata() -> dict:
        path = packaged_path(release.package, "metadata.json")
        return json.loads(path.read_bytes()) if path.is_file() else {}

    def texts() -> Texts:
        yaml = ir_datasets.lazy_libs.yaml()
        content = packaged_path(release.package, "documentation.yaml").read_bytes()
        return yaml.load(content, yaml.BaseLoader)  # only strings, as ir_datasets'

    return datasets(release.name, documentation(texts), parts, metadata)


def datasets(
    collection: str,
    documentation: Documentation,
    parts: Parts,
    metadata: Callable[[], dict] = dict,
) -> dict[str, ScholarlyDataset]:
    """Return the datasets of a collection, by id."""
    provider, by_id = MetadataProvider(metadata), {}
    for below, components in parts.items():
        dataset_id = f"{collection}/{below}".rstrip("/")
        whole = ir_datasets.Dataset(*components, YamlDocumentationProvider(documentation, below))
        by_id[dataset_id] = ScholarlyDataset(MetadataComponent(dataset_id, whole, provider), whole)
    return by_id


def add(by_id: Mapping[str, ScholarlyDataset]) -> None:
    """Register datasets by id; one RuntimeWarning names the ids that other packages have taken."""
    known = {name for name in ir_datasets.registry if name in by_id}
    for dataset_id, dataset in by_id.items():
        if dataset_id not in known:
            ir_datasets.registry.register(dataset_id, dataset)
    ours = ScholarlyDataset.__name__  # a reloaded module still knows what it registered before
    if taken := sorted(one for one in known if type(ir_datasets.registry[one]).__name__ != ours):
        warnings.warn(
            f"ir_datasets already has datasets with these ids, and keeps them: {', '.join(taken)}. "
            "Those of pyterrier-scholarly are not registered.",
            RuntimeWarning,
            stacklevel=3,
        )
