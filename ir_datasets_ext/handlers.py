"""Datasets of ir_datasets made from functions, and their registration.

::

    docs = StoredDocs("tiny", "tiny/docs", sources, read_docs, TinyDoc)
    queries = make_handler("queries", read_queries, TinyQuery, namespace="tiny", lang="en")
    datasets = make_released_datasets(RELEASE, {"": (docs, queries)})  # {"tiny": <dataset>}
    register_datasets(datasets)

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
from ir_datasets_ext.store.origin import Origin

#: kind of records -> the host's class of their handlers; other kinds have none
BASES = {"queries": BaseQueries, "qrels": BaseQrels, "scoreddocs": BaseScoredDocs}
#: texts of documentation: part of an id ("_" is the collection) -> name -> text
Texts = Mapping[str, Mapping[str, object]]
#: id of a dataset below the collection's ("" is the collection itself) -> its components
Parts = Mapping[str, Iterable[object]]


def make_handler(
    kind: str,
    read: Callable[[], Iterable],
    cls: type,
    made_from: MadeFrom | None = None,
    *,
    count: Callable[[], int | None] | None = None,
    files: Callable[[], Iterable[Origin]] | None = None,
    **answers: object,
) -> object:
    """Return the component of a dataset that has the records of one kind.

    It has ir_datasets' methods ``<kind>_iter()``, ``<kind>_cls()``, ``<kind>_count()`` and so on;
    ``queries_store()`` looks up queries by id, ``<kind>_files()`` returns what they are read from.

    kind: queries, qrels or scoreddocs; or one that ir_datasets lacks, such as ratings or pairs.
    read: a function that returns the records, of class `cls`.
    made_from: the release's files, and what of them the records are made from. With it, reading
        raises MissingContent if the files have no such records.
    count: a function that returns the number of records, or None while it is unknown; by default
        they are counted once the files of `made_from` are present.
    files: a function that returns the files that are read; by default those of `made_from`.
    answers: further methods and what they return: `lang` and `namespace` of queries, `defs` of
        qrels.
    """
    read_records = read
    count_records = count
    if made_from is not None:
        read_records = partial(made_from.require_some, kind, read)
        files = partial(made_from.release.files, *made_from.keys)
        if count is None:
            count_records = partial(made_from.count, read_records)

    # each becomes a method `<kind>_<name>()` of the handler
    methods: dict[str, Callable] = {"iter": read_records}
    if files is not None:
        methods["files"] = files
    if count_records is not None:
        methods["count"] = count_records
    if kind == "queries":
        methods["store"] = lambda: QueryStore(read_records(), cls)

    host_class = BASES.get(kind, SimpleNamespace)
    handler = host_class()
    add_answers(handler, kind, cls=cls, **answers)
    for name, method in methods.items():
        setattr(handler, f"{kind}_{name}", method)
    return handler


def add_answers(handler: object, kind: str, **answers: object) -> None:
    """Add a method ``<kind>_<name>()`` to `handler` for each of `answers`, by name."""
    for name, value in answers.items():
        # a default argument, because a closure would return the loop's last value
        setattr(handler, f"{kind}_{name}", lambda value=value: value)


def read_later(package: str, name: str, *arguments: object) -> Callable[[], Iterator]:
    """Return a function that calls ``release.<name>(*arguments)`` of a benchmark's package.

    `release` loads msgspec, so it is imported when the first record is read.
    """

    def read() -> Iterator:
        module = import_module(f"{package}.release")
        return getattr(module, name)(*arguments)

    return read


class Documentation:
    """The texts of a collection's datasets; `read()` returns them when one is first needed."""

    def __init__(self, read: Callable[[], Texts]) -> None:
        self._read = read

    @cached_property
    def texts(self) -> Texts:
        """The texts, by part and name; "_" is the collection."""
        return self._read()

    def get_key(self, key: str) -> dict[str, object]:
        """Return the texts that document a dataset, by name; ir_datasets calls this.

        They are the collection's texts, replaced by those of the dataset's facet and of its split.

        key: the dataset's id below the collection's: "method/fold1", of ``csfcube/method/fold1``.
        """
        parts_of_key = key.split("/", 1)  # a facet, and maybe a split
        texts_of_dataset: dict[str, object] = {}
        for part in ("_", *parts_of_key):  # "_" has the collection's texts
            texts_of_part = self.texts.get(part, {})
            texts_of_dataset.update(texts_of_part)
        return texts_of_dataset


class ScholarlyDataset(ir_datasets.Dataset):
    """A dataset of ours: distinct from a host's of the same id, and pickled as its id.

    A pickle (for a process pool, or the copies of a grid search) becomes the dataset that the
    reading process has registered under the id.
    """

    def __reduce__(self) -> tuple:
        return _load, (self.dataset_id(),)


def _load(dataset_id: str) -> ir_datasets.Dataset:
    """Return the dataset that this process has registered under an id; pickle calls this."""
    return ir_datasets.load(dataset_id)  # importing this module has registered ours


def make_released_datasets(
    release: Release, parts: Parts, documentation: type[Documentation] = Documentation
) -> dict[str, ScholarlyDataset]:
    """Return the datasets of a release, by id.

    Their texts are in ``documentation.yaml`` in the collection's folder. The counts of datasets
    whose files are not downloaded are in ``metadata.json`` there, which may be missing.
    """

    def read_metadata() -> dict:
        path = packaged_path(release.package, "metadata.json")
        return json.loads(path.read_bytes()) if path.is_file() else {}

    def read_texts() -> Texts:
        yaml = ir_datasets.lazy_libs.yaml()
        content = packaged_path(release.package, "documentation.yaml").read_bytes()
        return yaml.load(content, yaml.BaseLoader)  # only strings, as ir_datasets'

    return make_datasets(release.name, documentation(read_texts), parts, read_metadata)


def make_datasets(
    collection: str,
    documentation: Documentation,
    parts: Parts,
    read_metadata: Callable[[], dict] = dict,
) -> dict[str, ScholarlyDataset]:
    """Return the datasets of a collection, by id.

    read_metadata: returns the counts of datasets whose files are not downloaded.
    """
    metadata_provider = MetadataProvider(read_metadata)
    datasets_by_id = {}
    for part, components in parts.items():
        dataset_id = f"{collection}/{part}" if part else collection
        texts = YamlDocumentationProvider(documentation, part)
        dataset = ir_datasets.Dataset(*components, texts)
        metadata = MetadataComponent(dataset_id, dataset, metadata_provider)
        datasets_by_id[dataset_id] = ScholarlyDataset(metadata, dataset)
    return datasets_by_id


def register_datasets(datasets_by_id: Mapping[str, ScholarlyDataset]) -> None:
    """Register datasets by id; one RuntimeWarning names the ids that other packages have taken."""
    registered_ids = {name for name in ir_datasets.registry if name in datasets_by_id}
    for dataset_id, dataset in datasets_by_id.items():
        if dataset_id not in registered_ids:
            ir_datasets.registry.register(dataset_id, dataset)

    # by the name of the class: a reloaded module has another class than what it registered before
    taken_ids = [
        dataset_id
        for dataset_id in sorted(registered_ids)
        if type(ir_datasets.registry[dataset_id]).__name__ != ScholarlyDataset.__name__
    ]
    if taken_ids:
        warnings.warn(
            "ir_datasets already has datasets with these ids, and keeps them: "
            f"{', '.join(taken_ids)}. Those of pyterrier-scholarly are not registered.",
            RuntimeWarning,
            stacklevel=3,
        )
